import CSQLite

/// A connection to an SQLite database.
package final class Database {
  /// The kind of a transaction: whether it waits with its lock until it needs one.
  package enum TransactionKind: String {
    case deferred
    case immediate
  }

  /// How long a statement waits for another program that uses the file, in milliseconds.
  private static let patience: Int32 = 10_000

  /// The connection, for what has no call here.
  package let handle: OpaquePointer
  private var kept: [String: PreparedStatement] = [:]
  /// Whether the connection has ended: there are no more statements.
  private(set) var isClosed = false

  init(_ path: String, isReadOnly: Bool) throws(DatabaseError) {
    var handle: OpaquePointer?
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX, nil)
    guard let handle, code == SQLITE_OK else {
      let error = DatabaseError(ResultCode(code), handle.map { String(cString: sqlite3_errmsg($0)) })
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, Database.patience)
  }

  deinit { close() }

  /// Ends the connection.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    kept = [:]
    // Once nobody holds a statement any more.
    sqlite3_close_v2(handle)
  }

  /// Runs statements, and forgets what they give.
  ///
  /// - Parameter arguments: of a single statement.
  package func execute(sql: String, arguments: StatementArguments = []) throws(DatabaseError) {
    var rest = Substring(sql)
    while let statement = try PreparedStatement(&rest, self) {
      try statement.bind(arguments)
      while try statement.step() {}
    }
  }

  /// Makes a statement.
  package func makeStatement(sql: String) throws(DatabaseError) -> PreparedStatement {
    var rest = Substring(sql)
    guard let statement = try PreparedStatement(&rest, self) else {
      throw DatabaseError(.SQLITE_MISUSE, "no statement")
    }
    return statement
  }

  /// A statement that is made once. What it gave last is forgotten.
  package func cachedStatement(sql: String) throws(DatabaseError) -> PreparedStatement {
    if let statement = kept[sql] {
      statement.reset()
      return statement
    }
    let statement = try makeStatement(sql: sql)
    kept[sql] = statement
    return statement
  }

  /// The number of the row that was inserted last.
  package var lastInsertedRowID: Int { Int(sqlite3_last_insert_rowid(handle)) }

  /// Runs a closure in a transaction, which an error takes back.
  package func inTransaction(_ kind: TransactionKind = .deferred, _ body: () throws -> Void) throws {
    try run("BEGIN \(kind.rawValue)", body, commit: "COMMIT", rollback: "ROLLBACK")
  }

  /// Runs a closure whose changes an error takes back, within a transaction or without.
  package func inSavepoint(_ body: () throws -> Void) throws {
    try run(
      "SAVEPOINT part", body, commit: "RELEASE part", rollback: "ROLLBACK TO part; RELEASE part")
  }

  private func run(_ begin: String, _ body: () throws -> Void, commit: String, rollback: String) throws {
    try execute(sql: begin)
    do {
      try body()
      try execute(sql: commit)
    } catch {
      // Some errors have SQLite take it back by itself.
      if sqlite3_get_autocommit(handle) == 0 { try? execute(sql: rollback) }
      throw error
    }
  }

  /// The error that the last call has met.
  func error(_ code: Int32) -> DatabaseError {
    DatabaseError(ResultCode(code), String(cString: sqlite3_errmsg(handle)))
  }
}
