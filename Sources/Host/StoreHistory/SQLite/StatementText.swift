import CSQLite

/// Text as SQLite takes it.
enum StatementText {
  /// Binds UTF-8 that stays where it is until the statement was run.
  static func bind(inPlace bytes: UnsafeBufferPointer<UInt8>, to statement: OpaquePointer, _ index: Int32) {
    bytes.withMemoryRebound(to: CChar.self) {
      // No destructor: SQLite makes no copy of its own.
      _ = sqlite3_bind_text64(statement, index, $0.baseAddress, UInt64($0.count), nil, UInt8(SQLITE_UTF8))
    }
  }

  /// Binds UTF-8; SQLite keeps a copy.
  ///
  /// - Returns: SQLite's code.
  @discardableResult
  static func bind(_ bytes: [UInt8], to statement: OpaquePointer, _ index: Int32) -> Int32 {
    // SQLITE_TRANSIENT, a macro that Swift does not see.
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    // A text without bytes has no address, which SQLite would take for no text.
    if bytes.isEmpty { return sqlite3_bind_text(statement, index, "", 0, copied) }
    return bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text64(statement, index, $0.baseAddress, UInt64($0.count), copied, UInt8(SQLITE_UTF8))
      }
    }
  }
}
