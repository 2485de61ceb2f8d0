/// The styles of the shell's text. Of colours it uses those of the eight that every terminal has and its reader has chosen; never
/// black and white: one of them is the background.
package enum TextStyle: String, CaseIterable, Sendable {
  /// The word at the start of an error.
  case error
  /// Removals.
  case removed
  /// Additions.
  case added
  /// The names of types.
  case type
  /// The heads of tables.
  case head

  /// The parameters of the terminal's sequence that switches it on.
  fileprivate var parameters: String {
    switch self {
    case .error: "1;31"
    case .removed: "31"
    case .added: "32"
    case .type: "36"
    case .head: "1"
    }
  }
}

/// The marks that switch styles on and off in a text.
public struct StyleMarks: Hashable, Sendable {
  private enum Kind: Hashable, Sendable {
    case none
    case terminal
    case key(String)
  }

  private let kind: Kind

  /// No marks: the text has no styles.
  public static let none = StyleMarks(kind: .none)
  /// The sequences of a terminal.
  public static let terminal = StyleMarks(kind: .terminal)

  /// Marks that nobody can write who does not know a key, for somebody who takes them out of the text again.
  package static func keyed(_ key: String) -> StyleMarks { StyleMarks(kind: .key("\u{1B}\(key)")) }

  package func start(_ style: TextStyle) -> String {
    switch kind {
    case .none: ""
    case .terminal: "\u{1B}[\(style.parameters)m"
    case .key(let key): "\(key)\(style.rawValue);"
    }
  }

  package var end: String {
    switch kind {
    case .none: ""
    case .terminal: "\u{1B}[0m"
    case .key(let key): "\(key);"
    }
  }

  package func paint(_ text: String, _ style: TextStyle) -> String { text.isEmpty ? text : start(style) + text + end }

  /// The parts of a text with keyed marks, each with its style; nil: it has none.
  package func parts(of text: String) -> [(text: String, style: TextStyle?)] {
    guard case .key(let key) = kind, text.utf8.contains(0x1B) else { return [(text, nil)] }
    var parts: [(text: String, style: TextStyle?)] = []
    var rest = text[...]
    var style: TextStyle?
    while let mark = rest.firstRange(of: key), let end = rest[mark.upperBound...].firstIndex(of: ";") {
      if mark.lowerBound > rest.startIndex { parts.append((String(rest[..<mark.lowerBound]), style)) }
      style = TextStyle(rawValue: String(rest[mark.upperBound..<end]))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { parts.append((String(rest), style)) }
    return parts
  }
}
