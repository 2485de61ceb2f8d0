import Testing

@testable import StoreShell

/// The programs that the texts of a client hold.
@Suite struct NamedProgramTests {
  private static func holds(
    _ text: String, _ words: [String], in folder: String? = nil, reading input: String? = nil,
    _ arguments: [String] = []
  ) -> Bool {
    var named = NamedFiles()
    named.add(text, arguments: arguments)
    guard let input else { return named.programs.hold(words, in: folder) }
    return named.programs.hold(words, in: folder, reading: Array(input.utf8))
  }

  @Test(arguments: [
    ("run git log -1 --oneline", ["git", "log", "-1", "--oneline"]),
    ("try step a retry 2 every 1s run --timeout 5s git log", ["git", "log"]),
    ("time run a --b=c d=e", ["a", "--b=c", "d=e"]),
    ("run printf \"%s\" 'a b'", ["printf", "%s", "a b"]), ("run echo $n", ["echo", "any thing"]),
    ("run echo --n=$n", ["echo", "--n=-x"]), ("run echo a-$n-$m.txt", ["echo", "a-1-2.txt"]),
    ("run echo $n", ["echo", "-5"]),
    ("run rm -- $n", ["rm", "--", "-x"]), ("run kubectl -n prod get $n", ["kubectl", "-n", "prod", "get", "x"]),
    ("run sh -c 'echo $1' sh $n", ["sh", "-c", "echo $1", "sh", "a"]), ("run bash ./x.sh $n", ["bash", "./x.sh", "a"]),
    ("run /bin/sh -ec 'x' sh $n", ["/bin/sh", "-ec", "x", "sh", "a"]), ("run $1 $2", ["first", "second"]),
    ("run sh -c $2", ["sh", "-c", "second"]), ("lua run('git', 'log')", ["git", "log"]),
    ("= run{ 'git', 7 }.text", ["git", "7"]),
    ("let x = run('git', x).text .. run \"date\".text", ["date"]), ("assert run('a', x .. '.txt').ok", ["a", "b.txt"]),
    ("echo $(run('date').text)", ["date"]), ("echo \"now $(run('date').text)\"", ["date"]),
    ("lua run { 'a', [[b\nc]], stdin = x, timeout = 5 }", ["a", "b\nc"]), ("lua run('a', arg[1])", ["a", "first"]),
    ("lua run('a', table.unpack(x))", ["a", "b", "c"]), ("lua run('a', ...)", ["a"]),
    ("lua run('a', f(run('b').text))", ["b"]),
    ("lua command('run a b')", ["a", "b"]), ("lua command(\"try run a \" .. quote(x))", ["a", "b c"]),
    ("lua for _, f in ipairs(x) do run('a', f) end", ["a", "b"]), ("alias t = run a b\nt c", ["a", "b", "c"]),
    ("lua run('a\\tb\\x41\\065', 'c')", ["a\tbAA", "c"]),
    ("lua for i = 1, 2 do\n  run('a', i)\nend\nrun b", ["a", "2"]),
    ("retry 2 every 1s lua if x then\n  command('run a ' .. x)\nend", ["a", "b"]),
    ("show counter > $(run('date').text)", ["date"]),
  ])
  func aTextHoldsWhatItRuns(_ text: String, _ words: [String]) {
    #expect(Self.holds(text, words, ["first", "second"]), "\(text)")
  }

  @Test(arguments: [
    ("run git log", ["git"]), ("run git log", ["git", "log", "-p"]), ("run git", ["/usr/bin/git"]),
    ("run echo $n", ["echo"]),
    ("run $n", ["a"]), ("run $n b", ["a", "b"]), ("run a$n", ["ab"]), ("run echo $n", ["echo", "-e"]),
    ("run echo $n", ["echo", "-inf"]),
    ("run echo $n", ["echo", "a", "b"]),
    ("run echo a-$n.txt", ["echo", "b-1.txt"]), ("run echo a-$n.txt", ["echo", "a-1.txt2"]),
    ("run x -c $n", ["x", "-c", "a"]),
    ("run x --eval $n", ["x", "--eval", "a"]), ("run find . -name $n", ["find", ".", "-name", "a"]),
    ("run sh $n", ["sh", "a"]),
    ("run sh -c $n", ["sh", "-c", "a"]), ("run sh -c \"echo $n\"", ["sh", "-c", "echo a"]),
    ("run sh -x $n", ["sh", "-x", "a"]),
    ("run sh -o errexit $n", ["sh", "-o", "errexit", "a"]), ("run python3.11 -c $n", ["python3.11", "-c", "a"]),
    ("run env $n", ["env", "a"]), ("run sudo -- $n", ["sudo", "--", "a"]), ("run awk $n", ["awk", "a"]),
    ("run timeout 5 $n", ["timeout", "5", "a"]), ("lua x.run('a')", ["a"]), ("lua x:run('a')", ["a"]),
    ("lua print('run(\"a\")')", ["a"]),
    ("lua --[[ run('a') ]] print(1)", ["a"]), ("lua run(x)", ["a"]), ("lua run({ x })", ["a"]),
    ("lua run(table.unpack(x))", ["a"]),
    ("lua run { [1] = x, 'a' }", ["a"]), ("lua run('sh', '-c', 'a' .. x)", ["sh", "-c", "ab"]),
    ("lua run('a', x)", ["a", "b", "c"]),
    ("lua run('a', ...)", ["a", "-x"]), ("lua run('sh', ...)", ["sh", "-c", "x"]), ("lua command(x)", ["a"]),
    ("lua command('run ' .. x)", ["a"]), ("lua command('run a')", ["a", "b"]), ("run a b", []),
    ("run a \"$n\"", ["a", "b\0c"]),
    ("step 'run a' run b", ["a"]), ("run --stdin 'a' b", ["a"]), ("run $3", [""]), ("lua run(arg[3])", ["first"]),
  ])
  func aTextHoldsNothingElse(_ text: String, _ words: [String]) {
    #expect(!Self.holds(text, words, ["first", "second"]), "\(text)")
  }

  @Test func foldersAndInputsAreThoseOfTheText() {
    #expect(Self.holds("run --in a pwd", ["pwd"], in: "a"))
    #expect(Self.holds("lua run { 'pwd', cwd = 'a' }", ["pwd"], in: "a"))
    for (text, folder) in [
      ("run --in a pwd", nil), ("run pwd", "a"), ("run --in $n pwd", "a"), ("run --in $n pwd", nil),
    ] {
      #expect(!Self.holds(text, ["pwd"], in: folder), "\(text)")
    }
    #expect(!Self.holds("lua run { 'pwd', cwd = x }", ["pwd"], in: "a"))
    #expect(Self.holds("run cat", ["cat"], reading: ""))
    #expect(!Self.holds("run cat", ["cat"], reading: "a"))
    #expect(Self.holds("run --stdin 'a' cat", ["cat"], reading: "a"))
    #expect(!Self.holds("run --stdin 'a' cat", ["cat"], reading: "b"))
    #expect(Self.holds("run --stdin $n cat", ["cat"], reading: "anything"))
    #expect(Self.holds("lua run { 'sort', stdin = x }", ["sort"], reading: "anything"))
    #expect(Self.holds("run --stdin $n sh -c cat", ["sh", "-c", "cat"], reading: "a"))
    #expect(!Self.holds("run --stdin $n sh", ["sh"], reading: "a"))
    #expect(!Self.holds("run --stdin $n bash -s", ["bash", "-s"], reading: "a"))
  }

  /// Functions of Lua and other names of commands stay for the texts behind; all else goes.
  @Test func functionsAndAliasesStay() {
    var named = NamedFiles()
    named.add("lua function f(x) return run('a', x) end\nrun b\nalias t = run c")
    var next = NamedFiles(after: named)
    next.add("t d\n= f('x')")
    #expect(next.programs.hold(["a", "x"], in: nil))
    #expect(next.programs.hold(["c", "d"], in: nil))
    #expect(!next.programs.hold(["b"], in: nil))
    #expect(!next.programs.hold(["c"], in: nil))
    var last = NamedFiles(after: next)
    last.add("echo")
    #expect(last.programs.hold(["a", "x"], in: nil))
    #expect(!last.programs.hold(["c", "d"], in: nil))
  }

  @Test func linesOfShellsAreThoseOfTheText() {
    var named = NamedFiles()
    named.add(
      "show counter | cat \"$1\"\nretry 2 every 1s ! make x\nlua command('show tasks | sort')", arguments: ["a"])
    #expect(named.programs.lines == ["cat \"$1\"": ["a"], "sort": ["a"]])
    #expect(named.programs.shellLines == ["make x"])
  }
}
