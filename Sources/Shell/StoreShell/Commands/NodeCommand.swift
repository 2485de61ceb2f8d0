import StoreHost
import StoreSchema

extension CommandDefinition {
  static let node = CommandDefinition(
    "node", needs: .read, usage: ["node"],
    summary:
      "lists the nodes of a shared store that answer: name, keeper, last action, how many it lacks, digest of all changes",
    flags: FlagDefinition.format,
    examples: [
      CommandExample("node", output: "(no nodes)\n"), CommandExample("node --json", output: "[]\n"),
    ],
    read: { reader in
      try reader.refuseOperands(from: 0)
      return try reader.form()
    },
    perform: { (form: ResultForm, session: Session) in
      session.store.live.storeNode?.askNodes()
      let listing = ShellListing.nodes.reading(in: session)
      guard case .list(let rows) = listing.value, rows.count > 0, try session.isInWords(form) else {
        return try session.answer({ _ in CommandListing(listing, of: "nodes") }, as: form)
      }
      let names = ["name", "keeper", "at", "behind", "digest"]
      let shown = rows.map { row -> [Value] in
        guard case .record(let node) = row else { return [] }
        return names.map { CommandDefinition.shown($0, of: node) }
      }
      return try session.answer(Reading(rows: shown, "Node", names), as: form)
    })

  /// A column of the list of nodes as a person reads it.
  private static func shown(_ column: String, of node: Record) -> Value {
    switch (column, node[column]) {
    case ("keeper", let value?): .string(value == .bool(true) ? "*" : "")
    case ("at", .int(let number)?): .string("#\(number)\(node["stopped"] == .bool(true) ? " stopped" : "")")
    case (_, let value): value ?? .none
    }
  }
}
