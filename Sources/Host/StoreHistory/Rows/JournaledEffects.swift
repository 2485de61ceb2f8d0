import StoreCore
import StoreSchema

/// A fact about a long-lived effect that a file keeps.
package enum EffectNote: Sendable {
  /// It has ended while its unit goes on stating it.
  case ended
  /// It may start again.
  case mayStart
  /// The action of this number had its unit state it; 0: its unit states it no longer.
  case stated(by: Int)
}

/// The long-lived effects of which a file tells.
package struct JournaledEffects {
  /// Those that have ended while their units go on stating them.
  package private(set) var ended: Set<EndedEffect> = []
  /// The actions that had their units state them, by their numbers.
  package internal(set) var setters: [EndedEffect: Int] = [:]

  /// None.
  package init() {}

  /// The effects that a file names.
  init(_ db: Database) throws {
    for (effect, _) in try Self.read(JournalMeta.ended, db) { ended.insert(effect) }
    for case (let effect, .int(let number)) in try Self.read(JournalMeta.setters, db) { setters[effect] = number }
  }

  private static func read(_ name: String, _ db: Database) throws -> [(EndedEffect, Value)] {
    let text = try String.fetchOne(db, sql: "SELECT value FROM meta WHERE name = ?", arguments: [name])
    guard let text, case .list(let rows) = try JSON.value(of: text) else { return [] }
    return rows.compactMap { row in
      guard case .list(let parts) = row, parts.count > 1, case .string(let place) = parts[0],
        case .string(let id) = parts[1]
      else { return nil }
      return (EndedEffect(place: place, id: id), parts[parts.count - 1])
    }
  }

  /// Takes note of a fact.
  package mutating func note(_ effect: EndedEffect, _ note: EffectNote) {
    switch note {
    case .ended: ended.insert(effect)
    case .mayStart: ended.remove(effect)
    case .stated(let number): setters[effect] = number > 0 ? number : nil
    }
  }

  /// The facts, to be noted elsewhere.
  package var notes: [(EndedEffect, EffectNote)] {
    ended.map { ($0, .ended) } + setters.map { ($0.key, .stated(by: $0.value)) }
  }

  /// Has the file name them.
  func write(to db: Database) throws {
    try JournalMeta.set(
      [
        JournalMeta.ended: Self.text(ended.map { ($0, []) }),
        JournalMeta.setters: Self.text(setters.map { ($0.key, [.int($0.value)]) }),
      ], in: db)
  }

  private static func text(_ rows: [(effect: EndedEffect, more: [Value])]) -> String? {
    let sorted = rows.sorted { ($0.effect.place, $0.effect.id) < ($1.effect.place, $1.effect.id) }
    let list = sorted.map { Value.list(PersistentList([.string($0.effect.place), .string($0.effect.id)] + $0.more)) }
    return list.isEmpty ? nil : JSON.text(of: .list(PersistentList(list)))
  }
}

extension JournalReader {
  /// What the file tells of long-lived effects.
  package var effects: JournaledEffects { (try? database.use { try JournaledEffects($0) }) ?? JournaledEffects() }
}
