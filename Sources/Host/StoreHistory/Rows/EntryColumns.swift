import CSQLite
import StoreSchema

/// The texts of an entry's row, one behind the other in memory that is used again for the next.
struct EntryColumns {
  private var bytes: [UInt8] = []
  /// The end of each text; an empty one stands for NULL.
  private var ends = (arguments: 0, changes: 0, failure: 0, entry: 0)
  private var paths = PathTexts()

  /// Takes the texts of an entry.
  mutating func fill(_ entry: LoggedEntry) {
    bytes.removeAll(keepingCapacity: true)
    if !entry.arguments.values.isEmpty {
      JSON.append(entry.arguments, to: &bytes, marksDecimals: entry.isOfShell)
    }
    ends.arguments = bytes.count
    if !entry.changes.isEmpty { EntryWriter.append(entry.changes[...], &paths, to: &bytes) }
    ends.changes = bytes.count
    if let code = entry.failure { bytes.append(contentsOf: code.utf8) }
    ends.failure = bytes.count
    if entry.hasRareMembers { EntryWriter.append(entry, to: &bytes) }
    ends.entry = bytes.count
  }

  /// The size of the texts, in bytes.
  var size: Int { bytes.count }

  /// Binds the texts, in the order of the columns, for as long as the body runs, and takes them into a checksum.
  func bind<Result>(
    to statement: OpaquePointer, from first: Int32, _ checksum: RowChecksum, _ body: (RowChecksum) throws -> Result
  ) rethrows -> Result {
    try bytes.withUnsafeBytes { bytes in
      var checksum = checksum
      var start = 0
      func bind(upTo end: Int, _ index: Int32) {
        let text = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        checksum.add(text)
        self.bind(text, to: statement, index)
        start = end
      }
      bind(upTo: ends.arguments, first)
      bind(upTo: ends.changes, first + 1)
      bind(upTo: ends.failure, first + 2)
      bind(upTo: ends.entry, first + 3)
      return try body(checksum)
    }
  }

  private func bind(_ text: UnsafeRawBufferPointer, to statement: OpaquePointer, _ index: Int32) {
    guard !text.isEmpty else {
      sqlite3_bind_null(statement, index)
      return
    }
    text.withMemoryRebound(to: CChar.self) {
      // No destructor: SQLite makes no copy of its own.
      _ = sqlite3_bind_text64(statement, index, $0.baseAddress, UInt64($0.count), nil, UInt8(SQLITE_UTF8))
    }
  }
}

extension LoggedEntry {
  /// True if there is more to it than a row has columns for.
  var hasRareMembers: Bool {
    reason != nil || digest != nil || original != nil || droppedBy != nil
      || time.components.attoseconds % 1_000_000_000 != 0
  }
}

extension JournalRow {
  /// The entry that the row holds, each value by its declared type.
  ///
  /// - Throws: ``EntryError`` at the first place that does not fit.
  public func entry(_ reader: EntryReader) throws(EntryError) -> LoggedEntry {
    if var text = entry {
      let read: Result<LoggedEntry, EntryError> = text.withUTF8 { bytes in
        Result { () throws(EntryError) in try reader.entry(of: bytes) }
      }
      return try read.get()
    }
    let noArguments = {
      let layout = reader.types.action(action)?.layout
      return layout.flatMap { $0.fields.isEmpty ? $0 : nil } ?? RecordLayout(name: action, fields: [])
    }
    return LoggedEntry(
      number: number, time: time, source: source, action: action,
      arguments: try arguments.map { (text) throws(EntryError) in try reader.arguments(of: text, action: action) }
        ?? Record(noArguments(), []),
      isQuiet: isQuiet,
      changes: try changes.map { (text) throws(EntryError) in try reader.reader(ofChangesBy: action).changes(of: text) }
        ?? [],
      failure: failure, wallTime: wallTime)
  }
}
