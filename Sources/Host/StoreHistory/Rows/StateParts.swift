import CSQLite

/// Cuts the text of a large state into parts by what stands there: a change moves only the ends of the parts around it, so
/// that a file has the parts that did not change once.
///
/// A part ends where a sum over the last bytes, in which each byte counts less the further back it is, has a form that one
/// place of some thousand has (content-defined chunking; the sum is the gear hash of Xia and others, 2014).
enum StateParts {
  /// The size, in bytes, from which on a state is cut.
  static let least = 1 << 16
  private static let (shortest, longest) = (1 << 12, 1 << 16)
  /// One place of 16,384 meets it.
  private static let mask: UInt64 = 0x3FFF << 48
  /// The first character of a list of parts: no JSON begins with it.
  private static let mark = "@"

  /// A number for each byte, without any order among them.
  private static let gears: [UInt64] = (0..<256).map { byte in
    var mixed = UInt64(byte + 1) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    return mixed ^ (mixed >> 27)
  }

  /// The ranges of the parts, one behind the other. None begins within a character.
  static func ranges(of text: [UInt8]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    text.withUnsafeBufferPointer { text in
      gears.withUnsafeBufferPointer { gears in
        while start < text.count {
          let last = min(start + longest, text.count)
          var end = min(start + shortest, last)
          var sum: UInt64 = 0
          while end < last {
            sum = sum << 1 &+ gears[Int(text[end])]
            end += 1
            if sum & mask == 0 { break }
          }
          while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
          ranges.append(start..<end)
          start = end
        }
      }
    }
    return ranges
  }

  /// The list of some parts, as it stands in the place of the state.
  static func list(_ ids: [Int]) -> [UInt8] { Array((mark + ids.map(String.init).joined(separator: ",")).utf8) }

  /// The parts that a state's text names; nil: the text is the state itself.
  ///
  /// - Throws: ``JournalFault`` where it is no list of parts either.
  static func ids(in text: String) throws(JournalFault) -> [Int]? {
    guard text.hasPrefix(mark) else { return nil }
    let names = text.utf8.dropFirst().split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let ids = names.compactMap { Int(Substring($0)) }
    guard ids.count == names.count else {
      throw JournalFault(.SQLITE_CORRUPT, "a list of parts is damaged")
    }
    return ids
  }

  /// The text that parts make up, where a state's text names some; else that text.
  ///
  /// - Throws: where a part is not what was written.
  static func joined(_ text: String, _ db: Database) throws -> String {
    guard let ids = try ids(in: text) else { return text }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(ids.count * (1 << 14))
    for id in ids { try read(id, db) { bytes.append(contentsOf: $0) } }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Hands out the text of a part.
  static func read(_ id: Int, _ db: Database, _ body: (UnsafeRawBufferPointer) -> Void) throws {
    let statement = try db.cachedStatement(sql: "SELECT checksum, text FROM parts WHERE id = ?").handle
    sqlite3_reset(statement)
    defer { sqlite3_reset(statement) }
    sqlite3_bind_int64(statement, 1, Int64(id))
    guard sqlite3_step(statement) == SQLITE_ROW, isSound(statement, checksum: 0, text: 1, body) else {
      throw JournalFault(.SQLITE_CORRUPT, "a part of a state is damaged")
    }
  }

  /// The size, in bytes, of the state in a row of slices, as SQL.
  static let size = """
    CASE WHEN state LIKE '@%' THEN (
      SELECT sum(size) FROM json_each('[' || substr(state, 2) || ']') AS part JOIN parts ON parts.id = part.value
    ) ELSE length(CAST(state AS BLOB)) END
    """

  private static func isSound(
    _ row: OpaquePointer, checksum column: Int32, text: Int32, _ body: (UnsafeRawBufferPointer) -> Void = { _ in }
  ) -> Bool {
    let start = sqlite3_column_text(row, text)
    let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(row, text)))
    var checksum = RowChecksum()
    checksum.add(bytes)
    guard checksum.value == Int(sqlite3_column_int64(row, column)) else { return false }
    body(bytes)
    return true
  }
}

/// Tells which states that were written can be read. It looks at each slice and at each part once, however many states have it.
struct SoundStates {
  private var parts: [Int: Bool] = [:]
  /// The slices by their ids; nil: one that is not what was written.
  private var slices: [Int: SliceList.Slice?] = [:]

  /// True if a state was written right after an action that can be read.
  mutating func hasOne(after number: Int, _ db: Database) throws -> Bool {
    let lists = try Row.fetchCursor(db, sql: "SELECT slices FROM snapshots WHERE number = ?", arguments: [number])
    guard let row = try lists.next() else { return false }
    return try isSound(number, SliceList(try row.checked(0)), db)
  }

  /// True if a list names the slices that were written after an action, and all of them can be read.
  mutating func isSound(_ number: Int, _ list: SliceList?, _ db: Database) throws -> Bool {
    guard let list else { return false }
    return list.isSound(number, try list.ids.compactMap { try slice($0, db) })
  }

  private mutating func slice(_ id: Int, _ db: Database) throws -> SliceList.Slice? {
    if let known = slices[id] { return known }
    let statement = try db.cachedStatement(sql: "SELECT module, state, checksum, id FROM slices WHERE id = ?")
    var found: SliceList.Slice?
    if let row = try Row.fetchOne(statement, arguments: [id]), let slice = try? JournalReader.slice(row),
      let ids = try? StateParts.ids(in: slice.state) ?? [], ids.allSatisfy({ isSound(part: $0, db) })
    {
      found = try JournalReader.listed(row)
    }
    slices[id] = .some(found)
    return found
  }

  private mutating func isSound(part id: Int, _ db: Database) -> Bool {
    if let known = parts[id] { return known }
    let isSound = (try? StateParts.read(id, db) { _ in }) != nil
    parts[id] = isSound
    return isSound
  }
}

/// Writes large states part by part, those parts that the file does not have yet.
struct StatePartWriter {
  /// Tells parts apart: a hash with a secret of the process's own, and the number of bytes.
  private struct Key: Hashable {
    let hash: Int
    let count: Int

    init(_ bytes: UnsafeRawBufferPointer) {
      var hasher = Hasher()
      hasher.combine(bytes: bytes)
      (hash, count) = (hasher.finalize(), bytes.count)
    }
  }

  /// The parts of each module's latest written state.
  private var known: [String: [Key: Int]] = [:]

  /// Takes note of the parts of a state that the file has.
  mutating func note(_ module: String, _ text: String, _ db: Database) throws {
    guard let ids = try StateParts.ids(in: text) else { return }
    for id in ids { try StateParts.read(id, db) { known[module, default: [:]][Key($0)] = id } }
  }

  /// Writes the parts of a state.
  ///
  /// - Returns: what stands in the place of the state.
  mutating func write(_ state: [UInt8], of module: String, to db: Database) throws -> [UInt8] {
    let former = known[module] ?? [:]
    var latest: [Key: Int] = [:]
    let statement = try db.cachedStatement(sql: "INSERT INTO parts (size, checksum, text) VALUES (?, ?, ?)")
      .handle
    let ids = try state.withUnsafeBytes { text in
      try StateParts.ranges(of: state).map { range in
        let bytes = UnsafeRawBufferPointer(rebasing: text[range])
        let key = Key(bytes)
        if let id = latest[key] ?? former[key] {
          latest[key] = id
          return id
        }
        var checksum = RowChecksum()
        checksum.add(bytes)
        sqlite3_reset(statement)
        sqlite3_bind_int64(statement, 1, Int64(bytes.count))
        sqlite3_bind_int64(statement, 2, Int64(checksum.value))
        StatementText.bind(Array(bytes), to: statement, 3)
        try RowWriter.run(statement, db)
        let id = db.lastInsertedRowID
        latest[key] = id
        return id
      }
    }
    known[module] = latest
    return StateParts.list(ids)
  }

  /// Forgets the parts of a module.
  mutating func forget(_ module: String) { known[module] = nil }
}
