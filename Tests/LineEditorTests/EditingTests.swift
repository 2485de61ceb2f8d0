import Glibc
import Testing

@Suite("Editing a line on a terminal")
struct EditingTests {
  @Test func aLineIsDelivered() throws {
    let probe = try ProbeTerminal()
    probe.type("hello\r")
    try probe.waitForLine(#"line("hello")"#)
    try probe.waitForCursorLine("probe>")
    #expect(probe.screen.lines == ["probe> hello", #"line("hello")"#, "probe>"])
    #expect(probe.screen.column == 7)
  }

  @Test func linesTypedAheadAreAllDeliveredAndSeen() throws {
    let probe = try ProbeTerminal()
    probe.type("one\rtwo\rthree\r")
    try probe.waitForLine(#"line("three")"#)
    try probe.waitForCursorLine("probe>")
    let seen = ["one", "two", "three"].flatMap { ["probe> \($0)", "line(\"\($0)\")"] }
    #expect(probe.screen.lines == seen + ["probe>"])
  }

  @Test func anUmlautIsOneCharacter() throws {
    let probe = try ProbeTerminal(environment: ["LANG": "C.UTF-8"])
    probe.type("xü\u{7F}y\r")
    try probe.waitForLine(#"line("xy")"#)
  }

  /// Over half a character readline's functions for words would go round for ever; here they are moved over it in vi's way.
  @Test(arguments: [[0xE5, 0xAD], [0xFF], [0xF0, 0x9F, 0x98], [0xC3, 0xC3]] as [[UInt8]])
  func bytesThatAreNoCharacterAreReplaced(bytes: [UInt8]) throws {
    let probe = try ProbeTerminal(environment: ["LANG": "C.UTF-8"])
    probe.type("ab" + "\u{1}" + "\u{1B}\n")
    probe.type([0x61] + bytes)
    probe.type("\u{1B}0eEEwWbB=*\u{1B}ddi")
    probe.type([0x78] + bytes + [0x79, 0x0D])
    let replacement = String(repeating: "\u{FFFD}", count: bytes == [0xC3, 0xC3] ? 2 : 1)
    try probe.waitForLine("line(\"x\(replacement)y\")")
  }

  @Test func ctrlCDropsTheLineBehindItsEnd() throws {
    let probe = try ProbeTerminal()
    probe.type("half a line\u{2}\u{2}\u{2}")
    try probe.wait(for: "the cursor to move") { $0.column == 15 }
    probe.type("\u{3}")
    try probe.waitForCursorLine("probe>")
    #expect(probe.screen.lines == ["probe> half a line^C", "interrupted(hadText: true)", "probe>"])
    probe.type("x\r")
    try probe.waitForLine(#"line("x")"#)
  }

  @Test func ctrlCOnAnEmptyLineSaysSo() throws {
    let probe = try ProbeTerminal()
    probe.type("\u{3}")
    try probe.waitForLine("interrupted(hadText: false)")
    #expect(probe.screen.lines.first == "probe> ^C")
  }

  @Test func ctrlCEndsASearch() throws {
    let probe = try ProbeTerminal()
    try probe.enter("find me")
    probe.type("\u{12}fin")
    try probe.waitForCursorLine("(reverse-i-search)`fin': find me")
    probe.type("\u{3}")
    try probe.waitForLine("interrupted(hadText: true)")
    try probe.waitForCursorLine("probe>")
    #expect(probe.screen.lines.contains("probe> find me^C"))
  }

  @Test func ctrlCReachesARunningCommandOnce() throws {
    let probe = try ProbeTerminal()
    probe.type("sleep\r")
    try probe.waitForLine("running")
    #expect(probe.isInUsualMode)
    probe.type("\u{3}")
    try probe.waitForLine("^Ctaken true false")
    probe.type("next\r")
    try probe.waitForLine(#"line("next")"#)
    #expect(!probe.screen.lines.contains { $0.contains("interrupted") })
  }

  @Test func ctrlDLeavesOnlyAnEmptyLine() throws {
    let probe = try ProbeTerminal()
    probe.type("abc\u{1}\u{4}\r")
    try probe.waitForLine(#"line("bc")"#)
    try probe.waitForCursorLine("probe>")
    probe.type("\u{4}")
    #expect(try probe.waitForEnd() == 0)
    #expect(probe.screen.lines.suffix(3) == ["probe>", "endOfInput", ""])
    #expect(probe.isInUsualMode)
  }

  /// The kernel hands a Ctrl-D that came in canonical mode over as a NUL.
  @Test func ctrlDTypedWhileACommandRunsStillLeaves() throws {
    let probe = try ProbeTerminal()
    probe.type("sleep\r")
    try probe.waitForLine("running")
    probe.type("\u{4}")
    // A signal sent so, unlike a Ctrl-C, leaves what is typed ahead.
    probe.signal(SIGINT)
    #expect(try probe.waitForEnd() == 0)
    #expect(probe.screen.lines.contains("endOfInput"))
  }

  @Test func ctrlSpaceTypedWhileACommandRunsIsNoCtrlD() throws {
    let probe = try ProbeTerminal()
    probe.type("sleep\r")
    try probe.waitForLine("running")
    probe.type("\0")
    probe.signal(SIGINT)
    probe.type("on\r")
    try probe.waitForLine(#"line("on")"#)
  }

  @Test func ctrlSpaceTypedAfterALineWhileACommandRunsIsNoCtrlD() throws {
    let probe = try ProbeTerminal()
    probe.type("sleep\r")
    try probe.waitForLine("running")
    probe.type("next\r\0")
    probe.signal(SIGINT)
    try probe.waitForLine(#"line("next")"#)
    try probe.waitForCursorLine("probe>")
    probe.type("on\r")
    try probe.waitForLine(#"line("on")"#)
  }

  @Test func aPasteOfThreeLinesIsOneLine() throws {
    let probe = try ProbeTerminal()
    probe.type("\u{1B}[200~one\ntwo\tx\nthree\u{1B}[201~")
    try probe.waitForCursorLine("three")
    probe.type("\r")
    try probe.waitForLine(#"line("one\ntwo\tx\nthree")"#)
  }

  /// Of a return and a line feed the second is no line of its own; two returns are two lines.
  @Test func aPasteWithOtherLineEndsHasTheSameLines() throws {
    let probe = try ProbeTerminal()
    probe.type("\u{1B}[200~one\r\ntwo\r\r\nthree\n\nfour\rfive\u{1B}[201~")
    try probe.waitForCursorLine("five")
    probe.type("\r")
    try probe.waitForLine(#"line("one\ntwo\n\nthree\n\nfour\nfive")"#)
  }

  @Test func aPasteThatNeverEndsIsLeftByCtrlC() throws {
    let probe = try ProbeTerminal()
    probe.type("\u{1B}[200~one")
    // Nothing is shown of a paste before its end.
    try probe.waitUntilTaken()
    probe.signal(SIGINT)
    try probe.waitForLine("interrupted(hadText: true)")
    probe.type("two\r")
    try probe.waitForLine(#"line("two")"#)
  }

  @Test func aDumbTerminalGetsNoControlSequence() throws {
    let probe = try ProbeTerminal(environment: ["TERM": "dumb"])
    probe.type("show tas")
    try probe.waitForCursorLine("probe> show tas")
    probe.printAbove("above\n")
    try probe.waitForLine("above")
    probe.type("ks\r")
    try probe.waitForLine(#"line("show tasks")"#)
    try probe.waitForCursorLine("probe>")
    probe.type("counter.\t")
    try probe.waitForLine("counter.increment  counter.decrement")
    probe.type("\u{3}")
    try probe.waitForLine("interrupted(hadText: true)")
    try probe.waitForCursorLine("probe>")
    probe.type("\u{4}")
    #expect(try probe.waitForEnd() == 0)
    #expect(!probe.output.contains(0x1B))
    #expect(!probe.output.contains(0x01))
  }

  @Test func withoutATerminalThereIsNoEditor() throws {
    let probe = try ProbeTerminal(standardInput: "/dev/null")
    #expect(try probe.waitForEnd() == 1)
    #expect(probe.screen.lines.first == "failed: the line editor needs a terminal")
  }

  /// A search asks for each key by itself; the paste in it would take in Ctrl-C as one of its characters.
  @Test(arguments: ["\u{12}", "\u{1B}p"]) func aPasteIntoASearchThatNeverEndsIsLeftByCtrlC(search: String) throws {
    let probe = try ProbeTerminal()
    try probe.enter("earlier")
    probe.type(search)
    try probe.wait(for: "the search") { $0.cursorLine != "probe>" }
    probe.type("\u{1B}[200~one\u{3}")
    try probe.wait(for: "the interrupt") { $0.lines.contains { $0.hasPrefix("interrupted") } }
    try probe.waitForCursorLine("probe>")
  }

  /// A million times of what takes a moment would take minutes, in which nothing else is heard.
  @Test(arguments: ["\u{1B}9999999x", "\u{1B}9999999\u{16}x", "\u{14}"])
  func anArgumentCountsToAThousand(keys: String) throws {
    let probe = try Self.probe(settings: #""\C-t": "\e9999999x""#, columns: 200)
    probe.type(keys + "\r")
    let text = String(repeating: "x", count: 1000)
    try probe.wait(for: "a thousand") { $0.lines.joined().contains("line(\"\(text)\")") }
  }

  @Test func viHasNoNegativeArgument() throws {
    let probe = try Self.probe(settings: "set editing-mode vi\nset keymap vi-command\n\"-\": digit-argument")
    probe.type("ab\u{1B}x-9p\r")
    try probe.waitForLine(#"line("abbbbbbbbb")"#)
  }

  /// Tab may be one of readline's own functions, which choose from what Tab would.
  @Test func tabIsWhatTheUserHasBoundItTo() throws {
    let menu = try Self.probe(settings: #""\t": menu-complete"#)
    menu.type("counter.\t\r")
    try menu.wait(for: "the first") { $0.lines.joined().contains("line(\"counter.decrement") }
    menu.type("counter.\t\t\r")
    try menu.wait(for: "the second") { $0.lines.joined().contains("line(\"counter.increment") }
    let insert = try Self.probe(settings: #""\t": tab-insert"#)
    insert.type("di\tx\r")
    try insert.wait(for: "a tab") { $0.lines.joined().contains(#"line("di\tx")"#) }
  }

  /// Alt-* inserts all of them.
  @Test func readlinesOwnCompletionAsksTheSameCompleter() throws {
    let probe = try Self.probe(settings: "")
    probe.type("dispatch b\u{1B}*\r")
    try probe.wait(for: "the argument") { $0.lines.joined().contains("line(\"dispatch by") }
  }

  private static func probe(settings: String, columns: Int = 60) throws -> ProbeTerminal {
    var path = Array("/tmp/inputrc-XXXXXX".utf8CString)
    let file = fdopen(mkstemp(&path), "w")
    fputs(settings + "\n", file)
    fclose(file)
    defer { remove(path) }
    let name = String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    return try ProbeTerminal(columns: columns, environment: ["INPUTRC": name])
  }

  /// In a session of its own the probe has nobody who could continue it, so the kernel does not stop it.
  @Test func afterCtrlZTheLineComesBack() throws {
    let probe = try ProbeTerminal()
    probe.type("half\u{2}")
    try probe.wait(for: "the cursor to move") { $0.lines == ["probe> half"] && $0.column == 10 }
    probe.type("\u{1A}")
    try probe.wait(for: "the line again") { $0.lines == ["probe> half", "probe> half"] }
    probe.type("x\r")
    try probe.waitForLine(#"line("halxf")"#)
  }
}
