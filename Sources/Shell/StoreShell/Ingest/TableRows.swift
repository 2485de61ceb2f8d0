import Platform
import ShellLanguage
import StorePlugins

/// Splits a table into rows of cells, one row at a time (RFC 4180). Cells in `"` may hold separators, line ends, and
/// `"` written twice. Blank lines are passed over.
struct TableRows {
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
  private var cells: [Cell] = []
  /// The text of all cells, without quotes around them.
  private var bytes: [UInt8] = []

  private struct Cell {
    let range: Range<Int>
    let isQuoted: Bool
  }

  init(lines: LineReader, separator: UInt8) {
    self.lines = lines
    self.separator = separator
  }

  /// Returns true if a cell has no text and no quotes.
  func isEmpty(_ cell: Int) -> Bool { cells[cell].range.isEmpty && !cells[cell].isQuoted }

  /// The text of a cell; nil where it is not UTF-8.
  func text(_ cell: Int) -> String? { String(validating: self.cell(cell), as: UTF8.self) }

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
    var read = try lines.next()
    while let line = read, line.isEmpty { read = try lines.next() }
    guard var row = read else { return false }
    line = lines.number
    var position = row.startIndex
    while true {
      if position < row.endIndex, row[position] == UInt8(ascii: "\"") {
        position = try takeQuoted(&row, from: position + 1)
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
    if separator != 0x09, row[start..<end].contains(UInt8(ascii: "\"")) {
      throw RecordFault(message: "a \" stands in field \(count + 1), which does not start with one")
    }
    append(row[start..<end], isQuoted: false)
    return end
  }

  /// Reads a cell behind its first quote, and the lines on which it goes on.
  ///
  /// - Returns: the position of the separator behind it, or the row's end.
  private mutating func takeQuoted(_ row: inout ArraySlice<UInt8>, from start: Int) throws -> Int {
    let first = bytes.count
    var position = start
    while true {
      if let quote = row[position...].firstIndex(of: UInt8(ascii: "\"")) {
        bytes += row[position..<quote]
        position = quote + 1
        guard position < row.endIndex, row[position] == UInt8(ascii: "\"") else { break }
        bytes.append(UInt8(ascii: "\""))
        position += 1
      } else {
        bytes += row[position...]
        bytes += lines.endedWithCarriageReturn ? [0x0D, 0x0A] : [0x0A]
        guard bytes.count - first <= Self.maximumLength else {
          throw RecordFault(message: "field \(count + 1) has more than \(Self.maximumLength >> 20) MiB in quotes")
        }
        guard let more = try lines.next() else {
          throw RecordFault(message: "the \" of field \(count + 1) is never closed")
        }
        row = more
        position = row.startIndex
      }
    }
    cells.append(Cell(range: first..<bytes.count, isQuoted: true))
    guard position == row.endIndex || row[position] == separator else {
      throw RecordFault(message: "something follows the closing \" of field \(count)")
    }
    return position
  }

  private mutating func append(_ text: ArraySlice<UInt8>, isQuoted: Bool) {
    let first = bytes.count
    bytes += text
    cells.append(Cell(range: first..<bytes.count, isQuoted: isQuoted))
  }
}
