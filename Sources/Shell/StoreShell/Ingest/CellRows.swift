import Platform
import StorePlugins
import StoreSchema

/// The rows of a file as cells of text, one row at a time.
protocol CellRows {
  /// The line on which the last row starts, from 1.
  var line: Int { get }
  /// The lines that the last row takes in.
  var taken: ClosedRange<Int> { get }
  /// The number of cells of the last row.
  var count: Int { get }
  /// Returns true if a cell has no text, and may stand for nothing.
  func isEmpty(_ cell: Int) -> Bool
  /// The bytes of a cell.
  func cell(_ cell: Int) -> ArraySlice<UInt8>
  /// The value of a cell that is of a form; nil: it takes a closer look. No text is empty: that may stand for nothing.
  func value(_ cell: Int, _ form: PlainForm) -> Value?
  /// Reads the next row.
  ///
  /// - Returns: false at the end.
  /// - Throws: ``RecordFault``, after which the next call goes on behind the row; `FileError`.
  mutating func next() throws -> Bool
}

extension CellRows {
  /// The text of a cell; nil where it is not UTF-8.
  func text(_ cell: Int) -> String? {
    self.cell(cell).withUnsafeBufferPointer { bytes in
      // Most texts are ASCII, which is made faster than it is validated.
      bytes.isASCII ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
    }
  }

  func value(_ cell: Int, _ form: PlainForm) -> Value? {
    self.cell(cell).withUnsafeBufferPointer { form.value(of: $0) }
  }
}

extension PlainForm {
  /// The value of a cell with these bytes; nil: it takes a closer look.
  func value(of bytes: UnsafeBufferPointer<UInt8>) -> Value? {
    switch self {
    case .text where !bytes.isEmpty:
      return ShortText.text(UnsafeRawBufferPointer(bytes)).map { .string($0) }
        ?? (bytes.isASCII ? .string(String(decoding: bytes, as: UTF8.self)) : nil)
    case .integer(let bounds):
      guard let number = Schema.plainInteger(bytes), bounds.contains(number), bytes.count == 1 || bytes[0] != 0x30,
        bytes[0] != UInt8(ascii: "-")
      else { return nil }
      return .int(number)
    case .text, .other: return nil
    }
  }
}

/// Each line as a row of one cell, blank ones too.
struct LineRows: CellRows {
  private let lines: LineReader
  private var bytes: ArraySlice<UInt8> = []

  init(lines: LineReader) { self.lines = lines }

  var line: Int { lines.number }
  var taken: ClosedRange<Int> { line...line }
  var count: Int { 1 }

  func isEmpty(_ cell: Int) -> Bool { false }

  func cell(_ cell: Int) -> ArraySlice<UInt8> { bytes }

  mutating func next() throws -> Bool {
    guard let next = try lines.next() else { return false }
    bytes = next
    return true
  }
}

/// Lines that a Lua pattern takes apart.
struct PatternRows: CellRows {
  private let lines: LineReader
  private let pattern: LinePattern
  private var cells: [[UInt8]] = []

  init(lines: LineReader, pattern: LinePattern) {
    self.lines = lines
    self.pattern = pattern
  }

  var line: Int { lines.number }
  var taken: ClosedRange<Int> { line...line }
  var count: Int { cells.count }

  func isEmpty(_ cell: Int) -> Bool { cells[cell].isEmpty }

  func cell(_ cell: Int) -> ArraySlice<UInt8> { cells[cell][...] }

  mutating func next() throws -> Bool {
    guard let next = try lines.nextFilled() else { return false }
    do throws(LinePattern.Fault) {
      guard let found = try pattern.parts(of: next) else { throw LinePattern.Fault(message: "the line does not match") }
      cells = found
      return true
    } catch {
      throw RecordFault(message: error.message)
    }
  }
}
