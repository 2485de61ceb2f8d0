import GRDB

extension Row {
  /// The value of a column. In a damaged file it may be missing or of another type, at which a subscript would end the
  /// program.
  ///
  /// - Throws: ``JournalFault`` where it is no such value.
  func checked<Value: DatabaseValueConvertible>(_ column: Int) throws -> Value {
    if let value: Value = Value.fromDatabaseValue(self[column] as DatabaseValue) { return value }
    throw JournalFault(.SQLITE_CORRUPT, "a value is not what was written")
  }

  /// The same of a column that may be empty.
  func checkedIfPresent<Value: DatabaseValueConvertible>(_ column: Int) throws -> Value? {
    (self[column] as DatabaseValue).isNull ? nil : try checked(column) as Value
  }
}
