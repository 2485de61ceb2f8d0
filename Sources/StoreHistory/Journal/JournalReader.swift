import GRDB
import GRDBSQLite
import StoreCore

/// Reads what a journal holds, checking that it is what was written.
struct JournalReader {
  let path: String
  /// The connection; nobody but its holder uses it at a time.
  let database: DatabaseQueue

  /// What the file holds.
  func contents() throws(JournalError) -> JournalContents {
    do {
      return try database.unsafeRead { db in
        guard try Int.fetchOne(db, sql: "PRAGMA application_id") == JournalTables.applicationID else {
          throw JournalError.notAJournal(path: path)
        }
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard version <= JournalTables.version else { throw JournalError.unknownFormat(path: path, version: version) }
        var meta: [String: String] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT name, value FROM meta") { meta[row[0]] = row[1] }
        let first = try Int.fetchOne(db, sql: "SELECT min(number) FROM actions")
        let last = try Int.fetchOne(db, sql: "SELECT max(number) FROM actions")
        return JournalContents(
          numbers: first.flatMap { first in last.map { first...max(first, $0) } },
          hasEnded: meta[JournalMeta.end] != nil,
          header: JournalHeader(
            program: meta[JournalMeta.program] ?? "", began: Int(meta[JournalMeta.began] ?? "") ?? 0,
            schema: meta[JournalMeta.schema] ?? "", schemaHash: meta[JournalMeta.schemaHash] ?? ""),
          process: meta[JournalMeta.process].flatMap { Int($0) })
      }
    } catch {
      throw JournalError(error, path: path, last: nil)
    }
  }

  /// What SQLite finds wrong with the file as a whole; nil: nothing.
  func malformation() -> String? {
    do {
      let verdict = try database.unsafeRead { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
      return verdict == "ok" ? nil : verdict ?? "SQLite finds it malformed"
    } catch {
      return "\(error)"
    }
  }

  /// Hands out the rows of some actions, in their order.
  ///
  /// - Throws: what `body` throws; ``JournalError/damaged(path:lastGood:reason:)`` at the first row that is missing or is not
  ///   what was written.
  func visit(_ numbers: ClosedRange<Int>, _ body: (JournalRow) throws -> Void) throws {
    var last = numbers.lowerBound - 1
    do {
      try database.unsafeRead { db in
        let names = try RowNames(db)
        let statement = try db.cachedStatement(
          sql: """
            SELECT number, at, kind, source, line, cause, arguments, changes, failure, entry, checksum
            FROM actions WHERE number BETWEEN ? AND ? ORDER BY number
            """)
        let handle = statement.sqliteStatement
        sqlite3_reset(handle)
        defer { sqlite3_reset(handle) }
        sqlite3_bind_int64(handle, 1, Int64(numbers.lowerBound))
        sqlite3_bind_int64(handle, 2, Int64(numbers.upperBound))
        var code = sqlite3_step(handle)
        while code == SQLITE_ROW {
          let columns = RowColumns(handle)
          guard columns.number == last + 1 else { throw damaged(after: last, "#\(last + 1) is missing") }
          guard columns.isSound, let row = names.row(columns) else {
            throw damaged(after: last, "#\(last + 1) is not what was written")
          }
          try body(row)
          last = columns.number
          code = sqlite3_step(handle)
        }
        guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        guard last == numbers.upperBound || numbers.upperBound == .max else {
          throw damaged(after: last, "#\(last + 1) is missing")
        }
      }
    } catch let error as DatabaseError {
      throw JournalError(error, path: path, last: last)
    }
  }

  private func damaged(after last: Int, _ reason: String) -> JournalError {
    .damaged(path: path, lastGood: last, reason: reason)
  }

  /// The last action up to which the state can be restored; nil: nothing can be read.
  func lastGood() -> Int? {
    guard let base = try? snapshot(upTo: nil, ascending: true) else { return nil }
    var last = base.number
    try? visit(base.number + 1...Int.max) { last = $0.number }
    return last
  }

  /// The latest snapshot that can be read, up to an action, or the first of all.
  func snapshot(upTo number: Int?, ascending: Bool = false) throws(JournalError) -> JournalSnapshot? {
    do {
      return try database.unsafeRead { db in
        let order = ascending ? "ASC" : "DESC"
        let found = try Row.fetchCursor(
          db, sql: "SELECT number, slices FROM snapshots WHERE number <= ? ORDER BY number \(order)",
          arguments: [number ?? Int.max])
        while let row = try found.next() {
          // One that cannot be read costs only time: an earlier one leads to the same state.
          if let snapshot = try? snapshot(row[0], slices: row[1], db) { return snapshot }
        }
        return nil
      }
    } catch {
      throw JournalError(error, path: path, last: nil)
    }
  }

  private func snapshot(_ number: Int, slices: String, _ db: Database) throws -> JournalSnapshot {
    let ids = slices.dropFirst().dropLast().split(separator: ",").compactMap { Int($0) }
    let statement = try db.cachedStatement(sql: "SELECT module, state, checksum FROM slices WHERE id = ?")
    return JournalSnapshot(
      number: number,
      slices: try ids.map { id in
        guard let row = try Row.fetchOne(statement, arguments: [id]) else {
          throw damaged(after: number, "a part of its snapshot is missing")
        }
        var state: String = row[1]
        var checksum = RowChecksum()
        state.withUTF8 { checksum.add(UnsafeRawBufferPointer($0)) }
        guard checksum.value == row[2] else { throw damaged(after: number, "its snapshot is not what was written") }
        return JournalSnapshot.Slice(module: row[0], state: state)
      })
  }

  /// The plugins that were loaded up to an action, in that order.
  func plugins(upTo number: Int) throws(JournalError) -> [JournaledPlugin] {
    do {
      return try database.unsafeRead { db in
        try Row.fetchAll(
          db, sql: "SELECT number, name, version, directory, digest FROM plugins WHERE number <= ? ORDER BY rowid",
          arguments: [number]
        ).map { JournaledPlugin(number: $0[0], name: $0[1], version: $0[2], directory: $0[3], digest: $0[4]) }
      }
    } catch {
      throw JournalError(error, path: path, last: nil)
    }
  }
}

/// The columns of the row that a statement stands on.
private struct RowColumns {
  private let statement: OpaquePointer

  init(_ statement: OpaquePointer) { self.statement = statement }

  var number: Int { integer(0) }
  var at: Int { integer(1) }
  var kind: Int { integer(2) }
  var source: Int { integer(3) }
  var line: Int { integer(4) }
  var cause: Int? { sqlite3_column_type(statement, 5) == SQLITE_NULL ? nil : integer(5) }
  var arguments: String? { text(6) }
  var changes: String? { text(7) }
  var failure: String? { text(8) }
  var entry: String? { text(9) }

  /// Whether the row is what was written.
  var isSound: Bool {
    var checksum = RowChecksum()
    for column in Int32(0)...4 { checksum.add(integer(column)) }
    checksum.add(cause ?? -1)
    for column in Int32(6)...9 { withBytes(column) { checksum.add($0) } }
    return checksum.value == integer(10)
  }

  private func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }

  private func text(_ column: Int32) -> String? {
    guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
    return withBytes(column) { String(decoding: $0, as: UTF8.self) }
  }

  private func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let start = sqlite3_column_text(statement, column)
    return body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }
}

/// The names that rows stand for by number.
private struct RowNames {
  private var kinds: [Int: (action: String, isQuiet: Bool)] = [:]
  private var sources: [Int: ActionSource] = [:]

  init(_ db: Database) throws {
    for row in try Row.fetchAll(db, sql: "SELECT id, action, quiet FROM kinds") {
      kinds[row[0]] = (row[1], row[2])
    }
    for row in try Row.fetchAll(db, sql: "SELECT id, kind, file, function, plugin, unit, info FROM sources") {
      sources[row[0]] = ActionSource(
        file: row[2], function: row[3], line: 0, info: row[6], kind: ActionSource.Kind(rawValue: row[1]) ?? .code,
        plugin: row[4], unit: row[5])
    }
  }

  func row(_ columns: RowColumns) -> JournalRow? {
    guard let kind = kinds[columns.kind], var source = sources[columns.source] else { return nil }
    source.line = columns.line
    source.cause = columns.cause
    return JournalRow(
      number: columns.number, time: .nanoseconds(columns.at), source: source, action: kind.action,
      isQuiet: kind.isQuiet, arguments: columns.arguments, changes: columns.changes, failure: columns.failure,
      entry: columns.entry)
  }
}
