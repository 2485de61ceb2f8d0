import StoreCore
import StoreSchema

/// The long-lived effects that have ended while their units go on stating them, as a file keeps them.
struct JournaledEnds {
  private(set) var effects: Set<EndedEffect>

  /// The effects that a file names.
  init(_ db: Database) throws {
    let text = try String.fetchOne(db, sql: "SELECT value FROM meta WHERE name = ?", arguments: [JournalMeta.ended])
    guard let text, case .list(let pairs) = try JSON.value(of: text) else {
      effects = []
      return
    }
    effects = Set(
      pairs.compactMap { pair in
        guard case .list(let texts) = pair, case .string(let place)? = texts.first, case .string(let id)? = texts.last
        else { return nil }
        return EndedEffect(place: place, id: id)
      })
  }

  /// Takes note that an effect has ended, or may start again.
  mutating func note(_ effect: EndedEffect, hasEnded: Bool) {
    if hasEnded { effects.insert(effect) } else { effects.remove(effect) }
  }

  /// Has the file name them.
  func write(to db: Database) throws {
    let sorted = effects.sorted { ($0.place, $0.id) < ($1.place, $1.id) }
    let list = Value.list(PersistentList(sorted.map { .texts([$0.place, $0.id]) }))
    try JournalMeta.set([JournalMeta.ended: effects.isEmpty ? nil : JSON.text(of: list)], in: db)
  }
}

extension JournalReader {
  /// The long-lived effects that had ended while their units went on stating them.
  package var endedEffects: Set<EndedEffect> { (try? database.use { try JournaledEnds($0).effects }) ?? [] }
}
