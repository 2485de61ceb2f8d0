/// The colours that the shell uses: of the eight that every terminal has, and whose reader has chosen them; never black or
/// white, one of which is the background.
package enum Color: Int {
  /// What is gone, and errors.
  case red = 31
  /// What is there now.
  case green = 32
  /// Types.
  case cyan = 36

  /// What switches it on.
  package var start: String { "\u{1B}[\(rawValue)m" }

  /// What switches all colours off.
  package static let end = "\u{1B}[0m"

  /// A text in this colour.
  package func paint(_ text: String) -> String { text.isEmpty ? text : start + text + Color.end }
}
