import Platform
import ShellLanguage
import StoreCore
import StoreSchema

/// A result that is drawn again and again in its place on a terminal.
extension Session {
  /// Draws a result until a key is pressed, while tasks run.
  ///
  /// - Parameter print: prints the result.
  func redraw(every pause: Duration, _ print: () throws -> Void) throws -> CommandResult {
    guard let screen = person.screen else { return try redrawHere(every: pause, print) }
    guard !options.isJSON, !console.isCapturing, console.width() != nil else { throw Self.noTerminal }
    return try untilInterrupted {
      while true {
        screen.draw(try drawn(print))
        _ = try wait(atMost: pause) { false }
      }
    }
  }

  private static let noTerminal = ShellError(
    code: .notAllowed, message: "--every needs a terminal to draw on",
    hint: "watch PATH --max 2/s prints a line at each change", status: 2)

  /// The result as it is drawn.
  private func drawn(_ print: () throws -> Void) throws -> String {
    running.drawsOnScreen = true
    defer { running.drawsOnScreen = false }
    return try console.capturing(print)
  }

  private func redrawHere(every pause: Duration, _ print: () throws -> Void) throws -> CommandResult {
    guard !running.origin.isThroughDoor, !options.isJSON, !console.isCapturing, let columns = console.width(),
      let keys = TerminalKeys()
    else { throw Self.noTerminal }
    defer { keys.end() }
    var place = DrawnText()
    while true {
      if keys.isPressed() { return .none }
      if keys.takeReturn() { place.leave() }
      console.write(
        place.drawing(
          try drawn(print), columns: console.width() ?? columns, rows: keys.rows, isUTF8: options.isUTF8,
          isPlain: !options.usesColor))
      console.flush()
      let end = clock.wallTime() + pause
      while clock.wallTime() < end {
        _ = try wait(atMost: min(end - clock.wallTime(), .milliseconds(50))) { keys.isPressed() }
        if keys.isTaken { return .none }
        if keys.takeReturn() {
          place.leave()
          break
        }
      }
    }
  }

  /// Does something that goes on until it is interrupted, which is its usual end.
  func untilInterrupted(_ body: () throws -> Void) throws -> CommandResult {
    do {
      try body()
      return .none
    } catch let error as ShellError where error.code == .interrupted {
      guard interrupts.stop?.error == nil, interrupts.reason().code == .interrupted, interrupts.take() else {
        throw error
      }
      return .none
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
    /// The operand of `pin` that means it.
    let operand: String
    let watched: WatchedPath
    /// Tells the session of changes where no prompt looks by itself; nil: one does.
    var subscription: Subscription?
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
  /// True if values are kept above the line of a client.
  package var hasPins: Bool { !pins.isEmpty }

  /// The values that a client keeps above its line, in the form of its screen.
  package var pinnedForClient: String {
    guard let screen = person.screen, let columns = console.width() else { return "" }
    return pinned(rows: screen.rows, columns: columns)
  }

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
