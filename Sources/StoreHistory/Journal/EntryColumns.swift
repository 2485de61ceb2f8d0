import GRDBSQLite
import StoreSchema

/// The texts of an entry's row; their memory is used again for the next.
struct EntryColumns {
  private var arguments: [UInt8] = []
  private var changes: [UInt8] = []
  private var failure: [UInt8] = []
  private var entry: [UInt8] = []

  /// Takes the texts of an entry.
  mutating func fill(_ entry: LoggedEntry) {
    arguments.removeAll(keepingCapacity: true)
    changes.removeAll(keepingCapacity: true)
    failure.removeAll(keepingCapacity: true)
    self.entry.removeAll(keepingCapacity: true)
    if !entry.arguments.values.isEmpty { JSON.append(entry.arguments, to: &arguments) }
    if !entry.changes.isEmpty { EntryWriter.append(entry.changes[...], to: &changes) }
    if let code = entry.failure { failure.append(contentsOf: code.utf8) }
    if entry.hasRareMembers { EntryWriter.append(entry, to: &self.entry) }
  }

  /// Binds the texts, in the order of the columns, and takes them into a checksum. They stay bound until the next `fill`.
  ///
  /// - Returns: how many bytes they are.
  func bind(to statement: OpaquePointer, from first: Int32, _ checksum: inout RowChecksum) -> Int {
    bind(arguments, to: statement, first, &checksum) + bind(changes, to: statement, first + 1, &checksum)
      + bind(failure, to: statement, first + 2, &checksum) + bind(entry, to: statement, first + 3, &checksum)
  }

  private func bind(
    _ bytes: [UInt8], to statement: OpaquePointer, _ index: Int32, _ checksum: inout RowChecksum
  ) -> Int {
    bytes.withUnsafeBytes { checksum.add($0) }
    if bytes.isEmpty { sqlite3_bind_null(statement, index) } else { StatementText.bind(bytes, to: statement, index) }
    return bytes.count
  }
}

extension LoggedEntry {
  /// Whether there is more to it than a row has columns for.
  var hasRareMembers: Bool {
    digest != nil || original != nil || droppedBy != nil || time.components.attoseconds % 1_000_000_000 != 0
  }
}

/// Text as SQLite takes it.
enum StatementText {
  /// Binds UTF-8; SQLite keeps a copy.
  static func bind(_ bytes: [UInt8], to statement: OpaquePointer, _ index: Int32) {
    // SQLITE_TRANSIENT, a macro that Swift does not see.
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) {
        _ = sqlite3_bind_text64(
          statement, index, $0.baseAddress, UInt64($0.count), copied, UInt8(SQLITE_UTF8))
      }
    }
  }
}
