import GRDB
import GRDBSQLite
import StoreCore

/// The columns of the row that a statement stands on.
struct RowColumns {
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

  /// Appends the bytes of the changes.
  func appendChanges(to out: inout [UInt8]) { withBytes(7) { out.append(contentsOf: $0) } }

  /// Whether the row is what was written behind another.
  func isSound(after last: Int) -> Bool {
    var checksum = RowChecksum()
    checksum.add(last)
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
struct RowNames {
  private var kinds: [Int: (action: String, isQuiet: Bool, isOfShell: Bool)] = [:]
  private var sources: [Int: ActionSource] = [:]

  init(_ db: Database) throws {
    for row in try Row.fetchAll(db, sql: "SELECT id, action, quiet FROM kinds") {
      let action: String = try row.checked(1)
      let id: Int = try row.checked(0)
      kinds[id] = (action, try row.checked(2), action.hasPrefix("shell."))
    }
    for row in try Row.fetchAll(db, sql: "SELECT id, kind, file, function, plugin, unit, info FROM sources") {
      let id: Int = try row.checked(0)
      sources[id] = ActionSource(
        file: try row.checked(2), function: try row.checked(3), line: 0, info: try row.checkedIfPresent(6),
        kind: ActionSource.Kind(rawValue: try row.checked(1)) ?? .code, plugin: try row.checkedIfPresent(4),
        unit: try row.checkedIfPresent(5))
    }
  }

  /// Whether a row's action is one of the shell; nil: nobody knows it.
  func isOfShell(_ columns: RowColumns) -> Bool? { kinds[columns.kind]?.isOfShell }

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
