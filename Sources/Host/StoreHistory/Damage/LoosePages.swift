import CSQLite
import Platform

/// The bytes of an SQLite file.
struct FileBytes {
  let bytes: [UInt8]
  /// The size of a page.
  let pageSize: Int

  init(_ path: String) throws(FileError) {
    bytes = try Files.read(path)
    pageSize = Self.pageSize(bytes)
  }

  /// The size of the pages of a file that begins with some bytes.
  static func pageSize(_ bytes: [UInt8]) -> Int {
    let declared = bytes.count < 100 ? 0 : Int(bytes[16]) << 8 | Int(bytes[17])
    let size = declared == 1 ? 65536 : declared
    return size >= 512 && size & (size - 1) == 0 ? size : 4096
  }

  /// A number of some bytes, the most significant first; nil: the file ends before.
  func number(_ offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset + count <= bytes.count else { return nil }
    return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }
}

/// The pages of an SQLite file, each read by SQLite as a table of its own, whether or not anything leads to it.
///
/// Without it the loss of the first page, the end or the root of a table would cost all actions, not just a page of
/// them.
final class LoosePages {
  /// The number of pages; the last may be short.
  let count: Int
  private let file: FileBytes
  private let memory: UnsafeMutableRawBufferPointer
  private let database: DatabaseQueue

  /// Takes the pages, but for the first, which holds no rows: here it tells of two tables that can lie on any page.
  init(_ file: FileBytes) throws {
    self.file = file
    count = max(file.bytes.count / file.pageSize, 1)
    database = try DatabaseQueue()
    memory = .allocate(byteCount: count * file.pageSize, alignment: 16)
    memory.copyBytes(from: file.bytes.prefix(memory.count))
    memory.copyBytes(from: try Self.head(pageSize: file.pageSize))
    // The number of pages stands in the head; none of them is free.
    memory.storeBytes(of: UInt32(count).bigEndian, toByteOffset: 28, as: UInt32.self)
    try database.use { db in
      let (size, bytes) = (Int64(memory.count), memory.baseAddress?.assumingMemoryBound(to: UInt8.self))
      let code = sqlite3_deserialize(db.handle, "main", bytes, size, size, 0)
      guard code == SQLITE_OK else { throw DatabaseError(ResultCode(code)) }
    }
  }

  deinit {
    database.close()
    memory.deallocate()
  }

  /// The first page of a file with a table for rows that have a number, and one for rows that have none. The former has one
  /// column more than any table of a journal.
  private static func head(pageSize: Int) throws -> [UInt8] {
    try DatabaseQueue().use { db in
      try db.execute(
        sql: """
          PRAGMA page_size = \(pageSize);
          CREATE TABLE numbered (a, b, c, d, e, f, g, h, i, j);
          CREATE TABLE named (a PRIMARY KEY, b) WITHOUT ROWID;
          """)
      var size: sqlite3_int64 = 0
      guard let bytes = sqlite3_serialize(db.handle, "main", &size, 0) else {
        throw DatabaseError(.SQLITE_NOMEM)
      }
      defer { sqlite3_free(bytes) }
      return Array(UnsafeBufferPointer(start: bytes, count: min(pageSize, Int(size))))
    }
  }

  /// Hands out the rows of a page that can be read, some of them twice: first the number, if they have one, then the columns.
  ///
  /// - Parameter number: the page's number, from 1.
  func rows(of number: Int, _ body: (_ row: OpaquePointer, _ isNumbered: Bool) throws -> Void) throws {
    let kind = file.number((number - 1) * file.pageSize, 1)
    guard number > 1, kind == 0x0D || kind == 0x0A else { return }
    let isNumbered = kind == 0x0D
    try database.use { db in
      try db.execute(
        sql: """
          PRAGMA writable_schema = ON;
          UPDATE sqlite_master SET rootpage = \(number);
          PRAGMA writable_schema = RESET;
          """)
      // Rows behind one that cannot be read are reached from the other end.
      for order in ["ASC", "DESC"] {
        let statement = try db.makeStatement(
          sql: isNumbered
            ? "SELECT rowid, * FROM numbered ORDER BY rowid \(order)" : "SELECT NULL, * FROM named ORDER BY a \(order)")
        let row = statement.handle
        defer { sqlite3_reset(row) }
        var code = sqlite3_step(row)
        while code == SQLITE_ROW {
          try body(row, isNumbered)
          code = sqlite3_step(row)
        }
        if code == SQLITE_DONE { return }
      }
    }
  }
}
