import LuaRuntime

/// The parameters of a plugin's function, as advice to authors who mistake its first parameter for its second.
struct FunctionSignature {
  /// The function as it is written.
  private let text: String
  /// The members of the second parameter that the first has not.
  private let members: [String]

  static let command = FunctionSignature(
    text: "function(args, cmd)", members: ["dispatch", "print", "project", "wait", "state"])
  static let middleware = FunctionSignature(text: "function(action, ctx)", members: ["dispatch", "task", "state"])
  static let thunk = FunctionSignature(text: "function(args, t)", members: ["dispatch", "dispatch_wait", "get"])

  /// The advice where a reducer looks for an argument of its action in its draft; nil: the error is another.
  static func reducerHint(for error: LuaError, arguments: [String]) -> String? {
    guard case .noField(let name, _)? = error.mistake, arguments.contains(name) else { return nil }
    return "its parameters are function(draft, args, meta)"
  }

  /// The advice for an error of that kind; nil: the error is of another kind.
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
