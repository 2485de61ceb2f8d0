import CSQLite

/// Collects the rest of a journal that SQLite cannot read any more. Rows are known by their shape wherever they stand
/// in the file; their reader then sees by their checksums which are sound.
struct Salvage {
  private let file: FileBytes
  /// The pages that are in use no more; what they hold was removed.
  private let free: Set<Int>
  private let initial: [StateSlice]

  /// - Parameter initial: the state before the first action, which is taken where no other can be read.
  init(_ file: FileBytes, _ initial: [StateSlice]) {
    self.file = file
    self.initial = initial
    free = Self.freePages(file)
  }

  /// The rows as a journal in memory; nil: there are none.
  func database() throws -> DatabaseQueue? {
    let queue = try DatabaseQueue()
    let count = try queue.use { db in
      try db.execute(sql: JournalTables.sql)
      var count = 0
      try db.inTransaction {
        let pages = try LoosePages(file)
        for page in 1...pages.count where !free.contains(page) {
          try pages.rows(of: page) { row, isNumbered in
            guard let (table, width) = Self.table(of: row, isNumbered) else { return }
            try Self.insert(row, into: table, width, db)
            if table == "blocks" || table == "slices" { count += 1 }
          }
        }
      }
      return count
    }
    guard count > 0 else { return nil }
    let reader = JournalReader(path: "", database: queue)
    if try beginsWithInitial(reader), try reader.snapshot(upTo: 0) == nil {
      try queue.write { db in
        var writer = try RowWriter(db)
        // The states that are there may not be as written.
        writer.forgetStates()
        try writer.write(initial, after: 0, to: db)
      }
    }
    return queue
  }

  /// True if the state before the first action was the program's own. The file was not begun anew with another history,
  /// nor with a state of another type.
  private func beginsWithInitial(_ reader: JournalReader) throws -> Bool {
    let meta = try reader.meta()
    guard try reader.contents().numbers?.lowerBound ?? 1 == 1 else { return false }
    return !initial.isEmpty && meta[JournalMeta.restart] == nil && meta[JournalMeta.base] == nil
  }

  /// The table that a row is from, by its shape, and how many columns that has.
  private static func table(of row: OpaquePointer, _ isNumbered: Bool) -> (name: String, width: Int32)? {
    let letters: [Int32: Character] = [SQLITE_NULL: "-", SQLITE_INTEGER: "i", SQLITE_FLOAT: "d", SQLITE_TEXT: "t"]
    var shape = String((1..<sqlite3_column_count(row)).map { letters[sqlite3_column_type(row, $0)] ?? "b" })
    while shape.last == "-" { shape.removeLast() }
    switch (isNumbered, shape) {
    case (false, "tt"): return ("meta", 2)
    case (true, "-ti"): return ("kinds", 3)
    case (true, "-t"): return ("snapshots", 2)
    case (true, "-tti"): return ("slices", 4)
    case (true, "-iit"): return ("parts", 4)
    case (true, "itttt"): return ("plugins", 5)
    case (true, "ttt"): return ("code", 3)
    case (true, _) where shape.count <= 9 && shape.hasPrefix("-ttt"): return ("sources", 9)
    case (true, "-iiiiit"), (true, "-ii-iit"): return ("blocks", 7)
    default: return nil
    }
  }

  private static func insert(_ row: OpaquePointer, into table: String, _ width: Int32, _ db: Database) throws {
    let places = Array(repeating: "?", count: Int(width)).joined(separator: ",")
    let statement = try db.cachedStatement(sql: "INSERT OR REPLACE INTO \(table) VALUES (\(places))")
    let handle = statement.handle
    sqlite3_reset(handle)
    for column in 1...width {
      // A key that is the row's number is stored as nothing.
      let isNumber = column == 1 && sqlite3_column_type(row, 1) == SQLITE_NULL
      sqlite3_bind_value(handle, column, sqlite3_column_value(row, isNumber ? 0 : column))
    }
    // A row that breaks a rule of the table is none of its rows.
    _ = sqlite3_step(handle)
    sqlite3_reset(handle)
  }

  private static func freePages(_ file: FileBytes) -> Set<Int> {
    var free: Set<Int> = []
    var trunk = file.number(32, 4) ?? 0
    while trunk > 1, free.insert(trunk).inserted {
      let start = (trunk - 1) * file.pageSize
      let count = min(file.number(start + 4, 4) ?? 0, file.pageSize / 4 - 2)
      for index in 0..<max(count, 0) { free.insert(file.number(start + 8 + index * 4, 4) ?? 0) }
      trunk = file.number(start, 4) ?? 0
    }
    return free
  }
}
