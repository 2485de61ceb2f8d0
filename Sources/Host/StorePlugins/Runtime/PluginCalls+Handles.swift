import LuaRuntime

/// What a function is handed to act by speaks for that function, and for nothing that runs after it.
extension PluginCalls {
  /// What functions are handed, as messages name it.
  enum Handle: String {
    case context = "ctx"
    case command = "cmd"
    case task
    case thunk = "t"
  }

  /// Checks that a function runs that gets the handle: one that was kept in a variable may be used where none does. A
  /// middleware's `before` and `after` have one `ctx` for an action.
  func check(_ handle: Handle) throws(LuaFailure) {
    let isOpen =
      switch handle {
      case .context: isContextOpen || emissionOfAfter != nil
      case .command: commandHost != nil
      case .task: task != nil
      case .thunk: thunk != nil
      }
    guard isOpen else {
      throw LuaFailure(
        "\(handle.rawValue) was kept after the call that it belongs to (use what the function gets that runs now)")
    }
  }

  /// Has the host of the command that runs do something. What other code of the plugin runs meanwhile has no `cmd`.
  func asking<Result>(_ body: (any PluginCommandHost) throws -> Result) throws -> Result {
    guard let host = commandHost else { throw LuaFailure("no command runs") }
    commandHost = nil
    defer { commandHost = host }
    return try body(host)
  }
}
