import ShellLanguage
import StoreSchema

/// Text from elsewhere, as a terminal may show it: no character of it commands the terminal or turns the order of others.
package enum SafeText {
  package static func lines(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { isEscaped($0) && $0 != "\n" }) else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line(String($0)) }.joined(
      separator: "\n")
  }

  /// A text of one line.
  package static func line(_ text: String) -> String { DisplayText.printable(text) }

  /// A text of JSON, which means the same.
  package static func json(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isEscaped) else { return text }
    var out = ""
    for scalar in text.unicodeScalars {
      guard isEscaped(scalar), scalar.value < 0x10000 else {
        out.unicodeScalars.append(scalar)
        continue
      }
      let digits = String(scalar.value, radix: 16)
      out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return out
  }

  private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
    scalar != "\t" && (ScalarText.isControl(scalar) || ScalarText.isOfDirection(scalar))
  }
}
