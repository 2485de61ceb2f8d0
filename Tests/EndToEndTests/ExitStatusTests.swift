import Glibc
import TerminalSupport
import Testing

@Suite("Exit statuses")
struct ExitStatusTests {
  @Test(
    arguments: [
      ("echo fine", 0), ("dispatch no.such", 1), ("show counter --nosuch", 2), ("source no.such.file", 2),
      ("echo \"open", 2), ("assert false", 3), ("plugin load no/such/folder", 4), ("plugin load pomodoro", 4),
      ("quit", 0), ("quit 4", 4), ("quit 77", 77),
    ] as [(String, Int32)])
  func ofOneCommand(command: String, status: Int32) throws {
    let outcome = try Shell().run("-c", command)
    #expect(outcome.status == status)
    #expect(outcome.errors.isEmpty == (status == 0 || command.hasPrefix("quit")))
  }

  @Test(arguments: [["--no-such-option"], ["-c"], ["--as", "nosuchformat", "-c", "echo x"], ["-c", "echo x", "f"]])
  func ofAnUnreadableCommandLine(arguments: [String]) throws {
    let outcome = try Shell().run(arguments)
    #expect(outcome.output == "")
    #expect(outcome.errors != "")
    #expect(outcome.status == 2)
  }

  @Test func keepGoingAnswersWithThatOfTheFirstFailure() throws {
    let outcome = try Shell().run("--keep-going", input: "assert false\ndispatch no.such\n")
    #expect(outcome.status == 3)
  }

  @Test func aClosedInputIsAnEmptyOne() throws {
    let program = try Launch.path(of: "stsh")
    let error = "-c:1:1: error[bad-record]: stdin has no records\n  try ingest - --as tasks.add\n"
    for (arguments, errors) in [("", ""), ("--check", ""), ("-c 'try ingest - --as tasks.add'", error)] {
      let outcome = try Shell().run("-c", "echo go | \(program) \(arguments) <&- >/dev/null && echo ended")
      #expect(outcome == .init(output: "ended\n", errors: errors), "\(arguments)")
    }
  }

  /// The report is there also where the reader of the output ends first.
  @Test func ofALostReader() throws {
    let run = "stsh --report tap r.tap -c 'step a run seq 1000000' -c 'step b assert true'"
    let outcome = try Shell().runInShell("(\(run) 2> errors; echo $? > status) | head -1; cat status r.tap")
    #expect(outcome.output.hasPrefix("1\n141\nTAP version 13\n"), "\(outcome)")
  }

  @Test func quitEndsAScript() throws {
    let outcome = try Shell().run(input: "echo one\nquit 5\necho two\n")
    #expect(outcome == .init(output: "one\n", status: 5))
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129), (SIGQUIT, 131)] as [(Int32, Int32)])
  func ofASignal(signal: Int32, status: Int32) throws {
    var input: [Int32] = [0, 0]
    var output: [Int32] = [0, 0]
    try ProgramFailure.check("pipe", pipe(&input))
    try ProgramFailure.check("pipe", pipe(&output))
    defer { for end in input + output { close(end) } }
    for end in input + output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let shell = try Shell()
    let running = try shell.start(["--store", "a.db"], descriptors: [(0, input[0]), (1, output[1])])
    // The answer tells that the program has started and waits for more.
    let line = Array("dispatch counter.increment\n".utf8)
    #expect(write(input[1], line, line.count) == line.count)
    var answer = pollfd(fd: output[0], events: Int16(POLLIN), revents: 0)
    #expect(poll(&answer, 1, 60_000) == 1, "what a command prints must not wait for the next command")
    kill(running.process, signal)
    #expect(try running.waitForEnd() == status)
    // The store was closed in order.
    #expect(try shell.run("--store", "a.db", "-c", "show counter.value") == .init(output: "1\n"))
  }

  @Test(arguments: ["TERM", "HUP"]) func aBlockedSignalIsHeardAnIgnoredOneIsNot(_ signal: String) throws {
    let shell = try Shell()
    func said(_ option: String) throws -> String {
      try shell.runInShell(
        "env --\(option)-signal=\(signal) stsh -c 'echo up > up' -c 'wait 1s' 2> /dev/null & "
          + "while ! test -s up; do sleep 0.01; done; kill -\(signal) $!; wait $!; echo status $?; rm up"
      ).output
    }
    #expect(try said("ignore") == "status 0\n")
    #expect(try said("block") == "status \(signal == "TERM" ? 143 : 129)\n")
  }

  /// Where there is no /proc the arguments are known all the same.
  @Test func theArgumentsComeFromTheSystem() throws {
    let shell = try Shell()
    let said = try shell.runInShell(
      "unshare --mount true 2> /dev/null || { echo 2; exit; }; "
        + "unshare --mount --fork sh -c 'mount -t tmpfs none /proc && stsh -c \"= 1 + 1\"' < /dev/null")
    #expect(said.output == "2\n", "\(said.output)")
  }

  @Test func aReaderThatGoesAwayEndsTheProgramSilently() throws {
    guard let errors = tmpfile() else { throw ProgramFailure("no temporary file") }
    defer { fclose(errors) }
    var output: [Int32] = [0, 0]
    try ProgramFailure.check("pipe", pipe(&output))
    for end in output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    close(output[0])
    let shell = try Shell()
    let running = try shell.start(
      ["-c", "echo one", "-c", "echo two"], descriptors: [(1, output[1]), (2, fileno(errors))])
    close(output[1])
    let status = try running.waitForEnd()
    rewind(errors)
    #expect(bytes(of: errors).isEmpty)
    #expect(status == 0 || status == 128 + SIGPIPE)
  }

  @Test func anInternalFaultLosesNoResult() throws {
    var input: [Int32] = [0, 0]
    try ProgramFailure.check("pipe", pipe(&input))
    guard let output = tmpfile() else { throw ProgramFailure("no temporary file") }
    defer {
      for end in input { close(end) }
      fclose(output)
    }
    for end in input { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let shell = try Shell()
    // The command that runs keeps its output; a file tells that it does.
    let mark = shell.folder.path + "/mark"
    let running = try shell.start(
      ["--unsafe-lua", "-c", "echo first", "-c", "lua io.open('\(mark)', 'w'):close() while true do end"],
      descriptors: [(0, input[0]), (1, fileno(output)), (2, fileno(output))])
    let limit = ContinuousClock.now + .seconds(60)
    while access(mark, F_OK) != 0, ContinuousClock.now < limit { usleep(1000) }
    kill(running.process, SIGSEGV)
    #expect(try running.waitForEnd() == 70)
    rewind(output)
    let text = String(decoding: bytes(of: output), as: UTF8.self)
    #expect(text.hasPrefix("first\n\nerror[internal]: stsh is at fault (SIGSEGV)"), "\(text)")
  }

  @Test func anInternalFaultLeavesACrashFile() throws {
    let shell = try Shell()
    let terminal = try shell.prompt()
    try terminal.enter("dispatch counter.increment")
    terminal.type("half a li")
    try terminal.waitForCursorLine("stsh> half a li")
    terminal.signal(SIGSEGV)
    #expect(try terminal.waitForEnd() == 70)
    #expect(terminal.isInUsualMode)
    let folder = shell.folder.path + "/home/.local/state/stsh/crashes"
    let file = try #require(names(inFolder: folder).first)
    #expect(
      terminal.text.contains("error[internal]: stsh is at fault (SIGSEGV); the crash file is \(folder)/\(file)\n"))
    let report = try #require(contents(ofFile: "\(folder)/\(file)"))
    #expect(report.hasPrefix("stsh 0.1.0\nSIGSEGV\n\nstack\n"))
    #expect(report.contains("/stsh("))
    #expect(report.contains("\nmemory\n"))
    // Nothing that was acknowledged is gone.
    #expect(try shell.run("--recover", "-c", "show counter.value").output == "1\n")
  }
}
