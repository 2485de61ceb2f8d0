import Glibc
import LineEditor
import Testing

/// A folder that goes when the test does.
private final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/line-editor-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ProbeTerminal.Failure(description: "no temporary folder") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    for name in ["/state/stsh/history", "/state/stsh", "/state", ""] { remove(path + name) }
  }

  var history: String { path + "/state/stsh/history" }

  func mode(_ name: String) -> mode_t {
    var status = stat()
    return stat(path + name, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  var bytes: String {
    var result = ""
    guard let file = fopen(history, "r") else { return "" }
    defer { fclose(file) }
    while case let byte = fgetc(file), byte != EOF { result.unicodeScalars.append(Unicode.Scalar(UInt8(byte))) }
    return result
  }

  func write(_ text: String) {
    guard let file = fopen(history, "a") else { return }
    fputs(text, file)
    fclose(file)
  }
}

@Suite("The history file")
struct HistoryFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func file() -> HistoryFile { HistoryFile(path: folder.history) { 1_700_000_000 } }

  @Test func nothingIsCreatedByReading() throws {
    var file = file()
    #expect(try file.load() == [])
    #expect(folder.mode("/state") == 0)
  }

  @Test func statementsAreKeptWithTheirTimesForTheirOwnerAlone() throws {
    var file = file()
    #expect(try file.append("show tasks"))
    #expect(try file.append("lua for i = 1, 2 do\n\n  print(i)\nend"))
    #expect(folder.bytes == "#1700000000\nshow tasks\n#1700000000\nlua for i = 1, 2 do\n\n  print(i)\nend\n")
    #expect(folder.mode("/state/stsh/history") == 0o600)
    #expect(folder.mode("/state/stsh") == 0o700)
    #expect(folder.mode("/state") == 0o700)
  }

  @Test func aFileThatOthersCouldReadIsClosedToThem() throws {
    var file = file()
    try file.append("one")
    chmod(folder.history, 0o644)
    try file.append("two")
    #expect(folder.mode("/state/stsh/history") == 0o600)
  }

  @Test(arguments: [
    ["one"], ["one", "two"], ["a\nb\n\nc"], ["ends in newlines\n\n", "next"], ["\nstarts with one"],
    ["echo\n#12\n# 12\n#12 \n#12  ", "#7", "#7!", "#7. ", "x"], ["ümläut 🙂", "tab\there"],
  ])
  func whatIsWrittenIsReadBack(statements: [String]) throws {
    var writer = file()
    for statement in statements { try writer.append(statement) }
    var reader = file()
    #expect(try reader.load() == statements)
  }

  /// A later session knows which statements failed when they were last given.
  @Test func theEndsOfStatementsAreKept() throws {
    var writer = file()
    for statement in ["one", "two"] {
      try writer.append(statement)
      try writer.noteEnd(of: statement, hasFailed: true)
    }
    try writer.noteEnd(of: "one", hasFailed: false)
    try writer.append("three")
    try writer.noteEnd(of: " secret", hasFailed: true)
    try writer.append("four")
    try writer.noteEnd(of: "four", hasFailed: true)
    #expect(try !writer.append("four"))
    try writer.noteEnd(of: "four", hasFailed: false)
    try writer.append("#12! x\n#12!\n#12.")
    #expect(
      folder.bytes == "#1700000000\none\n#1700000000!\n#1700000000\ntwo\n#1700000000!\n#1700000000\nthree\n"
        + "#1700000000\nfour\n#1700000000!\n#1700000000.\n#1700000000\n#12! x\n#12! \n#12. \n")
    var reader = file()
    let lines = try reader.lines()
    #expect(lines.map(\.text) == ["one", "two", "three", "four", "#12! x\n#12!\n#12."])
    #expect(lines.map(\.hasFailed) == [true, true, false, false, false])
  }

  @Test func spacesAndRepetitionsAreNotKept() throws {
    var file = file()
    #expect(try !file.append(" secret"))
    #expect(try !file.append(""))
    #expect(try !file.append(" \n\t"))
    #expect(try file.append("one"))
    #expect(try !file.append("one"))
    #expect(try file.append("two"))
    #expect(try file.append("one"))
    var next = self.file()
    #expect(try next.load() == ["one", "two", "one"])
    #expect(try !next.append("one"))
  }

  @Test func sessionsShareTheFile() throws {
    var first = file()
    var second = file()
    try first.append("a1\na2")
    try second.append("b")
    try first.append("c")
    var reader = file()
    #expect(try reader.load() == ["a1\na2", "b", "c"])
    #expect(try reader.load(limit: 2) == ["b", "c"])
  }

  @Test func eachSessionTakesInWhatTheOthersHaveAppended() throws {
    var first = file()
    var second = file()
    try first.append("before")
    #expect(try second.load() == ["before"])
    #expect(try second.loadNew() == [])
    try first.append("a1\na2")
    try second.append("own")
    try first.append("b")
    #expect(try second.loadNew() == ["a1\na2", "b"])
    #expect(try second.loadNew() == [])
    try second.append("own again")
    #expect(try second.loadNew() == [])
    #expect(try first.loadNew() == ["own", "own again"])
  }

  @Test func aFileThatWasShortenedMeanwhileHoldsNothingNew() throws {
    var file = file()
    try file.append("one")
    #expect(try file.load() == ["one"])
    truncate(folder.history, 0)
    #expect(try file.loadNew() == [])
    var other = self.file()
    try other.append("two")
    #expect(try file.loadNew() == ["two"])
  }

  @Test func aStatementCutShortDoesNotSwallowTheNext() throws {
    var file = file()
    try file.append("one")
    folder.write("#1700000000\nbroken of")
    try file.append("two")
    var reader = self.file()
    #expect(try reader.load() == ["one", "broken of", "two"])
  }

  @Test func aFileWithoutTimesIsOneStatement() throws {
    var file = file()
    try file.append("x")
    folder.write("by\nhand\n")
    var reader = self.file()
    #expect(try reader.load() == ["x\nby\nhand"])
  }

  @Test func aFolderThatCannotBeMadeIsAnError() throws {
    var file = HistoryFile(path: "/dev/null/stsh/history") { 0 }
    #expect(throws: LineEditorError.self) { try file.append("one") }
  }
}

@Suite("History at the prompt")
struct HistoryAtThePromptTests {
  @Test func aStatementOfSeveralLinesComesBackWholeInTheNextSession() throws {
    let folder = try TemporaryFolder()
    do {
      let probe = try ProbeTerminal(arguments: ["--history", folder.history])
      probe.type("\u{1B}[200~one\ntwo\u{1B}[201~\r secret\rlast\r")
      try probe.waitForLine(#"line("last")"#)
      #expect(folder.bytes == "#1700000000\none\ntwo\n#1700000000\nlast\n")
    }
    // The first program was killed, not asked to leave.
    let probe = try ProbeTerminal(arguments: ["--history", folder.history])
    probe.type("\u{10}\u{10}")
    try probe.waitForCursorLine("two")
    probe.type("!\r")
    try probe.waitForLine(#"line("one\ntwo!")"#)
    probe.type("history\r")
    try probe.waitForLine(#"["one\ntwo", "last", "one\ntwo!", "history"]"#)
  }

  @Test func theNextPromptFindsWhatAnotherSessionHasRun() throws {
    let folder = try TemporaryFolder()
    let first = try ProbeTerminal(arguments: ["--history", folder.history])
    let second = try ProbeTerminal(arguments: ["--history", folder.history])
    try second.enter("mine")
    try first.enter("theirs")
    try second.enter("")
    second.type("history\r")
    try second.waitForLine(#"["mine", "theirs", "history"]"#)
    // What another has entered since the prompt was shown is older than what is entered there.
    try first.enter("older")
    try second.enter("newer")
    second.type("\u{10}")
    try second.waitForCursorLine("probe> newer")
  }

  @Test func anInterruptedLineLeavesNoTraceInTheHistory() throws {
    let probe = try ProbeTerminal()
    try probe.enter("one")
    probe.type("draft\u{10}")
    try probe.waitForCursorLine("probe> one")
    probe.type("\u{3}")
    try probe.waitForLine("interrupted(hadText: true)")
    try probe.waitForCursorLine("probe>")
    probe.type("\u{10}\u{E}")
    probe.type("x\r")
    try probe.waitForLine(#"line("x")"#)
  }
}

@Suite("An external editor")
struct ExternalEditorTests {
  @Test func itIsGivenTheWholeStatement() throws {
    let probe = try ProbeTerminal(environment: ["VISUAL": "sed -i -e s/first/FIRST/ -e s/two/TWO/"])
    probe.type("open\r")
    try probe.waitForCursorLine("  (>")
    probe.type("one two\u{18}\u{5}")
    // The prompt is that of the first line, which stands there now.
    try probe.wait(for: "the whole statement") { screen in
      screen.cursorLine == "one TWO" && screen.lines.contains("probe> FIRST (line")
    }
    probe.type("!\r")
    try probe.waitForLine(#"statement("FIRST (line\none TWO!")"#)
    probe.type("plain\r")
    try probe.waitForLine(#"line("plain")"#)
  }

  @Test func aStatementThatIsGoneIsSaidAboveTheLine() throws {
    let probe = try ProbeTerminal(environment: ["EDITOR": "rm"])
    probe.type("precious\u{18}\u{5}!")
    try probe.wait(for: "the line below the reason") { screen in
      screen.lines.contains { $0.hasSuffix(": No such file or directory") } && screen.cursorLine == "probe> precious!"
    }
  }

  @Test func aFailureLeavesTheLine() throws {
    let probe = try ProbeTerminal(environment: ["EDITOR": "false"])
    probe.type("precious\u{18}\u{5}!\r")
    try probe.waitForLine(#"line("precious!")"#)
  }
}

extension HistoryFile {
  fileprivate mutating func load(limit: Int = 10_000) throws(LineEditorError) -> [String] {
    try lines(limit: limit).map(\.text)
  }

  fileprivate mutating func loadNew() throws(LineEditorError) -> [String] { try newLines().map(\.text) }
}
