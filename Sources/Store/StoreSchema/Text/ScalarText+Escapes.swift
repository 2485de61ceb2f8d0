extension ScalarText {
  package static func appendEscape(_ scalar: Unicode.Scalar, to out: inout String) {
    switch scalar {
    case "\n": out += "\\n"
    case "\t": out += "\\t"
    case "\r": out += "\\r"
    default: out += "\\u{\(String(scalar.value, radix: 16))}"
    }
  }

  /// True for a character that only sets the direction of writing (Unicode Standard Annex #9, table 4): what stands beside it
  /// would seem to be another text.
  package static func isOfDirection(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// True if a text has such a character.
  package static func hasDirection(_ text: String) -> Bool {
    // The first bytes that they have in UTF-8.
    text.utf8.contains { $0 == 0xD8 || $0 == 0xE2 } && text.unicodeScalars.contains(where: isOfDirection)
  }
}
