import StoreHistory
import StoreSchema

extension [Change] {
  /// The changes as a list of records. In JSON an addition has only `to` and a removal only `from`, as in the answer to a
  /// dispatch; elsewhere all have the same columns.
  func reading(asJSON: Bool) -> Reading {
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

/// Actions that a command has found, as a list of records: number, name, source and changes of each, and what it failed with.
struct ActionListing {
  private static let type = RecordSchema(
    name: "Action", fields: ["id", "action", "source", "changes", "failure"].map { Field($0, .dynamic(.any)) })

  private var rows: [Value] = []
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
    return Reading(value: listing.rows[0], schema: .dynamic(.record(type)))
  }

  var reading: Reading {
    Reading(value: .list(PersistentList(rows)), schema: .dynamic(.list(.dynamic(.record(Self.type)))))
  }

  /// Adds an action with some of its changes.
  mutating func append(_ entry: LoggedEntry, showing changes: [Change]) {
    append(
      entry.number, [.string(entry.action), .string(entry.source.short)], changes,
      failure: entry.failure.map { .string($0) } ?? .none)
  }

  /// Adds what became of the state after an action, as it was brought to another type: no action did that.
  mutating func appendMigration(after number: Int, _ changes: [Change]) {
    append(number, [.none, .none], changes, failure: .none)
  }

  private mutating func append(_ number: Int, _ names: [Value], _ changes: [Change], failure: Value) {
    let values = [.int(number)] + names + [changes.reading(asJSON: isJSON).value, failure]
    rows.append(.record(Record(Self.type.layout, values)))
  }
}
