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
    guard raw.kind == .string, link.link.hold(raw.count) else { return nil }
    return LuaBytes(raw).validText
  }

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
  unowned(unsafe) let link: LuaLink

  init(_ link: LuaLink) { self.link = link }
}
