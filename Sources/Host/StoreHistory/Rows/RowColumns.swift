import CSQLite

/// The columns of the row that a statement stands on.
struct RowColumns {
  private let statement: OpaquePointer

  init(_ statement: OpaquePointer) { self.statement = statement }

  var number: Int { integer(0) }
  var at: Int { integer(1) }
  var kind: Int { integer(2) }
  var source: Int { integer(3) }
  var line: Int { integer(4) }
  /// The link of the source; 0: it has none.
  var link: Int { integer(5) }
  var arguments: String? { text(6) }
  var changes: String? { text(7) }
  var failure: String? { text(8) }
  var entry: String? { text(9) }
  /// The time of day, in milliseconds since 1970; nil: it is not known.
  var wallTime: Int? { sqlite3_column_type(statement, 10) == SQLITE_NULL ? nil : integer(10) }

  /// The size of the texts, in bytes.
  var size: Int { (Int32(6)...9).reduce(0) { $0 + Int(sqlite3_column_bytes(statement, $1)) } }

  /// Appends the bytes of the changes.
  func appendChanges(to out: inout [UInt8]) { withBytes(7) { out.append(contentsOf: $0) } }

  /// True if the row is as it was written behind another.
  ///
  /// - Parameters:
  ///   - names: the checksum of the names that it stands for.
  ///   - plugin: the checksum of the plugin that it loaded; nil: none.
  func isSound(after last: Int, names: Int, plugin: Int?) -> Bool {
    var checksum = RowChecksum()
    checksum.add(last)
    for column in Int32(0)...4 { checksum.add(integer(column)) }
    checksum.add(link == 0 ? -1 : link)
    for column in Int32(6)...9 { withBytes(column) { checksum.add($0) } }
    checksum.add(wallTime ?? -1)
    checksum.add(names)
    if let plugin { checksum.add(plugin) }
    return checksum.value == integer(11)
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
