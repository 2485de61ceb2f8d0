import Glibc
import TerminalSupport
import Testing

/// Whatever blocks is ended by signals and by the end of the run's time.
@Suite("What blocks")
struct BlockingTests {
  private func pipe(in shell: Shell) throws {
    try ProgramFailure.check("mkfifo", mkfifo(shell.folder.path + "/f", 0o600))
  }

  @Test(arguments: [
    ["-c", "export state f"], ["-c", "export journal f"], ["-c", "export journal f --as stsh"],
    ["-c", "dispatch counter.increment > f"], ["-c", "show tasks >> f"], ["-c", "source f"],
    ["-c", "ingest f --as tasks.add"], ["--transcript", "f", "-c", "echo x"], ["f"],
    ["--check", "f"], ["--attach", "127.0.0.1:9", "--token-file", "f", "-c", "show counter"],
  ])
  func aPipeIsWaitedForUntilTheTimeIsOver(arguments: [String]) throws {
    let shell = try Shell()
    try pipe(in: shell)
    let outcome = try shell.run(["--timeout", "300ms"] + arguments)
    #expect(outcome.status == 5)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("error[timed-out]: the run did not end within 0.3s"), "\(outcome.errors)")
  }

  @Test(arguments: [
    ["-c", "export state f"], ["--transcript", "f", "-c", "echo x"], ["-c", "wait until false --timeout 1h"],
    ["--check", "f"], ["--attach", "127.0.0.1:9", "--token-file", "f", "-c", "show counter"],
    ["--unsafe-lua", "-c", "lua os.execute('sleep 1000')"],
    ["--unsafe-lua", "-c", "lua io.popen('sleep 1000'):close()"],
  ])
  func aSignalEndsTheWait(arguments: [String]) throws {
    let shell = try Shell()
    try pipe(in: shell)
    guard let output = tmpfile() else { throw ProgramFailure("no temporary file") }
    defer { fclose(output) }
    let running = try shell.start(arguments, descriptors: [(1, fileno(output)), (2, fileno(output))])
    usleep(400_000)
    kill(running.process, SIGTERM)
    #expect(try running.waitForEnd() == 143)
  }

  /// A server that takes connections and is silent, or one that is not there, is not waited for longer either, and the status is
  /// that of what ended the run.
  @Test(.enabled(if: DoorTests.hasPython), arguments: ["silent", "absent"], [5, 143])
  func aServerIsNotWaitedForLonger(server: String, status: Int32) throws {
    let shell = try Shell()
    let limit = status == 5 ? "--timeout 300ms" : ""
    let outcome = try shell.runInShell(
      """
      python3 -c 'import os, socket, time
      server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen(16)
      port = str(server.getsockname()[1])
      if "\(server)" == "absent": server.close()
      open("port~", "w").write(port); os.rename("port~", "port")
      time.sleep(120)' & server=$!
      until [ -e port ]; do sleep 0.02; done
      stsh \(limit) --store nats://127.0.0.1:$(cat port)/x -c 'echo x' 2> errors & run=$!
      [ -n "\(limit)" ] || { sleep 0.3; kill $run; }
      wait $run; echo status $?; kill $server; cat errors
      """)
    #expect(outcome.output.contains("status \(status)\n"), "\(outcome)")
    #expect(outcome.output.contains("the run did not end within 0.3s") == (status == 5), "\(outcome)")
  }

  /// A store that takes long to open ends so, too.
  @Test func aStoreThatIsOpenedIsNotWaitedForLonger() throws {
    let shell = try Shell()
    let made = try shell.run(
      "--store", "big.db", "--quiet", "--durability", "off", "-c",
      "lua for i = 1, 30000 do dispatch('tasks.add', { title = 'a' .. i }) end")
    #expect(made.status == 0, "\(made)")
    let outcome = try shell.run("--timeout", "1ms", "--store", "big.db", "-c", "show counter.value")
    #expect(outcome.status == 5 && outcome.output == "", "\(outcome)")
    #expect(outcome.errors.hasPrefix("error[timed-out]: the run did not end within"), "\(outcome)")
  }

  /// Nobody has to read errors for that.
  @Test(arguments: [1, 2]) func aSignalEndsARunThatNobodyReads(descriptor: Int32) throws {
    let shell = try Shell()
    let word = descriptor == 1 ? "echo" : "nonsense"
    try shell.folder.write(
      "many.stsh", String(repeating: "\(word) \(String(repeating: "x", count: 60))\n", count: 9000))
    let quiet = open("/dev/null", O_RDWR)
    var ends: [Int32] = [-1, -1]
    try ProgramFailure.check("pipe", Glibc.pipe(&ends))
    defer { for end in ends + [quiet] { close(end) } }
    let running = try shell.start(
      ["--keep-going", "many.stsh"], descriptors: [(0, quiet), (3 - descriptor, quiet), (descriptor, ends[1])])
    usleep(500_000)
    kill(running.process, SIGTERM)
    #expect(try running.waitForEnd() == 143)
  }

  /// Memory does not grow without end, and nothing is at fault.
  @Test(arguments: [
    ("ingest /dev/zero --as tasks.add --lines --map title=line", "line 1 has more than 64 MiB"),
    ("replay /dev/zero", "line 1 has more than 64 MiB"), ("import state /dev/zero", "it holds a NUL byte"),
    ("source /dev/zero", "it holds a NUL byte"),
  ])
  func aLineWithoutAnEndIsRefused(statement: String, message: String) throws {
    let outcome = try Shell().runInShell("ulimit -v 3000000; stsh -c '\(statement)'; echo status $?")
    #expect(outcome.output.contains(message), "\(outcome.output)")
    #expect(outcome.output.hasSuffix("status 2\n"), "\(outcome.output)")
  }

  @Test(arguments: [4, 6, 8, 12, 16]) func fewDescriptorsAreAnError(limit: Int) throws {
    let outcome = try Shell().runInShell(
      """
      bash -c 'for n in 3 4 5 6 7 8 9; do eval "exec $n>&-"; done; ulimit -n \(limit)
        exec stsh --timeout 1min -c "dispatch tasks.add a"'; echo status $?
      """)
    #expect(outcome.output.contains("this process may open \(limit) files"), "\(outcome.output)")
    #expect(outcome.output.hasSuffix("status 1\n"), "\(outcome.output)")
  }

  @Test func aReportThatNobodyReadsIsNotWaitedForLonger() throws {
    let shell = try Shell()
    try pipe(in: shell)
    let start = ContinuousClock.now
    let outcome = try shell.run("--timeout", "300ms", "--report", "tap", "f", "-c", "step a assert true")
    #expect(outcome.status == 5)
    #expect(outcome.errors == "error[timed-out]: the run did not end within 0.3s\n")
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  /// Nor is one who has opened the pipe of a transcript and takes nothing.
  @Test(arguments: ["--timeout 300ms", ""]) func aTranscriptThatNobodyReadsIsNotWaitedForLonger(limit: String) throws {
    let shell = try Shell()
    try pipe(in: shell)
    let outcome = try shell.runInShell(
      """
      exec 7<>f
      stsh \(limit) --transcript f -c 'lua for i = 1, 3000 do print(("x"):rep(60)) end' -c 'echo on' > printed & run=$!
      head -c 1 <&7 > first
      [ -n "\(limit)" ] || kill $run
      (sleep 60; kill -9 $run) & guard=$!
      wait $run; echo status $?; kill $guard; grep -c on printed
      """)
    #expect(outcome.output.hasSuffix(limit.isEmpty ? "status 143\n0\n" : "status 5\n0\n"), "\(outcome)")
  }

  @Test func aPipeThatIsReadGetsAll() throws {
    let shell = try Shell()
    try pipe(in: shell)
    let outcome = try shell.runInShell(
      "(sleep 0.2; cat f > got) & "
        + "stsh --timeout 100s -c 'lua for i = 1, 900 do dispatch(\"counter.increment\") end' -c 'export journal f'; "
        + "wait; wc -l < got")
    #expect(outcome.output.hasSuffix("wrote 900 actions to f\n901\n"), "\(outcome)")
  }

  /// A recording comes through a pipe once, and is replayed as often as it takes: with returns, and into a store.
  @Test func aRecordingComesThroughAPipe() throws {
    let shell = try Shell()
    try pipe(in: shell)
    let made = try shell.run([
      "-c", "lua for i = 1, 5 do dispatch('counter.increment') end", "-c", "undo --to 2", "-c",
      "dispatch counter.increment", "-c", "export journal r.jsonl", "--quiet",
    ])
    #expect(made.status == 0, "\(made)")
    for (arguments, expected) in [
      ("-c 'replay f --verify' -c 'show counter.value'", "replayed 7 actions, every state matches\n3\n"),
      ("--replay f -c 'show counter.value'", "3\n"),
      ("--store new.db -c 'replay f' -c 'show counter.value'", "replayed 7 actions\n3\n"),
    ] {
      let outcome = try shell.runInShell("cat r.jsonl > f & stsh \(arguments); wait")
      #expect(outcome.output == expected, "\(arguments): \(outcome)")
    }
    #expect(try shell.runInShell("stsh -c 'replay -' < r.jsonl").output == "replayed 7 actions\n")
    // Lines behind the recording are none of it, and an end that never comes is not waited for.
    let long = try shell.runInShell("(cat r.jsonl; yes '{}') > f & stsh -c 'replay f'; wait")
    #expect(long.output.contains("error[bad-recording]: f:9:"), "\(long)")
  }

  /// Lua with all of its libraries blocks in calls of the system, which end with the run.
  @Test(arguments: [
    "dofile('pipe')", "io.open('pipe')", "for line in io.lines('pipe') do end", "io.read()",
    "os.execute('sleep 1000')", "pcall(os.execute, 'sleep 1000')", "io.popen('sleep 1000'):read('a')",
    "io.popen('sleep 1000'):close()", "io.popen('sleep 1000', 'w'):write(('x'):rep(1000000))",
    "for line in io.popen('echo one; exec sleep 1000'):lines() do print(line) end",
  ])
  func luaThatReadsAPipeEndsWithTheRun(lua: String) throws {
    let shell = try Shell()
    try ProgramFailure.check("mkfifo", mkfifo(shell.folder.path + "/pipe", 0o600))
    let arguments = "--unsafe-lua --timeout 200ms -c \"lua \(lua)\" -c 'echo two' < /dev/null"
    // Nobody writes to it, or somebody holds it open, which ends the wait of an `open`.
    for line in ["stsh \(arguments)", "exec 3<>pipe; stsh \(arguments) < pipe"]
    where lua == "io.read()" ? line.contains("3<>") : lua != "io.open('pipe')" || !line.contains("3<>") {
      let outcome = try shell.runInShell(line)
      #expect(outcome.output.contains("error[timed-out]: the run did not end within 0.2s\n"), "\(outcome)")
      #expect(outcome.status == 5 && !outcome.output.contains("two"))
    }
  }

  /// The functions of Lua that start programs answer as Lua's manual says, whatever the parent of the shell did to SIGCHLD.
  @Test(arguments: [
    ("os.execute()", "true"), ("os.execute('exit 3')", "nil exit 3"), ("os.execute('true')", "true exit 0"),
    ("os.execute('kill -9 $$')", "nil signal 9"), ("io.popen('echo a; echo b'):read('a')", "a\nb\n"),
    ("io.popen('exit 4'):close()", "nil exit 4"), ("io.popen('cat > out', 'w'):write('text'):close()", "true exit 0"),
    ("io.type(io.popen('true'))", "file"),
    ("io.popen('exec cat <&-', 'w'):write(('x'):rep(1000000)):close()", nil),
  ])
  func programsOfLuaAreThoseOfItsManual(call: String, expected: String?) throws {
    let shell = try Shell()
    let line = "stsh --unsafe-lua -c \"lua print(\(call))\""
    for line in [line, "trap '' CHLD; exec \(line)"] {
      let outcome = try shell.runInShell(line.replacing("$$", with: "\\$\\$"))
      guard let expected else { return #expect(outcome.status < 128, "\(outcome)") }
      #expect(outcome.output.replacing("\t", with: " ") == expected + "\n", "\(outcome)")
    }
  }

  @Test(arguments: ["os.execute('touch made')", "io.popen('touch made'):close()"])
  func luaStartsNoProgramWhereThatIsForbidden(lua: String) throws {
    let shell = try Shell()
    let outcome = try shell.run("--unsafe-lua", "--no-exec", "-c", "lua \(lua)")
    #expect(outcome.errors.contains("programs may not be run here (--no-exec)"), "\(outcome)")
    #expect(access(shell.folder.path + "/made", F_OK) != 0)
  }

  /// The status of a program is the one that it ended with, whatever the parent of the shell did to SIGCHLD.
  @Test(arguments: [
    #"-c "show tasks | exit 7""#, #"-c "! exit 7""#, #"-c "show tasks | kill -9 \$\$""#,
    #"--timeout 300ms -c "! sleep 9""#,
    #"--keep-going -c "step a show tasks | exit 7" -c "! false""#,
    #"-c "lua local result = run('sh', '-c', 'exit 3') print(result.status) assert(result.status == 0)""#,
  ])
  func aStatusIsTheOneOfTheProgram(arguments: String) throws {
    let shell = try Shell()
    let here = try shell.runInShell("exec stsh \(arguments)")
    #expect(here.status != 0 && here.status < 128, "\(here)")
    #expect(try shell.runInShell("trap '' CHLD; exec stsh \(arguments)") == here)
  }

  @Test func anEditorEndsWithTheProgram() throws {
    let shell = try Shell()
    let terminal = try shell.prompt(environment: ["VISUAL": "touch opened; sleep 100; :"])
    terminal.type("echo hi\u{18}\u{5}")
    let limit = ContinuousClock.now + .seconds(30)
    while access(shell.folder.path + "/opened", F_OK) != 0, ContinuousClock.now < limit { usleep(1000) }
    terminal.signal(SIGTERM)
    #expect(try terminal.waitForEnd() == 143)
    #expect(terminal.isInUsualMode)
  }

  @Test func aPagerEndsWithTheProgram() throws {
    let shell = try Shell()
    let terminal = try shell.prompt(environment: ["PAGER": "touch opened; cat > /dev/null; sleep 100; :"])
    terminal.type("help log\rshow tasks\r")
    terminal.type("help show\rlua for i = 1, 200 do print(i) end\r")
    let limit = ContinuousClock.now + .seconds(30)
    while access(shell.folder.path + "/opened", F_OK) != 0, ContinuousClock.now < limit { usleep(1000) }
    terminal.signal(SIGTERM)
    #expect(try terminal.waitForEnd() == 143)
  }

  @Test func filesOfTheProgramThatArePipesHoldNobodyUp() throws {
    let shell = try Shell()
    try shell.folder.write("home/.local/state/stsh/x", "")
    try shell.folder.write("home/.config/stsh/x", "")
    for name in ["home/.local/state/stsh/grants.json", "home/.local/state/stsh/history"] {
      try ProgramFailure.check("mkfifo", mkfifo(shell.folder.path + "/" + name, 0o600))
    }
    let terminal = try shell.prompt()
    try terminal.enter("echo ready")
    #expect(terminal.text.contains("\nready\n"))
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
  }

  /// Where the user may have few threads and processes, a run goes on without them, or ends with an error that says so; it never hangs.
  @Test(
    .enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0 && access("/usr/bin/timeout", X_OK) == 0),
    arguments: 1...5)
  func fewThreadsHoldNobody(limit: Int) throws {
    let program = try Launch.path(of: "stsh")
    let start = """
      cd /; ulimit -u \(limit); export HOME=/; unset XDG_RUNTIME_DIR XDG_STATE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
      exec timeout -k 1 20 setpriv --reuid=65534 --regid=65534 --clear-groups \(program) "$@"
      """
    for arguments in [
      ["-c", "echo a | cat"], ["--timeout", "1s", "-c", "echo a | cat"], ["--timeout", "1s", "-c", "wait 60s"],
      ["--timeout", "1s", "-c", "run sleep 60"],
    ] {
      let outcome = try Shell().run(["-c", start, "-"] + arguments, program: "/bin/bash")
      switch outcome.status {
      case 0: #expect(outcome.output == "a\n", "\(arguments) \(outcome)")
      case 1:
        #expect(outcome.errors.contains("temporarily unavailable") || outcome.errors.contains("fork"), "\(outcome)")
      default: #expect(outcome.status == 5, "\(arguments) \(outcome)")
      }
    }
  }
}
