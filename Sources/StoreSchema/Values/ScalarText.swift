/// Scalars as the shell and JSON write them.
public enum ScalarText {
  /// Text in double quotes; quotes, backslashes and control characters are escaped as JSON and Lua 5.4 both read them
  /// where they can (`\n`, `\t`, `\r`, else `\u00XX`).
  public static func quoted(_ text: String) -> String {
    var out = "\""
    out.reserveCapacity(text.utf8.count + 2)
    appendEscaped(text, to: &out)
    out += "\""
    return out
  }

  /// Appends text with quotes, backslashes and control characters escaped, without the quotes around it.
  public static func appendEscaped(_ text: String, to out: inout String) {
    let needsEscapes = text.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || $0 == 0x7F }
    guard needsEscapes else {
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
      case 0..<0x20, 0x7F:
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
  }

  /// A number as Lua prints it: the shortest text that reads back the same, with `.0` where it is whole; `inf`,
  /// `-inf` and `nan` where it is none.
  public static func text(of number: Double) -> String {
    number.description
  }
}
