import CSQLite

/// The files of one version of a plugin, which a journal keeps once however often it was loaded.
public struct JournaledCode: Sendable {
  /// The digest by which loads name it.
  public let digest: String
  /// The files by their paths in the plugin's folder, in the order of the digest.
  public let files: [(path: String, bytes: [UInt8])]

  /// Joins the two.
  public init(digest: String, files: [(path: String, bytes: [UInt8])]) { (self.digest, self.files) = (digest, files) }

  /// Writes the files, unless they are there.
  func write(to db: Database) throws {
    let known = try Int.fetchOne(db, sql: "SELECT 1 FROM code WHERE digest = ? LIMIT 1", arguments: [digest])
    guard known == nil else { return }
    let statement = try db.makeStatement(sql: "INSERT INTO code VALUES (?, ?, ?)")
    for file in files {
      sqlite3_reset(statement.handle)
      StatementText.bind(Array(digest.utf8), to: statement.handle, 1)
      StatementText.bind(Array(file.path.utf8), to: statement.handle, 2)
      StatementText.bind(file.bytes, to: statement.handle, 3)
      try RowWriter.run(statement.handle, db)
    }
  }
}

extension JournalReader {
  /// The digests of the versions of plugins whose files are kept.
  public var keptCode: Set<String> {
    let digests = try? database.use { try String.fetchAll($0, sql: "SELECT DISTINCT digest FROM code") }
    return Set(digests ?? [])
  }

  /// The code of a digest; nil: the file does not keep it.
  public func code(_ digest: String) -> JournaledCode? {
    let files = try? database.use { db in
      let statement = try db.makeStatement(sql: "SELECT path, text FROM code WHERE digest = ? ORDER BY rowid")
      let handle = statement.handle
      StatementText.bind(Array(digest.utf8), to: handle, 1)
      var files: [(path: String, bytes: [UInt8])] = []
      func bytes(_ column: Int32) -> [UInt8] {
        let start = sqlite3_column_blob(handle, column)
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
      }
      while sqlite3_step(handle) == SQLITE_ROW { files.append((String(decoding: bytes(0), as: UTF8.self), bytes(1))) }
      return files
    }
    return files.flatMap { $0.isEmpty ? nil : JournaledCode(digest: digest, files: $0) }
  }
}
