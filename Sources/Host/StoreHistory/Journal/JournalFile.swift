import CSQLite
import Platform

extension Files {
  /// The path that a symbolic link leads to where nothing stands there yet, or else the path itself.
  package static func destination(_ path: String) -> String {
    guard !exists(path), isLink(path) else { return path }
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &bytes, bytes.count)
    guard count > 0 else { return path }
    let target = String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return target.hasPrefix("/") ? target : "\(path.folder)/\(target)"
  }

  /// The file that a symbolic link leads to, or else the path itself. SQLite names the files beside it by that.
  package static func behindLink(_ path: String) -> String { isLink(path) ? absolute(destination(path)) : path }
}

/// An SQLite file with the tables of a journal.
final class JournalFile: Sendable {
  let path: String
  /// The connection; nobody but its holder uses it at a time.
  let database: DatabaseQueue
  private let lock: FileLock?
  /// True if there was a write-ahead log beside it when it was opened.
  private let hadLog: Bool
  /// The contents of the file when it was opened; nil: it was made.
  let found: JournalContents?
  /// Looks whether all of that is what was written; nil: there was nothing.
  let check: JournalCheck?

  /// True if a file says that it is a journal, in the head of an SQLite file.
  static func isJournal(_ path: String) -> Bool {
    let head = Files.start(of: path, count: 72)
    return head.starts(with: "SQLite format 3\0".utf8)
      && head.suffix(4).reduce(0) { $0 << 8 | Int($1) } == JournalTables.applicationID
  }

  /// The name of a file that SQLite would take for its own and remove, since it is beside a file, though it holds something else;
  /// nil: there is none.
  private static func stranger(beside path: String) -> String? {
    let starts: [(ending: String, start: [UInt8])] = [
      ("-journal", [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]), ("-shm", [0x18, 0xE2, 0x2D, 0x00]),
    ]
    return starts.first { ending, start in
      let found = Files.start(of: path + ending, count: start.count)
      // One that a process was killed over may have no head yet.
      return found.contains { $0 != 0 } && found != start
    }.map { path + $0.ending }
  }

  /// Opens a file for writing, and makes it where there is none or where it is empty.
  ///
  /// - Parameter initial: the state before the first action, by which it is found out how much of a damaged file is good.
  init(
    _ path: String, durability: Durability, header: JournalHeader, initial: [StateSlice] = []
  ) throws(JournalError) {
    // Else it would be made, and then be found empty beside its log.
    if !JournalFile.exists(path), FileEvidence.hasLog(path) {
      throw .damaged(path: path, lastGood: nil, reason: JournalFile.holdsNothingBesideLog(path))
    }
    if let store = Journal.store(at: path), store != Files.absolute(Files.destination(path)) {
      throw .cannotOpen(path: path, reason: "it belongs to the store \(store); name another file")
    }
    if let stranger = JournalFile.stranger(beside: path) {
      throw .cannotOpen(
        path: path,
        reason: "\(stranger) is no part of a store, and would be removed; move it away, or name another store")
    }
    let lock: FileLock
    do throws(FileLock.Refusal) {
      lock = try FileLock(path)
    } catch {
      switch error {
      case .system(let code): throw .refusal(of: path, code: code)
      case .notOrdinary: throw .cannotOpen(path: path, reason: "it is not a regular file")
      case .taken: throw .inUse(path: path, process: JournalFile.process(writing: path))
      }
    }
    self.path = path
    self.lock = lock
    hadLog = FileEvidence.hasLog(path)
    // Looked at read-only first: a damaged file must stay as it is.
    if lock.size == 0, hadLog {
      throw .damaged(path: path, lastGood: nil, reason: JournalFile.holdsNothingBesideLog(path))
    }
    found = lock.size == 0 ? nil : try JournalFile.inspect(path, lock, initial)
    let isNew = found == nil
    check = found?.numbers.map { JournalCheck(path, $0, size: lock.size) }
    database = try JournalFile.opened(path) { db in
      // A file that is only just being made has nothing to lose.
      if isNew, durability != .full { try db.execute(sql: "PRAGMA synchronous = OFF") }
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      if isNew {
        try db.inTransaction {
          try db.execute(sql: JournalTables.sql)
          var meta = header.meta
          meta[JournalMeta.format] = "\(JournalTables.version)"
          meta[JournalMeta.id] = StableHash.text(of: .random(in: 0 ... .max))
          try JournalMeta.set(meta, in: db)
        }
      }
      try db.execute(sql: "PRAGMA synchronous = \(durability.synchronous)")
    }
    lock.joinReaders()
  }

  /// Notes that the file is being written, in the transaction that does so first: a file that is only opened stays as it is.
  ///
  /// - Parameter began: when the time of the store began, by the clock that counts from the start of the machine; nil: it does not tell.
  func begin(_ db: Database, _ began: Duration?) throws {
    var meta: [String: String?] = [
      JournalMeta.process: "\(getpid())", JournalMeta.end: String?.none,
      JournalMeta.beganInBoot: began.map { "\($0.wholeNanoseconds)" },
    ]
    if let boot = JournalMeta.presentBoot { meta[JournalMeta.boot] = boot }
    try JournalMeta.set(meta, in: db)
  }

  /// Notes in the file itself, and not only in its write-ahead log, that it is being written. A reader who finds one
  /// without the other knows that something is missing.
  func markBegun(_ db: Database) { try? db.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }

  /// Takes in what of the log can be read, and empties it, where there are frames that cannot: behind those that are written next
  /// they would be found again, as a loss of this session.
  func clearLog(_ db: Database) {
    if case .frames? = found?.loss { try? db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  /// - Throws: an error where the file is no longer at its path: nobody would find what is written.
  func requirePlace() throws {
    guard let lock, !lock.isAt(path) else { return }
    throw JournalFault(.SQLITE_IOERR, "the file is no longer there")
  }

  /// The write-ahead log beside the file: which it is, and how long. Nobody who has the file open makes it shorter by writing.
  struct Log {
    fileprivate let status: stat

    /// True if a later look finds it, however long.
    func isSame(as later: Log?) -> Bool {
      guard let later else { return false }
      return status.st_ino == later.status.st_ino && status.st_dev == later.status.st_dev
    }

    /// True if it is not as long any more as it was: somebody had it taken in, or emptied it.
    func isShortened(in later: Log?) -> Bool { status.st_size > later?.status.st_size ?? 0 }
  }

  /// The log as it is now; nil: there is none.
  var log: Log? {
    var status = stat()
    return stat("\(path)-wal", &status) == 0 ? Log(status: status) : nil
  }

  /// The version of the file's content, but for its log: it changes with every write to the file.
  var version: FileLock.Version? { lock?.version }

  /// The content of the file itself, without its log: the number that no other file has, and the last action. Nil: it
  /// is no journal.
  var content: (id: String?, last: Int)? {
    guard let database = try? DatabaseQueue(inspecting: path, withLog: false) else { return nil }
    let reader = JournalReader(path: path, database: database)
    defer { reader.close() }
    guard let contents = try? reader.contents(), let meta = try? reader.meta() else { return nil }
    return (meta[JournalMeta.id], contents.last)
  }

  /// The fault of a file that holds nothing while its log does.
  static func holdsNothingBesideLog(_ path: String) -> String {
    let way = "bring the file back, or move that away to begin anew"
    return exists(path) ? "it is empty, but \(path)-wal is not; \(way)" : "it is gone, but \(path)-wal is there; \(way)"
  }

  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Closes the file, and lets others write it.
  func close() {
    check?.cancel()
    closeDatabase()
    lock?.release()
  }

  private func closeDatabase() {
    lock?.leaveReaders()
    database.close()
  }

  /// True if there was no file of that name before.
  var isMade: Bool { lock?.hasMadeFile ?? false }

  /// Removes the file, in which nothing happened.
  func remove() {
    closeDatabase()
    if let lock, lock.isAt(path) { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
    lock?.release()
  }

  /// Lets others have the file, which stays as it is.
  ///
  /// - Parameter isForeign: true if another file was written over it.
  func leave(isForeign: Bool = false) {
    check?.cancel()
    // SQLite would take the log into the file.
    if hadLog || isForeign { database.use { $0.keepLog() } }
    closeDatabase()
    lock?.release()
  }

  static func opened(
    _ path: String, isReadOnly: Bool = false, _ prepare: (Database) throws -> Void = { _ in }
  ) throws(JournalError) -> DatabaseQueue {
    do {
      let queue = try DatabaseQueue(path: path, isReadOnly: isReadOnly) { db in
        if isReadOnly { try DatabaseQueue.tolerant(db) }
      }
      try queue.use { db in
        do {
          try prepare(db)
        } catch {
          guard let fault = JournalFault(error) else { throw error }
          throw JournalFault(fault.code, reason(of: fault, db))
        }
      }
      return queue
    } catch {
      throw JournalError(error, path: path, last: nil)
    }
  }

  /// The reader of the file.
  var reader: JournalReader { JournalReader(path: path, database: database) }

  // MARK: Looking at it

  private static func process(writing path: String) -> Int? {
    // One that has only opened it has not written its number yet.
    if let holder = FileLock.holder(of: path) { return holder }
    guard let database = try? opened(path, isReadOnly: true) else { return nil }
    return try? JournalReader(path: path, database: database).contents().process
  }

  /// The error of a damaged file, with the last good action.
  ///
  /// - Parameter reason: the fault found in it.
  static func damaged(_ path: String, _ reason: String, _ initial: [StateSlice]) -> JournalError {
    // The state of the rest is found out with more leisure.
    let archive = try? JournalArchive(unlocked: path, initial: initial)
    defer { archive?.close() }
    return .damaged(path: path, lastGood: archive?.lastGood, reason: archive?.damage ?? reason)
  }

  /// - Returns: nil: nothing, such as where a process was killed before it had made the tables.
  private static func inspect(
    _ path: String, _ lock: FileLock, _ initial: [StateSlice]
  ) throws(JournalError) -> JournalContents? {
    func damaged(_ reason: String) -> JournalError { JournalFile.damaged(path, reason, initial) }
    let head = lock.head(100)
    guard head.starts(with: Array("SQLite format 3\0".utf8)), head.count == 100 else {
      // A file that is no journal says so itself.
      let archive = try JournalArchive(unlocked: path, initial: initial)
      throw .damaged(
        path: path, lastGood: archive.lastGood,
        reason: archive.damage ?? "it was overwritten; the files beside it can be read")
    }
    let evidence = FileEvidence(path)
    if let fault = evidence.fault {
      throw evidence.isNamedOtherwise ? .cannotOpen(path: path, reason: fault) : damaged(fault)
    }
    // A rollback journal is left where a process was killed while it made the file; reading alone cannot undo what it did.
    let hasRollback = access("\(path)-journal", F_OK) == 0
    if hasRollback { try? opened(path) { _ = try Int.fetchOne($0, sql: "PRAGMA schema_version") }.close() }
    // It had not been there before.
    if hasRollback, lock.head(1).isEmpty { return nil }
    let reader = try JournalReader(inspecting: path, evidence)
    defer { reader.close() }
    let found: JournalContents
    do throws(JournalError) {
      if try reader.isEmpty() { return nil }
      found = try reader.contents(evidence.loss)
    } catch {
      guard case .damaged(_, _, let reason) = error else { throw error }
      throw damaged(reason)
    }
    if let reason = reader.faultInTables() ?? reader.faultInMeta() ?? reader.faultAtEnd(found)
      ?? (found.hasEnded && !evidence.hasLog ? nil : reader.malformation())
    {
      throw damaged(reason)
    }
    return found
  }

  /// Writes a whole copy of the file beside it, which has its name only once it is whole.
  ///
  /// - Throws: ``JournalError/cannotRebase(path:reason:)``; there is no copy.
  func copy(to copy: String) throws(JournalError) {
    let part = "\(copy).part"
    func removePart() { for suffix in ["", "-journal"] { unlink(part + suffix) } }
    // A process may have been killed while it wrote one.
    removePart()
    let failure: String? = database.use { db in
      do {
        try db.execute(sql: "VACUUM INTO ?", arguments: [part])
        guard chmod(part, 0o600) == 0, rename(part, copy) == 0 else { return String(cString: strerror(errno)) }
        return nil
      } catch {
        return JournalFile.reason(of: error, db)
      }
    }
    guard let failure else { return }
    removePart()
    throw .cannotRebase(path: path, reason: "\(copy) cannot be written: \(failure)")
  }

  /// Why SQLite cannot do something, with what the system says where that is all that there is to it.
  static func reason(of error: any Error, _ db: Database) -> String {
    guard let fault = JournalFault(error) else { return "\(error)" }
    let reason = fault.reason
    guard fault.code == .SQLITE_IOERR else { return reason }
    let code = sqlite3_system_errno(db.handle)
    if code != 0 { return "\(reason) (\(String(cString: strerror(code))))" }
    return sizeLimit.map { "\(reason) (files may have \($0) bytes at most, see ulimit -f)" } ?? reason
  }

  /// The size that the system lets files reach, in bytes; nil: any.
  private static var sizeLimit: Int? {
    var limit = rlimit()
    let code = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    return code == 0 ? Int(exactly: limit.rlim_cur) : nil
  }
}
