import Glibc
import TerminalSupport
import Testing

/// Programs of statements run at the client, as they run here.
@Suite("Attached programs")
struct AttachedProgramTests {
  private static let scripts: KeyValuePairs = [
    "words.stsh": """
    let n = 2
    run printf '%s|' a --b -c=1 2 x=y
    run printf '%s\\n' --n=$n "$n y" $1
    run --stdin 'a b' cat
    run --in / pwd
    run pwd
    run printenv PLACE
    run sh -c 'echo $1' sh $(state.counter.value)

    """,
    "failures.stsh": """
    try run sh -c 'echo out; echo err >&2; exit 3'
    echo $(err.status) $(err.code)
    try run sh -c 'kill -9 $$'
    try run no-such-program
    try run --in none pwd
    try run "ls -l"
    try run --timeout 200ms sleep 60
    try lua run('false')
    run sh -c 'exit 7'
    echo no

    """,
    "lua.stsh": """
    = run('printf', 'a\\n b\\n').text
    lua local r = run('sh', '-c', 'echo a; echo b >&2; exit 4') print(r.status, r.ok, r.stdout, r.stderr)
    lua local r = run { 'cat', stdin = 'hi', cwd = '/', timeout = 5 } print(r.stdout, r.signal)
    lua function twice(x) return run('echo', x, x).text end
    = twice('a')
    assert run('false').status == 1
    try lua run { 'sleep', '60', timeout = 0.2 }
    try lua run { 'yes', max_bytes = 100 }
    lua command("run echo from command") command("run printf '%s\\\\n' " .. quote("a b"))
    let made = run('echo', arg[1]).text
    echo $made

    """,
    "prefixes.stsh": """
    step build run sh -c 'echo made'
    try step broken run sh -c 'echo made; echo why >&2; exit 2'
    retry 3 every 10ms run sh -c 'echo x >> tries; test $(wc -l < tries) -ge 2'
    try retry 2 every 10ms run sh -c 'echo no; exit 1'
    run rm tries
    checks begin
    run true
    run false
    step three run echo three
    checks end

    """,
    "results.stsh": """
    run echo a > out
    run cat out
    run sh -c 'echo b; exit 2' >> out
    """,
    "pipes.stsh": """
    run echo b | tr b c
    show counter.value --as raw | cat; echo "$1"
    run cat - | wc -c
    try run sh -c 'echo a; exit 2' | cat

    """,
  ]

  /// The same output, the same errors, the same status and the same report.
  @Test(arguments: scripts.map(\.key), ["", "--json", "--keep-going", "--report tap r"])
  func aScriptDoesTheSameAsHere(_ name: String, _ flags: String) throws {
    let shell = try Shell()
    for (name, text) in Self.scripts { try shell.folder.write(name, text) }
    // Folders and environments differ.
    try shell.folder.write("client/note", "")
    let server = try Server(shell)
    func outcome(_ options: String) throws -> String {
      try shell.runInShell(
        """
        cd client; rm -f r out; touch r; export PLACE=client
        stsh \(options) \(flags) ../\(name) one > said 2> errors; echo status $?
        cat said errors; sed -e 's/duration_ms: [0-9.]*/duration/' r
        """
      ).output.replacing(/"seconds":[0-9.]+/, with: "\"seconds\"")
    }
    let here = try outcome("")
    #expect(here.contains("status"), "\(here)")
    #expect(try outcome("--attach \(server.path)") == here)
  }

  /// So do statements of a command line and of standard input, at another's command.
  @Test func otherWaysToGiveStatementsDoTheSame() throws {
    let shell = try Shell()
    let server = try Server(shell)
    for arguments in [
      ["-c", "run echo a", "-c", "run sh -c 'exit 3'"], ["--json", "-c", "run printf 'a\\nb'"],
      ["--no-exec", "-c", "run echo a"], ["--no-exec", "-c", "= run('echo').ok"], ["-c", "run"],
      ["-c", "! echo a"], ["--timeout", "300ms", "-c", "run sleep 60"],
    ] {
      let here = try shell.run(arguments)
      #expect(try shell.run(["--attach", server.path] + arguments) == here, "\(arguments)")
    }
    let text = "run echo a\nlua function f() return run('echo', 'f').text end\n= f()\nrun sh -c 'exit 3'\n"
    let here = try shell.run("-", input: text)
    #expect(try shell.run("--attach", server.path, "-", input: text) == here)
  }

  /// What a program writes is shown as it comes, byte by byte as it is, and no end of the connection holds it.
  @Test func muchOutputStreamsThrough() throws {
    let shell = try Shell()
    let server = try Server(shell)
    func peak(_ process: pid_t) -> Int {
      let lines = contents(ofFile: "/proc/\(process)/status")?.split(separator: "\n") ?? []
      return lines.first { $0.hasPrefix("VmHWM:") }.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }
    _ = try shell.run("--attach", server.path, "-c", "run true")
    let before = peak(server.process)
    let said = try shell.runInShell(
      """
      stsh --attach \(server.path) -c "run sh -c 'head -c 67108864 /dev/zero; grep VmHWM /proc/\\$PPID/status >&2'" \\
        2> peak | wc -c
      cat peak
      stsh --attach \(server.path) -c "lua local n = 0 for _ = 1, 8 do
        n = n + #run { 'head', '-c', '8388608', '/dev/zero' }.stdout end print(n)"
      """)
    let lines = said.output.split(separator: "\n")
    try #require(lines.count == 3, "\(said)")
    #expect(lines[0] == "67108864" && lines[2] == "67108864", "\(said)")
    #expect(Int(lines[1].split(separator: " ")[1]).map { $0 < 120_000 } == true, "\(said)")
    #expect(peak(server.process) - before < 150_000, "\(before) to \(peak(server.process)) kB")
  }

  /// What a client runs ends with it also if it is killed, with all that it has started. What a command line that is over has left
  /// behind goes on.
  @Test(arguments: ["run", "lua", "pipe"], [true, false])
  func whatRunsEndsWithAKilledClient(_ form: String, _ isAttached: Bool) throws {
    let shell = try Shell()
    let server = try Server(shell)
    let program = "trap \"\" TERM; echo $$ > process; sleep 1000 & echo $! > child; wait"
    let statement = [
      "run": "run sh -c '\(program)'", "lua": "lua run('sh', '-c', [[\(program)]])", "pipe": "echo a | { \(program); }",
    ][form]
    try shell.folder.write(
      "x.stsh", "echo a | { sleep 1000 > /dev/null & echo $! > left; }\n\(try #require(statement))\n")
    let said = try shell.runInShell(
      """
      stsh \(isAttached ? "--attach \(server.path)" : "") x.stsh > out 2> errors & run=$!
      until [ -s child ]; do sleep 0.02; done
      kill -9 $run; wait $run 2> /dev/null; echo status $?
      goes_on() { grep -q "^State:.[^ZX]" /proc/$(cat $1)/status 2> /dev/null; }
      for n in $(seq 500); do goes_on process || goes_on child || break; sleep 0.02; done
      for name in process child left; do goes_on $name && echo $name goes on; done
      kill $(cat left); cat errors
      """)
    // The shell may have a word on the end.
    #expect(said.output.hasSuffix("status 137\nleft goes on\n"), "\(said.output)")
  }

  /// A program ends with its client, whatever ends that, and with its host.
  @Test(arguments: ["run", "lua"], ["kill -TERM", "kill -HUP", "kill -9 host"])
  func aProgramEndsWithItsClientAndItsHost(_ form: String, _ end: String) throws {
    let shell = try Shell()
    let server = try Server(shell)
    let program = "echo $$ > process; echo begun; exec sleep 1000"
    let statement = form == "run" ? "run sh -c '\(program)'" : "lua run('sh', '-c', '\(program)')"
    try shell.folder.write("x.stsh", statement + "\n")
    let said = try shell.runInShell(
      """
      stsh --attach \(server.path) x.stsh > out 2> errors & run=$!
      until [ -s process ]; do sleep 0.02; done
      \(end == "kill -9 host" ? "kill -9 \(server.process)" : "\(end) $run"); wait $run; echo status $?
      kill -0 $(cat process) 2> /dev/null && echo alive; cat errors
      """)
    let status = ["kill -TERM": 143, "kill -HUP": 129, "kill -9 host": 6][end] ?? 0
    #expect(said.output.hasPrefix("status \(status)\n"), "\(said.output)")
    #expect(!said.output.contains("alive"), "\(said.output)")
  }

  /// At a prompt Ctrl-C ends the program, and nothing else.
  @Test func ctrlCEndsAProgramAtThePrompt() throws {
    let shell = try Shell()
    let server = try Server(shell)
    func conversation(_ arguments: [String] = []) throws -> String {
      let terminal = try shell.prompt(arguments, environment: [:])
      try terminal.enter("run echo a")
      terminal.type("run sh -c 'touch begun; exec sleep 1000'\r")
      while access(shell.folder.path + "/begun", F_OK) != 0 { usleep(10_000) }
      unlink(shell.folder.path + "/begun")
      try terminal.waitForKeys(false)
      terminal.type("\u{3}")
      try terminal.wait(for: "the prompt behind an error") { screen in
        screen.cursorLine == "stsh>" && screen.lines.contains { $0.hasPrefix("error[interrupted]") }
      }
      try terminal.enter("retry 2 every 10ms ! test -e tried || { touch tried; false; }")
      try terminal.enter("! rm tried")
      try terminal.enter("alias e = run echo")
      try terminal.enter("e b")
      terminal.type("quit\r")
      _ = try terminal.waitForEnd()
      return terminal.screen.lines.drop { !$0.contains("run echo a") }.joined(separator: "\n")
    }
    let here = try conversation()
    #expect(here.contains("interrupted"), "\(here)")
    let there = try conversation(["--attach", server.path])
    #expect(there == here, "\(there) instead of \(here)")
  }
}
