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

/// The table of needs for the documentation, made from the declarations.
package enum RightsTable {
  /// The rows of commands, their parts, flags and Lua functions, as Markdown.
  package static var markdown: String {
    var text = "| what | right |\n|---|---|\n"
    func row(_ what: String, _ need: Need?) {
      text += "| `\(what)` | \(need?.text ?? "all") |\n"
    }
    for command in CommandTable.standard.definitions {
      row(command.verb, command.needs?.need(ofPart: nil))
      for part in command.parts where command.needs?.parts.isEmpty == false {
        row("\(command.verb) \(part)", command.needs?.need(ofPart: part))
      }
      for flag in command.flags { row("\(command.verb) --\(flag.name)", flag.need) }
    }
    for setting in Setting.all { row("set \(setting.name) VALUE", setting.need) }
    row("NAME := VALUE", .dispatch)
    row("PLUGIN VERB", nil)
    row("COMMAND > FILE", nil)
    row("COMMAND | PROGRAM", nil)
    for function in LuaFunctions.needs { row("Lua: \(function.name)", function.need) }
    return text
  }
}
