import StoreHistory
import StoreSchema

extension CommandDefinition {
  static let diff = CommandDefinition(
    "diff", usage: ["diff [A [B]] [--as FORMAT] [--json]"],
    summary: "prints what differs between the states after #A and #B; alone: what the last action changed",
    flags: FlagDefinition.format, operands: [.number([]), .number(["head"])],
    examples: [
      CommandExample("dispatch counter.increment by=3 --quiet", "diff", output: "counter.value  0 -> 3\n"),
      CommandExample(
        "dispatch counter.increment --quiet", "dispatch counter.setStep to=5 --quiet", "diff 0 2",
        output: "counter.value  0 -> 1\ncounter.step  1 -> 5\n"),
    ]
  ) { invocation in
    try invocation.refuseOperands(from: 2)
    let store = invocation.session.store
    let end = store.viewed?.number ?? store.head
    let old = invocation.operands.isEmpty ? end - 1 : try invocation.requiredNumber(0)
    var new = end
    if try invocation.operand(1) != "head" {
      if invocation.operands.count > 1 { new = try invocation.requiredNumber(1, or: "head") }
    } else {
      new = store.head
    }
    let format = try invocation.format()
    try invocation.session.finishCheck()
    let changes = new == 0 && old < 0 ? [] : try store.changes(from: old, to: new)
    let isJSON = invocation.session.options.isJSON || [.json, .jsonl].contains(format)
    guard format == .auto, !isJSON else {
      return try invocation.show(changes.reading(asJSON: isJSON))
    }
    let text = ChangeFormatter.list(changes, usesColor: invocation.session.colorsResults)
    return invocation.print(changes.isEmpty ? "no change\n" : text)
  }
}

extension [Change] {
  /// The changes as a list of records. In JSON an addition has only `to` and a removal only `from`, as in the answer to a
  /// dispatch; elsewhere all have the same columns.
  fileprivate func reading(asJSON: Bool) -> Reading {
    func type(_ fields: String...) -> RecordSchema {
      RecordSchema(name: "Change", fields: fields.map { Field($0, .dynamic(.any)) })
    }
    let replacement = type("op", "path", "from", "to")
    let addition = asJSON ? type("op", "path", "to") : replacement
    let removal = asJSON ? type("op", "path", "from") : replacement
    let rows = map { change -> Value in
      let (operation, type) =
        switch change.kind {
        case .replace: ("replace", replacement)
        case .add: ("add", addition)
        case .remove: ("remove", removal)
        }
      let values = [
        "op": .string(operation), "path": .string(change.path.description), "from": change.kind.from,
        "to": change.kind.to,
      ]
      return .record(Record(type.layout, type.fields.map { field in (values[field.name] ?? nil) ?? Value.none }))
    }
    let row: Schema = asJSON ? .dynamic(.any) : .dynamic(.record(replacement))
    return Reading(value: .list(PersistentList(rows)), schema: .dynamic(.list(row)))
  }
}
