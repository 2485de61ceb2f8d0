import StoreHistory
import StoreHost
import StoreSchema

extension CommandDefinition {
  static let sessions = CommandDefinition(
    "sessions", usage: ["sessions"],
    summary:
      "lists the kept sessions of the prompt, newest first: when each began, how it ended, its actions, and the last of them; stsh --session N opens one again",
    flags: FlagDefinition.format,
    examples: [
      CommandExample("sessions", output: "(no sessions)\n"), CommandExample("sessions --json", output: "[]\n"),
    ],
    read: { reader in
      try reader.refuseOperands(from: 0)
      return try reader.form()
    },
    perform: { form, session in try session.answer({ CommandListing($0.keptSessions, of: "sessions") }, as: form) })
}

extension Session {
  fileprivate var keptSessions: Reading {
    let rows = (options.sessionFiles?.kept ?? []).enumerated().map { index, kept -> [Value] in
      let ending = kept.isOpen ? "open" : kept.isAbandoned ? "unexpectedly" : "in order"
      return [
        .int(index + 1), .string(kept.began), .string(ending), .int(kept.last?.number ?? 0),
        .text(kept.last.map(Self.text)),
      ]
    }
    return Reading(rows: rows, "KeptSession", ["n", "began", "ended", "actions", "last"])
  }

  /// An action of a file, whose types are not known here.
  private static func text(of row: JournalRow) -> String {
    guard let text = row.arguments, case .map(let arguments)? = try? JSON.value(of: text) else { return row.action }
    return arguments.reduce(into: row.action) { out, argument in
      if case .string(let name) = argument.key, argument.value != .none {
        out += " \(name)=\(ActionText.literal(of: argument.value))"
      }
    }
  }
}
