import Testing

@testable import StoreShell

/// Programs that a script runs, and checks of which all run.
@Suite struct ProgramTests {
  @Test(arguments: [
    ("run printf '%s|' a --b -c=1 2 x=y", "a|--b|-c=1|2|x=y|"), ("run printf '%s|' -- --as json", "--|--as|json|"),
    ("run printf '%s|' [a-z]* {} {a,b} ~/x", "[a-z]*|{}|{a,b}|~/x|"),
    ("run printf '%s|' a\"b c\"d 'e;' --f=\"g h\"", "ab cd|e;|--f=g h|"),
    ("run printf '%s|' $n x$n \"$n y\" '$n' \\$n 007", "2|x2|2 y|$n|$n|007|"), ("run cat", ""),
    ("run --stdin 'a b' cat", "a b"),
    ("run --in / pwd", "/\n"), ("run echo é", "é\n"),
    // A list or a record in JSON's spelling is a word, and stays JSON.
    ("run printf '%s|' {\"a\": 1, \"b\": [true, 1.50]} x", "{\"a\": 1, \"b\": [true, 1.50]}|x|"),
    ("run printf '%s|' d={\"a\": \"$n\"} { \"b\": $n }", "d={\"a\": \"$n\"}|{\"b\":2}|"),
    ("run printf '%s|' [\"a\", \"b c\"] [{\"a\": 1}]", "[\"a\", \"b c\"]|[{\"a\": 1}]|"),
    ("run [ \"a b\" ]", ""), ("run [ \"a\" = \"a\" ]", ""), ("run printf '%s|' {\"a\"} [\"a\"]x", "{a}|[a]x|"),
  ])
  func wordsArePassedAsWritten(_ line: String, _ output: String) throws {
    let shell = try Shell()
    _ = shell.run("let n = 2")
    #expect(shell.run(line) == .init(output: output), "\(line)")
  }

  /// What JSON cannot say is found before anything runs, as it is where the line runs.
  @Test(arguments: [
    ("run printf x {\"a\": NaN}", "syntax", "NaN is no value of JSON; as a text it has quotes: \"NaN\""),
    ("run printf x [\"a\", 1e400]", "syntax", "the number 1e400 is too large"),
    ("run printf x {\"a\": 1, \"a\": 2}", "syntax", "the name 'a' appears twice"),
    (
      "echo {\"a\": 1e400}", "out-of-range",
      "value must be a number from -1.8e308 to 1.8e308 or a text in quotes, got 1e400"
    ),
    ("echo [[-1e999]]", "out-of-range", "or a text in quotes, got -1e999"),
    ("substate add s --value {n = 1e400}", "out-of-range", "or a text in quotes, got 1e400"),
    ("substate add s --value '{\"a\": 1, \"a\": 2}'", "type-mismatch", "in this JSON the key \"a\" appears twice"),
    ("substate add s --value '[1e400]'", "type-mismatch", "in this JSON the number 1e400 is too large"),
    ("step x run printf x [{\"a\": inf}]", "syntax", "inf is no value of JSON"),
  ])
  func whatJSONCannotSayIsAnError(line: String, code: String, message: String) throws {
    for isChecking in [false, true] {
      let shell = try Shell()
      if isChecking { shell.session.checkOnly() }
      let outcome = try shell.run(script: "dispatch counter.increment\n\(line)\n")
      #expect(outcome.output == "" && outcome.status == 2, "\(outcome)")
      #expect(outcome.errors.contains("error[\(code)]: ") && outcome.errors.contains(message), "\(outcome)")
      #expect(outcome.errors.contains("script.stsh:2:") && outcome.errors.contains("^"), "\(outcome)")
    }
    let typed = try Shell().run(line)
    #expect(typed.output == "" && typed.errors.contains(message), "\(typed)")
  }

  @Test func aProgramThatFailsFailsTheCommand() throws {
    let shell = try Shell()
    let failed = shell.run("run sh -c 'echo out; echo err >&2; exit 3'")
    #expect((failed.output, failed.status) == ("out\n", 1))
    #expect(failed.errors.hasPrefix("err\n-c:1:1: error[program-failed]: sh ended with status 3\n"))
    #expect(
      shell.run("try run sh -c 'exit 7'", "show $(err.status)", "echo $(err.code)").output == "7\nprogram-failed\n")
    #expect(shell.run("run sh -c 'kill -9 $$'").errors.contains("sh ended by signal 9"))
    #expect(shell.run("run --timeout 50ms sleep 60").status == 5)
    #expect(shell.run("run no-such-program").errors.contains("no-such-program: No such file"))
    #expect(shell.run("run --tiemout 1s true").errors.contains("did you mean --timeout?"))
    let closed = try Shell { $0.allowsExecution = false }
    for line in ["run true", "= run('true').ok", "show counter | cat"] {
      #expect(closed.run(line).errors.contains("error[not-allowed]"), "\(line)")
    }
  }

  @Test func theOutputOfAStepIsInTheReport() throws {
    let shell = try Shell()
    shell.session.outcome.isReported = true
    _ = shell.run("try step build run sh -c 'echo made; exit 2'", "step \"is there\" run echo yes")
    #expect(shell.session.outcome.steps.map(\.output) == ["made\n", "yes\n"])
  }

  /// What a program printed before it failed goes where it is to go.
  @Test func theOutputOfAProgramThatFailsIsKept() throws {
    let shell = try Shell()
    let line = "run sh -c 'echo a; exit 2'"
    let filed = shell.run("\(line) > \(shell.folder)/out")
    #expect(filed.status == 1 && filed.errors.contains("sh ended with status 2"))
    #expect(shell.contents("out") == "a\n")
    let piped = shell.run("\(line) | cat > \(shell.folder)/piped")
    #expect(piped.status == 1 && piped.errors.contains("sh ended with status 2"))
    #expect(shell.contents("piped") == "a\n")
    let late = shell.run("run --timeout 300ms sh -c 'echo a; exec sleep 60' > \(shell.folder)/late")
    #expect(late.status == 5)
    #expect(shell.contents("late") == "a\n")
    #expect(shell.run("run --in \(shell.folder)/none pwd").errors.contains("there is no folder '\(shell.folder)/none'"))
  }

  /// Lua's `run` fails the statement that has not looked at how the program ended.
  @Test func aFailureThatNobodyHasReadFailsTheStatement() throws {
    let shell = try Shell()
    let failed = shell.run("step \"x\" lua run(\"false\")")
    #expect(failed.output == "FAIL x\n")
    #expect(failed.errors.contains("error[program-failed]: false ended with status 1"))
    for line in [
      "lua local out = run('sh', '-c', 'echo a; exit 4').stdout", "= run('false').stdout", "lua run { 'false' }",
      "lua for i = 1, 2 do run('false') end",
    ] { #expect(shell.run(line).errors.contains("error[program-failed]"), "\(line)") }
    for line in [
      "assert run('false').status == 1", "assert not run('false').ok",
      "lua local r = run('false') if r.signal then print(1) end",
      "let good = run('false').ok", "lua run('true')",
      "= run('sh', '-c', 'exit 3').status",
      "lua local r = run('false') command('echo x') print(r.status)", "lua for k, v in pairs(run('false')) do end",
    ] { #expect(shell.run(line).errors == "", "\(line)") }
    #expect(shell.run("try lua kept = run('false')", "= kept.status").output == "1\n")
    // Nor has a variable that keeps the result read its status.
    #expect(shell.run("let r = run('false')").errors.contains("error[program-failed]: false ended with status 1"))
    #expect(shell.run("assert r.status == 1 and r.stdout == ''").errors == "")
    #expect(shell.run("echo \"<$(run('printf', 'a\\n b\\n\\n').text)>\"").output == "<a\n b>\n")
    #expect(shell.run("= run('printf', '\\n').text").output == "\"\"\n")
  }

  @Test func theShellGetsTheScriptsArguments() throws {
    let shell = try Shell()
    _ = shell.run("let place = 'x'")
    let piped = try shell.run(script: "echo hi | (cat; echo \"$1\") > \(shell.folder)/piped\n", named: "a.stsh", "prod")
    #expect(piped == .init())
    #expect(shell.contents("piped") == "hi\nprod\n")
    #expect(shell.run("echo hi | grep $place").errors.contains("the shell does not know $place"))
    for line in [
      "echo hi | grep '$place'", "echo hi | while read place; do echo $place; done",
      "echo hi | cat; place=1; echo $place",
    ] {
      #expect(!shell.run(line).errors.contains("does not know"), "\(line)")
    }
    #expect(shell.run("! echo x").errors.contains("hint: run a program, or a line of a shell: run sh -c '…'"))
  }

  @Test func theOwnShellRunsALineAtThePrompt() throws {
    let shell = try Shell()
    #expect(try shell.type("! exit 3").errors.contains("error[program-failed]: exit 3 ended with status 3"))
    #expect(try shell.type("!true; test 1 = 1 && true") == .init())
  }

  @Test func allChecksRunAndFailOnce() throws {
    let shell = try Shell()
    let script = """
      checks begin
      assert 1 == 1
      assert 1 == 2 -- one is two
      step "a step" assert false -- no
      checks end
      echo not reached

      """
    let outcome = try shell.run(script: script)
    #expect(outcome.status == 3)
    #expect(
      outcome.output == """
        ok   assert 1 == 1
        FAIL assert 1 == 2 -- one is two
        FAIL a step

        """)
    #expect(outcome.errors.contains("one is two\n"))
    #expect(outcome.errors.contains("error[assert-failed]: 2 of 3 checks failed\n"))
    #expect(
      try shell.run(script: "checks begin\nassert true\nchecks end\necho reached\n").output
        == "ok   assert true\nreached\n")
    #expect(try shell.run(script: "checks begin\nassert true\n").errors.contains("no line ends them"))
    // A failure that is excused is none.
    #expect(
      try shell.run(script: "checks begin\ntry assert false\nchecks end\necho reached\n").output
        == "ok   try assert false\nreached\n")
    #expect(try shell.run(script: "checks end\n").status == 2)
  }
}
