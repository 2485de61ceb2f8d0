import Platform

/// The evidence in a journal's file and in the write-ahead log beside it, before anything is done with them. No process may
/// be writing them.
struct FileEvidence {
  /// Why the two are not what a session leaves; nil: nothing speaks against them.
  private(set) var fault: String?
  /// True if the fault is only that the file is named otherwise than it was.
  private(set) var isNamedOtherwise = false
  /// The loss that the end of the machine may have caused, or another loss that is no fault; nil: none.
  private(set) var loss: JournalContents.Loss?
  /// True if there is a log.
  let hasLog: Bool
  private let path: String

  init(_ path: String) {
    self.path = path
    hasLog = Self.hasLog(path)
    let meta = Self.reading(path, withLog: false) { try $0.meta() } ?? [:]
    let hasEnded = meta[JournalMeta.end] != nil
    if !hasLog {
      guard meta[JournalMeta.process] != nil, !hasEnded else { return }
      var status = stat()
      if stat(path, &status) == 0, status.st_nlink > 1 {
        isNamedOtherwise = true
        fault = "it has \(status.st_nlink) names, and its write-ahead log is beside another: open it by that name"
      } else {
        loss = .log
      }
    } else if !Self.logBelongs(to: path, meta) {
      fault = hasEnded ? "\(path)-wal is that of another file; it is whole without" : Self.foreign
    } else if case let count = LogFrames.unread(beside: path), count > 0 {
      loss = .frames(count)
      // Else it would be taken for a file in which nothing was written yet.
      if Self.reading(path, withLog: true, { try $0.isEmpty() }) == true {
        fault = JournalContents.unread(frames: count)
      }
    } else if !hasEnded, let boot = meta[JournalMeta.boot], boot != JournalMeta.presentBoot {
      loss = .unknown
    }
  }

  /// A connection that reads the file with its log, or without a log that is another file's.
  func database() throws -> DatabaseQueue { try DatabaseQueue(inspecting: path, withLog: hasLog && fault == nil) }

  /// True if there is a write-ahead log beside a file that holds anything.
  static func hasLog(_ path: String) -> Bool {
    var status = stat()
    return stat("\(path)-wal", &status) == 0 && status.st_size > 0
  }

  private static let foreign = "its write-ahead log is that of another file"

  /// True if the additions of a log were written behind the present end of the file: no earlier row may have changed.
  private static func logBelongs(to path: String, _ old: [String: String]) -> Bool {
    guard let new = reading(path, withLog: true, { try $0.meta() }) else { return true }
    if let id = old[JournalMeta.id], let other = new[JournalMeta.id], id != other { return false }
    guard old[JournalMeta.restart] == new[JournalMeta.restart],
      let last = reading(path, withLog: false, { try $0.end(.max) }) ?? nil,
      let found = reading(path, withLog: true, { try $0.end(last.first) })
    else { return true }
    return found.map { $0.checksum == last.checksum && ($0.next ?? last.checksum) == last.checksum } ?? false
  }

  private static func reading<Result>(
    _ path: String, withLog: Bool, _ body: (JournalReader) throws -> Result
  ) -> Result? {
    guard let database = try? DatabaseQueue(inspecting: path, withLog: withLog) else { return nil }
    defer { database.close() }
    return try? body(JournalReader(path: path, database: database))
  }

  /// The first bytes of a file, and why the system refuses to read it. A pipe is not waited for.
  static func head(_ path: String) -> (bytes: [UInt8], refusal: Int32?) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return ([], errno) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = read(descriptor, &bytes, bytes.count)
    return (Array(bytes.prefix(max(count, 0))), count < 0 ? errno : nil)
  }
}

extension JournalReader {
  /// The last row of actions up to one that begins with a number, with what the next one has of it; nil: there is none.
  fileprivate func end(_ number: Int) throws -> (first: Int, checksum: Int, next: Int?)? {
    try database.use { db in
      try Row.fetchOne(
        db,
        sql: """
          SELECT first, checksum, (SELECT behind FROM blocks AS next WHERE next.first > blocks.first ORDER BY first LIMIT 1)
          FROM blocks WHERE first <= ? ORDER BY first DESC LIMIT 1
          """, arguments: [number]
      ).map { (try $0.checked(0), try $0.checked(1), try $0.checkedIfPresent(2)) }
    }
  }
}

extension JournalReader {
  /// Looks at a file that no process writes.
  init(inspecting path: String, _ evidence: FileEvidence) throws(JournalError) {
    do {
      self.init(path: path, database: try evidence.database())
    } catch {
      throw JournalError(error, path: path, last: nil)
    }
  }
}
