import Platform

/// Splits a table into rows of cells, one row at a time (RFC 4180). Cells in `"` may hold separators, line ends, and
/// `"` written twice. Blank lines are passed over.
struct TableRows: CellRows {
  /// The number of bytes that a cell in quotes may have: a quote that is never closed takes in no more.
  static let maximumLength = 64 << 20

  /// The line on which the last row starts, from 1.
  private(set) var line = 0
  /// The lines that the last row takes in.
  var taken: ClosedRange<Int> { line...max(line, lines.number) }
  /// The number of cells of the last row.
  var count: Int { cells.count }

  private let lines: LineReader
  private let separator: UInt8
  /// The byte around cells that may hold separators; nil: there is none.
  private let quote: UInt8?
  private var cells: [Cell] = []
  /// The text of all cells, without quotes around them.
  private var bytes: [UInt8] = []

  private struct Cell {
    let range: Range<Int>
    let isQuoted: Bool
  }

  init(lines: LineReader, separator: UInt8, quote: UInt8? = UInt8(ascii: "\"")) {
    self.lines = lines
    self.separator = separator
    self.quote = quote
  }

  /// Returns true if a cell has no text and no quotes.
  func isEmpty(_ cell: Int) -> Bool { cells[cell].range.isEmpty && !cells[cell].isQuoted }

  /// The bytes of a cell.
  func cell(_ cell: Int) -> ArraySlice<UInt8> { bytes[cells[cell].range] }

  /// Reads the next row.
  ///
  /// - Returns: false at the end.
  /// - Throws: ``RecordFault``, after which the next call goes on behind the row; `FileError`.
  mutating func next() throws -> Bool {
    do {
      return try read()
    } catch let fault as RecordFault {
      throw fault.of(lines: taken)
    }
  }

  private mutating func read() throws -> Bool {
    cells.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    guard var row = try lines.nextFilled() else { return false }
    line = lines.number
    var position = row.startIndex
    while true {
      if position < row.endIndex, row[position] == quote {
        position = try takeQuoted(&row, from: position + 1, row[position])
      } else {
        position = try takePlain(row, from: position)
      }
      guard position < row.endIndex else { return true }
      position += 1
    }
  }

  private mutating func takePlain(_ row: ArraySlice<UInt8>, from start: Int) throws -> Int {
    let end = row[start...].firstIndex(of: separator) ?? row.endIndex
    // In tables between tabs a quote is often but a sign for inches.
    if separator != 0x09, let quote, row[start..<end].contains(quote) {
      throw RecordFault(
        message: "a \(Self.shown(quote)) stands in field \(count + 1), which does not start with one", hint: Self.hint)
    }
    append(row[start..<end], isQuoted: false)
    return end
  }

  /// Reads a cell behind its first quote, and the lines on which it goes on.
  ///
  /// - Returns: the position of the separator behind it, or the row's end.
  private mutating func takeQuoted(
    _ row: inout ArraySlice<UInt8>, from start: Int, _ mark: UInt8
  ) throws -> Int {
    let first = bytes.count
    var position = start
    while true {
      if let quote = row[position...].firstIndex(of: mark) {
        bytes += row[position..<quote]
        position = quote + 1
        guard position < row.endIndex, row[position] == mark else { break }
        bytes.append(mark)
        position += 1
      } else {
        bytes += row[position...]
        bytes += lines.endedWithCarriageReturn ? [0x0D, 0x0A] : [0x0A]
        guard bytes.count - first <= Self.maximumLength else {
          throw RecordFault(message: "field \(count + 1) has more than \(Self.maximumLength >> 20) MiB in quotes")
        }
        guard let more = try lines.next() else {
          throw RecordFault(message: "the \(Self.shown(mark)) of field \(count + 1) is never closed", hint: Self.hint)
        }
        row = more
        position = row.startIndex
      }
    }
    cells.append(Cell(range: first..<bytes.count, isQuoted: true))
    guard position == row.endIndex || row[position] == separator else {
      throw RecordFault(message: "something follows the closing \(Self.shown(mark)) of field \(count)", hint: Self.hint)
    }
    return position
  }

  /// The advice where quotes are not what they seem.
  private static let hint = "where quotes are text like any other: --quote none"

  private static func shown(_ quote: UInt8) -> Character { Character(UnicodeScalar(quote)) }

  private mutating func append(_ text: ArraySlice<UInt8>, isQuoted: Bool) {
    let first = bytes.count
    bytes += text
    cells.append(Cell(range: first..<bytes.count, isQuoted: isQuoted))
  }
}
