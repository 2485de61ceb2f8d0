import CSQLite
import StoreCore
import StoreSchema

/// A long run of one action from one place, as a journal names it.
package struct LongFold: Equatable, Sendable {
  /// The number of its first action.
  package let first: Int
  /// The number of the last action that was known to belong to it.
  package let last: Int
  /// The number of the action up to which its beginning tells all the places that it changed.
  package let told: Int
  /// True if actions behind the beginning changed other places.
  package let changesMore: Bool
  /// True if one statement asked for all of them.
  package let isOfStatement: Bool
  /// True if the action is quiet, so that a listing has one line for them.
  package let isQuiet: Bool

  fileprivate var signs: Int { (changesMore ? 1 : 0) | (isOfStatement ? 2 : 0) | (isQuiet ? 0 : 4) }

  fileprivate var checksum: Int {
    var checksum = RowChecksum()
    for column in [first, last, told, signs] { checksum.add(column) }
    return checksum.value
  }
}

/// Writes the beginnings and ends of long runs of one action. A listing folds a run of a quiet one without a look at each action, and
/// an undo passes over a run of one statement.
///
/// A file has their table, `folds`, once it has such a run. A row that is not as written is passed over: its run is read action
/// by action, as is one that no row names.
struct RowFolds {
  /// The number of actions from which on a run is written.
  private static let least = 512
  /// The number of actions after which a run that goes on is written again: a killed process leaves its end unwritten.
  private static let step = 4096
  /// The number of actions at the beginning of a run whose places a listing tells.
  private static let beginning = 256

  private var run: Run?

  private struct Run {
    let first: Int
    var last: FoldMark
    var told: Int
    var changesMore = false
    /// The first action of the statement that asked for all of them; nil: several did, or other actions.
    var statement: Int?
    /// The number at which the run is written next.
    var next: Int
    private var places: Set<Place> = []

    private struct Place: Hashable {
      let path: Path
      let isMove: Bool
    }

    init(_ entry: FoldMark, _ changes: [Change]) {
      (first, last, told, next) = (entry.number, entry, entry.number, entry.number + RowFolds.step)
      if entry.source.cause == nil { statement = entry.source.statement ?? entry.number }
      if entry.isQuiet { add(changes) }
    }

    mutating func add(_ entry: FoldMark, _ changes: [Change]) {
      last = entry
      if entry.source.statement != statement { statement = nil }
      if !changesMore, entry.isQuiet { add(changes) }
    }

    private mutating func add(_ changes: [Change]) {
      for change in changes {
        let isMove = if case .move = change.kind { true } else { false }
        guard places.insert(Place(path: change.path, isMove: isMove)).inserted else { continue }
        guard last.number - first < RowFolds.beginning else {
          changesMore = true
          places = []
          return
        }
        told = last.number
      }
    }

    var fold: LongFold {
      LongFold(
        first: first, last: last.number, told: told, changesMore: changesMore, isOfStatement: statement != nil,
        isQuiet: last.isQuiet)
    }

    /// True if an entry belongs to it. Long runs of two statements are two.
    func holds(_ entry: FoldMark) -> Bool {
      guard last.isQuiet else { return !entry.isQuiet && entry.source.statement == statement && last.isAlike(entry) }
      return entry.isQuiet && last.isAlike(entry)
        && (statement == nil || entry.source.statement == statement || entry.number - first < RowFolds.least)
    }
  }

  /// Takes note of an action that was written, the next one.
  mutating func note(_ entry: LoggedEntry, _ db: Database) throws { try note(FoldMark(entry), entry.changes, db) }

  /// The same of plain actions, which are not quiet.
  mutating func note(_ entries: PlainEntries, _ db: Database) throws {
    // Most statements ask for one action.
    if run == nil, !entries.haveStatements { return }
    try entries.withItems { items in
      for item in items {
        if run == nil, item.link >= 0 { continue }
        var source = ActionSource(entries.origins[item.origin], line: item.line)
        source.link = item.link
        try note(FoldMark(item.number, entries.kinds[item.kind].name, source), [], db)
      }
    }
  }

  private mutating func note(_ entry: FoldMark, _ changes: [Change], _ db: Database) throws {
    guard run?.holds(entry) == true else {
      try end(db)
      // Most statements ask for one action.
      if entry.isQuiet || entry.source.statement != nil { run = Run(entry, changes) }
      return
    }
    run?.add(entry, changes)
    guard let next = run?.next, entry.number >= next, let fold = run?.fold else { return }
    run?.next += Self.step
    try Self.write(fold, db)
  }

  /// Writes the run that ends with the last action, if it is long.
  mutating func end(_ db: Database) throws {
    guard let fold = run?.fold else { return }
    run = nil
    if fold.last - fold.first >= Self.least { try Self.write(fold, db) }
  }

  /// Takes the runs away.
  static func removeAll(from db: Database) throws { try db.execute(sql: "DROP TABLE IF EXISTS folds") }

  private static func write(_ fold: LongFold, _ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS folds ( -- long runs of one action from one place
          first INTEGER PRIMARY KEY, -- the first action of the run
          last INTEGER NOT NULL,
          told INTEGER NOT NULL, -- the action up to which the first few tell the places that the run changed
          more INTEGER NOT NULL, -- 1: those behind changed others; 2: one statement asked for all; 4: the action is not quiet
          checksum INTEGER NOT NULL
        )
        """)
    try db.execute(
      sql: "INSERT OR REPLACE INTO folds VALUES (?, ?, ?, ?, ?)",
      arguments: [fold.first, fold.last, fold.told, fold.signs, fold.checksum])
  }
}

extension JournalReader {
  /// The long run of one action that an action belongs to, as far as it was written; nil: none was.
  package func fold(of number: Int) -> LongFold? {
    // A file without such a run has no table.
    try? reading { db in
      let row = try Row.fetchOne(
        db, sql: "SELECT first, last, told, more, checksum FROM folds WHERE first <= ? ORDER BY first DESC LIMIT 1",
        arguments: [number])
      guard let row else { return nil }
      let signs: Int = try row.checked(3)
      let fold = LongFold(
        first: try row.checked(0), last: try row.checked(1), told: try row.checked(2), changesMore: signs & 1 != 0,
        isOfStatement: signs & 2 != 0, isQuiet: signs & 4 == 0)
      guard fold.checksum == (try row.checked(4) as Int), fold.first...fold.last ~= number else { return nil }
      return fold
    }
  }
}
