import Platform
import StoreSchema

/// The lines of a web server's log, in the forms `common` and `combined`, as rows of cells. A `-` stands for nothing.
struct WebLogRows: CellRows {
  let names: [String]
  private let lines: LineReader
  private let isCombined: Bool
  private var bytes: ArraySlice<UInt8> = []
  private var cells: [Range<Int>]
  private(set) var count = 0

  /// The cells of a line in the form `common`.
  static let commonNames = [
    "client", "ident", "user", "time", "method", "path", "protocol", "status", "bytes",
  ]
  /// What a line in the form `combined` has besides.
  static let combinedNames = ["referer", "agent", "rest"]

  init(lines: LineReader, isCombined: Bool) {
    self.lines = lines
    self.isCombined = isCombined
    names = Self.commonNames + (isCombined ? Self.combinedNames : [])
    cells = names.map { _ in 0..<0 }
  }

  var line: Int { lines.number }
  var taken: ClosedRange<Int> { line...line }

  func isEmpty(_ cell: Int) -> Bool { cells[cell].isEmpty }

  func cell(_ cell: Int) -> ArraySlice<UInt8> {
    bytes[bytes.startIndex + cells[cell].lowerBound..<bytes.startIndex + cells[cell].upperBound]
  }

  func value(_ cell: Int, _ form: PlainForm) -> Value? {
    // Not by a slice of the line, which would be counted.
    let range = cells[cell]
    return bytes.withUnsafeBufferPointer { line in
      form.value(of: UnsafeBufferPointer(start: line.baseAddress.map { $0 + range.lowerBound }, count: range.count))
    }
  }

  mutating func next() throws -> Bool {
    guard let next = try lines.nextFilled() else { return false }
    bytes = next
    let isCombined = isCombined
    let missing: String?
    (count, missing) = next.withUnsafeBufferPointer { line in
      cells.withUnsafeMutableBufferPointer { cells in
        var parts = LineParts(line, cells)
        let missing = parts.split(isCombined: isCombined)
        return (parts.count, missing)
      }
    }
    if let missing { throw RecordFault(message: "the line does not match: \(missing)") }
    return true
  }
}

/// Takes a line apart, from its first byte on.
private struct LineParts {
  private let line: UnsafeBufferPointer<UInt8>
  /// Takes the cells, of which a form has so many.
  private let cells: UnsafeMutableBufferPointer<Range<Int>>
  private(set) var count = 0
  private var position = 0

  init(_ line: UnsafeBufferPointer<UInt8>, _ cells: UnsafeMutableBufferPointer<Range<Int>>) {
    self.line = line
    self.cells = cells
  }

  /// Finds the cells.
  ///
  /// - Returns: the part that is missing; nil: none is.
  mutating func split(isCombined: Bool) -> String? {
    for name in WebLogRows.commonNames.prefix(2) where !take(until: UInt8(ascii: " ")) { return "it has no \(name)" }
    // The name of a user may have spaces.
    guard let time = startOfTime else {
      return line[position...].contains(UInt8(ascii: "[")) ? "it has no user" : "it has no time in [ ]"
    }
    add(position..<time)
    position = time + 1
    guard skip("["), take(until: UInt8(ascii: "]")), skip(" ") else { return "it has no time in [ ]" }
    guard skip("\""), takeRequest(), skip(" ") else { return "it has no request in \" \"" }
    guard take(until: UInt8(ascii: " ")), cells[7].count == 3, areDigits(cells[7]) else {
      return "it has no status of three digits"
    }
    let size = position..<end(at: UInt8(ascii: " "), from: position)
    guard !size.isEmpty, size.count == 1 && line[size.lowerBound] == UInt8(ascii: "-") || areDigits(size) else {
      return "it has no number of bytes"
    }
    add(size)
    position = size.upperBound
    guard isCombined else {
      return position == line.count ? nil : "something follows the number of bytes, as in the form combined"
    }
    guard position < line.count else { return "it ends after the number of bytes, as in the form common" }
    guard takeText() else { return "it has no referer in \" \"" }
    guard takeText() else { return "it has no agent in \" \"" }
    // Servers add fields of their own, such as the time that the answer took.
    guard position == line.count || skip(" ") else { return "something follows the agent" }
    add(position..<line.count)
    return nil
  }

  /// The position of the space before the first `[`; nil: there is none, or nothing stands before it.
  private var startOfTime: Int? {
    let (space, bracket) = (UInt8(ascii: " "), UInt8(ascii: "["))
    return (position..<max(position, line.count - 1)).first {
      $0 > position && line[$0] == space && line[$0 + 1] == bracket
    }
  }

  private func areDigits(_ range: Range<Int>) -> Bool { range.allSatisfy { line[$0].isDigit } }

  /// Adds a cell; a `-` alone is an empty one.
  private mutating func add(_ cell: Range<Int>) {
    let isDash = cell.count == 1 && line[cell.lowerBound] == UInt8(ascii: "-")
    cells[count] = isDash ? cell.upperBound..<cell.upperBound : cell
    count += 1
  }

  /// The first place of one of two bytes from a position on, or the end of the line.
  @inline(__always)
  private func end(at byte: UInt8, or other: UInt8? = nil, from position: Int) -> Int {
    var end = position
    // Eight at once: the lowest byte that is found is right.
    while end &+ 8 <= line.count, let start = line.baseAddress {
      let word = UInt64(littleEndian: UnsafeRawPointer(start + end).loadUnaligned(as: UInt64.self))
      let found = Self.bytes(in: word, like: byte) | (other.map { Self.bytes(in: word, like: $0) } ?? 0)
      if found != 0 { return end &+ found.trailingZeroBitCount &>> 3 }
      end &+= 8
    }
    while end < line.count, line[end] != byte, line[end] != other { end &+= 1 }
    return end
  }

  /// The top bits of those bytes of a word that are a byte.
  @inline(__always)
  private static func bytes(in word: UInt64, like byte: UInt8) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let others = word ^ ones &* UInt64(byte)
    return (others &- ones) & ~others & 0x8080_8080_8080_8080
  }

  /// Takes a cell that ends before a byte, which is passed over.
  private mutating func take(until byte: UInt8) -> Bool {
    let end = end(at: byte, from: position)
    guard end < line.count, end > position else { return false }
    add(position..<end)
    position = end + 1
    return true
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < line.count, line[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Takes a text in quotes behind a space.
  private mutating func takeText() -> Bool {
    guard skip(" "), skip("\""), let text = quoted() else { return false }
    add(text)
    return true
  }

  /// Passes over a text up to the next `"` that no `\\` stands before.
  private mutating func quoted() -> Range<Int>? {
    let start = position
    var end = start
    while true {
      end = self.end(at: UInt8(ascii: "\""), or: UInt8(ascii: "\\"), from: end)
      guard end < line.count else { return nil }
      if line[end] == UInt8(ascii: "\"") { break }
      end += 2
    }
    position = end + 1
    return start..<end
  }

  /// Takes the method, the path and the protocol of a request.
  private mutating func takeRequest() -> Bool {
    guard let request = quoted() else { return false }
    let first = end(at: UInt8(ascii: " "), from: request.lowerBound)
    var last = request.upperBound - 1
    while last > first, line[last] != UInt8(ascii: " ") { last -= 1 }
    guard first > request.lowerBound, last > first + 1, last + 1 < request.upperBound else { return false }
    add(request.lowerBound..<first)
    add(first + 1..<last)
    add(last + 1..<request.upperBound)
    return true
  }
}
