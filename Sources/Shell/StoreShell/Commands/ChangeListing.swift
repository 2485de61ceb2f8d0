import StoreHistory
import StoreSchema

extension [Change] {
  /// The changes as a list of records. In JSON an addition has only `to` and a removal only `from`, as in the answer to a
  /// dispatch; elsewhere all have the same columns.
  func reading(asJSON: Bool) -> Reading {
    let rows = map { change -> [(String, Value?)] in
      let operation =
        switch change.kind {
        case .replace: "replace"
        case .add: "add"
        case .remove: "remove"
        }
      return [
        ("op", .string(operation)), ("path", .string(change.path.description)), ("from", change.kind.from),
        ("to", change.kind.to),
      ]
    }
    guard asJSON else {
      return Reading(rows: rows.map { $0.map { $1 ?? Value.none } }, "Change", ["op", "path", "from", "to"])
    }
    let objects = rows.map { Value.members($0.compactMap { name, value in value.map { (name, $0) } }) }
    return Reading(value: .list(PersistentList(objects)), schema: .dynamic(.list(.dynamic(.any))))
  }
}

/// Actions that a command has found, as a list of records: number, name, source and changes of each, and what it failed with.
struct ActionListing {
  private static let fields = ["id", "action", "source", "changes", "failure"]

  private var rows: [[Value]] = []
  private let isJSON: Bool

  /// A listing without actions.
  ///
  /// - Parameter isJSON: true if it will be written as JSON.
  init(asJSON isJSON: Bool) { self.isJSON = isJSON }

  var isEmpty: Bool { rows.isEmpty }

  /// A single action, as a record.
  static func reading(of entry: LoggedEntry, asJSON isJSON: Bool) -> Reading {
    var listing = ActionListing(asJSON: isJSON)
    listing.append(entry, showing: entry.changes)
    return Reading("Action", zip(fields, listing.rows[0]).map { ($0, $1) })
  }

  var reading: Reading { Reading(rows: rows, "Action", Self.fields) }

  /// Adds an action with some of its changes.
  mutating func append(_ entry: LoggedEntry, showing changes: [Change]) {
    append(entry.number, [.string(entry.action), .string(entry.source.short)], changes, failure: .text(entry.failure))
  }

  /// Adds what became of the state after an action, as it was brought to another type: no action did that.
  mutating func appendMigration(after number: Int, _ changes: [Change]) {
    append(number, [.none, .none], changes, failure: .none)
  }

  private mutating func append(_ number: Int, _ names: [Value], _ changes: [Change], failure: Value) {
    rows.append([.int(number)] + names + [changes.reading(asJSON: isJSON).value, failure])
  }
}
