#if Macros || Publishers || All
import SwiftSyntax

/// A documentation comment in the trivia before a declaration.
struct Documentation {
  /// The first paragraph in one line; may be empty.
  let summary: String
  /// The descriptions in `- Parameter name:`, by name.
  let parameters: [String: String]

  init(_ trivia: Trivia) {
    var summary: [String] = []
    var parameters: [String: [String]] = [:]
    var current: String?
    var summaryEnded = false
    for line in Documentation.lines(of: trivia) {
      if let (name, text) = Documentation.parameter(line) {
        summaryEnded = true
        current = name
        parameters[name] = text.isEmpty ? [] : [text]
      } else if line.isEmpty || line.hasPrefix("- ") {
        summaryEnded = summaryEnded || !summary.isEmpty
        current = nil
      } else if let name = current {
        parameters[name, default: []].append(line)
      } else if !summaryEnded {
        summary.append(line)
      }
    }
    self.summary = summary.joined(separator: " ")
    self.parameters = parameters.mapValues { $0.joined(separator: " ") }
  }

  /// The name and the text of `- Parameter name: text`, or of `- name: text` below `- Parameters:`.
  private static func parameter(_ line: String) -> (String, String)? {
    guard line.hasPrefix("- "), let colon = line.firstIndex(of: ":") else { return nil }
    var name = line[..<colon].dropFirst(2)
    for prefix in ["Parameter ", "parameter "] where name.hasPrefix(prefix) { name = name.dropFirst(prefix.count) }
    guard !name.isEmpty, !name.contains(" "), !calloutNames.contains(String(name)) else { return nil }
    return (String(name), trimmed(line[line.index(after: colon)...]))
  }

  private static let calloutNames: Set<String> = [
    "Parameters", "Returns", "Throws", "Note", "Warning", "Important", "Complexity", "Precondition", "SeeAlso",
  ]

  /// The comment's lines without their markers.
  private static func lines(of trivia: Trivia) -> [String] {
    var lines: [String] = []
    for piece in trivia {
      switch piece {
      case .docLineComment(let text): lines.append(trimmed(text.dropFirst(3)))
      case .docBlockComment(let text):
        for line in text.dropFirst(3).dropLast(2).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
          let line = trimmed(line)
          lines.append(line.hasPrefix("*") ? trimmed(line.dropFirst()) : line)
        }
      default: continue
      }
    }
    return lines
  }

  private static func trimmed(_ text: Substring) -> String {
    let head = text.drop(while: \.isWhitespace)
    guard let last = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(head[...last])
  }
}
#endif
