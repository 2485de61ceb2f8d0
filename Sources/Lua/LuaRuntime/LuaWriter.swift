import CLua

/// The answer of a callback, written by a ``LuaWriter``: its first value counts, or two for a step through entries.
public typealias LuaResult = LuaWriter

/// Describes values for Lua, one after the other, into a buffer that the state reuses: nothing is allocated here once
/// the buffer has grown. Valid during the call that provides it.
///
/// A table is written as `beginTable`, positional items or a key before each item, `endTable`.
public struct LuaWriter {
  @usableFromInline let items: UnsafeMutablePointer<CLuaItems>

  @usableFromInline
  init(_ items: UnsafeMutablePointer<CLuaItems>) { self.items = items }

  /// Writes an item that names a reference.
  @inlinable
  @inline(__always)
  mutating func write(_ kind: CLuaItemKind, _ reference: Int32) {
    clua_write(items, kind).pointee.integer = Int64(reference)
  }

  /// Writes nil.
  @inlinable
  public mutating func appendNil() { clua_write(items, .nil) }

  /// Writes a boolean.
  @inlinable
  public mutating func append(_ value: Bool) { clua_write(items, .boolean).pointee.boolean = value }

  /// Writes an integer.
  @inlinable
  public mutating func append(_ value: Int) { clua_write(items, .integer).pointee.integer = Int64(value) }

  /// Writes a float.
  @inlinable
  public mutating func append(_ value: Double) { clua_write(items, .number).pointee.number = value }

  /// Writes a decimal.
  @inlinable
  public mutating func append(_ value: LuaDecimal) {
    let item = clua_write(items, .decimal)
    item.pointee.integer = Int64(value.units)
    item.pointee.tag = UInt32(value.scale)
  }

  /// Writes a string.
  @inlinable
  public mutating func append(_ value: String) {
    let items = items
    // Where it stands: a copy of it would count references.
    let isWritten: Void? = value.utf8.withContiguousStorageIfAvailable {
      clua_writeBytes(items, .string, $0.baseAddress, $0.count)
    }
    guard isWritten == nil else { return }
    var copy = value
    copy.withUTF8 { clua_writeBytes(items, .string, $0.baseAddress, $0.count) }
  }

  /// Writes a string of these bytes.
  @inlinable
  public mutating func append(text: UnsafeRawBufferPointer) {
    clua_writeBytes(items, .string, text.baseAddress, text.count)
  }

  /// Writes a string that the state keeps.
  @inlinable
  public mutating func append(_ key: LuaKey) { write(.reference, key.reference) }

  /// Writes a host object.
  @inlinable
  public mutating func append(_ object: LuaObject) { clua_write(items, .object).pointee.object = object.raw }

  /// Writes a function or a table of the same state.
  public mutating func append(_ reference: LuaReference) { write(.reference, reference.reference) }

  /// Writes any value; what the host cannot hold is nil.
  public mutating func append(_ value: LuaValue) {
    switch value {
    case .nil, .other: appendNil()
    case .boolean(let value): append(value)
    case .integer(let value): append(value)
    case .number(let value): append(value)
    case .decimal(let value): append(value)
    case .string(let value): append(value)
    case .table(let table): append(table)
    case .function(let function): append(function)
    case .object(let object): append(object)
    }
  }

  /// Starts a table; the sizes are the numbers of positional items and of keys to make room for.
  @inlinable
  public mutating func beginTable(array: Int = 0, record: Int = 0) {
    let item = clua_write(items, .beginTable)
    item.pointee.tag = UInt32(clamping: min(array, 1 << 24))
    item.pointee.count = min(record, 1 << 24)
  }

  /// Names the next item of the table.
  @inlinable
  public mutating func key(_ key: String) {
    var key = key
    key.withUTF8 { clua_writeBytes(items, .key, $0.baseAddress, $0.count) }
  }

  /// Names the next item of the table.
  @inlinable
  public mutating func key(_ key: LuaKey) { write(.keyReference, key.reference) }

  /// Names the next item of the table.
  @inlinable
  public mutating func key(_ key: Int) { clua_write(items, .keyInteger).pointee.integer = Int64(key) }

  /// Ends the table that was begun last.
  @inlinable
  public mutating func endTable() { clua_write(items, .endTable) }
}
