/// The functions and values that the session's Lua has of the store, each with its need. The rest of it is a sandbox that
/// reaches nothing.
enum LuaFunctions {
  static let needs: [(name: String, need: Need?)] = [
    ("state", .read), ("project", .read), ("dispatch", .dispatch), ("print", .nothing), ("command", .nothing),
    ("quote", .nothing),
    ("env", nil), ("run", nil),
  ]
  /// The functions that act at the client's end, where a client gave the statement.
  private static let ofClients: Set = ["run"]

  /// The need of a function; nil: all rights.
  ///
  /// - Parameter atClient: true if a client gave the statement that runs its programs itself.
  static func need(of name: String, atClient: Bool = false) -> Need? {
    if atClient, ofClients.contains(name) { return .nothing }
    return needs.first { $0.name == name }.flatMap(\.need)
  }
}
