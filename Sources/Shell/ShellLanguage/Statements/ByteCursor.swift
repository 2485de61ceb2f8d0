import StoreSchema

/// A position in bytes that knows its line: the part of the scanner that is cheap to copy.
package struct ByteCursor {
  package let bytes: ByteView
  /// The number of the first line, in the file.
  package let firstLine: Int
  /// True if the end of the bytes is the end of the text.
  package let isLast: Bool
  package var position: Int
  package var lineStart: Int
  /// The number of line ends passed.
  package var lineIndex = 0

  package init(_ bytes: ByteView, at position: Int, firstLine: Int, isLast: Bool) {
    self.bytes = bytes
    self.firstLine = firstLine
    self.isLast = isLast
    self.position = position
    lineStart = position
  }

  /// A position, and the line that it is on.
  package struct Place {
    package var position: Int
    package var lineStart: Int
    package var line: Int
  }

  package var here: Place { Place(position: position, lineStart: lineStart, line: lineIndex) }
  package var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// True if a word may end here.
  package var isAtBoundary: Bool {
    guard position < bytes.count else { return true }
    switch bytes[position] {
    case 0x20, 0x09, 0x0A: return true
    case 0x0D: return isNewline(at: position)
    case UInt8(ascii: "\\"): return isContinuation(at: position)
    default: return false
    }
  }

  package func isNewline(at position: Int) -> Bool {
    guard position < bytes.count else { return false }
    if bytes[position] == 0x0A { return true }
    guard bytes[position] == 0x0D else { return false }
    return position + 1 == bytes.count || bytes[position + 1] == 0x0A
  }

  /// Returns true if the line ends here.
  package func isAtLineEnd() throws(StatementScanner.NoStatement) -> Bool {
    guard let byte = peek, byte != 0x0D || position + 1 < bytes.count else {
      if isLast { return true }
      throw .unfinished(lineIndex > 0 ? .backslash : nil, here)
    }
    return byte == 0x0A || (byte == 0x0D && isNewline(at: position))
  }

  /// Returns true if the `\` here is the last byte of its line.
  package func isContinuation(at position: Int) -> Bool {
    position + 1 == bytes.count || isNewline(at: position + 1)
  }

  /// Passes over the line end here, which is one or two bytes.
  package mutating func passNewline() {
    if position < bytes.count, bytes[position] == 0x0D { position += 1 }
    newline()
  }

  /// Passes over the `\n` here.
  package mutating func newline() {
    position = min(position + 1, bytes.count)
    lineStart = position
    lineIndex += 1
  }

  /// The end of the line that a position is on, before its `\n` or `\r\n`.
  package func endOfLine(from position: Int) -> Int {
    guard let end = bytes.first(0x0A, from: position) else {
      return isLast && bytes.last == 0x0D && position < bytes.count ? bytes.count - 1 : bytes.count
    }
    return end > position && bytes[end - 1] == 0x0D ? end - 1 : end
  }

  package func characters(_ range: Range<Int>) -> Int { bytes.characters(range) }

  /// A fault with its place in the text: it takes a look at all of its line.
  package func syntaxFault(_ message: String, at place: Place, width: Int = 1) -> SyntaxFault {
    let line = bytes[place.lineStart..<endOfLine(from: place.position)]
    return SyntaxFault(
      message: message, line: firstLine + place.line, column: characters(place.lineStart..<place.position) + 1,
      width: width, text: String(decoding: line, as: UTF8.self))
  }

  /// Refuses a word that begins with a typographic quote, a typographic dash of a flag, or a backtick.
  package func refuseForeignSign() throws(StatementScanner.NoStatement) {
    func refuse(_ message: String) throws(StatementScanner.NoStatement) { throw .fault(message, here) }
    switch bytes[position] {
    case UInt8(ascii: "`"): try refuse("` runs no program: run does; a text with ` in it has quotes")
    case 0xE2 where position + 3 < bytes.count && bytes[position + 1] == 0x80:
      let sign = String(decoding: bytes[position..<(position + 3)], as: UTF8.self)
      switch bytes[position + 2] {
      case 0x98...0x9F: try refuse("\(sign) is no quote here: those are \" and '; a text with \(sign) in it has them")
      case 0x90...0x95 where bytes[position + 3] == UInt8(ascii: "-") || bytes[position + 3].isNameByte:
        try refuse("\(sign) is no dash of a flag, which begins with --; a text with \(sign) in it has quotes")
      default: break
      }
    default: break
    }
  }

  /// Requires that a word ends here, and with none of the signs that other shells write between two statements.
  package func requireEnd(of word: Place) throws(StatementScanner.NoStatement) {
    let ends = isAtBoundary
    if position > word.position {
      switch ends ? bytes[position - 1] : bytes[position] {
      case UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "|"): try refuseSeparator(of: word, ends: ends)
      default: break
      }
    }
    guard !ends else { return }
    // As in 'it''s', or behind a backslash.
    let isBehindQuote = position > word.position && bytes[position - 1] == UInt8(ascii: "'")
    let advice = isBehindQuote ? "; a text with ' in it has double quotes: \"it's\"" : ""
    throw .fault("expected a space here\(advice)", here)
  }

  /// Refuses a sign between two statements, at the end of a word or right behind it.
  private func refuseSeparator(of word: Place, ends: Bool) throws(StatementScanner.NoStatement) {
    for sign in [";", "&&", "||"] {
      let first = ends ? position - sign.utf8.count : position
      guard first >= word.position, first + sign.utf8.count <= bytes.count,
        bytes[first..<(first + sign.utf8.count)].elementsEqual(sign.utf8)
      else { continue }
      var place = here
      place.position = first
      let isEscaped = first > word.position && bytes[first - 1] == UInt8(ascii: "\\")
      throw .fault(
        Self.oneStatement(sign) + (isEscaped ? "; as a text it has quotes: \"\(sign)\"" : ""), place,
        width: sign.utf8.count)
    }
    if ends, position == word.position + 1, bytes[word.position] == UInt8(ascii: "&") {
      throw .fault(Self.background, word)
    }
  }

  /// The message about a word that is an `&` alone.
  private static let background = "& runs nothing in the background: run setsid -f PROGRAM does; a text has quotes"

  /// The message about a sign between two statements.
  package static func oneStatement(_ sign: String) -> String {
    let advice =
      switch sign {
      case "&&": "; a script ends at the first that fails"
      case "||": "; try COMMAND goes on after a failure"
      default: ""
      }
    return "\(sign) ends no statement: write one statement a line\(advice)"
  }

  /// Refuses bytes that are not UTF-8.
  package func requireValidText(_ range: Range<Int>) throws(StatementScanner.NoStatement) {
    guard bytes.validText(range) == nil else { return }
    let (message, place) = invalidPart(range)
    throw .fault(message, place)
  }

  /// The fault of a range that is not UTF-8.
  package func invalidText(_ range: Range<Int>) -> SyntaxFault {
    let (message, place) = invalidPart(range)
    return syntaxFault(message, at: place)
  }

  /// What is wrong with a range that is not UTF-8, and the place of its first byte that is none.
  private func invalidPart(_ range: Range<Int>) -> (message: String, place: Place) {
    var place = Place(position: range.lowerBound, lineStart: range.lowerBound, line: 0)
    var iterator = bytes[range].makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    while case .valid(let scalar) = parser.parseScalar(from: &iterator) {
      place.position += scalar.count
      if scalar.first == 0x0A {
        place.lineStart = place.position
        place.line += 1
      }
    }
    let foreign = range.lowerBound == 0 ? ForeignEncoding.fault(of: bytes[range]) : nil
    return (foreign ?? "this is not UTF-8", place)
  }

  /// The position of the `=` of `name=value`, if such a word starts here.
  package func nameBeforeEquals() -> Int? {
    let end = bytes.end(of: .names, from: position)
    guard end > position, end < bytes.count, bytes[end] == UInt8(ascii: "="), !bytes[position].isDigit else {
      return nil
    }
    return end
  }
}
