import Glibc
import TerminalSupport
import Testing

/// The line while it is typed, cell by cell: `<34>` and so on are the styles that are on, `<2>` is a hint.
@Suite("Typing")
struct TypingTests {
  /// Types keys behind a prompt and waits until the last rows look as they should.
  private func show(
    _ keys: String, _ rows: [String], columns: Int = 60, after lines: [String] = [],
    environment: [String: String] = [:]
  ) throws {
    let terminal = try Shell().prompt(environment: environment, columns: columns)
    for line in lines { try terminal.enter(line) }
    terminal.type(keys)
    try terminal.waitForPicture(rows)
  }

  @Test(arguments: [60, 120, 200]) func whatComesNextIsDim(columns: Int) throws {
    try show("dispatch tasks.add ", ["stsh> <34>dispatch<> tasks.add <2>title:String<>"], columns: columns)
    try show("dispatch ", ["stsh> <34>dispatch<> <2>ACTION [ARG=VALUE…] [--quiet] [--info TEXT]<>"], columns: columns)
  }

  @Test func namesAreColouredOnceTheyAreKnown() throws {
    try show("disp", ["stsh> disp"])
    try show("dispx", ["stsh> <31>dispx<>"])
    try show("dispatch tasks.ad", ["stsh> <34>dispatch<> tasks.ad"])
    try show("dispatch tasks.ad \"x", ["stsh> <34>dispatch<> <31>tasks.ad<> <33>\"x<>"])
    try show("try time show counter", ["stsh> <34>try<> <34>time<> <34>show<> counter"])
  }

  @Test func matchingBracketsAreMarkedWhileTheCursorIsThere() throws {
    try show("= (1 + 2)", ["stsh> <34>=<> <1;4>(<>1 + 2<1;4>)<>"])
    try show("= (1 + 2)\r", ["stsh> <34>=<> (1 + 2)", "3", "stsh>"])
  }

  @Test func theRestOfAPastLineIsTakenByItsKeys() throws {
    let terminal = try Shell().prompt(environment: [:], columns: 60)
    try terminal.enter("dispatch tasks.add milk --quiet")
    terminal.type("dispatch tasks.a")
    try terminal.waitForPicture(["stsh> <34>dispatch<> tasks.a<2>dd milk --quiet<>"])
    terminal.type("\u{1B}f")
    try terminal.waitForPicture(["stsh> <34>dispatch<> tasks.add<2> milk --quiet<>"])
    terminal.type("\u{1B}[C")
    try terminal.waitForPicture(["stsh> <34>dispatch<> tasks.add milk --quiet"])
    terminal.type("\r")
    try terminal.waitForPicture(["stsh> <34>dispatch<> tasks.add milk --quiet", "stsh>"])
    try terminal.enter("show tasks.nextId")
    #expect(terminal.screen.lines.suffix(2) == ["3", "stsh>"])
  }

  @Test func aLineOfSeveralRowsIsColouredInAllOfThem() throws {
    let text = String(repeating: "=", count: 49)
    try show("echo \"" + text, ["stsh> <34>echo<> <33>\"\(text.prefix(48))<>", "<33>=<>"])
    // The hint has the room of the last row.
    let terminal = try Shell().prompt(environment: [:], columns: 60)
    try terminal.enter("echo \(text)\(text)")
    terminal.type("echo \(text)")
    try terminal.waitForPicture(["stsh> <34>echo<> \(text)", "<2>\(text)<>"])
  }

  @Test func aHintIsCutToItsRow() throws {
    try show("dispatch ", ["stsh> <34>dispatch<> <2>ACTIO…<>"], columns: 22)
    try show(
      "dispatch ", ["stsh> <34>dispatch<> <2>ACTI...<>"], columns: 23, environment: ["LANG": "C", "LC_ALL": "C"])
  }

  @Test func wideCharactersTakeTheirColumns() throws {
    try show("echo \"日本語\" (\u{2}\u{6}", ["stsh> <34>echo<> \"日本語\" ("], columns: 60)
    let wide = String(repeating: "語", count: 30)
    try show(
      "echo \"" + wide,
      [
        "stsh> <34>echo<> <33>\"語語語語<>", "<33>語語語語語語語語語語<>", "<33>語語語語語語語語語語<>",
        "<33>語語語語語語<>",
      ], columns: 20)
  }

  @Test func linesThatArriveAboveLeaveItAsItIs() throws {
    let terminal = try Shell().prompt(program: "OrderBook", prompt: "orderbook>", columns: 60)
    terminal.type("watch book.trades\r")
    try terminal.wait(for: "a line of the watch") { $0.lines.contains { $0.hasPrefix("[watch 1] book.trades") } }
    try terminal.waitForCursorLine("orderbook>")
    terminal.type("show ")
    try terminal.waitForPicture(["orderbook> <34>show<> <2>[PATH|PROJECTION|VALUE] [--as FORMAT] [--j…<>"])
    let rows = terminal.screen.rows.count
    try terminal.wait(for: "more lines above") { $0.rows.count > rows + 5 }
    try terminal.waitForPicture(["orderbook> <34>show<> <2>[PATH|PROJECTION|VALUE] [--as FORMAT] [--j…<>"])
    let drawn = terminal.screen.picture.dropLast().filter { $0.contains("<") }
    #expect(drawn == ["orderbook> <34>watch<> book.trades"], "only the line itself is decorated")
  }

  @Test func aResizeDrawsItAnew() throws {
    let terminal = try Shell().prompt(environment: [:], columns: 60)
    terminal.type("dispatch tasks.add ")
    let row = "stsh> <34>dispatch<> tasks.add <2>title:String<>"
    try terminal.waitForPicture([row])
    terminal.resize(columns: 30)
    try terminal.waitForPicture(["stsh> <34>dispatch<> tasks.add <2>tit…<>"])
    terminal.resize(columns: 120)
    try terminal.waitForPicture([row])
    #expect(terminal.screen.lines.filter { !$0.isEmpty }.count == 1)
  }

  @Test func aSearchIsPlain() throws {
    let terminal = try Shell().prompt(environment: [:], columns: 60)
    try terminal.enter("dispatch tasks.add milk --quiet")
    terminal.type("dispatch ")
    try terminal.waitForPicture(["stsh> <34>dispatch<> <2>ACTION [ARG=VALUE…] [--quiet] [--info TEXT]<>"])
    terminal.type("\u{12}milk")
    try terminal.waitForPicture(["(reverse-i-search)`milk': dispatch tasks.add <7>milk<> --quiet"])
    terminal.type("\u{5}")
    try terminal.waitForPicture(["stsh> <34>dispatch<> tasks.add milk --quiet"])
  }

  /// Whatever ends the search.
  @Test(arguments: ["\u{A}", "\u{1B}", "\u{7}"]) func behindASearchTheLineHasItsColours(end: String) throws {
    let terminal = try Shell().prompt(environment: [:], columns: 60)
    try terminal.enter("dispatch tasks.add milk --quiet")
    terminal.type("show \u{12}milk")
    try terminal.waitForPicture(["(reverse-i-search)`milk': dispatch tasks.add <7>milk<> --quiet"])
    terminal.type(end)
    try terminal.waitForPicture([
      end == "\u{7}"
        ? "stsh> <34>show<> <2>[PATH|PROJECTION|VALUE] [--as FORMAT] [--json] …<>"
        : "stsh> <34>dispatch<> tasks.add milk --quiet"
    ])
  }

  /// The mode in front of the prompt, as somebody's inputrc has it.
  @Test func theModeInThePromptTakesItsColumns() throws {
    let shell = try Shell()
    try shell.folder.write(
      "inputrc",
      "set editing-mode vi\nset show-mode-in-prompt on\nset vi-ins-mode-string \"\\1\\e[1m\\2+\\1\\e[0m\\2 \"\n")
    let terminal = try shell.prompt(
      prompt: "+ stsh>", environment: ["INPUTRC": shell.folder.path + "/inputrc"], columns: 60)
    terminal.type("dispatch tasks.ad \"x")
    try terminal.waitForPicture(["<1>+<> stsh> <34>dispatch<> <31>tasks.ad<> <33>\"x<>"])
    terminal.type("\u{1B}")
    try terminal.waitForPicture(["(cmd)stsh> <34>dispatch<> <31>tasks.ad<> <33>\"x<>"])
  }

  @Test func aLineTallerThanTheScreenIsPlain() throws {
    let terminal = try Shell().prompt(environment: [:], columns: 20)
    terminal.type("echo " + String(repeating: "x", count: 468))
    try terminal.waitForPicture([String(repeating: "x", count: 19)])
    try terminal.wait(for: "its colours") { $0.picture[0] == "stsh> <34>echo<> xxxxxxxxx" }
    terminal.type("yy")
    try terminal.wait(for: "no colours") { !$0.picture.joined().contains("<34>") && $0.picture.last == "y" }
  }

  /// What comes after it stands below it.
  @Test func aTallLineThatIsLeftAtItsStartStaysAsItIs() throws {
    let terminal = try Shell().prompt(environment: [:], columns: 60)
    terminal.type("echo " + String(repeating: "x", count: 1600))
    try terminal.wait(for: "its end") { $0.cursorLine.hasSuffix("x") && $0.rows.count > 26 }
    terminal.type("\u{1}")
    try terminal.wait(for: "its start") { $0.column == 6 }
    terminal.type("\u{3}")
    try terminal.waitForCursorLine("stsh>")
    try terminal.enter("show counter.value")
    #expect(terminal.screen.lines.suffix(3) == ["stsh> show counter.value", "0", "stsh>"])
    #expect(terminal.screen.lines.dropLast(3).last?.hasSuffix("xx^C") == true)
  }

  @Test func aLineTallerThanTheScreenIsShownAroundItsCursor() throws {
    let terminal = try Shell().prompt(environment: [:], columns: 60)
    try terminal.enter("echo before")
    let lines = ["lua for i = 1, 1 do"] + (1...30).map { "  local t\($0) = \($0)" } + ["end"]
    let rows = ["stsh> \(lines[0])"] + lines.dropFirst()
    terminal.type("\u{1B}[200~\(lines.joined(separator: "\n"))\u{1B}[201~")
    try terminal.wait(for: "its end") { $0.window[...] == rows.suffix(24) && $0.cursorLine == "end" }
    terminal.type("\u{1}x")
    let changed = ["stsh> x\(lines[0])"] + rows.dropFirst()
    try terminal.wait(for: "its start") { $0.window[...] == changed.prefix(24) && $0.cursorLine == changed[0] }
    terminal.type("\u{4}\u{B}")
    try terminal.waitForPicture(["stsh> <31>x<>"])
    #expect(terminal.screen.window == ["stsh> x"])
    // Recalled, and run.
    terminal.type("\u{8}\u{1B}[200~\(lines.joined(separator: "\n"))\u{1B}[201~")
    try terminal.wait(for: "its end") { $0.cursorLine == "end" }
    terminal.type("\u{1}\r")
    try terminal.waitForCursorLine("stsh>")
    #expect(terminal.screen.lines.suffix(33) == (rows + ["stsh>"])[...])
    #expect(terminal.screen.lines.contains("stsh> echo before"))
    terminal.type("\u{10}")
    try terminal.wait(for: "it again") { $0.cursorLine == "end" }
    terminal.type("\u{10}")
    try terminal.waitForPicture(["stsh> <34>echo<> before"])
    try terminal.enter("\u{15}show counter.value")
    #expect(terminal.screen.lines.suffix(3) == ["stsh> show counter.value", "0", "stsh>"])
  }

  /// Whatever stands before the cursor: the prompt begins a row.
  @Test func outputWithoutAnEndOfLineIsLeftAsItIs() throws {
    let shell = try Shell()
    try ProgramFailure.check("mkfifo", mkfifo(shell.folder.path + "/f", 0o600))
    let terminal = try shell.prompt(environment: [:], columns: 60)
    try terminal.enter("echo hi | printf 'no end'")
    terminal.type("show tasks.summ")
    try terminal.waitForPicture(["no end<2>%<>", "stsh> <34>show<> tasks.summ"])
    terminal.type("\u{15}source f\r")
    try terminal.waitForKeys(false)
    terminal.type("show")
    try terminal.waitForCursorLine("show")
    // It has waited for this.
    close(open(shell.folder.path + "/f", O_WRONLY))
    try terminal.waitForPicture(["show<2>%<>", "stsh> <34>show<>"])
  }

  /// Without hints and colours nothing but readline writes, whatever the keys.
  @Test func offWritesNothingOfItsOwn() throws {
    func output(_ environment: [String: String], _ lines: [String]) throws -> String {
      let terminal = try Shell().prompt(environment: environment, columns: 60)
      for line in lines { try terminal.enter(line) }
      try terminal.enter("echo one")
      let before = terminal.output.count
      for (keys, line) in [
        ("disp\t", "stsh> dispatch"), ("tasks.\t", "stsh> dispatch tasks."), ("\u{15}\u{10}", "stsh> echo one"),
        ("\u{3}", "stsh>"), ("\u{12}one", "(reverse-i-search)`one': echo one"), ("\u{7}lua if true then\r", "lua>"),
        ("x = 1 end\r", "stsh>"), ("echo (\u{2}", "stsh> echo ("), ("\u{3}", "stsh>"),
      ] {
        terminal.type(keys)
        try terminal.waitForCursorLine(line)
        terminal.lookOn(milliseconds: 30)
      }
      return String(decoding: terminal.output[before...], as: UTF8.self)
    }
    let plain = try output(["NO_COLOR": "1"], [])
    #expect(try output([:], ["set hints off", "set highlight off"]) == plain)
    #expect(!plain.contains("\u{1B}7") && !plain.contains("%") && !plain.contains("\u{1B}[0"))
  }

  /// Byte for byte what was written before there were hints and colours.
  @Test(arguments: [
    (["NO_COLOR": "1"], []), (["TERM": "dumb"], []), ([:], ["set hints off", "set highlight off"]),
  ])
  func offIsOff(environment: [String: String], lines: [String]) throws {
    let terminal = try Shell().prompt(environment: environment, columns: 60)
    for line in lines { try terminal.enter(line) }
    let before = terminal.output.count
    terminal.type("dispatch tasks.add \"mi")
    try terminal.waitForCursorLine("stsh> dispatch tasks.add \"mi")
    #expect(String(decoding: terminal.output[before...], as: UTF8.self) == "dispatch tasks.add \"mi")
  }
}

extension Terminal {
  /// Waits until the last rows look as they should.
  func waitForPicture(_ rows: [String]) throws {
    try wait(for: "the picture \(rows); it is \(screen.picture.suffix(rows.count + 2))") {
      $0.picture.reversed().drop(while: \.isEmpty).prefix(rows.count).elementsEqual(rows.reversed())
    }
  }
}
