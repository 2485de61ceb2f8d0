/// Scalars as the shell and JSON write them.
public enum ScalarText {
  /// Text in double quotes. Quotes, backslashes, control characters and characters that only set the direction of writing are
  /// escaped as JSON and Lua 5.4 both read them where they can (`\n`, `\t`, `\r`, else `\uXXXX`).
  public static func quoted(_ text: String) -> String {
    var out = "\""
    out.reserveCapacity(text.utf8.count + 2)
    appendEscaped(text, to: &out)
    out += "\""
    return out
  }

  /// True if a byte of UTF-8 stands for itself in quotes. 0xC2 leads the control characters of eight bits, which
  /// terminals obey too. It also leads signs such as `°`, which are only looked at more closely.
  @inlinable @inline(__always)
  public static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x22 && byte != 0x5C && byte != 0x7F && byte != 0xC2
  }

  /// True if each byte of a text is known to stand for itself in quotes.
  static func isPlain(_ text: String) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isPlain) } ?? false
  }

  /// True if a character may make a terminal do something else than show it.
  @inlinable
  public static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (scalar.value >= 0x7F && scalar.value < 0xA0)
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

  /// Appends text with quotes, backslashes and control characters escaped, without the quotes around it.
  public static func appendEscaped(_ text: String, to out: inout String) {
    guard !isPlain(text) || hasDirection(text) else {
      out += text
      return
    }
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22: out += "\\\""
      case 0x5C: out += "\\\\"
      case 0x0A: out += "\\n"
      case 0x0D: out += "\\r"
      case 0x09: out += "\\t"
      case _ where isControl(scalar) || isOfDirection(scalar):
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
  }

  /// A number as Lua prints it: the shortest text that reads back the same, with `.0` if it is whole. Also `inf`,
  /// `-inf` and `nan`.
  public static func text(of number: Double) -> String {
    number.isNaN ? "nan" : number.description
  }
}
