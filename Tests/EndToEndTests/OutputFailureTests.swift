import Glibc
import TerminalSupport
import Testing

@Suite("Output that cannot be written")
struct OutputFailureTests {
  /// Runs the program with standard output on a device that is always full.
  private func runOnFullDevice(_ arguments: String...) throws -> Shell.Outcome {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    try ProgramFailure.check("/dev/full", full)
    defer { close(full) }
    return try run(arguments, output: full)
  }

  private func run(_ arguments: [String], output: Int32) throws -> Shell.Outcome {
    guard let errors = tmpfile() else { throw ProgramFailure("no temporary file") }
    defer { fclose(errors) }
    let shell = try Shell()
    let running = try shell.start(arguments, descriptors: [(1, output), (2, fileno(errors))])
    let status = try running.waitForEnd()
    rewind(errors)
    return Shell.Outcome(errors: String(decoding: bytes(of: errors), as: UTF8.self), status: status)
  }

  private static let message = "error[write-failed]: standard output: No space left on device\n"

  @Test func isAnErrorOfTheRun() throws {
    let failed = Shell.Outcome(errors: Self.message, status: 1)
    #expect(try runOnFullDevice("-c", "show counter") == failed)
    #expect(try runOnFullDevice("--json", "-c", "show counter") == failed)
    #expect(try runOnFullDevice("-c", "show counter", "-c", "quit") == failed)
    #expect(try runOnFullDevice("--completions", "bash") == failed)
    #expect(try runOnFullDevice("--manual") == failed)
    #expect(try runOnFullDevice("--help") == failed)
    #expect(try runOnFullDevice("--version") == failed)
  }

  /// What is opened while standard output is closed does not take its place.
  @Test func isTheSameWhereItIsClosed() throws {
    let failed = Shell.Outcome(errors: "error[write-failed]: standard output: Bad file descriptor\n", status: 1)
    #expect(try run(["-c", "show counter"], output: -1) == failed)
    #expect(try run(["--json", "--store", "a.db", "-c", "dispatch counter.increment"], output: -1) == failed)
    #expect(try run(["--version"], output: -1) == failed)
    #expect(try run(["-c", "let a = 1"], output: -1) == .init())
  }

  /// What a run has done is taken back, where its results do not arrive.
  @Test func takesAFileBackThatIsAllOrNothing() throws {
    let shell = try Shell()
    try shell.folder.write("one.stsh", "dispatch counter.increment\n")
    let said = try shell.runInShell(
      "stsh --store a.db --all-or-nothing one.stsh > /dev/full; echo status $? >&2; stsh --store a.db -c 'show counter.value'"
    )
    #expect(said.output.contains("takes back 1 action") && said.output.hasSuffix("status 1\n0\n"), "\(said.output)")
  }

  /// Whatever whoever started the program did to SIGPIPE.
  @Test(arguments: ["--ignore-signal=PIPE", "--block-signal=PIPE", "--default-signal=PIPE"])
  func aReaderThatHasGoneEndsTheRun(_ option: String) throws {
    let shell = try Shell()
    for line in ["wait 100ms", "lua print(('x'):rep(1000000))"] {
      try shell.folder.write("a.stsh", "\(line)\n= 1\nwait 10ms\ndispatch counter.increment --quiet\nrun touch ran\n")
      let said = try shell.runInShell(
        "(env \(option) stsh a.stsh; echo status $? >&2) | true; test ! -e ran || echo ran; true")
      #expect(said.output == "status 141\n", "\(said.output)")
    }
  }

  @Test func endsTheRunAsSoonAsItIsKnown() throws {
    let loop = "lua for i = 1, 10000 do print('a line of some length') end"
    #expect(
      try runOnFullDevice("-c", loop, "-c", "echo later > /dev/null", "-c", "assert false")
        == .init(errors: Self.message, status: 1))
    let kept = try runOnFullDevice("--keep-going", "-c", loop, "-c", "assert false")
    #expect(kept.errors.hasPrefix(Self.message + "-c:2:1: error[assert-failed]: "))
    #expect(kept.errors.hasSuffix("1 of 2 commands failed\n"))
    #expect(kept.status == 1)
  }

  @Test(
    arguments: [
      ("echo x > /dev/full", "-c:1:8: error[write-failed]: /dev/full: No space left on device"),
      ("echo x > /tmp", "-c:1:8: error[write-failed]: /tmp: Is a directory"),
      ("export state /dev/full", "-c:1:14: error[write-failed]: /dev/full: No space left on device"),
      ("export journal /dev/full", "-c:1:16: error[write-failed]: /dev/full: No space left on device"),
    ])
  func ofAFileIsAnErrorOfTheStatement(command: String, message: String) throws {
    let outcome = try Shell().run("-c", command)
    #expect(outcome.errors.hasPrefix(message + "\n"))
    #expect(outcome.status == 1)
  }

  @Test func ofAFileLeavesWhatStoodThere() throws {
    let shell = try Shell()
    let made = try shell.runInShell(
      "stsh -c 'dispatch tasks.add milk' -c 'show tasks > old.txt'; cp old.txt copy.txt; ulimit -f 4; "
        + "stsh -c 'show $(string.rep(\"x\", 100000)) --as raw > old.txt'; cmp old.txt copy.txt; ls -A")
    #expect(made.output.contains("error[write-failed]: old.txt: File too large"))
    #expect(made.output.hasSuffix("\ncopy.txt\nold.txt\n"), "\(made.output)")
  }

  @Test func ofAnAppendTakesBackWhatWasAdded() throws {
    let outcome = try Shell().runInShell(
      "printf old > f; ulimit -f 4; stsh -c 'lua s = (\"x\"):rep(100000)' -c 'echo $s >> f'; cat f")
    #expect(outcome.output.contains("error[write-failed]: f: File too large"))
    #expect(outcome.output.hasSuffix("\nold"), "\(outcome.output.suffix(100))")
  }

  /// A file that others hold by another name, or that is somebody else's, is the same file afterwards.
  @Test func whoHoldsAFileHoldsItAfterwards() throws {
    let outcome = try Shell().runInShell(
      "echo old > a; ln a b; stsh -c 'echo new > a'; cat b; echo old > own; chown 65534:65534 own 2> /dev/null; "
        + "stat -c %u:%g own > before; stsh -c 'echo newer > own'; stat -c %u:%g own | cmp - before && cat own")
    #expect(outcome.output == "new\nnewer\n")
  }

  /// What goes where standard output goes stands in its place among the rest.
  @Test func isSpelledAsAFileToo() throws {
    let shell = try Shell()
    let line = "stsh -c 'echo one' -c 'echo two > /dev/stdout' -c 'echo three >> /dev/stdout' -c 'echo four'"
    let all = "one\ntwo\nthree\nfour\n"
    #expect(try shell.runInShell("\(line) > out.txt; cat out.txt").output == all)
    #expect(try shell.runInShell("\(line) | cat").output == all)
  }

  @Test func ofTheTranscriptIsToldOf() throws {
    #expect(
      try Shell().run("--transcript", "/dev/full", "-c", "echo x")
        == .init(output: "x\n", errors: "error[write-failed]: /dev/full: No space left on device\n", status: 1))
  }
}
