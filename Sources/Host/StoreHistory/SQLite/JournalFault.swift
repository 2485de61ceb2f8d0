import Platform

/// Why something cannot be done with a journal's file: SQLite says so, or its content does.
struct JournalFault: Error {
  /// SQLite's code of the fault, or of one of its kind.
  let code: ResultCode
  /// The fault, in words that continue a sentence about the file.
  let reason: String

  /// Makes a fault that SQLite does not see.
  init(_ code: ResultCode, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The fault that an error tells of; nil: it tells of none.
  init?(_ error: any Error) {
    switch error {
    case let fault as JournalFault: self = fault
    case let error as DatabaseError: self.init(error.resultCode, error.reason)
    default: return nil
    }
  }
}

extension DatabaseError {
  /// The reason in plain words: SQLite's own message tells of its insides.
  fileprivate var reason: String {
    // Nothing is wrong with the file where the process has no descriptor left.
    if resultCode == .SQLITE_CANTOPEN, [EMFILE, ENFILE].contains(systemCode) {
      return String(cString: strerror(systemCode))
    }
    let code = "SQLite code \(resultCode.rawValue)"
    switch resultCode {
    case .SQLITE_ERROR: return "its tables are damaged (\(code))"
    case .SQLITE_CORRUPT: return "its pages are damaged (\(code))"
    case .SQLITE_FULL: return "the disk is full"
    case .SQLITE_IOERR: return "the disk cannot be read or written"
    case .SQLITE_CANTOPEN: return "the file, or one beside it, cannot be opened"
    case .SQLITE_READONLY, .SQLITE_PERM: return "it may not be written"
    case .SQLITE_BUSY, .SQLITE_LOCKED: return "another program is writing it"
    case .SQLITE_NOMEM: return "there is not enough memory"
    default: return "\(message ?? "it cannot be used") (\(code))"
    }
  }
}
