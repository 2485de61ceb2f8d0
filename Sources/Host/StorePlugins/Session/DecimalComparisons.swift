import StoreSchema

/// Comparisons of decimals with numbers. In Lua values of two types are never equal, so `amount == 12.50` would not hold.
enum DecimalComparisons {
  /// A text of Lua in which each number that `==` or `~=` compares with a decimal is a decimal too.
  ///
  /// - Parameter isDecimal: true if a name, or names with points between them, stands for one.
  static func settled(in text: String, where isDecimal: (String) -> Bool) -> String {
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    var position = 0
    var copied = 0
    while position + 2 < bytes.count {
      defer { position += 1 }
      guard bytes[position + 1] == UInt8(ascii: "="), [UInt8(ascii: "="), UInt8(ascii: "~")].contains(bytes[position]),
        let number = number(in: bytes, after: position + 2), isDecimal(name(in: bytes, before: position))
      else { continue }
      out += bytes[copied..<number.lowerBound] + Array("decimal(\"".utf8) + bytes[number] + Array("\")".utf8)
      copied = number.upperBound
    }
    return copied == 0 ? text : String(decoding: out + bytes[copied...], as: UTF8.self)
  }

  /// The number that begins behind blanks; nil: something else does.
  private static func number(in bytes: [UInt8], after start: Int) -> Range<Int>? {
    guard let first = bytes[start...].firstIndex(where: { $0 != 0x20 }) else { return nil }
    let digits = bytes[first] == UInt8(ascii: "-") ? first + 1 : first
    let end = bytes[digits...].firstIndex { !isPart($0) } ?? bytes.count
    let text = String(decoding: bytes[first..<end], as: UTF8.self)
    return DecimalNumber(text) == nil ? nil : first..<end
  }

  /// The names, points and positions in brackets that end in front of blanks.
  private static func name(in bytes: [UInt8], before end: Int) -> String {
    guard let last = bytes[..<end].lastIndex(where: { $0 != 0x20 }) else { return "" }
    let isBracket: (UInt8) -> Bool = { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") || $0 == UInt8(ascii: "\"") }
    let start = bytes[...last].lastIndex { !isPart($0) && !isBracket($0) }.map { $0 + 1 } ?? 0
    return String(decoding: bytes[start...max(start, last)], as: UTF8.self)
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
