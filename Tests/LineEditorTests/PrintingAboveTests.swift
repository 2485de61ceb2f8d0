import Testing

@Suite("Printing above the line")
struct PrintingAboveTests {
  @Test func halfALineAndItsCursorStay() throws {
    let probe = try ProbeTerminal()
    probe.type("hello\u{2}\u{2}")
    try probe.wait(for: "the cursor to move") { $0.column == 10 }
    probe.printAbove("[watch 1] a  1 -> 2\nsecond\n")
    try probe.wait(for: "the line below") { $0.row == 2 && $0.column == 10 }
    #expect(probe.screen.lines == ["[watch 1] a  1 -> 2", "second", "probe> hello"])
    probe.type("X\r")
    try probe.waitForLine(#"line("helXlo")"#)
  }

  @Test func aWrappedLineStays() throws {
    let probe = try ProbeTerminal(columns: 20)
    probe.type("0123456789abcdefghijklmnopqrstuvwxyz")
    try probe.wait(for: "three rows") { $0.cursorLine == "xyz" }
    probe.type("\u{1B}[D\u{1B}[D\u{1B}[D\u{1B}[D\u{1B}[D")
    try probe.wait(for: "the cursor to move") { $0.row == 1 && $0.column == 18 }
    for number in 1...3 {
      probe.printAbove("above \(number)\n")
      try probe.wait(for: "the line below") { $0.row == 1 + number && $0.column == 18 }
    }
    #expect(
      probe.screen.lines == ["above 1", "above 2", "above 3", "probe> 0123456789abc", "defghijklmnopqrstuvw", "xyz"])
  }

  @Test func aLineThatFillsTheRowStays() throws {
    let probe = try ProbeTerminal(columns: 20)
    probe.type("0123456789abc")
    try probe.wait(for: "a full row") { $0.lines.first == "probe> 0123456789abc" }
    probe.printAbove("above\n")
    try probe.wait(for: "the line below") { $0.lines.starts(with: ["above", "probe> 0123456789abc"]) }
    probe.type("d")
    try probe.waitForCursorLine("d")
    #expect(probe.screen.lines == ["above", "probe> 0123456789abc", "d"])
  }

  @Test func aPastedStatementStays() throws {
    let probe = try ProbeTerminal()
    probe.type("\u{1B}[200~one\ntwo\u{1B}[201~")
    try probe.waitForCursorLine("two")
    probe.printAbove("above\n")
    try probe.wait(for: "the line below") { $0.lines == ["above", "probe> one", "two"] && $0.row == 2 }
    probe.type("\r")
    try probe.waitForLine(#"line("one\ntwo")"#)
  }

  @Test func aSearchGoesOn() throws {
    let probe = try ProbeTerminal()
    try probe.enter("alpha")
    try probe.enter("beta")
    probe.type("\u{12}al")
    try probe.waitForCursorLine("(reverse-i-search)`al': alpha")
    probe.printAbove("above\n")
    try probe.waitForLine("above")
    try probe.waitForCursorLine("(reverse-i-search)`al': alpha")
    probe.type("p")
    try probe.waitForCursorLine("(reverse-i-search)`alp': alpha")
    probe.type("\r")
    try probe.wait(for: "the found line") { $0.lines.filter { $0 == #"line("alpha")"# }.count == 2 }
    #expect(probe.screen.lines.filter { $0 == "above" }.count == 1)
  }

  @Test func anEmptyPromptStays() throws {
    let probe = try ProbeTerminal()
    probe.printAbove("no newline at the end")
    try probe.waitForLine("no newline at the end")
    try probe.waitForCursorLine("probe>")
    #expect(probe.screen.lines == ["no newline at the end", "probe>"])
  }

  /// A terminal wraps anew what was wrapped: on how many rows the line stands then is not what was drawn.
  @Test(arguments: [[40], [14], [100], [19], [20, 19, 18, 40], [9, 90, 10, 50], [60, 12]], [0, 9, 20])
  func aWrappedLineMovesWithTheWindow(widths: [Int], left: Int) throws {
    let text = "0123456789abcdefghijklmnopqrstuvwxyz"
    let probe = try ProbeTerminal(columns: 30)
    for number in 1...3 { probe.printAbove("above \(number)\n") }
    probe.type(text + String(repeating: "\u{2}", count: left))
    let position = "probe> \(text)".count - left
    try probe.wait(for: "the cursor") { $0.row == 3 + position / 30 && $0.column == position % 30 }
    for width in widths {
      probe.resize(columns: width)
      probe.printAbove("at \(width)\n")
      try probe.wait(for: "the line below") { $0.row >= 4 && $0.lines.joined().hasSuffix("at \(width)probe> \(text)") }
    }
    probe.resize(columns: 200)
    probe.printAbove("wide\n")
    try probe.wait(for: "one row") {
      $0.lines.contains("wide") && $0.cursorLine == "probe> \(text)" && $0.column == position
    }
    let above = (1...3).map { "above \($0)" } + widths.map { "at \($0)" } + ["wide"]
    #expect(probe.screen.lines == above + ["probe> \(text)"])
  }
}
