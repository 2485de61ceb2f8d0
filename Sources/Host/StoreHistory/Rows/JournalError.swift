import Platform

/// Why a journal cannot be opened, read or written.
public enum JournalError: Error, Hashable, Sendable {
  /// Another process has the file open for writing; its number where it left one.
  case inUse(path: String, process: Int?)
  /// The file is something else than a journal.
  case notAJournal(path: String)
  /// The file has another format than the one that this version of the program reads and writes.
  ///
  /// - Parameter program: the program that wrote it, with its version; empty: the file does not say.
  case unknownFormat(path: String, version: Int, program: String)
  /// The file is torn or its content is not what was written.
  ///
  /// - Parameters:
  ///   - lastGood: the last action up to which all can be read; nil: nothing can.
  case damaged(path: String, lastGood: Int?, reason: String)
  /// The system refused to open the file.
  case cannotOpen(path: String, reason: String)
  /// There is no such file, and none can be made.
  case noSuchFile(path: String, reason: String)
  /// The system refused to write, such as a full disk. The actions acknowledged before are in the file.
  case cannotWrite(path: String, last: Int, reason: String)
  /// The file cannot be taken over to the types of this program, or a copy of it cannot be kept, such as on a full
  /// disk. The file is as it was.
  case cannotRebase(path: String, reason: String)

  /// The file.
  public var path: String {
    switch self {
    case .inUse(let path, _), .notAJournal(let path), .unknownFormat(let path, _, _), .damaged(let path, _, _),
      .cannotOpen(let path, _), .noSuchFile(let path, _), .cannotWrite(let path, _, _), .cannotRebase(let path, _):
      path
    }
  }
}

extension JournalError {
  /// The system's refusal to open a file.
  ///
  /// - Parameters:
  ///   - code: the number of the system's error, such as `ENOENT`.
  ///   - folder: the folder that the system refused to write; nil: it refused the file itself.
  static func refusal(of path: String, code: Int32, folder: String? = nil) -> JournalError {
    let reason = (folder.map { "\($0) cannot be written: " } ?? "") + String(cString: strerror(code))
    return code == ENOENT ? .noSuchFile(path: path, reason: reason) : .cannotOpen(path: path, reason: reason)
  }

  /// An action that its types do not fit, though they are those with which it was written.
  public init(_ error: EntryError, at number: Int, in path: String) {
    self = .damaged(path: path, lastGood: number - 1, reason: "#\(number) does not fit its type: \(error.message)")
  }

  /// The fault, without the place.
  var reason: String {
    if case .damaged(_, _, let reason) = self { return reason }
    return description
  }
}

extension JournalError: CustomStringConvertible {
  /// The error as one sentence.
  public var description: String {
    switch self {
    case .inUse(let path, let process):
      "\(path) is in use by another session" + (process.map { " (process \($0))" } ?? "")
    case .notAJournal(let path): "\(path) is not a journal"
    case .unknownFormat(let path, let version, let program):
      "\(path) has format \(version)\(program.isEmpty ? "" : " of \(program)"); this version reads format "
        + "\(JournalTables.version)"
    case .damaged(let path, 0, let reason): "\(path) is damaged: \(reason)"
    case .damaged(let path, let last?, let reason): "\(path) is damaged after #\(last): \(reason)"
    case .damaged(let path, nil, let reason): "\(path) is damaged, nothing of it can be read: \(reason)"
    case .cannotOpen(let path, let reason), .noSuchFile(let path, let reason):
      "cannot open \(path.isEmpty ? "a path without a name" : path): \(reason)"
    case .cannotWrite(let path, let last, let reason): "cannot write \(path) after #\(last): \(reason)"
    case .cannotRebase(let path, let reason): "cannot bring \(path) to the types that are declared now: \(reason)"
    }
  }
}

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
