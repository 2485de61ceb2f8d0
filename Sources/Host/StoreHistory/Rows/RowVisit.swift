import CSQLite

/// Reads the rows of some actions, some at a time.
struct RowVisit {
  private let last: Int
  /// The next number.
  private var first: Int
  /// The number of the row before that; nil: not known yet.
  private var previous: Int?
  private var names: RowNames?
  private var isFinished = false
  /// Why there are no more, if not because the last was read.
  private(set) var failure: JournalError?

  /// - Parameter names: the names, where they are known: to read them costs as much as there are plugins that were loaded.
  init(_ numbers: ClosedRange<Int>, names: RowNames? = nil) {
    self.names = names
    first = numbers.lowerBound
    last = numbers.upperBound
  }

  /// Takes what is needed of a row; false: its names are not known.
  typealias Take = (RowColumns, RowNames) -> Bool

  /// The most rows that are taken at a time, and the bytes of texts at which fewer are.
  private static let (most, heaviest) = (512, 1 << 18)

  /// Has the next rows taken; none where all were, or where ``failure`` says why not. Rows before the one that is at fault
  /// are taken. They are few, and few bytes: whoever takes them holds them all.
  ///
  /// - Returns: whether any was.
  mutating func next(_ path: String, _ database: DatabaseQueue, _ take: Take) -> Bool {
    guard failure == nil, !isFinished else { return false }
    let start = first
    do {
      try database.use { try read(path, $0, take) }
    } catch {
      failure = JournalError(error, path: path, last: previous ?? first - 1)
    }
    return first > start
  }

  private mutating func read(_ path: String, _ db: Database, _ take: Take) throws {
    var names = try self.names ?? RowNames(db)
    defer { self.names = names }
    // The row that holds the first.
    let start =
      try Int.fetchOne(
        db.cachedStatement(sql: "SELECT max(first) FROM blocks WHERE \(JournalTables.isNumbered) AND first <= ?"),
        arguments: [first]) ?? first
    var end = try JournalTables.end(before: start, db)
    var previous = self.previous ?? end.last
    defer { self.previous = previous }
    let statement = try db.cachedStatement(
      sql: "SELECT \(RowColumns.selected) FROM blocks WHERE first BETWEEN ? AND ? ORDER BY first")
    let handle = statement.handle
    sqlite3_reset(handle)
    defer { sqlite3_reset(handle) }
    sqlite3_bind_int64(handle, 1, Int64(start))
    sqlite3_bind_int64(handle, 2, Int64(last))
    var (count, bytes) = (0, 0)
    while count < Self.most, bytes < Self.heaviest {
      let code = sqlite3_step(handle)
      guard code == SQLITE_ROW else {
        if code == SQLITE_DONE { return isFinished = true }
        throw DatabaseError(ResultCode(code))
      }
      var rows = RowColumns.all(handle, behind: end, names)
      if rows == nil {
        // Whoever gets the rows may have had others written, with new names.
        names = try RowNames(db)
        rows = RowColumns.all(handle, behind: end, names)
      }
      func damage(of number: Int) -> JournalError {
        .damaged(path: path, lastGood: previous, reason: "#\(number) is damaged, or an action before it is missing")
      }
      guard let rows else { throw damage(of: Int(sqlite3_column_int64(handle, 0))) }
      end = BlockEnd(last: Int(sqlite3_column_int64(handle, 1)), checksum: Int(sqlite3_column_int64(handle, 5)))
      for index in rows.indices {
        let row = rows[index]
        guard row.number >= first else {
          previous = row.number
          continue
        }
        guard row.number <= last else { return isFinished = true }
        guard take(row, names) else { throw damage(of: row.number) }
        count += 1
        bytes += row.size
        previous = row.number
        first = previous + 1
        // The rows behind it may be damaged.
        if previous == last { return isFinished = true }
      }
    }
  }
}
