import GRDB
import GRDBSQLite

/// Brings together what is left of a journal that SQLite cannot read any more: rows are known by their shape wherever in the
/// file they stand, and whoever reads them then sees by their checksums which are sound.
struct Salvage {
  private let image: FileImage
  /// The pages that are in use no more; what they hold was removed.
  private let free: Set<Int>
  private let initial: [StateSlice]

  /// - Parameter initial: the state before the first action, which is taken where no other can be read.
  init(_ image: FileImage, _ initial: [StateSlice]) {
    self.image = image
    self.initial = initial
    free = Self.freePages(image)
  }

  /// The rows as a journal in memory; nil: there are none.
  func database() throws -> DatabaseQueue? {
    let queue = try DatabaseQueue()
    let count = try queue.writeWithoutTransaction { db in
      try db.execute(sql: JournalTables.sql)
      var count = 0
      try db.inTransaction {
        for page in 1...max(image.file.memory.count / image.pageSize, 1) where !free.contains(page) {
          for row in LeafPage(page, of: image)?.rows ?? [] {
            guard let table = Self.table(of: row) else { continue }
            try Self.insert(row, into: table, db)
            if table == "actions" || table == "slices" { count += 1 }
          }
        }
        return .commit
      }
      return count
    }
    guard count > 0 else { return nil }
    let reader = JournalReader(path: "", database: queue)
    if try beginsWithInitial(reader), try reader.snapshot(upTo: 0) == nil {
      try queue.write { db in
        var writer = try RowWriter(db)
        // Those that are there may not be what was written.
        writer.forgetStates()
        try writer.write(initial, after: 0, to: db)
      }
    }
    return queue
  }

  /// Whether the state before the first action was the program's own: the file was not begun anew with another history, nor
  /// with a state of another type.
  private func beginsWithInitial(_ reader: JournalReader) throws -> Bool {
    let meta = try reader.meta()
    guard try reader.contents().numbers?.lowerBound ?? 1 == 1 else { return false }
    return !initial.isEmpty && meta[JournalMeta.restart] == nil && meta[JournalMeta.base] == nil
  }

  /// The table that a row is from, by its shape.
  private static func table(of row: LeafPage.Row) -> String? {
    let shape = row.values.map(\.letter)
    switch (row.id != nil, String(shape)) {
    case (false, "tt"): return "meta"
    case (true, "-ti"): return "kinds"
    case (true, "-t"): return "snapshots"
    case (true, "-tti"): return "slices"
    case (true, "itttt"): return "plugins"
    case (true, let shape) where shape.count == 7 && shape.hasPrefix("-ttt"): return "sources"
    case (true, let shape) where shape.count == 11 && shape.hasPrefix("-iiii") && shape.hasSuffix("i"): return "actions"
    default: return nil
    }
  }

  private static func insert(_ row: LeafPage.Row, into table: String, _ db: Database) throws {
    let places = Array(repeating: "?", count: row.values.count).joined(separator: ",")
    let statement = try db.cachedStatement(sql: "INSERT OR REPLACE INTO \(table) VALUES (\(places))")
    let handle = statement.sqliteStatement
    sqlite3_reset(handle)
    for (index, value) in row.values.enumerated() {
      let column = Int32(index + 1)
      switch value {
      // A key that is the row's number is stored as nothing.
      case .null:
        if index == 0, let id = row.id {
          sqlite3_bind_int64(handle, column, Int64(id))
        } else {
          sqlite3_bind_null(handle, column)
        }
      case .integer(let number): sqlite3_bind_int64(handle, column, Int64(number))
      case .double(let number): sqlite3_bind_double(handle, column, number)
      case .text(let text): StatementText.bind(text, to: handle, column)
      }
    }
    // What breaks a rule of the table is no row of it.
    _ = sqlite3_step(handle)
    sqlite3_reset(handle)
  }

  private static func freePages(_ image: FileImage) -> Set<Int> {
    var free: Set<Int> = []
    var trunk = image.number(32, 4) ?? 0
    while trunk > 1, free.insert(trunk).inserted {
      let start = (trunk - 1) * image.pageSize
      let count = min(image.number(start + 4, 4) ?? 0, image.pageSize / 4 - 2)
      for index in 0..<max(count, 0) { free.insert(image.number(start + 8 + index * 4, 4) ?? 0) }
      trunk = image.number(start, 4) ?? 0
    }
    return free
  }
}

extension StoredValue {
  /// What a value is, in a letter.
  fileprivate var letter: Character {
    switch self {
    case .null: "-"
    case .integer: "i"
    case .double: "d"
    case .text: "t"
    }
  }
}
