import CLua

/// The one value a callback answers with; the same as a ``LuaWriter`` of which the first value counts.
public typealias LuaResult = LuaWriter

/// Describes values for Lua, one after the other, into a buffer that the state reuses: nothing is allocated here once
/// the buffer has grown. Valid during the call that provides it.
///
/// A table is written as `beginTable`, positional items or a key before each item, `endTable`.
public struct LuaWriter {
  @usableFromInline let items: UnsafeMutablePointer<CLuaItems>

  @usableFromInline
  init(_ items: UnsafeMutablePointer<CLuaItems>) { self.items = items }

  /// Writes nil.
  @inlinable
  public mutating func appendNil() { clua_writeNil(items) }

  /// Writes a boolean.
  @inlinable
  public mutating func append(_ value: Bool) { clua_writeBoolean(items, value) }

  /// Writes an integer.
  @inlinable
  public mutating func append(_ value: Int) { clua_writeInteger(items, Int64(value)) }

  /// Writes a float.
  @inlinable
  public mutating func append(_ value: Double) { clua_writeNumber(items, value) }

  /// Writes a string.
  @inlinable
  public mutating func append(_ value: String) {
    var value = value
    value.withUTF8 { clua_writeBytes(items, .string, $0.baseAddress, $0.count) }
  }

  /// Writes a string that is known at compile time.
  @inlinable
  public mutating func append(_ value: StaticString) {
    value.withUTF8Buffer { clua_writeBytes(items, .string, $0.baseAddress, $0.count) }
  }

  /// Writes a string of bytes.
  @inlinable
  public mutating func append(bytes: UnsafeRawBufferPointer) {
    clua_writeBytes(items, .string, bytes.baseAddress, bytes.count)
  }

  /// Writes an interned string.
  @inlinable
  public mutating func append(_ key: LuaKey) { clua_writeReference(items, key.reference) }

  /// Writes a host object.
  @inlinable
  public mutating func append(_ object: LuaObject) { clua_writeObject(items, object.raw) }

  /// Writes a function or a table of the same state.
  public mutating func append(_ reference: LuaReference) { clua_writeReference(items, reference.reference) }

  /// Writes any value; what the host cannot hold is nil.
  public mutating func append(_ value: LuaValue) {
    switch value {
    case .nil, .other: appendNil()
    case .boolean(let value): append(value)
    case .integer(let value): append(value)
    case .number(let value): append(value)
    case .string(let value): append(value)
    case .table(let table): append(table)
    case .function(let function): append(function)
    case .object(let object): append(object)
    }
  }

  /// Starts a table; the sizes are the numbers of positional items and of keys to make room for.
  @inlinable
  public mutating func beginTable(array: Int = 0, record: Int = 0) {
    clua_beginTable(items, UInt32(clamping: min(array, 1 << 24)), min(record, 1 << 24))
  }

  /// Names the next item of the table.
  @inlinable
  public mutating func key(_ key: String) {
    var key = key
    key.withUTF8 { clua_writeBytes(items, .key, $0.baseAddress, $0.count) }
  }

  /// Names the next item of the table.
  @inlinable
  public mutating func key(_ key: StaticString) {
    key.withUTF8Buffer { clua_writeBytes(items, .key, $0.baseAddress, $0.count) }
  }

  /// Names the next item of the table.
  @inlinable
  public mutating func key(_ key: LuaKey) { clua_writeKeyReference(items, key.reference) }

  /// Names the next item of the table.
  @inlinable
  public mutating func key(_ key: Int) { clua_writeKeyInteger(items, Int64(key)) }

  /// Ends the table that was begun last.
  @inlinable
  public mutating func endTable() { clua_endTable(items) }
}
