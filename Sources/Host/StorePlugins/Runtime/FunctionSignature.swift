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
    arguments.contains { error.message.hasSuffix("has no field '\($0)'") }
      ? "its parameters are function(draft, args, meta)" : nil
  }

  /// What to try where an error is of that kind; nil: it is of another.
  func hint(for error: LuaError) -> String? {
    let isOfMember = members.contains { name in
      error.message.hasSuffix("attempt to call a nil value (method '\(name)')")
        || error.message.hasSuffix("action has no field '\(name)'")
        || (name == "state" && error.message.hasSuffix("attempt to index a nil value (field 'state')"))
    }
    return isOfMember ? "its parameters are \(text)" : nil
  }
}
