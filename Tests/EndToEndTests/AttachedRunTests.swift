import Glibc
import TerminalSupport
import Testing

/// Runs that something outside ends: attached they say and report the same as here.
@Suite("Attached runs")
struct AttachedRunTests {
  private static func shell() throws -> Shell {
    let shell = try Shell()
    try shell.folder.write("file.stsh", "echo first\nwait 1h\necho no\n")
    try shell.folder.write("step.stsh", "echo first\nstep one wait 1h\n")
    try shell.folder.write("try.stsh", "try wait 1h\nwait 1h\necho no\n")
    try shell.folder.write("failing.stsh", "nonsense\nwait 1h\necho no\n")
    return shell
  }

  /// What a command line of a shell prints, its status and its report, here and attached.
  private func outcomes(_ line: (_ stsh: String) -> String) throws -> (here: String, there: String) {
    let shell = try Self.shell()
    let server = try Server(shell)
    func outcome(_ options: String) throws -> String {
      let line = line("stsh \(options)")
      let times = "-e 's/time=\"[0-9.]*\"/time/g' -e 's/duration_ms: [0-9.]*/duration/'"
      let said = try shell.runInShell("rm -f r; \(line); echo status $?; sed \(times) r; true")
      return said.output.replacing(/"seconds":[0-9.]+/, with: "\"seconds\"")
    }
    return (try outcome(""), try outcome("--attach \(server.path)"))
  }

  @Test(arguments: ["-c '= 1'", "--json -c '= 1'", "- < one.stsh", "one.stsh"])
  func outputThatCannotBeWrittenIsAnError(_ arguments: String) throws {
    let shell = try Shell()
    try shell.folder.write("one.stsh", "= 1\n")
    let server = try Server(shell)
    for output in ["> /dev/full", ">&-"] {
      let said = try shell.runInShell("stsh --attach \(server.path) \(arguments) \(output); echo status $? >&2")
      #expect(
        said.output.contains("error[write-failed]: standard output") && said.output.hasSuffix("status 1\n"),
        "\(said.output)")
    }
  }

  /// The host keeps a run once its client has written all that it printed and its report.
  @Test(arguments: [
    ("", "> /dev/full", 1), ("", ">&-", 1), ("--json", "> /dev/full", 1), ("--report tap /dev/full", "> out", 1),
    ("", "> out", 0), ("--json", "> out", 0), ("--report tap report", "> out", 0),
  ])
  func whatCannotBeWrittenTakesAFileBack(options: String, output: String, status: Int) throws {
    let shell = try Shell()
    try shell.folder.write("one.stsh", "dispatch counter.increment\nstep a assert true\n")
    try shell.folder.write("quit.stsh", "dispatch counter.increment\nquit 0\ndispatch counter.increment\n")
    for file in ["one.stsh", "quit.stsh"] {
      let server = try Server(shell)
      let said = try shell.runInShell(
        "stsh --attach \(server.path) --all-or-nothing \(options) \(file) \(output); echo status $? >&2")
      #expect(said.output.hasSuffix("status \(status)\n"), "\(said.output)")
      // As JSON it would go where nothing can be written.
      let isTold = status != 0 && options != "--json"
      #expect(said.output.contains("takes back 1 action") == isTold, "\(said.output)")
      let value = try shell.run("--attach", server.path, "-c", "show counter.value")
      #expect(value.output == (status == 0 ? "1\n" : "0\n"), "\(file)")
    }
  }

  /// Whatever whoever started the client did to SIGPIPE: nobody has read the end of the run.
  @Test(arguments: ["--ignore-signal=PIPE", "--default-signal=PIPE"])
  func aReaderThatHasGoneTakesAFileBack(_ option: String) throws {
    let shell = try Shell()
    try shell.folder.write("one.stsh", "wait 300ms\ndispatch counter.increment\n")
    let server = try Server(shell)
    let said = try shell.runInShell(
      "(env \(option) stsh --attach \(server.path) --all-or-nothing one.stsh; echo status $? >&2) | true")
    #expect(said.output.hasSuffix("status 141\n"), "\(said.output)")
    let look = ["--attach", server.path, "-c", "wait until state.counter.value == 0 --timeout 10s", "-c", "log"]
    let log = try shell.run(look).output
    #expect(log.contains("shell.restore"), "\(log)")
  }

  @Test(arguments: [
    "-c 'wait 1h'", "-c 'echo a' -c 'wait 1h' -c 'echo no'", "file.stsh", "step.stsh", "- < file.stsh",
    "--json -c 'wait 1h'", "--json step.stsh", "--keep-going -c 'nonsense' -c 'wait 1h' -c 'echo no'",
    "--keep-going failing.stsh", "--json --keep-going - < failing.stsh",
  ])
  func theEndOfItsTimeIsToldAsHere(_ arguments: String) throws {
    for form in ["junit", "tap"] {
      let (here, there) = try outcomes { "\($0) --timeout 300ms --report \(form) r \(arguments)" }
      #expect(here.contains("timed-out") && here.contains("status 5"), "\(here)")
      #expect(there == here)
    }
  }

  /// An answer is there before the next line comes.
  @Test func standardInputIsAnsweredLineByLine() throws {
    let shell = try Shell()
    let server = try Server(shell)
    let said = try shell.runInShell(
      """
      mkfifo in out; stsh --attach \(server.path) - < in > out & exec 3> in 4< out
      echo '= 1' >&3; read -r one <&4; echo '= 2' >&3; read -r two <&4; exec 3>&-; echo $one $two
      """)
    #expect(said.output == "1 2\n")
  }

  /// A report replaces nothing that its own run wrote.
  @Test func aReportReplacesNoOtherResult() throws {
    let shell = try Shell()
    let said = try shell.runInShell("stsh --report tap r -c 'echo kept > r'; echo $?; cat r")
    #expect(said.output.contains("the run has written something else there"), "\(said)")
    #expect(said.output.hasSuffix("1\nkept\n"), "\(said)")
  }

  /// Checks go on behind one that fails, given as commands or on standard input, too.
  @Test func checksGoOnAsHere() throws {
    let checks = ["checks begin", "assert false", "assert true", "step z assert false", "checks end", "echo no"]
    let commands = checks.map { "-c '\($0)'" }.joined(separator: " ")
    for arguments in [commands, "- <<'END'\n\(checks.joined(separator: "\n"))\nEND\n"] {
      let (here, there) = try outcomes { "\($0) --report tap r \(arguments)" }
      #expect(here.contains("2 of 3 checks failed"), "\(here)")
      #expect(there == here, "\(there)")
    }
  }

  /// A report takes the place of no part of the host's store, not even of an empty one, nor of the lock of its door; and no store
  /// begins there.
  @Test func whatBelongsToAStoreIsNotReplaced() throws {
    let shell = try Shell()
    let said = try shell.runInShell(
      """
      stsh --quiet --store s.db -c 'dispatch counter.increment'
      stsh serve --store s.db --listen ./k 2> said & server=$!
      while ! test -s said; do sleep 0.05; done
      for file in s.db s.db-wal k.lock; do stsh --attach ./k --report tap $file -c '= 1'; echo status $?; done
      for name in s.db-wal s.db-journal; do stsh --store $name -c '= 1'; echo status $?; done
      stsh --attach ./k -c 'dispatch counter.increment --quiet'
      kill -9 $server; wait $server 2> /dev/null
      stsh --store s.db-journal -c '= 1'; echo status $?
      stsh --store s.db -c 'show counter.value' 2> /dev/null
      """)
    #expect(said.output.ranges(of: "status 1\n").count + said.output.ranges(of: "status 2\n").count == 6, "\(said)")
    #expect(said.output.hasSuffix("\n2\n"), "\(said)")
  }

  /// So is that of a run whose report nobody reads.
  @Test(arguments: ["--timeout 300ms", "--timeout 300ms --json", ""])
  func aReportThatNobodyReadsIsNotWaitedForLonger(_ limit: String) throws {
    let shell = try Shell()
    let server = try Server(shell)
    func outcome(_ options: String) throws -> String {
      try shell.runInShell(
        """
        [ -e f ] || mkfifo f
        rm -f out
        stsh \(options) \(limit) --report tap f -c 'echo x' > out 2>&1 & run=$!
        [ -n "\(limit)" ] || { until grep -qs x out; do sleep 0.02; done; kill $run; }
        wait $run; echo status $?; cat out
        """
      ).output
    }
    let here = try outcome("")
    #expect(here.hasPrefix(limit.isEmpty ? "status 143\n" : "status 5\n"), "\(here)")
    #expect(try outcome("--attach \(server.path)") == here)
  }

  /// Nor does a run go on whose results nobody reads, behind a pipe that stays open.
  @Test(arguments: ["--timeout 300ms", "--timeout 300ms --json", ""])
  func resultsThatNobodyReadsAreNotWaitedForLonger(_ limit: String) throws {
    let shell = try Shell()
    let server = try Server(shell)
    func outcome(_ options: String) throws -> String {
      try shell.runInShell(
        """
        [ -e f ] || mkfifo f
        rm -f begun
        sleep 1000 < f & reader=$!
        stsh \(options) \(limit) -c 'echo x > begun' -c 'echo $(("y"):rep(3000000))' > f 2> errors & run=$!
        [ -n "\(limit)" ] || { until [ -s begun ]; do sleep 0.02; done; kill $run; }
        wait $run; echo status $?
        { kill $reader; wait $reader; } 2> /dev/null
        """
      ).output
    }
    let here = try outcome("")
    #expect(here.hasPrefix(limit.isEmpty ? "status 143\n" : "status 5\n"), "\(here)")
    let there = try outcome("--attach \(server.path)")
    #expect(there == here, "\(there)")
  }

  /// What one statement prints before it waits is seen by then, and stays seen where the host dies.
  @Test(arguments: [
    "source long.stsh", "lua print('early') command('wait 1h')", "try source long.stsh", "--json -c 'source long.stsh'",
  ])
  func whatAStatementPrintsIsSeenWhileItWaits(_ statement: String) throws {
    let shell = try Shell()
    let server = try Server(shell)
    try shell.folder.write("long.stsh", "echo early\nwait 1h\n")
    let command = statement.hasPrefix("--") ? statement : "-c \"\(statement)\""
    let outcome = try shell.runInShell(
      """
      stsh --attach \(server.path) \(command) > out 2> errors & run=$!
      until grep -qs early out; do sleep 0.02; done
      kill -9 \(server.process); wait $run; echo status $?
      """)
    #expect(outcome.output == "status 6\n", "\(outcome)")
  }

  /// The reason is the end of the run, not the call of the system that it broke.
  @Test(arguments: ["show counter > f", "show counter >> f", "export state f", "source f"])
  func aWaitForAPipeEndsByItsReason(_ statement: String) throws {
    let shell = try Shell()
    let server = try Server(shell)
    let outcome = try shell.runInShell(
      """
      mkfifo f
      stsh --attach \(server.path) -c 'echo x > begun' -c '\(statement)' 2> errors & run=$!
      until [ -s begun ]; do sleep 0.02; done
      kill $run; wait $run; echo status $?; cat errors
      """)
    #expect(outcome.output.hasPrefix("status 143\n"), "\(outcome)")
    #expect(!outcome.output.contains("Interrupted system call"), "\(outcome)")
  }

  /// A `try` excuses no end of the run, and nothing keeps it going.
  @Test(arguments: ["", "--keep-going"]) func aTryDoesNotExcuseTheEnd(_ flags: String) throws {
    let (here, there) = try outcomes { "\($0) --timeout 300ms --report tap r \(flags) try.stsh" }
    func unnamed(_ text: String) -> String { text.replacing(/not ok 1 - .*/, with: "not ok 1") }
    #expect(here.contains("timed-out") && here.contains("status 5"), "\(here)")
    #expect(unnamed(there) == unnamed(here))
  }

  /// A run that waits for what it is to do, or for its script, ends so, too.
  @Test(arguments: ["", "--json", "/dev/stdin"])
  func theEndOfItsTimeIsToldWhileItWaits(_ arguments: String) throws {
    for input in ["sleep 1", "(echo echo a; sleep 1)"] {
      let (here, there) = try outcomes { "\(input) | \($0) --timeout 300ms --report junit r \(arguments)" }
      #expect(here.contains("the run did not end within 0.3s") && here.contains("status 5"), "\(here)")
      #expect(there == here)
    }
  }

  @Test(arguments: ["INT", "TERM"])
  func signalsAreToldOfAsHere(_ signal: String) throws {
    for arguments in ["-c 'echo first' -c 'wait 1h'", "file.stsh", "step.stsh", "--json file.stsh"] {
      // In the background of a shell without jobs SIGINT would be ignored. What stands before a wait is seen when that begins.
      let (here, there) = try outcomes { stsh in
        """
        rm -f out; (until grep -qs first out; do sleep 0.05; done 2> /dev/null; kill -\(signal) $(cat pid)) &
        sh -c 'echo $$ > pid; exec "$@"' - \(stsh) --report junit r \(arguments) > out
        status=$?; cat out; (exit $status)
        """
      }
      #expect(here.contains("stopped by SIG\(signal)"), "\(here)")
      #expect(there == here)
    }
  }

  /// Ctrl-C at a prompt is a key, of which an error may tell.
  @Test func ctrlCAtAPromptIsToldOfAsHere() throws {
    let shell = try Shell()
    let server = try Server(shell)
    for arguments in [[], ["--attach", server.path]] {
      let terminal = try shell.prompt(arguments, environment: [:])
      terminal.type("wait 1h\r")
      try terminal.waitForKeys(false)
      terminal.type("\u{3}")
      try terminal.wait(for: "the interruption") { $0.cursorLine == "stsh>" && $0.lines.contains("^C") }
      #expect(
        terminal.screen.lines.suffix(4) == ["stsh> wait 1h", "^C", "error[interrupted]: stopped by Ctrl-C", "stsh>"])
      terminal.type("\u{4}")
      #expect(try terminal.waitForEnd() == 0)
    }
  }

  /// With `--json` an event says that the store cannot be kept any more.
  @Test func aJournalThatCannotBeWrittenIsAnEvent() throws {
    let shell = try Shell()
    let outcome = try shell.runInShell(
      """
      (ulimit -f 2048; exec stsh serve --listen $PWD/door --store kept.db >/dev/null 2>&1) & server=$!
      while ! test -S door; do sleep 0.05; done
      stsh --attach $PWD/door --json -c "lua for i = 1, 2000 do dispatch('tasks.add', { title = ('x'):rep(1000) }) end" \
        -c 'dispatch counter.increment' 2> errors
      echo errors; cat errors; kill $server; wait
      """)
    let notes = outcome.output.split(separator: "\n").filter { $0.contains("kept in memory only") }
    // Each answer of which the file has nothing says so.
    #expect(!notes.isEmpty && notes.allSatisfy { $0.hasPrefix("{\"event\":\"note\",\"text\":\"") }, "\(outcome.output)")
    #expect(notes.first?.contains("note: ") == false)
    #expect(outcome.output.hasSuffix("errors\n"), "\(outcome.output)")
  }

  /// A text that is not UTF-8 is refused as here.
  @Test(arguments: [[], ["--json"]]) func whatIsNotUTF8IsRefused(_ flags: [String]) throws {
    let shell = try Shell()
    let server = try Server(shell)
    let bytes = Array("echo first\necho é\necho ".utf8) + [0xFF] + Array("\necho last\n".utf8)
    try shell.folder.write("a.stsh", bytes)
    for arguments in [["a.stsh"], ["-"]] {
      let there = try shell.run(["--attach", server.path] + flags + arguments, input: bytes)
      #expect(there == (try shell.run(flags + arguments, input: bytes)))
      #expect(there.status == 2)
    }
  }

  // MARK: While it runs

  @Test func outputComesAsItIsMade() throws {
    let shell = try Shell()
    try shell.folder.write(
      "x.stsh", "echo first\nstep one dispatch counter.increment\nwait until state.counter.value == 2\n= 'last'\n")
    let server = try Server(shell)
    // The script goes on only once its own first output was read.
    let said = try shell.runInShell(
      """
      mkfifo f; stsh --attach \(server.path) x.stsh > f & read line < f; echo "read $line"
      stsh --attach \(server.path) --quiet -c 'dispatch counter.increment'; wait
      """)
    #expect(said.output == "read first\n", "\(said.output)")
  }

  @Test func aRunWhoseHostDiesReportsWhatWasDone() throws {
    let shell = try Shell()
    try shell.folder.write("x.stsh", "echo first\nstep one dispatch counter.increment\nstep two wait 1h\n")
    let server = try Server(shell)
    let said = try shell.runInShell(
      """
      stsh --attach \(server.path) --report tap r.tap x.stsh > out 2> err & run=$!
      stsh --attach \(server.path) -c 'wait until state.counter.value == 1'
      for n in $(seq 300); do grep -qs 'ok   one' out && break; sleep 0.1; done
      kill -9 \(server.process); wait $run; echo status $?; cat out r.tap err
      """)
    #expect(said.output.hasPrefix("status 6\nfirst\n"), "\(said.output)")
    #expect(said.output.contains("\nok 1 - one\n"), "\(said.output)")
    #expect(said.output.contains("\nnot ok 2 - x.stsh:3: step two wait 1h\n"), "\(said.output)")
    #expect(said.output.contains("it was in the middle of: step two wait 1h"), "\(said.output)")
  }

  /// Of a text that has printed nothing yet the statement is named that was under way.
  @Test func theSilentStatementWhoseHostDiedIsNamed() throws {
    let shell = try Shell()
    try shell.folder.write("x.stsh", "atomic begin\ndispatch counter.increment --quiet\nwait 1h\natomic end\n")
    let server = try Server(shell)
    let said = try shell.runInShell(
      """
      stsh --attach \(server.path) x.stsh 2> err & run=$!
      until stsh --attach \(server.path) -c 'who --as csv' | grep -q 'wait 1h'; do sleep 0.05; done; sleep 0.3
      kill -9 \(server.process); wait $run; echo status $?; cat err
      """)
    #expect(said.output.hasPrefix("status 6\n"), "\(said.output)")
    #expect(said.output.contains("in the middle of: wait 1h\n"), "\(said.output)")
  }

  /// The case that fails has the name of the statement, however it was given.
  @Test(arguments: [
    ("-c 'echo first' -c 'wait 1h'", "-c:2: wait 1h"), ("- < y.stsh", "stdin:3: wait 1h"),
    ("y.stsh", "y.stsh:3: wait 1h"),
  ])
  func theStatementWhoseHostDiedIsNamed(arguments: String, name: String) throws {
    let shell = try Shell()
    try shell.folder.write("y.stsh", "# a note\necho first\nwait 1h\n")
    let server = try Server(shell)
    let said = try shell.runInShell(
      """
      stsh --attach \(server.path) --report junit r.xml \(arguments) > out 2> err & run=$!
      until grep -qs first out; do sleep 0.05; done
      until stsh --attach \(server.path) -c who | grep -q 'wait 1h'; do sleep 0.05; done
      kill -9 \(server.process); wait $run; echo status $?; cat r.xml
      """)
    #expect(said.output.hasPrefix("status 6\n"), "\(said.output)")
    #expect(said.output.contains("name=\"\(name)\""), "\(said.output)")
  }

  @Test func aStoppedHostIsNotWaitedForLongerThanItsTime() throws {
    let shell = try Shell()
    let server = try Server(shell)
    kill(server.process, SIGSTOP)
    defer { kill(server.process, SIGCONT) }
    let outcome = try shell.run("--timeout", "300ms", "--attach", server.path, "-c", "show counter")
    #expect(outcome.status == 5)
    #expect(outcome.errors.contains("error[timed-out]: the run did not end within 0.3s"), "\(outcome.errors)")
  }
}
