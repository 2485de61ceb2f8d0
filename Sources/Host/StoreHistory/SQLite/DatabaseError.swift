import CSQLite

/// An error of SQLite.
package struct DatabaseError: Error, CustomStringConvertible {
  /// The kind of the error.
  package let resultCode: ResultCode
  /// SQLite's own words; nil: it has none.
  package let message: String?
  /// The number of the system's error behind it; 0: there is none.
  let systemCode: Int32

  package init(_ resultCode: ResultCode, _ message: String? = nil, systemCode: Int32 = 0) {
    (self.resultCode, self.message, self.systemCode) = (resultCode, message, systemCode)
  }

  package var description: String { "SQLite error \(resultCode.rawValue)\(message.map { ": \($0)" } ?? "")" }
}

/// The kind of an error of SQLite, named as SQLite does.
package struct ResultCode: Hashable, Sendable {
  /// SQLite's number.
  package let rawValue: Int32

  /// The kind of a code, which may say more than the kind.
  package init(_ code: Int32) { rawValue = code & 0xFF }

  package static let SQLITE_ERROR = ResultCode(CSQLite.SQLITE_ERROR)
  package static let SQLITE_PERM = ResultCode(CSQLite.SQLITE_PERM)
  package static let SQLITE_BUSY = ResultCode(CSQLite.SQLITE_BUSY)
  package static let SQLITE_LOCKED = ResultCode(CSQLite.SQLITE_LOCKED)
  package static let SQLITE_NOMEM = ResultCode(CSQLite.SQLITE_NOMEM)
  package static let SQLITE_READONLY = ResultCode(CSQLite.SQLITE_READONLY)
  package static let SQLITE_IOERR = ResultCode(CSQLite.SQLITE_IOERR)
  package static let SQLITE_CORRUPT = ResultCode(CSQLite.SQLITE_CORRUPT)
  package static let SQLITE_FULL = ResultCode(CSQLite.SQLITE_FULL)
  package static let SQLITE_CANTOPEN = ResultCode(CSQLite.SQLITE_CANTOPEN)
  package static let SQLITE_MISUSE = ResultCode(CSQLite.SQLITE_MISUSE)
  package static let SQLITE_NOTADB = ResultCode(CSQLite.SQLITE_NOTADB)
}
