import StoreSchema

/// The runs of statements that have not come to their end, each by its first action, as a file keeps them.
struct JournaledRuns {
  private(set) var first: Set<Int>

  /// The runs that a file names.
  init(_ db: Database) throws {
    let text = try String.fetchOne(db, sql: "SELECT value FROM meta WHERE name = ?", arguments: [JournalMeta.runs])
    guard let text, case .list(let numbers) = try JSON.value(of: text) else {
      first = []
      return
    }
    first = Set(numbers.compactMap { if case .int(let number) = $0 { number } else { nil } })
  }

  /// No runs.
  init() { first = [] }

  /// Takes note that a run has begun, or has ended.
  mutating func note(_ number: Int, isOpen: Bool) {
    if isOpen { first.insert(number) } else { first.remove(number) }
  }

  /// Has the file name them.
  func write(to db: Database) throws {
    let list = Value.list(PersistentList(first.sorted().map { .int($0) }))
    try JournalMeta.set([JournalMeta.runs: first.isEmpty ? nil : JSON.text(of: list)], in: db)
  }
}

extension JournalReader {
  /// The first actions of the runs that had not come to their end, in order.
  package var openRuns: [Int] { ((try? database.use { try JournaledRuns($0).first }) ?? []).sorted() }
}
