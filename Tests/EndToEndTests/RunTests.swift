import Glibc
import TerminalSupport
import Testing

@Suite("Runs that are checked, bounded and kept")
struct RunTests {
  @Test func checkRunsNothing() throws {
    let shell = try Shell()
    try shell.folder.write("good.stsh", "dispatch counter.increment\necho hello > made\n")
    #expect(try shell.run("--check", "good.stsh") == .init())
    #expect(contents(ofFile: shell.folder.path + "/made") == nil)
    try shell.folder.write("bad.stsh", "dispatch counter.incremnt\nshow tasks.itmes\n")
    let outcome = try shell.run("--check", "bad.stsh")
    #expect(outcome.errors.hasPrefix("bad.stsh:1:10: error[unknown-action]: "))
    #expect(outcome.errors.contains("bad.stsh:2:6: error[unknown-path]: "))
    #expect(outcome.errors.hasSuffix("2 of 2 commands failed\n"))
    #expect(outcome.status == 2)
    try shell.folder.write("worse.stsh", "dispatch counter.incremnt\nshow \"open\n")
    #expect(try shell.run("--check", "worse.stsh").status == 2)
    #expect(try shell.run("--check", "-c", "show nowhere").status == 1)
    #expect(try shell.run("--check", input: "echo \"open\n").status == 2)
  }

  @Test func aTildeIsTheUsersFolder() throws {
    let shell = try Shell()
    try shell.folder.write("house/x.stsh", "echo hello\n")
    let line =
      "mkdir -p house; HOME=$PWD/house stsh -c 'source ~/x.stsh' -c 'echo kept > ~/made' -c 'source \"~/x.stsh\"'"
    let outcome = try shell.runInShell(line)
    #expect(outcome.output.hasPrefix("hello\n-c:3:8: error[no-such-file]: ~/x.stsh: "))
    #expect(contents(ofFile: shell.folder.path + "/house/made") == "kept\n")
    #expect(try shell.runInShell("env -i $(command -v stsh) -c 'plugin list'").status == 0)
  }

  @Test func aRunThatTakesTooLongEndsWithFive() throws {
    let shell = try Shell()
    let waiting = try shell.run("--timeout", "100ms", "-c", "echo one", "-c", "wait 60s", "-c", "echo two")
    #expect(waiting.output == "one\n")
    #expect(waiting.errors == "-c:2:1: error[timed-out]: the run did not end within 0.1s\n  wait 60s\n")
    #expect(waiting.status == 5)
    let excused = try shell.run("--timeout", "100ms", "--keep-going", "-c", "try wait 60s", "-c", "echo two")
    #expect(excused.output == "")
    #expect(excused.status == 5)
    #expect(try shell.run("--timeout", "60s", "-c", "echo one") == .init(output: "one\n"))
    #expect(try shell.run("--timeout", "soon", "-c", "echo one").status == 2)
  }

  @Test func aPipeWithoutAnotherEndIsNotWaitedFor() throws {
    let shell = try Shell()
    try ProgramFailure.check("mkfifo", mkfifo(shell.folder.path + "/pipe", 0o600))
    let over = "error[timed-out]: the run did not end within 0.2s\n"
    #expect(try shell.run("--timeout", "200ms", "pipe") == .init(errors: over, status: 5))
    for command in ["source pipe", "ingest pipe --as tasks.add", "echo a > pipe"] {
      let outcome = try shell.run("--timeout", "200ms", "-c", command)
      #expect(outcome == .init(errors: "-c:1:1: \(over)  \(command)\n", status: 5), "\(command)")
    }
    #expect(try shell.runInShell("cat > script < pipe & echo 'echo $1' > pipe; wait; stsh script x").output == "x\n")
    #expect(try shell.runInShell("(sleep 0.2; cat pipe) & stsh -c 'echo a > pipe'; wait").output == "a\n")
    #expect(
      try shell.runInShell("(sleep 0.2; echo 'echo late') > pipe & stsh --timeout 60s pipe; wait").output == "late\n")
  }

  @Test func luaThatRunsIsStopped() throws {
    let outcome = try Shell().run("--timeout", "200ms", "-c", "lua while true do end", "-c", "echo two")
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("-c:1:1: error[timed-out]: the run did not end within 0.2s\n"))
    #expect(outcome.status == 5)
  }

  @Test(
    arguments: [(SIGINT, 130, "stopped by SIGINT (Ctrl-C)"), (SIGTERM, 143, "stopped by SIGTERM")]
      as [(Int32, Int32, String)])
  func aSignalCancelsTheCommandThatRuns(signal: Int32, status: Int32, message: String) throws {
    let shell = try Shell()
    var output: [Int32] = [0, 0]
    try ProgramFailure.check("pipe", pipe(&output))
    defer { for end in output { close(end) } }
    for end in output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    guard let errors = tmpfile() else { throw ProgramFailure("no temporary file") }
    defer { fclose(errors) }
    let running = try shell.start(
      ["--keep-going", "-c", "echo ready | cat", "-c", "wait 60s", "-c", "echo never"],
      descriptors: [(1, output[1]), (2, fileno(errors))])
    var answer = pollfd(fd: output[0], events: Int16(POLLIN), revents: 0)
    #expect(poll(&answer, 1, 60_000) == 1)
    kill(running.process, signal)
    #expect(try running.waitForEnd() == status)
    rewind(errors)
    let text = String(decoding: bytes(of: errors), as: UTF8.self)
    // Where the signal came between two commands there is none to tell of.
    let commands = [1: "echo ready | cat", 2: "wait 60s"]
    #expect(text == "" || commands.contains { text == "-c:\($0):1: error[interrupted]: \(message)\n  \($1)\n" })
  }

  @Test func aTranscriptHoldsStatementsAndWhatTheyPrint() throws {
    let shell = try Shell()
    try shell.folder.write("a.stsh", "dispatch tasks.add \\\n  milk\n")
    let outcome = try shell.run(
      "--transcript", "kept", "--color", "always", "--keep-going", "-c", "source a.stsh", "-c", "show nowhere", "-c",
      "echo hidden > file", "-c", "show tasks.items[*].title --as raw | tr a-z A-Z; false")
    #expect(outcome.status == 1)
    #expect(outcome.output.hasSuffix("MILK\n"))
    #expect(
      contents(ofFile: shell.folder.path + "/kept") == """
        stsh> source a.stsh
        stsh> dispatch tasks.add \\
            >   milk
        #1 tasks.add title="milk"
          tasks.nextId  1 -> 2
          tasks.items[id=1]  + { id = 1, title = "milk", done = false }
        stsh> show nowhere
        -c:2:6: error[unknown-path]: there is no module 'nowhere'
          show nowhere
               ^~~~~~~
        stsh> echo hidden > file
        stsh> show tasks.items[*].title --as raw | tr a-z A-Z; false
        MILK
        -c:4:36: error[failed]: tr a-z A-Z; false: ended with status 1
          show tasks.items[*].title --as raw | tr a-z A-Z; false
                                             ^~~~~~~~~~~~~~~~~~~
        2 of 5 commands failed

        """)
    #expect(try shell.run("--transcript", "no/such/folder", "-c", "echo x").status == 2)
  }

  @Test func aTranscriptHoldsWhatIsNoStatement() throws {
    let shell = try Shell()
    _ = try shell.run(["--transcript", "kept"], input: Array("echo one\necho \"\\q\"\n".utf8))
    let kept = try #require(contents(ofFile: shell.folder.path + "/kept"))
    #expect(kept.hasPrefix("stsh> echo one\none\nstsh> echo \"\\q\"\nstdin:2:"))
  }

  @Test func aTranscriptDoesNotTakeThePlaceOfWhatIsRead() throws {
    let shell = try Shell()
    try shell.folder.write("a.stsh", "echo x\n")
    for arguments in ["./a.stsh", "--replay a.stsh", "- < a.stsh"] {
      let outcome = try shell.runInShell("stsh --transcript a.stsh \(arguments)")
      #expect(
        outcome.output.hasPrefix(
          "error[command-line]: --transcript a.stsh: that file is the input; name another file\n"))
      #expect(outcome.status == 2)
    }
    #expect(contents(ofFile: shell.folder.path + "/a.stsh") == "echo x\n")
  }

  @Test func theInitFileIsInterrupted() throws {
    let shell = try Shell()
    try shell.folder.write("home/.config/stsh/init.stsh", "echo begun\nwait 1h\necho after\n")
    let terminal = try shell.prompt(prompt: "")
    try terminal.waitForLine("begun")
    terminal.type("\u{3}")
    try terminal.waitForCursorLine("stsh>")
    #expect(terminal.text.contains("error[interrupted]: stopped by Ctrl-C\n"))
    #expect(!terminal.text.contains("after"))
    try terminal.enter("show counter.value")
  }

  @Test func whatTheInitFileDidIsKeptWhenTheProgramIsToldToEnd() throws {
    let shell = try Shell()
    try shell.folder.write("home/.config/stsh/init.stsh", "dispatch counter.increment\necho begun\nwait 1h\n")
    let terminal = try shell.prompt(prompt: "")
    try terminal.waitForLine("begun")
    terminal.signal(SIGTERM)
    #expect(try terminal.waitForEnd() == 128 + SIGTERM)
    let next = try shell.prompt("--no-init")
    #expect(!next.text.contains("ended unexpectedly"))
  }

  @Test func anInterruptIsMeantForAllThatWasEntered() throws {
    let shell = try Shell()
    let terminal = try shell.prompt()
    terminal.type("\u{1B}[200~echo begun\nwait 1h\ndispatch counter.increment\u{1B}[201~\r")
    try terminal.waitForLine("begun")
    terminal.type("\u{3}")
    try terminal.waitForLine("note: the lines entered with it were not run")
    try terminal.waitForCursorLine("stsh>")
    try terminal.enter("show counter.value")
    #expect(terminal.screen.lines.contains("0"))
  }

  @Test(arguments: ["try", "time"]) func aLineIsNotTooDeepToRun(verb: String) throws {
    let line = String(repeating: "\(verb) ", count: 100_000) + "show counter"
    let outcome = try Shell().run(input: line)
    let column = 65 * (verb.utf8.count + 1) + 1
    #expect(
      outcome.errors.hasPrefix(
        "stdin:1:\(column): error[syntax]: more than 64 commands such as try stand before another one\n"))
    #expect(outcome.status == 2)
  }

  @Test func anInitFileThatCannotBeReadIsToldOf() throws {
    let shell = try Shell()
    try shell.folder.write("home/.config/stsh/init.stsh/inner", "")
    let terminal = try shell.prompt()
    try terminal.enter("echo ready")
    #expect(
      terminal.screen.lines.contains(
        "error[unreadable-file]: \(shell.folder.path)/home/.config/stsh/init.stsh: Is a directory"))
  }

  @Test func aDashIsStandardInput() throws {
    let outcome = try Shell().run("-", "world", input: "#!/usr/bin/env -S stsh\necho hello $1\n")
    #expect(outcome == .init(output: "hello world\n"))
  }

  @Test func theInitFileIsForThePromptAlone() throws {
    let shell = try Shell()
    try shell.folder.write(
      "home/.config/stsh/init.stsh",
      "alias up = dispatch counter.increment\nset output json\nnonsense\nplugin load catalog\necho ready\n")
    #expect(try shell.run("-c", "set output").output == "\"auto\"\n")
    let terminal = try shell.prompt()
    try terminal.enter("up")
    try terminal.enter("set --as raw")
    let text = terminal.text
    #expect(text.contains("init.stsh:3:1: error[unknown-command]: there is no command 'nonsense'\n"))
    #expect(text.contains("ready\n"))
    #expect(text.contains("#2 counter.increment\n"))
    #expect(text.contains("output\tjson\t\(shell.folder.path)/home/.config/stsh/init.stsh:2\n"))
    #expect(!text.contains("shell.loadPlugin"))
    let bare = try shell.prompt("--no-init")
    try bare.enter("up")
    #expect(bare.text.contains("there is no command 'up'"))
  }

  @Test func unsafeLuaIsForTheSessionAlone() throws {
    let shell = try Shell()
    #expect(try shell.run("-c", "= type(os)").errors != "" || shell.run("-c", "= type(os)").output == "\"nil\"\n")
    let outcome = try shell.run(
      "--unsafe-lua", "-c", "= type(os)", "-c", "echo x", "-c", "= ok", "-c", "= nothing == nil")
    #expect(outcome == .init(output: "\"table\"\nx\ntrue\ntrue\n"))
  }
}
