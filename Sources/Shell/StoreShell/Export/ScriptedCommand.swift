import StoreHistory

/// A command of an exported script, with what came of it at once.
struct ScriptedCommand {
  /// The word in front of a command that is to fail.
  static let excuse = "try "

  /// The module whose action it asked for; nil: it asked for something else.
  let module: String?
  private let text: String
  /// The action that it asked for, and those that this one caused before the command was done.
  private var actions: Set<Int> = []
  /// Why some of them failed.
  private var failures: [String] = []

  /// A command that asked for an action.
  init(_ text: String, for entry: LoggedEntry) {
    self.text = text
    module = Self.module(of: entry.original?.action ?? entry.action)
    add(entry)
  }

  /// Takes note of a later action.
  mutating func follow(_ entry: LoggedEntry) {
    // The actions that a task dispatches come later.
    guard let cause = entry.source.cause, actions.contains(cause), entry.source.kind != .effect else { return }
    add(entry)
  }

  private mutating func add(_ entry: LoggedEntry) {
    actions.insert(entry.number)
    if let failure = entry.failure { failures.append(failure) }
  }

  /// The command as the script says it. A command fails where one of its actions failed; the reason is asserted where
  /// there is only one.
  var lines: [String] {
    let isExcused = text.hasPrefix(Self.excuse)
    guard isExcused || !failures.isEmpty else { return [text] }
    var lines = [isExcused ? text : Self.excuse + text, "assert not ok"]
    if failures.count == 1 { lines.append("assert err.code == \"\(failures[0])\"") }
    return lines
  }

  /// The module of an action's full name; nil: it has none.
  static func module(of action: String) -> String? { action.firstIndex(of: ".").map { String(action[..<$0]) } }
}
