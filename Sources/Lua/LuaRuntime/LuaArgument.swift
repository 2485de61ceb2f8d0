import CLua

/// A value that Lua passes to the host, read in place. Valid during the callback that got it.
public struct LuaArgument {
  @usableFromInline let raw: CLuaValue
  @usableFromInline let link: LuaLinkPointer

  @usableFromInline
  init(_ raw: CLuaValue, _ link: LuaLinkPointer) {
    self.raw = raw
    self.link = link
  }

  /// The kind and content of a value, known without copying it.
  public enum Kind {
    /// Nothing.
    case `nil`
    /// True or false.
    case boolean(Bool)
    /// An integer.
    case integer(Int)
    /// A float.
    case number(Double)
    /// An exact decimal number.
    case decimal(LuaDecimal)
    /// A string, in place.
    case string(LuaBytes)
    /// A table; ``LuaArgument/value`` makes it readable.
    case table
    /// A function; ``LuaArgument/value`` makes it callable.
    case function
    /// An object of the host.
    case object(LuaObject)
    /// Anything else.
    case other
  }

  /// The value as far as it can be read without copying.
  @inlinable
  public var kind: Kind {
    switch raw.kind {
    case .nil: .nil
    case .boolean: .boolean(raw.boolean)
    case .integer: .integer(Int(raw.integer))
    case .number: .number(raw.number)
    case .decimal: .decimal(LuaDecimal(raw))
    case .string: .string(LuaBytes(raw))
    case .table: .table
    case .function: .function
    case .object: .object(LuaObject(raw.object))
    case .other: .other
    }
  }

  /// A copy of a string as text; nil where it is none, is no UTF-8, or there is no room for it.
  public var text: String? {
    guard raw.kind == .string, link.hold(raw.count) else { return nil }
    return LuaBytes(raw).validText
  }

  /// Hands out the fields of a table of texts, numbers and truth values by these keys.
  ///
  /// - Parameters:
  ///   - keys: the addresses of interned keys, ``mostFields`` at most.
  ///   - body: gets each field by the position of its key. It returns false to end that.
  /// - Returns: true if all were handed out; false where the argument is something else.
  @inlinable
  public func fields(
    _ keys: UnsafeBufferPointer<UnsafeRawPointer>, _ body: (_ key: Int, _ value: LuaArgument) -> Bool
  ) -> Bool {
    guard raw.kind == .table, keys.count <= Self.mostFields, let machine = link.machine else { return false }
    return withUnsafeTemporaryAllocation(of: CLuaValue.self, capacity: Self.mostFields) { values in
      guard let start = values.baseAddress else { return false }
      let count = clua_fields(machine, raw.index, keys.baseAddress, keys.count, start)
      guard count >= 0, LuaMeter(machine: machine).holdEntries(Int(count)) else { return false }
      for index in keys.indices where start[index].kind != .nil {
        guard body(index, LuaArgument(start[index], link)) else { return false }
      }
      return true
    }
  }

  /// The most keys of ``fields(_:_:)``.
  public static var mostFields: Int { 16 }

  /// The value as a message names a key.
  public var keyText: String {
    switch kind {
    case .string(let text): text.text
    case .integer(let number): String(number)
    case .boolean(let value): String(value)
    case .number(let value): String(value)
    default: "(\(typeName))"
    }
  }

  /// A copy that lasts.
  public var value: LuaValue { link.link.value(of: raw) }

  /// The name that Lua gives the type.
  public var typeName: String {
    switch raw.kind {
    case .nil: "nil"
    case .boolean: "boolean"
    case .integer, .number: "number"
    case .string: "string"
    case .table: "table"
    case .function: "function"
    case .object: "userdata"
    case .decimal: "decimal"
    case .other: String(cString: raw.typeName)
    }
  }
}

/// The link of a state, borrowed for the length of a callback: the state that calls back holds it.
@usableFromInline
struct LuaLinkPointer {
  private let unmanaged: Unmanaged<LuaLink>

  init(_ link: LuaLink) { unmanaged = .passUnretained(link) }

  var link: LuaLink { unmanaged.takeUnretainedValue() }

  @usableFromInline var machine: UnsafeMutablePointer<CLuaMachine>? {
    unmanaged._withUnsafeGuaranteedRef { $0.machine }
  }

  func hold(_ bytes: Int) -> Bool { unmanaged._withUnsafeGuaranteedRef { $0.hold(bytes) } }
}
