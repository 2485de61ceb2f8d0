import ShellLanguage
import StoreHistory
import StoreSchema

extension [Change] {
  /// The changes as a list of records. In JSON an addition has only `to` and a removal only `from`, as in the answer to a
  /// dispatch; elsewhere all have the same columns.
  func reading(asJSON: Bool) -> Reading {
    guard !asJSON else {
      return Reading(value: ChangeFormatter.value(of: self), schema: .dynamic(.list(.dynamic(.any))))
    }
    return Reading(
      rows: map { ChangeFormatter.members(of: $0).map { $0.part ?? Value.none } }, "Change",
      ["op", "path", "from", "to"])
  }
}

/// Actions that a command has found, as a list of records: number, name, source, time, names and changes of each, and the code of its failure.
struct ActionListing {
  private static let fields = ["id", "action", "source", "when", "user", "who", "changes", "failure"]

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
    append(
      entry.number,
      [
        .string(entry.action), .string(entry.source.short), entry.wallTime.map { .int($0) } ?? .none,
        .text(entry.source.user), .text(entry.source.who),
      ], changes, failure: .text(entry.failure))
  }

  /// Adds what became of the state after an action, as it was brought to another type: no action did that.
  mutating func appendMigration(after number: Int, _ changes: [Change]) {
    append(number, [.none, .none, .none, .none, .none], changes, failure: .none)
  }

  private mutating func append(_ number: Int, _ names: [Value], _ changes: [Change], failure: Value) {
    rows.append([.int(number)] + names + [changes.reading(asJSON: isJSON).value, failure])
  }
}
