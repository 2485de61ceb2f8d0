import CSQLite
import Platform

/// An SQLite file and its write-ahead log, as one database that is only looked at. Neither file is written, locked or
/// given company, so a read-only place will do, too.
final class FileImage: @unchecked Sendable {
  // Safe: the bytes are changed only while it is made.
  /// The pages; pages of the log take the place of the file's.
  let file: MappedFile
  /// The size of a page.
  let pageSize: Int
  /// True if pages of the log took the place of the file's.
  private let hasLog: Bool

  /// Takes a look; nil: the file is empty or cannot be read.
  ///
  /// - Parameter log: the content of its log; nil: the file alone.
  convenience init?(_ path: String, _ log: WriteAheadLog?) {
    let log = log.flatMap { $0.pageCount > 0 ? $0 : nil }
    guard
      let file = MappedFile(
        path, size: log.map { $0.pageCount * $0.pageSize } ?? 0,
        { image in
          if let log {
            for (page, offset) in log.pages where page > 0 && page <= log.pageCount {
              UnsafeMutableRawBufferPointer(rebasing: image[(page - 1) * log.pageSize..<page * log.pageSize])
                .copyBytes(from: log.bytes.memory[offset..<offset + log.pageSize])
            }
          }
          Self.hideLog(image)
        })
    else { return nil }
    self.init(file, pageSize: log?.pageSize, hasLog: log != nil)
  }

  /// Takes a look at a file that is open, without what stands in its log; nil: it is empty or cannot be read.
  convenience init?(descriptor: Int32) {
    guard let file = MappedFile(descriptor: descriptor, size: 0, Self.hideLog) else { return nil }
    self.init(file, pageSize: nil, hasLog: false)
  }

  private init(_ file: MappedFile, pageSize: Int?, hasLog: Bool) {
    self.file = file
    self.hasLog = hasLog
    let declared = file.memory.count >= 100 ? Int(file.memory.bigEndian(16) >> 16) : 0
    let size = pageSize ?? (declared == 1 ? 65536 : declared)
    self.pageSize = size >= 512 && size & (size - 1) == 0 ? size : 4096
  }

  /// As it is shown a file has no log. The image has its own head in any case: SQLite changes the head of a file that
  /// gets its first log, such as a copy.
  private static func hideLog(_ image: UnsafeMutableRawBufferPointer) {
    var head = Array(image.prefix(20))
    if head.count == 20, head[18] == 2 { (head[18], head[19]) = (1, 1) }
    image.copyBytes(from: head)
  }

  /// Gives back the memory that a look through the file took so far. The file must be as it was.
  func letGo() {
    // The first page has the image's own head.
    if !hasLog { file.letGo(from: pageSize) }
  }

  /// The fault that its first bytes, its size and the definitions of its tables show; nil: none.
  var fault: String? {
    if let count = number(28, 4), count * pageSize > file.memory.count { return "it is shorter than it was" }
    guard let database = try? database() else { return nil }
    defer { database.close() }
    do {
      try database.use { db in
        // The look at it ignores definitions that nobody understands; a writer could not.
        try db.execute(sql: "PRAGMA writable_schema = RESET")
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
      }
      return nil
    } catch {
      let fault = JournalFault(error)
      return fault?.code == .SQLITE_CORRUPT ? fault?.reason : nil
    }
  }

  /// True if it may be a file that has lost its beginning: the bytes that would say so are zero.
  var hasLostHead: Bool { file.memory.count > pageSize && file.memory.prefix(16).allSatisfy { $0 == 0 } }

  /// What reads the pages, and holds them.
  func reader(_ path: String) throws(JournalError) -> JournalReader {
    do {
      return JournalReader(path: path, database: try database(), image: self)
    } catch {
      throw JournalError(error, path: path, last: nil)
    }
  }

  /// The pages as a database, which must not outlive them.
  func database() throws -> DatabaseQueue {
    try DatabaseQueue { db in
      // Else SQLite would not even open a file that has lost its end.
      try db.execute(sql: "PRAGMA writable_schema = ON")
      // Pages are looked at where they lie, not copied first. Any number does.
      try db.execute(sql: "PRAGMA mmap_size = \(file.memory.count)")
      try db.take(UnsafeMutableRawBufferPointer(mutating: file.memory), SQLITE_DESERIALIZE_READONLY)
    }
  }

  /// A number of some bytes, the most significant first; nil: the file ends before.
  func number(_ offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset + count <= file.memory.count else { return nil }
    return file.memory[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }
}

extension Database {
  /// Has memory stand for the database. It must outlive the connection.
  func take(_ memory: UnsafeMutableRawBufferPointer, _ flags: Int32 = 0) throws {
    let size = sqlite3_int64(memory.count)
    let bytes = memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let code = sqlite3_deserialize(handle, "main", bytes, size, size, UInt32(flags))
    guard code == SQLITE_OK else { throw DatabaseError(ResultCode(code)) }
  }
}
