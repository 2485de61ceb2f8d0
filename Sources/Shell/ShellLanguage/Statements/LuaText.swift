/// Just enough of Lua's lexical rules to tell its strings and comments from the rest (Lua 5.4 manual, 3.1).
package enum LuaText {
  /// What stands at a position.
  package enum Piece {
    /// Code of one byte.
    case code
    /// A string or a long comment, up to this end.
    case skipped(end: Int)
    /// A comment to the end of its line, exclusive.
    case comment(end: Int)
    /// A string or a long comment that the text does not end.
    case unfinished
  }

  /// What starts at a position that is not inside a string or comment.
  package static func piece(in bytes: some Bytes, at position: Int) -> Piece {
    switch bytes[position] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return string(in: bytes, at: position)
    case UInt8(ascii: "["):
      guard let level = longBracket(in: bytes, at: position) else { return .code }
      return long(in: bytes, from: position + level + 2, level: level)
    case UInt8(ascii: "-"):
      guard position + 1 < bytes.endIndex, bytes[position + 1] == UInt8(ascii: "-") else { return .code }
      if let level = longBracket(in: bytes, at: position + 2) {
        return long(in: bytes, from: position + level + 4, level: level)
      }
      let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
      return .comment(end: end)
    default: return .code
    }
  }

  /// The places of names in Lua that may be those of globals: not behind a dot or a colon, nor in texts and comments.
  package static func places(ofGlobals names: Set<String>, in bytes: ArraySlice<UInt8>) -> [(
    name: String, range: Range<Int>
  )] {
    var places: [(name: String, range: Range<Int>)] = []
    var position = bytes.startIndex
    while position < bytes.endIndex {
      switch piece(in: bytes, at: position) {
      case .skipped(let end), .comment(let end): position = end
      case .unfinished: return places
      case .code:
        let word = bytes[position...].prefix { $0.isNameByte }
        guard !word.isEmpty else {
          position += 1
          continue
        }
        let name = String(decoding: word, as: UTF8.self)
        if names.contains(name), !isPart(bytes, at: position) { places.append((name, word.indices)) }
        position = word.endIndex
      }
    }
    return places
  }

  /// True if a name belongs to what stands before it, as in `io.run` and `x:run`.
  private static func isPart(_ bytes: ArraySlice<UInt8>, at position: Int) -> Bool {
    let before = bytes[..<position].reversed().drop { $0.isBlankOrNewline }
    if before.first == UInt8(ascii: ":") { return true }
    // Two dots put texts together.
    return before.first == UInt8(ascii: ".") && before.dropFirst().first != UInt8(ascii: ".")
  }

  /// What a text ends in.
  private enum Ending: Equatable {
    case code
    /// A comment to the end of its line, which starts there.
    case comment(start: Int)
    case unfinished(start: Int)
  }

  private static func ending(of bytes: some Bytes) -> Ending {
    var position = bytes.startIndex
    while position < bytes.endIndex {
      switch piece(in: bytes, at: position) {
      case .code: position += 1
      case .skipped(let end): position = end
      case .comment(let end):
        if end == bytes.endIndex { return .comment(start: position) }
        position = end
      case .unfinished: return .unfinished(start: position)
      }
    }
    return .code
  }

  /// Where the string or the long comment starts that a text does not end; nil where it ends all of them.
  package static func openPart(in bytes: some Bytes) -> Int? {
    if case .unfinished(let start) = ending(of: bytes) { start } else { nil }
  }

  /// Where the comment starts that runs to the end of the text; nil where the text ends otherwise.
  package static func lastLineComment(in bytes: some Bytes) -> Int? {
    if case .comment(let start) = ending(of: bytes) { start } else { nil }
  }

  /// Whether the last byte is neither in a string nor in a comment.
  package static func endsInCode(_ bytes: some Bytes) -> Bool { ending(of: bytes) == .code }

  /// Whether there is nothing but blanks and comments.
  package static func isBlank(_ bytes: some Bytes) -> Bool {
    var position = bytes.startIndex
    while position < bytes.endIndex {
      switch piece(in: bytes, at: position) {
      case .code:
        guard [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(bytes[position])
        else { return false }
        position += 1
      case .skipped(let end):
        guard bytes[position] == UInt8(ascii: "-") else { return false }
        position = end
      case .comment(let end): position = end
      case .unfinished: return false
      }
    }
    return true
  }

  /// The first `>` or `|` outside of all brackets, texts and comments; nil: there is none.
  package static func redirection(in text: [UInt8]) -> Int? {
    let bytes = text[...]
    var (position, depth) = (0, 0)
    while position < bytes.count {
      switch piece(in: bytes, at: position) {
      case .skipped(let end), .comment(let end): position = end
      case .unfinished: return nil
      case .code:
        switch bytes[position] {
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        case UInt8(ascii: ">"), UInt8(ascii: "|"): if depth == 0 { return position }
        default: break
        }
        position += 1
      }
    }
    return nil
  }

  /// The names that stand behind a `$` in texts in double quotes and in `[[…]]`, each once, with the position of the dollar. In single
  /// quotes and in `[=[…]=]` the dollar is meant. The statements of `command` are read as others are, so that a name there is replaced.
  package static func variables(in text: [UInt8]) -> [(name: String, position: Int)] {
    let bytes = text[...]
    var names: [(name: String, position: Int)] = []
    var position = 0
    while position < bytes.count {
      if let end = endOfCommand(in: bytes, at: position) {
        position = end
        continue
      }
      guard case .skipped(let end) = piece(in: bytes, at: position) else {
        if case .comment(let end) = piece(in: bytes, at: position) { position = end } else { position += 1 }
        continue
      }
      if bytes[position] == UInt8(ascii: "\"") || longBracket(in: bytes, at: position) == 0 {
        for start in position..<end where bytes[start] == UInt8(ascii: "$") {
          let first = [UInt8(ascii: "{"), UInt8(ascii: "(")].contains(bytes[start + 1]) ? start + 2 : start + 1
          let name = bytes[first..<end].prefix { $0.isNameByte }
          // Behind a number no name goes on.
          let text = String(decoding: name.first?.isDigit == true ? name.prefix { $0.isDigit } : name, as: UTF8.self)
          if !text.isEmpty, !names.contains(where: { $0.name == text }) { names.append((text, start)) }
        }
      }
      position = end
    }
    return names
  }

  /// Lua over decimals, in which a number with a point is a decimal by its digits, as the columns of records are.
  package static func withDecimals(_ text: String) -> String {
    let bytes = Array(text.utf8)[...]
    var out: [UInt8] = []
    var position = 0
    while position < bytes.count {
      switch piece(in: bytes, at: position) {
      case .skipped(let end), .comment(let end):
        out += bytes[position..<end]
        position = end
      default:
        let number = bytes[position...].prefix { $0.isDigit || $0 == UInt8(ascii: ".") }
        let word = bytes[position...].prefix { $0.isNameByte || $0 == UInt8(ascii: ".") }
        guard number.count == word.count, number.count > 1, number.first?.isDigit == true, number.last?.isDigit == true,
          number.count(where: { $0 == UInt8(ascii: ".") }) == 1
        else {
          let count = max(word.count, 1)
          out += bytes[position..<(position + count)]
          position += count
          continue
        }
        out += Array("decimal(\"\(String(decoding: number, as: UTF8.self))\")".utf8)
        position += number.count
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// The position behind a call of `command` that starts at a position; nil: none does.
  private static func endOfCommand(in bytes: ArraySlice<UInt8>, at position: Int) -> Int? {
    let name = Array("command".utf8)
    guard bytes[position...].starts(with: name), position == 0 || !bytes[position - 1].isNameByte else { return nil }
    var open = position + name.count
    while open < bytes.endIndex, bytes[open].isBlankOrNewline { open += 1 }
    guard open < bytes.endIndex else { return nil }
    if bytes[open] == UInt8(ascii: "(") { return endOfBrackets(in: bytes, at: open) }
    if case .skipped(let end) = piece(in: bytes, at: open) { return end }
    return nil
  }

  /// The position behind the `)` or `]` that closes the `(` or `[` at another; nil where none does.
  package static func endOfBrackets(in bytes: some Bytes, at open: Int) -> Int? {
    let opening = bytes[open]
    let closing = UInt8(ascii: opening == UInt8(ascii: "(") ? ")" : "]")
    var position = open
    var level = 0
    while position < bytes.endIndex {
      switch piece(in: bytes, at: position) {
      case .skipped(let end), .comment(let end): position = end
      case .unfinished: return nil
      case .code:
        if bytes[position] == opening { level += 1 }
        if bytes[position] == closing { level -= 1 }
        position += 1
        if level == 0 { return position }
      }
    }
    return nil
  }

  /// The text without blanks and line ends around it.
  package static func trimmed(_ bytes: some Bytes) -> String {
    var start = bytes.startIndex
    var end = bytes.endIndex
    while start < end, bytes[start].isBlankOrNewline { start += 1 }
    while end > start, bytes[end - 1].isBlankOrNewline { end -= 1 }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  private static func string(in bytes: some Bytes, at start: Int) -> Piece {
    var position = start + 1
    while position < bytes.endIndex {
      switch bytes[position] {
      case bytes[start]: return .skipped(end: position + 1)
      case UInt8(ascii: "\\"): position += 2
      // Lua refuses a string that the line does not end; what follows is read as code.
      case UInt8(ascii: "\n"): return .skipped(end: position)
      default: position += 1
      }
    }
    return .unfinished
  }

  private static func long(in bytes: some Bytes, from start: Int, level: Int) -> Piece {
    var position = start
    while position < bytes.endIndex {
      if bytes[position] == UInt8(ascii: "]") {
        var end = position + 1
        while end < bytes.endIndex, bytes[end] == UInt8(ascii: "=") { end += 1 }
        if end - position - 1 == level, end < bytes.endIndex, bytes[end] == UInt8(ascii: "]") {
          return .skipped(end: end + 1)
        }
      }
      position += 1
    }
    return .unfinished
  }

  /// The number of `=` in an opening long bracket, or nil where none starts.
  private static func longBracket(in bytes: some Bytes, at start: Int) -> Int? {
    guard start < bytes.endIndex, bytes[start] == UInt8(ascii: "[") else { return nil }
    var position = start + 1
    while position < bytes.endIndex, bytes[position] == UInt8(ascii: "=") { position += 1 }
    guard position < bytes.endIndex, bytes[position] == UInt8(ascii: "[") else { return nil }
    return position - start - 1
  }
}

extension UInt8 {
  package var isBlank: Bool { self == 0x20 || self == 0x09 }
  package var isBlankOrNewline: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
  /// Whether the byte may stand in a name: a letter, a digit or `_`.
  package var isNameByte: Bool {
    let letter = self | 0x20
    return (letter >= 0x61 && letter <= 0x7A) || self == 0x5F || isDigit
  }
  package var isDigit: Bool { self >= 0x30 && self <= 0x39 }
}
