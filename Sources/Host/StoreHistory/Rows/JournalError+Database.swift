import Platform

extension JournalError {
  /// The error of a journal for an error of SQLite.
  ///
  /// - Parameter last: the last action that is known to be good.
  init(_ error: any Error, path: String, last: Int?) {
    if let error = error as? JournalError {
      self = error
      return
    }
    let fault = JournalFault(error)
    let reason = fault?.reason ?? "\(error)"
    switch fault?.code {
    case nil: self = .cannotOpen(path: path, reason: reason)
    case .SQLITE_NOTADB: self = .notAJournal(path: path)
    case .SQLITE_CORRUPT, .SQLITE_ERROR: self = .damaged(path: path, lastGood: last, reason: reason)
    case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY:
      self = Self.refusal(beside: path) ?? .cannotOpen(path: path, reason: reason)
    default:
      self = last.map { .cannotWrite(path: path, last: $0, reason: reason) } ?? .cannotOpen(path: path, reason: reason)
    }
  }

  /// The system's refusal to make files beside a file; nil: it makes them.
  private static func refusal(beside path: String) -> JournalError? {
    access(path.folder, W_OK | X_OK) == 0 ? nil : .refusal(of: path, code: errno, folder: path.folder)
  }
}
