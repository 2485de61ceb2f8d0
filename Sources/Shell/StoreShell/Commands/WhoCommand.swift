import StoreCore
import StoreHost
import StoreSchema

extension CommandDefinition {
  static let who = CommandDefinition(
    "who", needs: .read, usage: ["who"],
    summary:
      "lists the conversations at the store: name, since when, idle for, rights, watches, and the statement that runs",
    flags: FlagDefinition.format,
    examples: [
      CommandExample("who --as csv > /dev/null", output: ""), CommandExample("who --json > /dev/null", output: ""),
    ],
    read: { reader in
      try reader.refuseOperands(from: 0)
      return try reader.form()
    },
    perform: { form, session in
      let listing = ShellListing.conversations.reading(in: session)
      guard case .list(let rows) = listing.value, try session.isInWords(form) else {
        return try session.answer(listing, as: form)
      }
      let names = ["who", "since", "idle", "rights", "watches", "runs"]
      let shown = rows.map { row in
        guard case .record(let found) = row else { return [Value]() }
        return names.map { session.shown($0, of: found) }
      }
      return try session.answer(Reading(rows: shown, "Conversation", names), as: form)
    })
}

extension Session {
  /// A column of the list of conversations as a person reads it.
  fileprivate func shown(_ column: String, of found: Record) -> Value {
    switch (column, found[column]) {
    case ("who", .string(let name)?):
      .string(ActionAuthor(user: found["user"]?.text, name: name).text)
    case ("since", .int(let began)?):
      .string(person.clock.text(of: began / 1000))
    case ("idle", .double(let seconds)?): .string(EffectListing.seconds(.milliseconds(Int(seconds * 1000))))
    case (_, let value): value ?? .none
    }
  }
}
