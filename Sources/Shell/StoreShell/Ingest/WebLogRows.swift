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
    count = 0
    if let missing = next.withUnsafeBufferPointer({ split($0) }) {
      throw RecordFault(message: "the line does not match: \(missing)")
    }
    return true
  }

  /// The position of the space before the first `[` at or behind a position; nil: there is none, or nothing stands before it.
  private static func start(ofTimeIn line: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    let (space, bracket) = (UInt8(ascii: " "), UInt8(ascii: "["))
    return (start..<max(start, line.count - 1)).first { $0 > start && line[$0] == space && line[$0 + 1] == bracket }
  }

  /// Takes a line apart, from its first byte on.
  ///
  /// - Returns: the part that is missing; nil: none is.
  private mutating func split(_ line: UnsafeBufferPointer<UInt8>) -> String? {
    var position = 0
    for name in 0..<2 where !take(until: UInt8(ascii: " "), of: line, &position) { return "it has no \(names[name])" }
    // The name of a user may have spaces.
    guard let time = Self.start(ofTimeIn: line, from: position) else {
      return line[position...].contains(UInt8(ascii: "[")) ? "it has no user" : "it has no time in [ ]"
    }
    add(position..<time, of: line)
    position = time + 1
    guard skip("[", of: line, &position), take(until: UInt8(ascii: "]"), of: line, &position),
      skip(" ", of: line, &position)
    else { return "it has no time in [ ]" }
    guard skip("\"", of: line, &position), takeRequest(of: line, &position), skip(" ", of: line, &position) else {
      return "it has no request in \" \""
    }
    guard take(until: UInt8(ascii: " "), of: line, &position), cells[7].count == 3, line[cells[7]].allSatisfy(\.isDigit)
    else { return "it has no status of three digits" }
    let end = Self.end(of: line, from: position, at: UInt8(ascii: " "))
    let size = line[position..<end]
    guard !size.isEmpty, size.elementsEqual([UInt8(ascii: "-")]) || size.allSatisfy(\.isDigit) else {
      return "it has no number of bytes"
    }
    add(position..<end, of: line)
    position = end
    guard isCombined else {
      return position == line.count ? nil : "something follows the number of bytes, as in the form combined"
    }
    guard position < line.count else { return "it ends after the number of bytes, as in the form common" }
    guard let referer = spacedText(of: line, &position) else { return "it has no referer in \" \"" }
    add(referer, of: line)
    guard let agent = spacedText(of: line, &position) else { return "it has no agent in \" \"" }
    add(agent, of: line)
    // Servers add fields of their own, such as the time that the answer took.
    guard position == line.count || skip(" ", of: line, &position) else { return "something follows the agent" }
    add(position..<line.count, of: line)
    return nil
  }

  /// Adds a cell; a `-` alone is an empty one.
  private mutating func add(_ cell: Range<Int>, of line: UnsafeBufferPointer<UInt8>) {
    let isDash = cell.count == 1 && line[cell.lowerBound] == UInt8(ascii: "-")
    cells[count] = isDash ? cell.upperBound..<cell.upperBound : cell
    count += 1
  }

  /// The first place of a byte from a position on, or the end of the line.
  private static func end(of line: UnsafeBufferPointer<UInt8>, from position: Int, at byte: UInt8) -> Int {
    var end = position
    while end < line.count, line[end] != byte { end += 1 }
    return end
  }

  /// Takes a cell that ends before a byte, which is passed over.
  private mutating func take(until byte: UInt8, of line: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Bool {
    let end = Self.end(of: line, from: position, at: byte)
    guard end < line.count, end > position else { return false }
    add(position..<end, of: line)
    position = end + 1
    return true
  }

  private func skip(_ character: Unicode.Scalar, of line: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Bool {
    guard position < line.count, line[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Passes over a space and a text in quotes behind it.
  private func spacedText(of line: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Range<Int>? {
    guard skip(" ", of: line, &position), skip("\"", of: line, &position) else { return nil }
    return quoted(of: line, &position)
  }

  /// Passes over a text up to the next `"` that no `\\` stands before.
  private func quoted(of line: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Range<Int>? {
    let start = position
    while position < line.count, line[position] != UInt8(ascii: "\"") {
      position += line[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < line.count else { return nil }
    position += 1
    return start..<position - 1
  }

  /// Takes the method, the path and the protocol of a request.
  private mutating func takeRequest(of line: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Bool {
    guard let request = quoted(of: line, &position) else { return false }
    let first = Self.end(of: line, from: request.lowerBound, at: UInt8(ascii: " "))
    var last = request.upperBound - 1
    while last > first, line[last] != UInt8(ascii: " ") { last -= 1 }
    guard first > request.lowerBound, last > first + 1, last + 1 < request.upperBound else { return false }
    add(request.lowerBound..<first, of: line)
    add(first + 1..<last, of: line)
    add(last + 1..<request.upperBound, of: line)
    return true
  }
}
