/// The two sides of a Lua expression whose outermost operator compares.
package struct Comparison {
  package let left: String
  package let sign: String
  package let right: String

  /// Splits an expression; nil where it is not one comparison at its outermost level.
  package init?(_ expression: String) {
    let bytes = Array(expression.utf8)
    var found: (start: Int, length: Int)?
    var depth = 0
    var position = 0
    var words = Words()
    while position < bytes.count {
      switch LuaText.piece(in: bytes[...], at: position) {
      case .skipped(let end), .comment(let end):
        position = end
        continue
      case .unfinished: return nil
      case .code: break
      }
      let byte = bytes[position]
      words.take(byte)
      // `and`, `or` and `not` bind more loosely or apply to one side only; a function body has statements of its own.
      if depth == 0, words.isLogical { return nil }
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: "="), UInt8(ascii: "~"), UInt8(ascii: "<"), UInt8(ascii: ">"):
        let next = position + 1 < bytes.count ? bytes[position + 1] : 0
        let isShift = next == byte && byte != UInt8(ascii: "=")
        let length = next == UInt8(ascii: "=") ? 2 : 1
        if isShift {
          position += 1
        } else if depth == 0, length == 2 || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") {
          guard found == nil else { return nil }
          found = (position, length)
          position += length - 1
        }
      default: break
      }
      position += 1
    }
    words.take(0x20)
    guard let found, !words.isLogical else { return nil }
    left = LuaText.trimmed(bytes[..<found.start])
    sign = String(decoding: bytes[found.start..<(found.start + found.length)], as: UTF8.self)
    right = LuaText.trimmed(bytes[(found.start + found.length)...])
    guard !left.isEmpty, !right.isEmpty else { return nil }
  }

  /// Notices logical words as they go by.
  private struct Words {
    private var word: [UInt8] = []
    private(set) var isLogical = false

    mutating func take(_ byte: UInt8) {
      if byte.isNameByte {
        word.append(byte)
        return
      }
      switch String(decoding: word, as: UTF8.self) {
      case "and", "or", "not", "function": isLogical = true
      default: break
      }
      word = []
    }
  }
}
