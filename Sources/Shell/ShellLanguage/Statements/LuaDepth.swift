/// The open brackets, blocks and texts behind the lines of a Lua text. By it a long text is not parsed at each line.
///
/// It counts words and signs. Of a text that is no Lua it may be wrong, and the parser refuses such a text.
package struct LuaDepth {
  private static let words: [String: Int] = [
    "function": 1, "do": 1, "repeat": 1, "if": 0, "then": 1, "elseif": -1, "end": -1, "until": -1,
  ]
  private static let operators: Set<String> = ["and", "or", "not"]

  /// The number of brackets and blocks that are open.
  private var depth = 0
  /// The level of the long bracket that is open; nil: none is.
  private var level: Int?
  /// True behind an operator or a comma, which another line must follow.
  private var asksForMore = false
  /// True behind a text in quotes that goes on in another line.
  private var isUnsure = false

  package init() {}

  /// True if lines must follow.
  package var isOpen: Bool { !isUnsure && (level != nil || depth > 0 || asksForMore) }

  /// Takes the next line, which has no line end.
  package mutating func take(_ line: ArraySlice<UInt8>) {
    var position = line.startIndex
    while position < line.endIndex {
      if let level {
        guard let end = Self.end(ofLevel: level, in: line, from: position) else { return }
        (self.level, asksForMore, position) = (nil, false, end)
        continue
      }
      let byte = line[position]
      if byte.isNameByte {
        let word = line[position...].prefix { $0.isNameByte }
        let name = String(decoding: word, as: UTF8.self)
        depth += Self.words[name] ?? 0
        asksForMore = Self.operators.contains(name)
        position = word.endIndex
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard case .skipped(let end) = LuaText.piece(in: line, at: position) else { return isUnsure = true }
        (asksForMore, position) = (false, end)
        continue
      case UInt8(ascii: "-") where position + 1 < line.endIndex && line[position + 1] == byte:
        guard let level = Self.level(in: line, at: position + 2) else { return }
        (self.level, position) = (level, position + level + 4)
        continue
      case UInt8(ascii: "["):
        if let level = Self.level(in: line, at: position) {
          (self.level, position) = (level, position + level + 2)
          continue
        }
        depth += 1
      case UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      if !byte.isBlankOrNewline { asksForMore = Self.signs.contains(byte) }
      position += 1
    }
  }

  private static let signs = Set("+-*/%^&|~<>=,.#".utf8)

  /// The level of the long bracket that begins at a position; nil: none does.
  private static func level(in line: ArraySlice<UInt8>, at position: Int) -> Int? {
    guard position < line.endIndex, line[position] == UInt8(ascii: "[") else { return nil }
    let signs = line[(position + 1)...].prefix { $0 == UInt8(ascii: "=") }
    return signs.endIndex < line.endIndex && line[signs.endIndex] == UInt8(ascii: "[") ? signs.count : nil
  }

  /// The position behind the end of a long bracket; nil: it is not in the line.
  private static func end(ofLevel level: Int, in line: ArraySlice<UInt8>, from first: Int) -> Int? {
    var position = first
    while let start = line[position...].firstIndex(of: UInt8(ascii: "]")) {
      let signs = line[(start + 1)...].prefix { $0 == UInt8(ascii: "=") }
      guard signs.endIndex < line.endIndex else { return nil }
      if signs.count == level, line[signs.endIndex] == UInt8(ascii: "]") { return signs.endIndex + 1 }
      position = signs.endIndex
    }
    return nil
  }
}
