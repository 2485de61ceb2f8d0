import Platform
import ShellLanguage
import StorePlugins
import StoreSchema

/// A result that is drawn again and again in its place on a terminal.
extension Session {
  /// Draws a result until a key is pressed, while tasks run.
  ///
  /// - Parameter print: prints the result.
  func redraw(every pause: Duration, _ print: () throws -> Void) throws -> CommandResult {
    // The keys are those of the program that has the store.
    guard !running.origin.isThroughDoor else {
      throw ShellError(
        code: .notAllowed, message: "--every is for the prompt of the program that has the store",
        hint: "watch PATH --max 2/s prints a line at each change", status: 2)
    }
    guard !options.isJSON, !console.isCapturing, let columns = console.width(), let keys = TerminalKeys() else {
      throw ShellError(
        code: .notAllowed, message: "--every needs a terminal to draw on",
        hint: "watch PATH --max 2/s prints a line at each change", status: 2)
    }
    defer { keys.end() }
    var rows = 0
    while true {
      running.drawsOnScreen = true
      defer { running.drawsOnScreen = false }
      let text = try console.capturing(print)
      running.drawsOnScreen = false
      let size = (columns: console.width() ?? columns, rows: max(2, keys.rows))
      let shown = ScreenText.cut(text, columns: size.columns, rows: size.rows - 1, isUTF8: options.isUTF8)
      // Up to where it began, and what stood there goes.
      console.write((rows > 0 ? "\u{1B}[\(rows)A" : "") + "\r\u{1B}[J" + shown.text)
      console.flush()
      rows = shown.rows
      let end = clock.wallTime() + pause
      while clock.wallTime() < end {
        if keys.takeBack() { rows = 0 }
        _ = try wait(atMost: min(end - clock.wallTime(), .milliseconds(50))) { keys.isPressed() }
        if keys.isTaken { return .none }
      }
    }
  }
}

extension CommandReader {
  /// The time that a flag gives, a tenth of a second at least: nothing is drawn more often.
  func pause(of flag: String) throws -> Given<Duration>? {
    try text(of: flag)?.map { text in
      guard let pause = DurationLiteral.parse(text) else {
        throw fault(
          .typeMismatch, "--\(flag) takes \(DurationLiteral.expected(insteadOf: text)), got '\(text)'", of: flag)
      }
      return max(pause, .milliseconds(100))
    }
  }
}

/// A text as far as it has room on a screen.
enum ScreenText {
  static func cut(_ text: String, columns: Int, rows: Int, isUTF8: Bool) -> (text: String, rows: Int) {
    let mark = DisplayText.shown("…", isUTF8: isUTF8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(text.hasSuffix("\n") ? 1 : 0)
    var shown = ""
    let hasMore = lines.count > rows
    for line in lines.prefix(hasMore ? rows - 1 : rows) { shown += cut(line, columns, mark) + "\n" }
    if hasMore { shown += cut("\(mark) \(lines.count - rows + 1) more lines"[...], columns, mark) + "\n" }
    return (shown, min(lines.count, rows))
  }

  /// A line as far as it has room in so many columns, and a mark where it goes on.
  static func cut(_ line: Substring, _ columns: Int, _ mark: String) -> String {
    guard DisplayWidth.of(line) > columns else { return String(line) }
    var cut = ""
    var width = 0
    for character in line {
      width += DisplayWidth.of(String(character))
      if width > columns - mark.count { break }
      cut.append(character)
    }
    return cut + mark
  }
}

/// The values that a person keeps above the line that is typed.
struct PinList {
  /// What is kept, in the order in which it was asked for.
  private(set) var list: [Entry] = []
  /// True where there is a line that it can be kept above.
  var hasLine = false

  /// A path or an expression, and its value.
  struct Entry {
    let name: String
    let watched: WatchedPath
  }

  var isEmpty: Bool { list.isEmpty }

  /// Keeps one more; of two with one name the later one.
  mutating func add(_ entry: Entry) {
    list.removeAll { $0.name == entry.name }
    list.append(entry)
  }

  /// Lets one go; false where there is none of that name.
  mutating func remove(_ name: String) -> Bool {
    let count = list.count
    list.removeAll { $0.name == name || name == "all" }
    return list.count < count
  }
}

extension Session {
  /// The pinned values as they are drawn: whole lines, a third of the screen at most.
  func pinned(rows: Int, columns: Int) -> String {
    guard !pins.isEmpty else { return "" }
    var formatter = formatter(.auto)
    formatter.marks = .none
    var text = ""
    for pin in pins.list {
      let value = (try? formatter.text(of: pin.watched.present, .dynamic(.any))) ?? "-\n"
      let lines = value.split(separator: "\n", omittingEmptySubsequences: false).dropLast(value.hasSuffix("\n") ? 1 : 0)
      if lines.count == 1 {
        text += "\(pin.name)  \(lines[0])\n"
      } else {
        text += "\(pin.name)\n" + lines.map { "  \($0)\n" }.joined()
      }
    }
    return ScreenText.cut(text, columns: columns, rows: max(1, rows / 3), isUTF8: options.isUTF8).text
  }
}
