import Glibc
import TerminalSupport
import Testing

@Suite("Shell commands that results go to")
struct ShellCommandTests {
  @Test func oneThatRunsOnEndsWithTheRun() throws {
    let shell = try Shell()
    let outcome = try shell.run("--timeout", "200ms", "-c", "echo a | sh -c 'echo $$ > pid; sleep 60'; true")
    #expect(outcome.errors.hasPrefix("-c:1:1: error[timed-out]: the run did not end within 0.2s\n  echo a | sh -c "))
    #expect(outcome.status == 5)
    let process = try #require(contents(ofFile: shell.folder.path + "/pid").flatMap { pid_t($0.dropLast()) })
    // One that nobody has waited for yet has no command line any more.
    #expect((contents(ofFile: "/proc/\(process)/cmdline") ?? "") == "", "what the shell command started has ended too")
  }

  @Test func itsStatusIsRightWhateverTheParentIgnores() throws {
    let shell = try Shell()
    try shell.folder.write("s.stsh", "step a show tasks | exit 7\n")
    func outcome(_ words: String) throws -> String {
      try shell.runInShell("trap '' CHLD; exec stsh \(words)").output
    }
    #expect(try outcome("-c 'lua print(run(\"sh\", \"-c\", \"exit 3\").status)'") == "3\n")
    #expect(try outcome("-c 'lua print(run(\"sh\", \"-c\", \"kill -9 $$\").status)'") == "137\n")
    #expect(try outcome("-c 'show tasks | false'").contains("false: ended with status 1"))
    #expect(try outcome("-c 'show tasks | nosuchprogram'").contains("ended with status 127"))
    #expect(try outcome("s.stsh").contains("FAIL a"))
  }

  @Test func oneThatDoesNotListenIsKilled() throws {
    let outcome = try Shell().run("--timeout", "200ms", "-c", "echo a | trap '' TERM; sleep 60; true")
    #expect(outcome.status == 5)
  }

  @Test(
    arguments: [(SIGINT, 130, "stopped by SIGINT (Ctrl-C)"), (SIGTERM, 143, "stopped by SIGTERM")]
      as [(Int32, Int32, String)])
  func aSignalEndsIt(signal: Int32, status: Int32, message: String) throws {
    let shell = try Shell()
    var output: [Int32] = [0, 0]
    try ProgramFailure.check("pipe", pipe(&output))
    for end in output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    guard let errors = tmpfile() else { throw ProgramFailure("no temporary file") }
    defer { fclose(errors) }
    let running = try shell.start(
      ["--keep-going", "-c", "echo a | cat; sleep 60", "-c", "echo b"],
      descriptors: [(1, output[1]), (2, fileno(errors))])
    close(output[1])
    defer { close(output[0]) }
    var answer = pollfd(fd: output[0], events: Int16(POLLIN), revents: 0)
    #expect(poll(&answer, 1, 60_000) == 1)
    kill(running.process, signal)
    #expect(try running.waitForEnd() == status)
    rewind(errors)
    #expect(
      String(decoding: bytes(of: errors), as: UTF8.self)
        == "-c:1:1: error[interrupted]: \(message)\n  echo a | cat; sleep 60\n")
  }

  /// With a transcript, too, which holds what was printed, or what somebody was given who drew on the screen.
  @Test func oneThatDrawsFindsTheTerminal() throws {
    let shell = try Shell()
    let terminal = try shell.prompt("--transcript", "kept")
    try terminal.enter("echo plain | tr a-z A-Z; test -t 1 && stty size <&1")
    #expect(terminal.screen.lines.suffix(3) == ["PLAIN", "24 200", "stsh>"])
    terminal.type("echo drawn | cat > /dev/null; printf '\\033[H\\033[2J\\033[1;5Hshown\\r\\n'\r")
    try terminal.wait(for: "what was drawn") { $0.lines == ["    shown", "stsh>"] && $0.cursorLine == "stsh>" }
    try terminal.enter("echo colour | grep --color=always colour")
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
    let kept = (contents(ofFile: shell.folder.path + "/kept") ?? "").split(separator: "\n", maxSplits: 1)
    #expect(kept.first?.hasPrefix("stsh ") == true, "the line with which a prompt starts")
    #expect(
      kept.last.map(String.init) == """
        stsh> echo plain | tr a-z A-Z; test -t 1 && stty size <&1
        PLAIN
        24 200
        stsh> echo drawn | cat > /dev/null; printf '\\033[H\\033[2J\\033[1;5Hshown\\r\\n'
        drawn
        stsh> echo colour | grep --color=always colour
        colour

        """)
  }

  @Test func oneBehindATranscriptLearnsOfTheWindow() throws {
    let terminal = try Shell().prompt("--transcript", "kept")
    terminal.type("echo x | trap 'stty size <&1; exit' WINCH; echo ready; while :; do sleep 0.1; done\r")
    try terminal.waitForLine("ready")
    terminal.resize(columns: 90)
    try terminal.waitForLine("24 90")
    try terminal.waitForCursorLine("stsh>")
  }

  @Test func oneThatAsksForTheTerminalGetsIt() throws {
    let terminal = try Shell().prompt()
    terminal.type("echo a | cat; head -1 < /dev/tty; echo read\r")
    try terminal.waitForLine("a")
    terminal.type("typed\r")
    try terminal.wait(for: "the prompt after what was read") { $0.lines.contains("read") && $0.cursorLine == "stsh>" }
    #expect(terminal.text.contains("typed\ntyped\nread\n"))
    // `exec`: dash loses an interrupt that comes while it starts a command.
    terminal.type("echo a | stty sane < /dev/tty; echo ready; exec sleep 60\r")
    try terminal.waitForLine("ready")
    terminal.type("\u{3}")
    try terminal.wait(for: "the error") { $0.lines.contains("error[interrupted]: stopped by Ctrl-C") }
    try terminal.waitForCursorLine("stsh>")
    try terminal.enter("show counter.value")
    #expect(terminal.screen.lines.contains("0"))
  }
}
