/// The colours that the shell uses, of the eight that every terminal has and its reader has chosen. Black and white are
/// never used: one of them is the background.
package enum Color: Int {
  /// Removals and errors.
  case red = 31
  /// Additions.
  case green = 32
  /// Types.
  case cyan = 36

  /// The sequence that switches it on.
  package var start: String { "\u{1B}[\(rawValue)m" }

  /// The sequence that switches all colours off.
  package static let end = "\u{1B}[0m"

  /// A text in this colour.
  package func paint(_ text: String) -> String { text.isEmpty ? text : start + text + Color.end }
}
