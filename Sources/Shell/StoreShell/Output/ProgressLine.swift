import Platform

/// A line of a terminal where errors go: how far a long command is. It is written over and over; on a terminal that cannot go
/// back, a line every ten seconds.
struct ProgressLine {
  let descriptor: Int32
  private let goesBack: Bool
  private let now: @Sendable () -> ContinuousClock.Instant
  /// The columns that it takes now.
  private var width = 0
  /// When the last line was written that stays, or the work began; nil: none goes on.
  private var lastLine: ContinuousClock.Instant?

  /// - Parameters:
  ///   - goesBack: true on a terminal that goes back in a row.
  ///   - now: the clock.
  init(
    on descriptor: Int32, goesBack: Bool = getenv("TERM").map { String(cString: $0) } != "dumb",
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    (self.descriptor, self.goesBack, self.now) = (descriptor, goesBack, now)
  }

  /// Writes the line anew.
  mutating func show(_ text: String) {
    guard goesBack else { return showInTurn(text) }
    // Text that reaches a row's end would go on in the next one, and a return leads back to that row only.
    let text = String(text.prefix(max(0, (Console.columns(of: descriptor) ?? 80) - 3)))
    // Blanks and no escape sequence: any terminal knows them.
    let blanks = String(repeating: " ", count: max(0, width - text.count))
    Console.write(Array("\r\(text)\(blanks)".utf8), to: descriptor)
    width = text.count
  }

  private mutating func showInTurn(_ text: String) {
    let last = lastLine ?? now()
    let isDue = now() - last >= .seconds(10)
    lastLine = isDue ? now() : last
    if isDue { Console.write(Array("\(text)\n".utf8), to: descriptor) }
  }

  /// Leaves the line empty, with what the terminal may have added to it: the `^C` of a key.
  mutating func hide() {
    guard width > 0 else { return }
    let blanks = String(repeating: " ", count: width + 2)
    Console.write(Array("\r\(blanks)\r".utf8), to: descriptor)
    width = 0
  }

  /// Ends the work that it told of.
  mutating func end() {
    hide()
    lastLine = nil
  }
}
