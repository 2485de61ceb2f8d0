import CSQLite
import StoreCore
import StoreSchema

/// The row of the next actions: a JSON array with an array for each, which has the columns of the view `actions` in their order.
/// Numbers and times count from those of the row. An array ends at its last column that is not NULL.
struct EntryBlock: ~Copyable {
  /// The number of actions in a full row, and the bytes at which a row with fewer is full.
  static let (longest, heaviest) = (64, 1 << 15)

  private(set) var count = 0
  private var (first, last, at, wall): (Int, Int, Int, Int?) = (0, 0, 0, nil)
  private var bytes = TextBuffer()
  /// The checksum of the names that numbers stand for, and of the plugins that actions loaded.
  private var names = RowChecksum()
  private var paths = PathTexts()

  /// True if the next action comes into another row.
  var isFull: Bool { count >= Self.longest || bytes.count >= Self.heaviest }

  /// Adds an action.
  ///
  /// - Parameters:
  ///   - kind: the number of its name.
  ///   - source: the number of its source.
  ///   - names: the checksum of both.
  ///   - plugin: the checksum of the plugin that it loaded; nil: none.
  ///   - tellsAll: true if it is an action of the shell that changed nothing but what the entry tells.
  /// - Returns: the size of what was added, in bytes.
  mutating func add(
    _ entry: LoggedEntry, kind: Int, source: Int, names: Int, plugin: Int?, tellsAll: Bool
  ) -> Int {
    let time = entry.time.wholeNanoseconds
    let start = bytes.count
    begin(entry.number, time, entry.wallTime, names)
    appendFirst(entry.number, time, entry.wallTime, kind: kind, source: source)
    if let plugin { self.names.add(plugin) }
    append(entry.source.line)
    append(entry.source.link)
    // NULLs are written only before something else.
    var missing = 0
    if beginColumn(entry.arguments.values.isEmpty, &missing) {
      bytes.append(json: entry.arguments, marksDecimals: entry.isOfShell)
    }
    if beginColumn(entry.changes.isEmpty, &missing) { EntryWriter.append(entry.changes[...], &paths, to: &bytes) }
    if let failure = entry.failure {
      _ = beginColumn(false, &missing)
      JSON.append(quoted: failure, to: &bytes.bytes)
    } else {
      missing += 1
    }
    if beginColumn(!entry.hasRareMembers(at: time), &missing) { EntryWriter.append(entry, to: &bytes.bytes) }
    if beginColumn(!tellsAll, &missing) { bytes.append(UInt8(ascii: "1")) }
    bytes.append(UInt8(ascii: "]"))
    return bytes.count - start
  }

  /// Adds plain actions, one after the other, until the row is full.
  ///
  /// - Parameters:
  ///   - items: the actions.
  ///   - index: the position of the first.
  ///   - texts: those of all of them.
  ///   - kinds: the numbers of their names, and the names' checksums.
  ///   - sources: the same of their sources.
  /// - Returns: the position behind the last one that was added.
  mutating func add(
    _ items: UnsafeBufferPointer<PlainEntries.Item>, from index: Int, _ texts: UnsafeBufferPointer<UInt8>,
    kinds: [RowWriter.Name], sources: [RowWriter.Name]
  ) -> Int {
    var (index, start) = (index, index > 0 ? items[index - 1].textEnd : 0)
    while index < items.count, !isFull {
      let item = items[index]
      let (kind, source) = (kinds[item.kind], sources[item.origin])
      begin(item.number, item.at, item.wallTime, RowNames.checksum(kind.checksum, source.checksum))
      if let wallTime = item.wallTime {
        let columns: InlineArray<7, Int> = [
          item.number - first, item.at &- at, wallTime - (wall ?? 0), kind.id, source.id, item.line, item.link,
        ]
        columns.span.withUnsafeBufferPointer { bytes.append(joined: $0) }
      } else {
        appendFirst(item.number, item.at, nil, kind: kind.id, source: source.id)
        append(item.line)
        append(item.link)
      }
      bytes.append(UnsafeBufferPointer(rebasing: texts[start..<item.textEnd]))
      (index, start) = (index + 1, item.textEnd)
    }
    return index
  }

  /// The number of bytes so far.
  var size: Int { bytes.count }

  /// Begins an action.
  private mutating func begin(_ number: Int, _ time: Int, _ wallTime: Int?, _ names: Int) {
    if count == 0 { (first, at, wall) = (number, time, wallTime) }
    (last, count) = (number, count + 1)
    self.names.add(names)
    bytes.append(count == 1 ? "[[" : ",[" as StaticString)
  }

  /// Appends the first five columns.
  private mutating func appendFirst(_ number: Int, _ time: Int, _ wallTime: Int?, kind: Int, source: Int) {
    bytes.append(number - first)
    append(time &- at)
    if let wallTime { append(wallTime - (wall ?? 0)) } else { appendNulls(1) }
    append(kind)
    append(source)
  }

  private mutating func append(_ number: Int) {
    bytes.append(UInt8(ascii: ","))
    bytes.append(number)
  }

  private mutating func appendNulls(_ count: Int) { for _ in 0..<count { bytes.append(",null" as StaticString) } }

  /// Begins a column, or leaves it out.
  ///
  /// - Parameter missing: the number of columns that were left out before it.
  private mutating func beginColumn(_ isMissing: Bool, _ missing: inout Int) -> Bool {
    if isMissing {
      missing += 1
      return false
    }
    appendNulls(missing)
    missing = 0
    bytes.append(UInt8(ascii: ","))
    return true
  }

  /// Writes the row, and begins the next.
  ///
  /// - Parameter end: the end of the row before, and then of this one.
  mutating func write(behind end: inout BlockEnd, to db: Database) throws {
    bytes.append(UInt8(ascii: "]"))
    let statement = try db.cachedStatement(sql: "INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?)").handle
    let checksum = try bytes.withBytes { text in
      let bytes = UnsafeRawBufferPointer(text)
      let checksum = Self.checksum(behind: end.checksum, first, last, at, wall, bytes, names)
      for (index, number) in [first, last, at, wall, end.checksum, checksum].enumerated() {
        let place = Int32(index + 1)
        if let number {
          sqlite3_bind_int64(statement, place, Int64(number))
        } else {
          sqlite3_bind_null(statement, place)
        }
      }
      StatementText.bind(inPlace: text, to: statement, 7)
      try RowWriter.run(statement, db)
      return checksum
    }
    bytes.removeAll()
    (count, names) = (0, RowChecksum())
    end = BlockEnd(last: last, checksum: checksum)
  }

  fileprivate static func checksum(
    behind: Int, _ first: Int, _ last: Int, _ at: Int, _ wall: Int?, _ bytes: UnsafeRawBufferPointer,
    _ names: RowChecksum
  ) -> Int {
    var checksum = RowChecksum()
    for number in [behind, first, last, at, wall ?? -1] { checksum.add(number) }
    checksum.add(bytes)
    checksum.add(names.value)
    return checksum.value
  }
}

/// An action in a row of actions.
struct RowColumns {
  let number: Int
  /// The time of the store, in nanoseconds.
  let at: Int
  /// The time of day, in milliseconds since 1970; nil: it is not known.
  let wallTime: Int?
  let kind: Int
  let source: Int
  let line: Int
  /// The link of the source; 0: it has none.
  let link: Int
  /// True if it is an action of the shell that changed nothing but what the row tells.
  let tellsAll: Bool
  /// JSON, in the order of the columns; empty: NULL. Valid while the statement stands on the row.
  fileprivate let texts: (arguments: Bytes, changes: Bytes, failure: Bytes, entry: Bytes)

  fileprivate typealias Bytes = UnsafeRawBufferPointer

  var arguments: String? { Self.text(texts.arguments) }
  var changes: String? { Self.text(texts.changes) }
  /// The code of the error; nil: there was none.
  var failure: String? {
    texts.failure.isEmpty
      ? nil
      : texts.failure.withMemoryRebound(to: UInt8.self) { bytes in
        var reader = JSONReader(bytes)
        return try? reader.text()
      }
  }
  var entry: String? { Self.text(texts.entry) }

  /// The size of the texts, in bytes.
  var size: Int { texts.arguments.count + texts.changes.count + texts.failure.count + texts.entry.count }

  /// Appends the bytes of the changes.
  func appendChanges(to out: inout [UInt8]) { out.append(contentsOf: texts.changes) }

  private static func text(_ bytes: Bytes) -> String? { bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }

  /// The columns in the order in which they are selected.
  static let selected = "first, last, at, wall, behind, checksum, entries"

  /// The actions of the row that a statement stands on; nil: the row is damaged, or a row before it is missing.
  static func all(_ statement: OpaquePointer, behind end: BlockEnd, _ names: RowNames) -> [RowColumns]? {
    func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }
    let (first, last, at) = (integer(0), integer(1), integer(2))
    let wall = sqlite3_column_type(statement, 3) == SQLITE_NULL ? nil : integer(3)
    let start = UnsafeRawPointer(sqlite3_column_text(statement, 6))
    let bytes = Bytes(start: start, count: Int(sqlite3_column_bytes(statement, 6)))
    guard integer(4) == end.checksum, first > end.last, let rows = RowScanner(bytes).rows(first, at, wall),
      rows.first?.number == first, rows.last?.number == last, let sum = names.checksum(of: rows),
      EntryBlock.checksum(behind: end.checksum, first, last, at, wall, bytes, sum) == integer(5)
    else { return nil }
    return rows
  }
}

/// Finds the parts of a row of actions, whatever its bytes are.
struct RowScanner {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The actions in ascending order; nil: these are none.
  consuming func rows(_ first: Int, _ at: Int, _ wall: Int?) -> [RowColumns]? {
    var rows: [RowColumns] = []
    rows.reserveCapacity(min(EntryBlock.longest, bytes.count / 16))
    guard pass("[") else { return nil }
    repeat {
      guard pass("["), let number = integer(), let time = next(), pass(",") else { return nil }
      let wallTime = pass("n") ? skipWord() : integer().map { (wall ?? 0) &+ $0 }
      guard let kind = next(), let source = next(), let line = next(), let link = next() else { return nil }
      let empty = UnsafeRawBufferPointer(start: nil, count: 0)
      var texts = (empty, empty, empty, empty)
      if pass(",") { texts.0 = value() }
      if pass(",") { texts.1 = value() }
      if pass(",") { texts.2 = value() }
      if pass(",") { texts.3 = value() }
      let tellsAll = pass(",") && pass("1")
      guard pass("]") else { return nil }
      let row = RowColumns(
        number: first &+ number, at: at &+ time, wallTime: wallTime, kind: kind, source: source, line: line, link: link,
        tellsAll: tellsAll, texts: texts)
      if let last = rows.last?.number, last >= row.number { return nil }
      rows.append(row)
    } while pass(",")
    return pass("]") && position == bytes.count ? rows : nil
  }

  private mutating func pass(_ letter: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: letter) else { return false }
    position += 1
    return true
  }

  /// Goes past the rest of `null`.
  private mutating func skipWord() -> Int? {
    position = min(position + 3, bytes.count)
    return nil
  }

  private mutating func next() -> Int? { pass(",") ? integer() : nil }

  private mutating func integer() -> Int? {
    let isNegative = pass("-")
    let start = position
    var number = 0
    while position < bytes.count, case let digit = bytes[position] &- UInt8(ascii: "0"), digit < 10 {
      number = number &* 10 &+ Int(digit)
      position += 1
    }
    return position > start ? (isNegative ? 0 &- number : number) : nil
  }

  /// The bytes of a value; empty: it is NULL.
  private mutating func value() -> UnsafeRawBufferPointer {
    let start = position
    var depth = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return found(from: start) }
        depth -= 1
      case UInt8(ascii: ",") where depth == 0: return found(from: start)
      case UInt8(ascii: "\""):
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
          position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
      default: break
      }
      position += 1
    }
    position = bytes.count
    return found(from: start)
  }

  private func found(from start: Int) -> UnsafeRawBufferPointer {
    let isNull = position - start == 4 && bytes[start] == UInt8(ascii: "n")
    return UnsafeRawBufferPointer(rebasing: bytes[start..<(isNull ? start : position)])
  }
}
