import GRDB
import GRDBSQLite

extension DatabaseError {
  /// The fault, in words that continue a sentence about the file: SQLite's own message tells of its insides.
  var reason: String {
    let code = "SQLite code \(resultCode.rawValue)"
    switch resultCode {
    case .SQLITE_ERROR: return "its tables are not what was written (\(code))"
    case _ where isOurs: return message ?? code
    case .SQLITE_CORRUPT: return "its pages are not what was written (\(code))"
    case .SQLITE_FULL: return "the disk is full"
    case .SQLITE_IOERR: return "the disk cannot be read or written"
    case .SQLITE_CANTOPEN: return "the file, or one beside it, cannot be opened"
    case .SQLITE_READONLY, .SQLITE_PERM: return "it may not be written"
    case .SQLITE_BUSY, .SQLITE_LOCKED: return "another program is writing it"
    case .SQLITE_NOMEM: return "there is not enough memory"
    default: return "\(message ?? "it cannot be used") (\(code))"
    }
  }

  /// True if the message was written here, and not by SQLite.
  private var isOurs: Bool {
    guard let message else { return false }
    let usual = String(cString: sqlite3_errstr(resultCode.rawValue))
    return message != usual && !message.hasPrefix("malformed database schema")
  }
}
