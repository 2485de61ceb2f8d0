import GRDB

extension Row {
  /// The value of a column. In a damaged file it may be missing or of another type, at which a subscript would end the
  /// program.
  ///
  /// - Throws: `DatabaseError` where it is no such value.
  func checked<Value: DatabaseValueConvertible>(_ column: Int) throws -> Value {
    if let value: Value = Value.fromDatabaseValue(self[column] as DatabaseValue) { return value }
    throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a value is not what was written")
  }

  /// The same of a column that may be empty.
  func checkedIfPresent<Value: DatabaseValueConvertible>(_ column: Int) throws -> Value? {
    (self[column] as DatabaseValue).isNull ? nil : try checked(column) as Value
  }
}
