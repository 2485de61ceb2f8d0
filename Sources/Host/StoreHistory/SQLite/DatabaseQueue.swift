import Dispatch

/// A connection to an SQLite database that one party uses at a time; others wait.
package final class DatabaseQueue: @unchecked Sendable {
  // Safe: the connection is used only between waiting for the turn and giving it back.
  private let connection: Database
  private let turn = DispatchSemaphore(value: 1)

  /// Opens a file.
  ///
  /// - Parameter prepare: done on the new connection, before anything of the file is read.
  /// - Throws: ``DatabaseError`` where it cannot be opened, or is no database.
  package convenience init(
    path: String, isReadOnly: Bool = false, prepare: (Database) throws -> Void = { _ in }
  ) throws { try self.init(Database(path, isReadOnly ? .reading : .writing), prepare) }

  /// Opens a file that no process writes, to look at it: nothing is changed, neither in it nor beside it.
  ///
  /// - Parameter withLog: true to read what its write-ahead log has.
  convenience init(inspecting path: String, withLog: Bool) throws {
    try self.init(Database(path, .inspecting(withLog: withLog)), Self.tolerant)
  }

  /// Else SQLite would not even open a file that has lost its end.
  static func tolerant(_ database: Database) throws { try database.execute(sql: "PRAGMA writable_schema = ON") }

  private init(_ connection: Database, _ prepare: (Database) throws -> Void) throws {
    self.connection = connection
    try prepare(connection)
    // SQLite reads nothing of a file before it has to.
    _ = try Int.fetchOne(connection, sql: "SELECT 1 FROM sqlite_master LIMIT 1")
  }

  /// Makes a database in memory.
  package convenience init(prepare: (Database) throws -> Void = { _ in }) throws {
    try self.init(Database(nil, .writing), prepare)
  }

  /// Uses the connection; not to be called within itself.
  package func use<Result: ~Copyable>(_ body: (Database) throws -> Result) rethrows -> Result {
    turn.wait()
    defer { turn.signal() }
    return try body(connection)
  }

  /// Uses the connection in a transaction.
  package func write(_ body: (Database) throws -> Void) throws {
    try use { database in try database.inTransaction(.immediate) { try body(database) } }
  }

  /// Ends the connection, which is used no more.
  package func close() { use { $0.close() } }
}
