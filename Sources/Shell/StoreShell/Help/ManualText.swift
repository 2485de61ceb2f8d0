/// The text of a manual page in the macros of `man(7)`.
struct ManualText {
  private(set) var text = ""

  /// The line that such a page starts with.
  mutating func title(_ name: String, version: String, summary: String) {
    text += ".TH \(Self.quoted(name.uppercased())) 1 \"\" \(Self.quoted("\(name) \(version)"))\n"
    // Examples and names are to be found as they are written.
    text += ".nh\n.ad l\n"
    section("NAME")
    paragraph("\(name) - \(summary)", isSummary: true)
  }

  mutating func section(_ title: String) { text += ".SH \(Self.quoted(title))\n" }

  mutating func subsection(_ title: String) { text += ".SS \(Self.quoted(title))\n" }

  mutating func paragraph(_ words: String, isSummary: Bool = false) {
    // Tools that list pages by their summaries know its one hyphen as it stands.
    text += (isSummary ? "" : ".PP\n") + (isSummary ? words : Self.escaped(words)) + "\n"
  }

  mutating func item(_ term: String, _ meaning: String) {
    text += ".TP\n\\fB\(Self.escaped(term))\\fR\n\(Self.escaped(meaning))\n"
  }

  /// Lines that stand as they are.
  mutating func lines(_ lines: [String], isIndented: Bool = true) {
    text += ".PP\n" + (isIndented ? ".RS 4\n" : "") + ".nf\n"
    for line in lines { text += Self.escaped(line) + "\n" }
    text += ".fi\n" + (isIndented ? ".RE\n" : "")
  }

  /// An argument of a macro.
  private static func quoted(_ text: String) -> String { "\"" + escaped(text).split(separator: "\"").joined() + "\"" }

  /// A text as the formatter prints it literally.
  static func escaped(_ text: String) -> String {
    var out = ""
    // A line that starts with one of these would be a request.
    if let first = text.first, first == "." || first == "'" { out += "\\&" }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": out += "\\e"
      case "-": out += "\\-"
      case "'": out += "\\(aq"
      case "`": out += "\\(ga"
      case "^": out += "\\(ha"
      case "~": out += "\\(ti"
      case "\u{20}"..."\u{7E}": out.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        out += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }
    }
    return out
  }
}
