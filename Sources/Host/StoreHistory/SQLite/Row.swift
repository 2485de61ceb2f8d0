import CSQLite

/// A value of a database.
package enum DatabaseValue {
  case null
  case integer(Int)
  case real(Double)
  case text(String)
}

/// A type whose values a database holds.
package protocol DatabaseConvertible {
  /// The value that a database has for it.
  var databaseValue: DatabaseValue { get }

  /// The value that a database's stands for; nil: it is another type's.
  init?(_ value: DatabaseValue)
}

extension Int: DatabaseConvertible {
  package var databaseValue: DatabaseValue { .integer(self) }

  package init?(_ value: DatabaseValue) {
    guard case .integer(let number) = value else { return nil }
    self = number
  }
}

extension String: DatabaseConvertible {
  package var databaseValue: DatabaseValue { .text(self) }

  package init?(_ value: DatabaseValue) {
    guard case .text(let text) = value else { return nil }
    self = text
  }
}

extension Bool: DatabaseConvertible {
  package var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }

  package init?(_ value: DatabaseValue) {
    guard case .integer(let number) = value else { return nil }
    self = number != 0
  }
}

extension DatabaseConvertible {
  /// The first column of the first row; nil: there is no row, or nothing in it.
  ///
  /// - Throws: ``DatabaseError``; ``JournalFault`` for a value of another type.
  package static func fetchOne(_ database: Database, sql: String, arguments: StatementArguments = []) throws -> Self? {
    try fetchOne(database.makeStatement(sql: sql), arguments: arguments)
  }

  /// The same of a statement that is there.
  package static func fetchOne(_ statement: PreparedStatement, arguments: StatementArguments = []) throws -> Self? {
    try Row.fetchOne(statement, arguments: arguments)?.checkedIfPresent(0)
  }

  /// The first column of all rows.
  package static func fetchAll(_ database: Database, sql: String) throws -> [Self] {
    try Row.fetchAll(database, sql: sql).map { try $0.checked(0) }
  }
}

/// A row of a result.
package struct Row {
  private let values: [DatabaseValue]

  fileprivate init(_ statement: PreparedStatement) {
    values = (0..<sqlite3_column_count(statement.handle)).map(statement.value)
  }

  /// All rows of a result.
  package static func fetchAll(
    _ database: Database, sql: String, arguments: StatementArguments = []
  ) throws -> [Row] {
    var rows: [Row] = []
    let cursor = try fetchCursor(database, sql: sql, arguments: arguments)
    while let row = try cursor.next() { rows.append(row) }
    return rows
  }

  /// The first row of a result; nil: it has none.
  package static func fetchOne(
    _ database: Database, sql: String, arguments: StatementArguments = []
  ) throws -> Row? {
    try fetchOne(database.makeStatement(sql: sql), arguments: arguments)
  }

  /// The same of a statement that is there.
  package static func fetchOne(_ statement: PreparedStatement, arguments: StatementArguments = []) throws -> Row? {
    defer { statement.reset() }
    return try RowCursor(statement, arguments).next()
  }

  /// The rows of a result, one after the other.
  package static func fetchCursor(
    _ database: Database, sql: String, arguments: StatementArguments = []
  ) throws -> RowCursor {
    try RowCursor(database.makeStatement(sql: sql), arguments)
  }

  /// The value of a column. In a damaged file it may be missing or of another type.
  ///
  /// - Throws: ``JournalFault`` where it is no such value.
  package func checked<Value: DatabaseConvertible>(_ column: Int) throws -> Value {
    if values.indices.contains(column), let value = Value(values[column]) { return value }
    throw JournalFault(.SQLITE_CORRUPT, "a value is damaged")
  }

  /// The same of a column that may be empty.
  package func checkedIfPresent<Value: DatabaseConvertible>(_ column: Int) throws -> Value? {
    if values.indices.contains(column), case .null = values[column] { return nil }
    return try checked(column) as Value
  }
}

/// The rows of a result, one after the other.
package struct RowCursor {
  private let statement: PreparedStatement

  fileprivate init(_ statement: PreparedStatement, _ arguments: StatementArguments) throws(DatabaseError) {
    statement.reset()
    try statement.bind(arguments)
    self.statement = statement
  }

  /// The next row; nil: there is none.
  package func next() throws(DatabaseError) -> Row? { try statement.step() ? Row(statement) : nil }
}
