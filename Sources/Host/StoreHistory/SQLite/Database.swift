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
  /// Tells whether its statements are to stop.
  private var isOver: () -> Bool = { false }
  /// Whether the connection has ended: there are no more statements.
  private(set) var isClosed = false

  /// The use that a connection makes of a file.
  enum Access {
    case writing
    /// Other processes may write meanwhile.
    case reading
    /// No process writes meanwhile: no lock is taken, no file is made beside it, and none goes when the connection ends.
    case inspecting(withLog: Bool)
  }

  /// - Parameter path: the file; nil: the database is in memory.
  init(_ path: String?, _ access: Access) throws(DatabaseError) {
    var handle: OpaquePointer?
    // Some names of files mean something else to SQLite: `:memory:`, and those that begin with `file:`.
    let path = path.map { $0.hasPrefix("/") ? $0 : "./\($0)" } ?? ":memory:"
    let (name, flags, system): (String, Int32, String?) =
      switch access {
      case .writing: (path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
      case .reading: (path, SQLITE_OPEN_READONLY, nil)
      case .inspecting(withLog: true): (path, SQLITE_OPEN_READONLY, "unix-none")
      case .inspecting(withLog: false): (Self.immutable(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
      }
    let code = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX, system)
    guard let handle, code == SQLITE_OK else {
      let error = DatabaseError(
        ResultCode(code), handle.map { String(cString: sqlite3_errmsg($0)) },
        systemCode: handle.map { sqlite3_system_errno($0) } ?? 0)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, Database.patience)
    guard case .inspecting(true) = access else { return }
    keepLog()
    // The index of the log is then in memory, and not in a file.
    try execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
  }

  /// The name by which SQLite takes a file as one that no process changes, and so without its log.
  private static func immutable(_ path: String) -> String {
    let marks = ["%": "%25", "?": "%3f", "#": "%23"]
    return "file:\(path.hasPrefix("/") ? "//" : "")\(path.map { marks[String($0)] ?? String($0) }.joined())?immutable=1"
  }

  /// Has the end of the connection leave the write-ahead log as it is.
  func keepLog() { csqlite_keepLog(handle) }

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

  /// Runs a closure whose statements end with an error once they are to stop.
  ///
  /// - Parameter isOver: tells whether they are; asked now and then.
  func stopping<Result>(_ isOver: @escaping () -> Bool, _ body: () throws -> Result) rethrows -> Result {
    self.isOver = isOver
    let ask: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
      context.map { Unmanaged<Database>.fromOpaque($0).takeUnretainedValue().isOver() } == true ? 1 : 0
    }
    sqlite3_progress_handler(handle, 100, ask, Unmanaged.passUnretained(self).toOpaque())
    defer { sqlite3_progress_handler(handle, 0, nil, nil) }
    return try body()
  }

  /// The error that the last call has met.
  func error(_ code: Int32) -> DatabaseError {
    DatabaseError(ResultCode(code), String(cString: sqlite3_errmsg(handle)), systemCode: sqlite3_system_errno(handle))
  }
}
