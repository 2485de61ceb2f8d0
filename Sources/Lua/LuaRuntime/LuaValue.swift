/// A Lua value as Swift sees it. Scalars are copied; tables and functions are references into their state.
public enum LuaValue {
  /// Nothing.
  case `nil`
  /// True or false.
  case boolean(Bool)
  /// A number of Lua's integer subtype.
  case integer(Int)
  /// A number of Lua's float subtype.
  case number(Double)
  /// An exact decimal number.
  case decimal(LuaDecimal)
  /// Text; a string that is not UTF-8 is an `other`.
  case string(String)
  /// A table of the state.
  case table(LuaTable)
  /// A function of the state.
  case function(LuaFunction)
  /// An object of the host.
  case object(LuaObject)
  /// A value that the host cannot hold, by the name of its type: a coroutine, or a userdata that is not the host's.
  case other(String)
}

extension LuaValue {
  /// The text in place of a type's name for a string that is not UTF-8.
  public static let badText = "string that is not UTF-8"

  /// The name that Lua gives the type.
  public var typeName: String {
    switch self {
    case .nil: "nil"
    case .boolean: "boolean"
    case .integer, .number: "number"
    case .string: "string"
    case .table: "table"
    case .function: "function"
    case .object: "userdata"
    case .decimal: "decimal"
    case .other(let name): name
    }
  }

  /// False for nil and false, as in a Lua condition.
  public var isTruthy: Bool {
    switch self {
    case .nil, .boolean(false): false
    default: true
    }
  }
}

/// Scalars and objects by value, tables and functions by identity of the reference.
extension LuaValue: Equatable {
  /// True if two values are the same; an integer never equals a float.
  public static func == (left: LuaValue, right: LuaValue) -> Bool {
    switch (left, right) {
    case (.nil, .nil): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.decimal(let left), .decimal(let right)): left == right
    case (.string(let left), .string(let right)): left == right
    case (.table(let left), .table(let right)): left === right
    case (.function(let left), .function(let right)): left === right
    case (.object(let left), .object(let right)): left == right
    case (.other(let left), .other(let right)): left == right
    default: false
    }
  }
}
