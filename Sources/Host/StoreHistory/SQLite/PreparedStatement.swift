import CSQLite

/// A prepared statement.
package final class PreparedStatement {
  /// The statement, for what has no call here.
  package let handle: OpaquePointer
  private unowned let database: Database

  /// The first statement of a text, which is left with the rest; nil: there is none any more.
  init?(_ text: inout Substring, _ database: Database) throws(DatabaseError) {
    var statement: OpaquePointer?
    var used = 0
    var code = SQLITE_OK
    var bytes = Array(text.utf8)
    bytes.append(0)
    guard !database.isClosed else { throw DatabaseError(.SQLITE_MISUSE, "it is closed") }
    // Behind one that is nothing but white space or a comment there may be others.
    while statement == nil, code == SQLITE_OK, used < bytes.count - 1 {
      bytes.withUnsafeBytes { buffer in
        guard let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
        var tail: UnsafePointer<CChar>?
        code = sqlite3_prepare_v2(database.handle, start + used, -1, &statement, &tail)
        used = tail.map { $0 - start } ?? buffer.count - 1
      }
    }
    guard code == SQLITE_OK else { throw database.error(code) }
    text = Substring(decoding: bytes[used..<(bytes.count - 1)], as: UTF8.self)
    guard let statement else { return nil }
    handle = statement
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  /// Goes on to the next row.
  ///
  /// - Returns: false: there is none, and the statement begins anew with the next call.
  func step() throws(DatabaseError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    // The message is gone with the reset.
    let error = code == SQLITE_DONE ? nil : database.error(code)
    sqlite3_reset(handle)
    if let error { throw error }
    return false
  }

  /// Has it begin anew.
  func reset() { sqlite3_reset(handle) }

  /// Sets its arguments, from the first on.
  func bind(_ arguments: StatementArguments) throws(DatabaseError) {
    for (index, value) in arguments.values.enumerated() {
      let place = Int32(index + 1)
      let code =
        switch value {
        case .null: sqlite3_bind_null(handle, place)
        case .integer(let number): sqlite3_bind_int64(handle, place, Int64(number))
        case .real(let number): sqlite3_bind_double(handle, place, number)
        case .text(let text): StatementText.bind(Array(text.utf8), to: handle, place)
        }
      guard code == SQLITE_OK else { throw database.error(code) }
    }
  }

  /// The value of a column of the present row; bytes that are no text are text here.
  func value(_ column: Int32) -> DatabaseValue {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_NULL: return .null
    case SQLITE_INTEGER: return .integer(Int(sqlite3_column_int64(handle, column)))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
    default:
      let start = sqlite3_column_blob(handle, column)
      let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
      return .text(String(decoding: bytes, as: UTF8.self))
    }
  }
}

/// The arguments of a statement, in their order.
package struct StatementArguments: ExpressibleByArrayLiteral {
  let values: [DatabaseValue]

  package init(arrayLiteral values: (any DatabaseConvertible)?...) {
    self.values = values.map { $0?.databaseValue ?? .null }
  }

  /// Arguments that are all texts.
  package init(_ texts: [String]) { values = texts.map { .text($0) } }
}
