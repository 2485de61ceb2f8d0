import ShellLanguage
import StoreHost

/// The terminal of a client at the other end of a door: the host sends text, and the client draws it.
package struct ClientScreen {
  package let rows: Int
  /// Draws a text in the place of the last one that was drawn. Any key then ends the statement.
  package let draw: (_ text: String) -> Void
  /// Has any key end the statement, as Ctrl-C does.
  package let takeKeys: () -> Void

  package init(rows: Int, draw: @escaping (_ text: String) -> Void, takeKeys: @escaping () -> Void) {
    (self.rows, self.draw, self.takeKeys) = (rows, draw, takeKeys)
  }
}

/// A text that is drawn again and again in its place on a terminal, with the time and the way to leave it below.
package struct DrawnText {
  private var rows = 0

  package init() {}

  /// The sequence that draws a text.
  ///
  /// - Parameters:
  ///   - columns: the columns of the screen.
  ///   - rows: its rows.
  ///   - isPlain: true if the last line is not dimmed.
  package mutating func drawing(
    _ text: String, columns: Int, rows screenRows: Int, isUTF8: Bool, isPlain: Bool
  ) -> String {
    let shown = ScreenText.cut(text, columns: columns, rows: max(screenRows, 3) - 2, isUTF8: isUTF8)
    let note = ScreenText.cut(
      "\(LocalTime.own.clock(of: TimeOfDay.now()))  any key leaves"[...], columns,
      DisplayText.shown("…", isUTF8: isUTF8))
    // The new text takes the place of the former one.
    let start = (rows > 0 ? "\u{1B}[\(rows)A" : "") + "\r\u{1B}[J"
    rows = shown.rows + 1
    return start + shown.text + (isPlain ? note : "\u{1B}[2m\(note)\u{1B}[0m") + "\n"
  }

  /// Gives up the place: the next drawing stands below the text that other programs have written since.
  package mutating func leave() { rows = 0 }
}
