import LuaRuntime

/// How a plugin's function is called, for who mistakes its first parameter for its second.
struct FunctionSignature {
  /// The function as it is written.
  private let text: String
  /// What the second parameter has and the first has not.
  private let members: [String]

  static let command = FunctionSignature(
    text: "function(args, cmd)", members: ["dispatch", "print", "project", "wait", "state"])
  static let middleware = FunctionSignature(text: "function(action, ctx)", members: ["dispatch", "task", "state"])
  static let thunk = FunctionSignature(text: "function(args, t)", members: ["dispatch", "dispatch_wait", "get"])

  /// What to try where a reducer looks for an argument of its action in its draft; nil: it does something else.
  static func reducerHint(for error: LuaError, arguments: [String]) -> String? {
    guard case .noField(let name, _)? = error.mistake, arguments.contains(name) else { return nil }
    return "its parameters are function(draft, args, meta)"
  }

  /// What to try where an error is of that kind; nil: it is of another.
  func hint(for error: LuaError) -> String? {
    let member: String? =
      switch error.mistake {
      case .misuse("method", let name), .noField(let name, of: "action"): name
      case .misuse("field", "state"): "state"
      default: nil
      }
    return member.map(members.contains) == true ? "its parameters are \(text)" : nil
  }
}
