import Platform
import StorePlugins

/// The lines of a web server's log, in the forms `common` and `combined`, as rows of cells. A `-` stands for nothing.
struct WebLogRows: CellRows {
  /// The names of the cells.
  let names: [String]
  private let lines: LineReader
  private let isCombined: Bool
  private var bytes: ArraySlice<UInt8> = []
  private var cells: [Range<Int>] = []

  private static let commonNames = [
    "client", "ident", "user", "time", "method", "path", "protocol", "status", "bytes",
  ]

  init(lines: LineReader, isCombined: Bool) {
    self.lines = lines
    self.isCombined = isCombined
    names = Self.commonNames + (isCombined ? ["referer", "agent", "rest"] : [])
  }

  var line: Int { lines.number }
  var taken: ClosedRange<Int> { line...line }
  var count: Int { cells.count }

  func isEmpty(_ cell: Int) -> Bool { cells[cell].isEmpty }

  func cell(_ cell: Int) -> ArraySlice<UInt8> { bytes[cells[cell]] }

  mutating func next() throws -> Bool {
    guard let next = try lines.nextFilled() else { return false }
    bytes = next
    cells.removeAll(keepingCapacity: true)
    if let missing = split() { throw RecordFault(message: "the line does not match: \(missing)") }
    for cell in cells.indices where cells[cell].count == 1 && bytes[cells[cell].lowerBound] == UInt8(ascii: "-") {
      cells[cell] = cells[cell].upperBound..<cells[cell].upperBound
    }
    return true
  }

  /// Takes the line apart.
  ///
  /// - Returns: the part that is missing; nil: none is.
  private mutating func split() -> String? {
    var position = bytes.startIndex
    for name in names.prefix(3) where !take(until: UInt8(ascii: " "), &position) { return "it has no \(name)" }
    guard skip("[", &position), take(until: UInt8(ascii: "]"), &position), skip(" ", &position) else {
      return "it has no time in [ ]"
    }
    guard skip("\"", &position), takeRequest(&position), skip(" ", &position) else {
      return "it has no request in \" \""
    }
    guard take(until: UInt8(ascii: " "), &position), cells[7].count == 3, bytes[cells[7]].allSatisfy(\.isDigit) else {
      return "it has no status of three digits"
    }
    let size = bytes[position...].prefix { $0 != UInt8(ascii: " ") }
    guard !size.isEmpty, size.elementsEqual([UInt8(ascii: "-")]) || size.allSatisfy(\.isDigit) else {
      return "it has no number of bytes"
    }
    cells.append(size.indices)
    position = size.endIndex
    guard isCombined else {
      return position == bytes.endIndex ? nil : "something follows the number of bytes, as in the form combined"
    }
    guard position < bytes.endIndex else { return "it ends behind the number of bytes, as in the form common" }
    for name in ["referer", "agent"] {
      guard skip(" ", &position), skip("\"", &position), takeQuoted(&position) else {
        return "it has no \(name) in \" \""
      }
    }
    // Servers add fields of their own, such as the time that the answer took.
    guard position == bytes.endIndex || skip(" ", &position) else { return "something follows the agent" }
    cells.append(position..<bytes.endIndex)
    return nil
  }

  /// Takes a cell that ends before a byte, which is passed over.
  private mutating func take(until end: UInt8, _ position: inout Int) -> Bool {
    guard let found = bytes[position...].firstIndex(of: end), found > position else { return false }
    cells.append(position..<found)
    position = found + 1
    return true
  }

  private func skip(_ character: Character, _ position: inout Int) -> Bool {
    guard position < bytes.endIndex, bytes[position] == character.asciiValue else { return false }
    position += 1
    return true
  }

  /// Takes a cell up to the next `"` that no `\\` stands before.
  private mutating func takeQuoted(_ position: inout Int) -> Bool {
    let start = position
    while position < bytes.endIndex, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < bytes.endIndex else { return false }
    cells.append(start..<position)
    position += 1
    return true
  }

  /// Takes the method, the path and the protocol of a request.
  private mutating func takeRequest(_ position: inout Int) -> Bool {
    guard takeQuoted(&position) else { return false }
    let request = cells.removeLast()
    guard let first = bytes[request].firstIndex(of: UInt8(ascii: " ")),
      let last = bytes[request].lastIndex(of: UInt8(ascii: " ")), first > request.lowerBound, last > first + 1,
      last + 1 < request.upperBound
    else { return false }
    cells += [request.lowerBound..<first, first + 1..<last, last + 1..<request.upperBound]
    return true
  }
}
