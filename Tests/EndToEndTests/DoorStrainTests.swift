import Glibc
import TerminalSupport
import Testing

/// Doors that are slow, silent or given much, as `stsh --attach` meets them.
@Suite("Doors under strain")
struct DoorStrainTests {
  /// A prompt in the middle of a long statement whose door stands still.
  private func promptThatWaits(for server: Server, in shell: Shell) throws -> Terminal {
    let terminal = try shell.prompt("--attach", server.path)
    terminal.type("wait 1h\r")
    try terminal.waitForKeys(false)
    server.stop()
    return terminal
  }

  /// A prompt hears from the moment it is there.
  @Test func aPromptHearsBeforeItSays() throws {
    let shell = try Shell()
    try BrokenPlugin.write("weak", BrokenPlugin.reducing("error('no')"), to: shell)
    let server = try Server(shell, "-p", "bad/weak")
    let terminal = try shell.prompt("--attach", server.path)
    let json = try shell.prompt("--attach", server.path, "--json")
    for _ in 0..<3 { _ = try shell.run("--attach", server.path, "-c", "dispatch weak.inc") }
    try terminal.wait(for: "the note") {
      $0.lines.contains("note: weak is off after 3 failures in a row; plugin enable weak")
    }
    try json.wait(for: "the event") {
      $0.lines.contains(#"{"event":"note","text":"weak is off after 3 failures in a row; plugin enable weak"}"#)
    }
    #expect(try shell.run("--attach", server.path, "-c", "middleware on logger").status == 0)
    #expect(try shell.run("--attach", server.path, "-c", "dispatch counter.increment").status == 0)
    try terminal.wait(for: "the log") {
      $0.lines.contains { $0.contains("counter.increment  <- door:1 by ") }
    }
    for prompt in [terminal, json] {
      prompt.type("\u{4}")
      #expect(try prompt.waitForEnd() == 0)
    }
  }

  /// A run whose host is stopped ends at once, and says so; one whose door is merely silent ends by the second signal.
  @Test(.enabled(if: DoorTests.hasPython), arguments: [true, false])
  func aRunEndsWhoseDoorIsSilent(isStopped: Bool) throws {
    let shell = try Shell()
    let server = try Server(shell)
    let silent = """
      import os, socket, sys
      server = socket.socket(socket.AF_UNIX)
      server.bind(sys.argv[1] + '~')
      server.listen()
      os.rename(sys.argv[1] + '~', sys.argv[1])
      client, _ = server.accept()
      client.sendall(b'{"door":1,"program":"stsh","process":1,"prompt":"> "}\\n')
      lines = client.makefile('rb')
      lines.readline()
      client.sendall(b'{"who":"x"}\\n')
      for line in lines: open(sys.argv[1] + '.said', 'ab').write(line)
      """
    let path = isStopped ? server.path : shell.folder.path + "/silent"
    let quiet = open("/dev/null", O_RDWR)
    defer { close(quiet) }
    let other =
      try isStopped
      ? nil
      : shell.start(
        ["-c", silent, path], descriptors: [(0, quiet), (1, quiet), (2, quiet)], program: "/usr/bin/python3")
    defer { if let other { kill(other.process, SIGKILL) } }
    let errors = try #require(tmpfile())
    defer { fclose(errors) }
    while access(path, F_OK) != 0 { usleep(5000) }
    let client = try shell.start(
      ["--attach", path, "--quiet", "-c", "dispatch counter.increment", "-c", "wait 1h"],
      descriptors: [(0, quiet), (1, quiet), (2, fileno(errors))])
    if isStopped {
      // It is attached once it has acted.
      while try shell.run("--attach", path, "-c", "show counter.value").output != "1\n" {}
      server.stop()
      kill(client.process, SIGTERM)
    } else {
      func waitFor(_ text: String) { while contents(ofFile: "\(path).said")?.contains(text) != true { usleep(5000) } }
      waitFor("\"run\"")
      kill(client.process, SIGTERM)
      waitFor("\"interrupt\"")
      kill(client.process, SIGTERM)
    }
    #expect(try client.waitForEnd() == 143)
    rewind(errors)
    var block = [UInt8](repeating: 0, count: 4096)
    let count = fread(&block, 1, block.count, errors)
    let cause = isStopped ? "the process of the door at \(path) is stopped" : "the door at \(path) does not answer"
    #expect(
      String(decoding: block[..<count], as: UTF8.self) == "error[interrupted]: stopped by SIGTERM; \(cause)\n")
  }

  /// A socket that was removed comes back, with its folder where that has gone, too. The store is told; another file stays.
  @Test func aSocketThatIsRemovedComesBack() throws {
    let shell = try Shell()
    try shell.folder.write("run/x", "")
    let path = shell.folder.path + "/run/door"
    let server = try Server(shell, ["--store", "kept.db"], at: path)
    let terminal = try shell.prompt("--attach", path)
    let told = "the socket at \(path) was removed"
    unlink(path)
    try terminal.waitForLine("note: \(told); the door has made it again")
    #expect(try shell.run("--attach", path, "-c", "dispatch counter.increment --quiet") == Shell.Outcome())
    terminal.clearScreen()
    try shell.folder.write("notes", "mine")
    rename(shell.folder.path + "/notes", path)
    try terminal.waitForLine("note: \(told) and cannot be made again: another file is at \(path)")
    #expect(contents(ofFile: path) == "mine")
    unlink(path)
    try terminal.waitForLine("note: \(told); the door has made it again")
    terminal.clearScreen()
    _ = try shell.runInShell("rm -r run")
    try terminal.wait(for: "the note") { $0.lines.contains { $0.contains("\(told) and cannot be made again: ") } }
    try shell.folder.write("run/x", "")
    try terminal.waitForLine("note: \(told); the door has made it again")
    #expect(try shell.run("--attach", path, "-c", "show counter.value").output == "1\n")
    // One that listens is alone there, and what it has made goes with it.
    #expect(try shell.run("serve", "--listen", path).errors.contains("another process listens at"))
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
    #expect(try server.end(by: SIGTERM) == 143)
    #expect(names(inFolder: shell.folder.path + "/run") == ["x"])
  }

  @Test func theNameOfASocketCommandsNoTerminal() throws {
    let outcome = try Shell().run("--listen", "./a\u{1B}[31mb", "-c", "echo x")
    #expect(outcome == Shell.Outcome(output: "x\n", errors: "listening at ./a\\u{1b}[31mb\n"))
  }

  /// A door whose process has no descriptor left answers each client, and says why.
  @Test(arguments: [64, 160]) func fewDescriptorsAreAnswered(limit: Int) throws {
    let shell = try Shell()
    let program = try Launch.folderOfThisProgram() + "/stsh"
    // The tests may leave descriptors open to it.
    let start = """
      for file in /proc/self/fd/*; do [ ${file##*/} -gt 2 ] && eval "exec ${file##*/}>&-"; done 2> /dev/null
      ulimit -n \(limit); exec \(program) "$@"
      """
    let server = try Server(shell, ["--store", "kept.db"], program: "/bin/bash", before: ["-c", start, "-"])
    var clients: [DoorClient] = []
    var refused: [DoorClient] = []
    for number in 0..<200 {
      let client = try DoorClient(server.path)
      let line = try client.line()
      if line.contains("\"door\":1") {
        try client.send("{\"id\":\(number),\"run\":\"wait until false --timeout 1h\"}\n")
        clients.append(client)
      } else {
        #expect(line.contains("ulimit -n \(limit)"), "\(line)")
        refused.append(client)
      }
    }
    #expect(!refused.isEmpty && clients.count > 10)
    for client in clients {
      try client.send("{\"id\":\"end\",\"interrupt\":true}\n")
      while try !client.line().contains("\"id\":\"end\"") {}
    }
    (clients, refused) = ([], [])
    let answer = try shell.run("--attach", server.path, "--quiet", "-c", "dispatch counter.increment")
    #expect(answer == Shell.Outcome(), "\(answer)")
    #expect(try server.end(by: SIGTERM) == 143)
  }

  /// At a prompt Ctrl-C, again, ends the wait for a door that is silent.
  @Test func ctrlCLeavesASilentDoor() throws {
    let shell = try Shell()
    let server = try Server(shell)
    let terminal = try promptThatWaits(for: server, in: shell)
    terminal.type("\u{3}")
    try terminal.waitForLine("note: the door at \(server.path) does not answer; Ctrl-C again leaves")
    terminal.type("\u{3}")
    #expect(try terminal.waitForEnd() == 6)
    let lines = terminal.screen.lines.drop { $0 != "stsh> wait 1h" }
    #expect(
      lines.filter { !$0.isEmpty } == [
        "stsh> wait 1h", "^C", "note: the door at \(server.path) does not answer; Ctrl-C again leaves", "^C",
        "error[connection-lost]: the door at \(server.path) does not answer",
        "  no answer came to: wait 1h; whether it ran is not known here",
      ])
    #expect(terminal.isInUsualMode)
  }

  /// Who interrupts twice at once waits no longer than who waits for the note; a door that goes on meanwhile is not left.
  @Test func aSecondCtrlCIsNotForgotten() throws {
    let shell = try Shell()
    let server = try Server(shell)
    let terminal = try promptThatWaits(for: server, in: shell)
    terminal.type("\u{3}\u{3}")
    terminal.lookOn(milliseconds: 500)
    kill(server.process, SIGCONT)
    try terminal.wait(for: "the interruption") {
      $0.cursorLine == "stsh>" && $0.lines.contains("error[interrupted]: stopped by Ctrl-C")
    }
    server.stop()
    terminal.type("wait 1h\r")
    try terminal.waitForKeys(false)
    terminal.type("\u{3}")
    terminal.lookOn(milliseconds: 500)
    terminal.type("\u{3}")
    #expect(try terminal.waitForEnd() == 6)
    #expect(terminal.isInUsualMode)
  }

  /// The wait for a completion ends, and the line stays.
  @Test func ctrlCEndsTheWaitForACompletion() throws {
    let shell = try Shell()
    let server = try Server(shell)
    let terminal = try shell.prompt("--attach", server.path)
    terminal.type("dispatch counter.inc")
    try terminal.waitForCursorLine("stsh> dispatch counter.inc")
    server.stop()
    terminal.type("\t")
    try terminal.waitForSignals()
    terminal.type("\u{3}")
    terminal.type("x")
    try terminal.waitForCursorLine("stsh> dispatch counter.incx")
    terminal.type("\u{7F}")
    try terminal.waitForCursorLine("stsh> dispatch counter.inc")
    kill(server.process, SIGCONT)
    terminal.type("\t")
    try terminal.waitForCursorLine("stsh> dispatch counter.increment")
    // A key like any other it is again.
    terminal.type("\u{3}")
    try terminal.waitForCursorLine("stsh>")
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
    #expect(terminal.isInUsualMode)
  }

  /// What is longer than a request comes all the same, by standard input.
  @Test func longScriptsDoWhatTheyDoHere() throws {
    let shell = try Shell()
    let server = try Server(shell)
    let line = "let x = '" + String(repeating: "é", count: 1_500_000) + "'\n"
    let script = String(repeating: line, count: 4) + "= #x\n"
    try shell.folder.write("long.stsh", script)
    let here = try shell.run(["-"], input: Array(script.utf8))
    #expect(here.output.hasSuffix("3000000\n") && here.status == 0, "\(here.errors.prefix(300))")
    #expect(try shell.run(["--attach", server.path, "-"], input: Array(script.utf8)) == here)
    let file = try shell.run("--attach", server.path, "long.stsh")
    #expect(file.status == 2)
    #expect(
      file.errors.hasSuffix(
        "  hint: a script may be longer on standard input: stsh --attach \(server.path) < long.stsh\n"),
      "\(file.errors)")
  }

  /// Those who gave long lines and stay keep little of them.
  @Test(.enabled(if: DoorTests.hasPython)) func longLinesLeaveLittle() throws {
    let shell = try Shell()
    let server = try Server(shell)
    let client = """
      import json, re, socket, sys, time
      text = 'x' * 4_000_000
      statements = [f"lua local x = '{text}'", f"lua local x = '{text}' error('no')", f'echo {text}', f'rubbish {text}',
        'lua local t = {} for i = 1, 400000 do t[i] = i end']
      def used():
        return int(re.search(r'VmRSS:\\s+(\\d+)', open(f'/proc/{sys.argv[2]}/status').read())[1]) >> 10
      doors = []
      def ask(door, statement):
        door.write(json.dumps({'id': 1, 'run': statement}).encode() + b'\\n')
        door.flush()
        while b'"status":' not in door.readline()[-100:]: pass
      for index in range(15):
        door = socket.socket(socket.AF_UNIX)
        door.connect(sys.argv[1])
        doors.append(door.makefile('rwb'))
        doors[-1].readline()
        ask(doors[-1], '= 1')
      before = used()
      for index, door in enumerate(doors): ask(door, statements[index % len(statements)])
      for attempt in range(100):
        if used() - before < 64: break
        time.sleep(0.1)
      print(used() - before)
      """
    let outcome = try shell.run(
      program: "/usr/bin/python3", "-c", client, server.path, "\(server.process)")
    let megabytes = try #require(Int(outcome.output.dropLast()), "\(outcome)")
    #expect(megabytes < 64)
  }

  /// A statement that is too long is so there as here.
  @Test(arguments: [[], ["--keep-going"]]) func aStatementThatIsTooLongIsSoHere(_ flags: [String]) throws {
    let shell = try Shell()
    let server = try Server(shell)
    let script = "echo first\nlet x = '" + String(repeating: "é", count: 4_500_000) + "'\necho last\n"
    let here = try shell.run(flags + ["-"], input: Array(script.utf8))
    let there = try shell.run(["--attach", server.path] + flags + ["-"], input: Array(script.utf8))
    #expect(here.status == 2)
    #expect(there.status == here.status && there.output == here.output)
    #expect(there.errors == here.errors, "\(there.errors.prefix(400)) \(here.errors.prefix(400))")
  }

  /// So is that of a script.
  @Test func aStatementOfAScriptThatIsTooLongIsSoHere() throws {
    let shell = try Shell()
    let server = try Server(shell)
    try shell.folder.write("a.stsh", "echo first\nlet x = '" + String(repeating: "x", count: 9_000_000) + "'\n")
    for flags in [[], ["--json"]] {
      let here = try shell.run(flags + ["a.stsh"])
      let there = try shell.run(["--attach", server.path] + flags + ["a.stsh"])
      #expect(here.status == 2 && there.status == 2)
      #expect(there.output == here.output)
      let hint = here.errors.isEmpty ? "" : "  hint: put big data into a file and read it with ingest\n"
      #expect(there.errors == here.errors + hint, "\(there.errors.prefix(400)) \(here.errors.prefix(400))")
    }
  }

  /// Each of several `-c` has its number in errors, and a text of several lines is one.
  @Test(arguments: [
    ["echo a", "echo \"oops"], ["echo a\nnonsense", "echo b"], ["echo a", "= nil + 1"],
    ["lua x = {\n1,\n2 +}", "echo c"], ["echo a", "lua if x then"], ["echo a\necho b\necho \"oops"],
  ])
  func ordinalsAreThoseOfHere(_ commands: [String]) throws {
    let shell = try Shell()
    let server = try Server(shell)
    let arguments = commands.flatMap { ["-c", $0] }
    for flags in [[], ["--keep-going"], ["--json", "--keep-going"]] {
      #expect(try shell.run(["--attach", server.path] + flags + arguments) == shell.run(flags + arguments))
    }
  }

  /// A line end of two characters is one, in quoted Lua too.
  @Test(arguments: [
    "lua if #[[a\r\nb]] == 3 then\r\n  print('in')\r\nend\r\nnonsense\r\n", "assert $(1 +\r\n2) == 3\r\nnonsense\r\n",
    "echo a\r\nlua do\r\n  error('here')\r\nend\r\n", "= \"a\r\nb\"\r\n",
  ])
  func returnsAreNoPartOfLines(_ script: String) throws {
    let shell = try Shell()
    let server = try Server(shell)
    for text in [script, script.replacing("\r\n", with: "\n")] {
      try shell.folder.write("a.stsh", text)
      #expect(try shell.run("--attach", server.path, "a.stsh") == shell.run("a.stsh"))
      let input = Array(text.utf8)
      #expect(try shell.run(["--attach", server.path], input: input) == shell.run([], input: input))
    }
  }
}
