import Glibc
import ShellLanguage
import Testing

@testable import StoreShell

/// `step`, `retry`, reports, and the functions of session Lua that do something.
@Suite struct StepTests {
  @Test func retryGoesOnUntilItWorks() throws {
    let shell = try Shell()
    _ = shell.run("let tries = 0", "lua function up() tries = tries + 1 return tries >= 3 end")
    #expect(shell.run("retry 5 every 2s assert up()") == .init())
    #expect(shell.run("echo $tries").output == "3\n")
    // The pause is time of the store.
    #expect(shell.session.store.live.clock.now == .seconds(4))
    let failed = shell.run("retry 3 every 1s dispatch tasks.remoev")
    #expect(failed.status == 1)
    #expect(failed.errors.contains("error[unknown-action]"))
    #expect(failed.errors.contains("tried 3 times"))
    #expect(shell.run("try retry 2 every 1s assert false", "echo $ok").output == "false\n")
  }

  @Test(arguments: [
    ("retry", "a count"), ("retry x every 2s echo", "a count above 0"),
    ("retry 2 each 2s echo", "expected every after retry COUNT"),
    ("retry 2 every soon echo", "every takes"), ("retry 2 every 2s", "a command"), ("step", "a name"),
    ("step x", "a command"),
  ])
  func whatIsMissingIsSaid(line: String, message: String) throws {
    let outcome = try Shell().run(line)
    #expect(outcome.status != 0)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test func checksLookAtThemToo() throws {
    let shell = try Shell()
    shell.session.checkOnly()
    let outcome = try shell.run(script: "step a dispatch tasks.ad x\nretry 2 every never echo\nstep b try echo hi\n")
    #expect(outcome.errors.contains("unknown action 'tasks.ad'"))
    #expect(outcome.errors.contains("every takes"))
    #expect(outcome.status != 0)
  }

  /// A step within Lua is a check as well as any: what follows them does not run.
  @Test func aStepThatFailedWithinLuaFailsTheChecks() throws {
    let shell = try Shell()
    let outcome = try shell.run(
      script:
        "checks begin\nlua if true then command('step approved assert false -- no') end\nchecks end\necho deployed\n")
    #expect(outcome.status == 3)
    #expect(outcome.output.hasPrefix("FAIL approved\n") && !outcome.output.contains("deployed"))
    #expect(outcome.errors.contains("1 of 1 checks failed"))
  }

  /// Steps within Lua are checks of their own, and the line around them is none.
  @Test func stepsWithinLuaAreCountedEach() throws {
    let shell = try Shell()
    let outcome = try shell.run(
      script: """
        checks begin
        lua command('step a assert true') command('step b assert false -- no')
        lua command('step c assert true')
        step d assert true
        assert true
        checks end

        """)
    #expect(outcome.output == "ok   a\nFAIL b\nok   c\nok   d\nok   assert true\n")
    #expect(outcome.errors.contains("1 of 5 checks failed"))
    #expect(!outcome.errors.contains("try step"))
  }

  /// With `--json` a program that reads them knows each step by its name, also those that are not reached.
  @Test func stepsAreEventsOfJSON() throws {
    let shell = try Shell { $0.isJSON = true }
    let outcome = try shell.run(
      script: """
        step one assert true
        lua command("step 'within Lua' assert true")
        step "two $(1 + 1)" assert false -- no
        try step "three" assert true
        retry 2 every 1s step "$(1)" assert true

        """)
    let events = outcome.output.replacing(shell.folder + "/", with: "").split(separator: "\n").filter {
      $0.contains("\"event\"")
    }
    #expect(
      events == [
        #"{"event":"step","name":"one","file":"script.stsh","line":1,"result":"passed","seconds":0.0}"#,
        #"{"event":"step","name":"within Lua","file":"script.stsh","line":2,"result":"passed","seconds":0.0}"#,
        #"{"event":"step","name":"two 2","file":"script.stsh","line":3,"result":"failed","seconds":0.0,"error":{"code":"assert-failed","message":"no"}}"#,
        #"{"event":"step","name":"three","file":"script.stsh","line":4,"result":"skipped","reason":"a line before it failed"}"#,
        #"{"event":"step","name":"\"$(1)\"","file":"script.stsh","line":5,"result":"skipped","reason":"a line before it failed"}"#,
      ], "\(outcome.output)")
    #expect(outcome.status == 3)
  }

  @Test func stepsThatAreNotReachedAreReported() throws {
    let shell = try Shell()
    shell.session.options.report = RunReport("tap", path: "\(shell.folder)/report")
    let inner = try shell.write("inner.stsh", "step a assert false\nstep b assert true\n")
    let outcome = try shell.run(script: "source \(inner)\nstep c assert true\n")
    #expect(shell.session.writeReport(after: outcome.status) == 3)
    let lines = try #require(shell.contents("report")).split(separator: "\n").filter { $0.contains("ok ") }
    #expect(
      lines == [
        "not ok 1 - a", "ok 2 - b # SKIP a line before it failed",
        "not ok 3 - \(shell.folder)/script.stsh:1: source \(inner)", "ok 4 - c # SKIP a line before it failed",
      ])
  }

  private func report(_ form: String) throws -> (Shell.Outcome, String) {
    let shell = try Shell { $0.keepsGoing = true }
    let path = "\(shell.folder)/report"
    shell.session.options.report = RunReport(form, path: path)
    let outcome = try shell.run(
      script: """
        step "it counts <up>" dispatch counter.increment --quiet
        step again assert state.counter.value == 2 -- not yet
        try step third assert false
        dispatch tasks.remoev

        """)
    #expect(shell.session.writeReport(after: outcome.status) == outcome.status)
    return (outcome, try #require(shell.contents("report")).replacing(shell.folder, with: "FOLDER"))
  }

  @Test func stepsAreReportedAsJUnit() throws {
    let (outcome, text) = try report("junit")
    #expect(outcome.output == "ok   it counts <up>\nFAIL again\nFAIL third\n")
    #expect(
      text == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites>
          <testsuite name="FOLDER/script.stsh" tests="4" failures="3" errors="0" skipped="0" time="0.000">
            <testcase classname="FOLDER/script.stsh" name="it counts &lt;up&gt;" time="0.000"/>
            <testcase classname="FOLDER/script.stsh" name="again" time="0.000">
              <failure message="not yet" type="assert-failed">not yet&#10;left   state.counter.value = 1&#10;right  2 = 2</failure>
            </testcase>
            <testcase classname="FOLDER/script.stsh" name="third" time="0.000">
              <failure message="false does not hold" type="assert-failed">false does not hold</failure>
            </testcase>
            <testcase classname="FOLDER/script.stsh" name="FOLDER/script.stsh:4: dispatch tasks.remoev" time="0.000">
              <failure message="unknown action 'tasks.remoev'" type="unknown-action">unknown action 'tasks.remoev'&#10;did you mean 'tasks.remove'?</failure>
            </testcase>
          </testsuite>
        </testsuites>

        """)
  }

  @Test func stepsAreReportedAsTAP() throws {
    let (_, text) = try report("tap")
    #expect(
      text.hasPrefix("TAP version 13\n1..4\nok 1 - it counts <up>\nnot ok 2 - again\n  ---\n  message: \"not yet\"\n"))
  }

  @Test(arguments: ["tap", "junit"]) func reportsHoldNoControlCharacters(form: String) throws {
    let text = "\u{1B}[31m\u{7}\u{7F}\u{9B}m\u{202E}"
    let results = [
      TestResult(name: "a\(text)b", group: text, outcome: .passed),
      TestResult(name: "c", outcome: .skipped(text)),
      TestResult(name: "d", outcome: .failed(code: nil, message: text, details: [text])),
    ]
    let report = try #require(TestReportForm(rawValue: form)).text(of: results, suite: text)
    let raw = report.unicodeScalars.filter { $0 != "\n" && ($0.value < 0x20 || (0x7F...0x9F).contains($0.value)) }
    #expect(raw.isEmpty, "\(report.debugDescription)")
    if form == "tap" { #expect(report.contains("ok 1 - \\u{1b}[31m")) }
  }

  @Test func pluginTestsAreReportedToo() throws {
    let shell = try Shell()
    let junit = shell.run("plugin test weblog --as junit")
    #expect(junit.status == 0)
    #expect(junit.output.contains("<testsuite name=\"weblog\" tests=\"5\" failures=\"0\""), "\(junit.output)")
    #expect(
      shell.run("plugin test weblog --as tap").output.hasPrefix("TAP version 13\n1..5\nok 1 - tests/weblog_test.lua: "))
  }

  // MARK: Lua

  @Test func luaRunsCommands() throws {
    let shell = try Shell()
    let outcome = shell.run(
      "lua for i = 1, 3 do command('dispatch counter.increment by=' .. i .. ' --quiet') end", "show counter.value",
      "lua local ok, value = command('show counter.value') print(ok, value)",
      "lua local ok, why = command('dispatch tasks.remoev') print(ok, why.code, why.hint)", "echo $ok")
    #expect(outcome.output == "6\n6\ntrue\t6\nfalse\tunknown-action\tdid you mean 'tasks.remove'?\nfalse\n")
    #expect(outcome.errors.contains("error[unknown-action]: unknown action 'tasks.remoev'"))
    #expect(outcome.status == 0)
    #expect(shell.run("lua command('show counter.value', 2)").status == 1)
    #expect(shell.run("lua local ok, why = command('') print(ok, why.code)").output == "false\tsyntax\n")
    #expect(shell.run("lua command('quit 4')").status == 4)
  }

  /// The failure of a command ends the line whose Lua does not look at its result, and no other.
  @Test func aFailureThatLuaDoesNotLookAtEndsTheLine() throws {
    let shell = try Shell()
    for line in [
      "lua command('assert false')", "lua return command('assert false')", "lua pcall(command, 'assert false')",
      "lua coroutine.wrap(command)('assert false')",
      "lua if true then command('lua return command(\"assert false\")') end",
    ] { #expect(shell.run(line).errors.contains("a command that failed ends the line"), "\(line)") }
    for line in [
      "lua if not command('assert false') then print(1) end",
      "lua command('lua if not command(\"assert false\") then print(1) end')",
      "lua local function f() return command('assert false') end if not f() then print(1) end",
      "lua if not command('assert false') then command('echo 1') end",
      "lua local ok = command('assert false') if not ok then command('echo 1') end -- command('x')",
    ] {
      let outcome = try Shell().run(line)
      #expect(outcome.status == 0 && outcome.output == "1\n", "\(line)")
    }
  }

  /// A line of Lua that such a failure ends is a failure for `try`, too.
  @Test(arguments: [false, true]) func tryHearsOfACommandThatFailedInLua(isJSON: Bool) throws {
    for (line, code) in [
      ("try lua command('assert false')", "assert-failed"), ("try lua command('run false')", "program-failed"),
      ("try lua command('nonsense')", "unknown-command"), ("try time lua command('assert false')", "assert-failed"),
    ] {
      let shell = try Shell { $0.isJSON = isJSON }
      let outcome = shell.run(line, "assert not ok and err.code == '\(code)'")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(isJSON || outcome.errors.split(separator: "\n").count { $0.contains("error[") } == 1, "\(outcome)")
    }
    #expect(try Shell().run("try lua command('lua command(\"assert false\")')", "assert not ok").status == 0)
    for line in ["try lua command('try assert false')", "try lua local ok = command('assert false')"] {
      #expect(try Shell().run(line, "assert ok").status == 0, "\(line)")
    }
  }

  /// The value of a command is the data that `--json` prints for it, also where it is told in words.
  @Test(arguments: [false, true]) func commandsOfLuaGiveTheirData(isJSON: Bool) throws {
    let shell = try Shell {
      $0.isJSON = isJSON
      $0.grants = ["guard"]
    }
    let file = try shell.write("list.jsonl", "{\"title\":\"a\"}\n\n{\"title\":\"b\"}\n")
    for (command, fact) in [
      ("ingest \(file) --as tasks.add", "v.records == 2 and v.blank == 1"),
      ("dispatch counter.increment --quiet", "v.id == 3 and v.changes[1].path == 'counter.value'"),
      ("bisect state.counter.value > 0", "v.id == 3 and v.action == 'counter.increment'"),
      ("diff #2 #3", "v[1].to == 1"), ("why counter.value", "v[1].id == 3 and v[1].changes[1].from == 0"),
      ("undo", "v.action == 'shell.restore'"), ("plot state.counter.value --over 2", "v[3].value == 0 and v[3].n == 4"),
      ("plot { 1, 2 }", "v[2] == 2"), ("describe counter", "type(v) == 'table'"),
      ("plugin test guard", "type(v) == 'table'"), ("trace", "v == 'off'"), ("effects", "#v == 0"),
      ("show counter.value > \(shell.folder)/shown", "v == 0"), ("let x = 1", "v == nil"),
    ] {
      let outcome = shell.run("lua local ok, v = command([[\(command)]]) assert(ok and (\(fact)), v)")
      #expect(outcome.status == 0, "\(command): \(outcome)")
    }
  }

  /// Also a command that failed may have data, and an `assert` of it is its error again.
  @Test func commandsOfLuaGiveTheirErrors() throws {
    let shell = try Shell()
    let file = try shell.write("list.jsonl", "{\"title\":\"a\"}\n{}\n")
    let ingest = "command('ingest \(file) --as tasks.add --keep-going')"
    #expect(
      shell.run("lua local ok, why, data = \(ingest) print(ok, why.code, data.records, data.bad)").output.hasSuffix(
        "false\tbad-record\t1\t1\n"))
    let failed = shell.run("lua assert(command('assert 1 == 2 -- never equal'))")
    #expect(failed.status == 3)
    // Printed once, by the command.
    #expect(failed.errors.hasPrefix("-c:1:1: error[assert-failed]: never equal\n  assert 1 == 2"), "\(failed.errors)")
    let own = shell.run("lua error({ message = 'told by itself' })")
    #expect(own.errors.hasPrefix("-c:1:1: error[lua-error]: told by itself\n"), "\(own.errors)")
  }

  /// Each command has one report, whatever its Lua runs.
  @Test func inJSONACommandOfLuaIsPartOfItsStatement() throws {
    let shell = try Shell { $0.isJSON = true }
    let lines = shell.run("lua ok, value = command('show counter.value')", "= value").output.split(separator: "\n")
    #expect(lines == [#"{"ok":true,"line":1,"data":null}"#, #"{"ok":true,"line":2,"data":0}"#])
  }

  @Test func luaRunsPrograms() throws {
    let shell = try Shell()
    #expect(shell.run("= run('printf', '%s-%s', 'a b', 'c').stdout").output == "\"a b-c\"\n")
    #expect(shell.run("= run { 'cat', stdin = 'given' }.stdout").output == "\"given\"\n")
    #expect(shell.run("= run { 'pwd', cwd = '/' }.stdout:sub(1, 1)").output == "\"/\"\n")
    #expect(shell.run("= run('sh', '-c', 'echo no >&2; exit 3')", "= 1").output.contains("status  3"))
    #expect(shell.run("= run('sh', '-c', 'kill -9 $$').status").output == "137\n")
    // There is no shell in between, and no terminal.
    #expect(shell.run("= run('echo', '$HOME; ls').stdout").output == "\"\\$HOME; ls\\n\"\n")
    #expect(shell.run("= run('sh', '-c', 'true < /dev/tty').status > 0").output == "true\n")
  }

  @Test func programsHaveBounds() throws {
    let shell = try Shell()
    let late = shell.run("lua run { 'sleep', '100', timeout = 0.1 }")
    #expect(late.status == 5)
    #expect(late.errors.contains("error[timed-out]: sleep did not end within "), "\(late.errors)")
    let much = shell.run("lua run { 'yes', max_bytes = 1000 }")
    #expect(much.errors.contains("yes wrote more than 1000 bytes"), "\(much.errors)")
    let missing = shell.run("lua run('no-such-program-here')")
    #expect(missing.errors.contains("error[no-such-file]: no-such-program-here: "), "\(missing.errors)")
    #expect(shell.run("lua run()").errors.contains("run needs a program"))
    #expect(shell.run("lua run { 'ls', tiemout = 3 }").errors.contains("did you mean 'timeout'?"))
    shell.session.options.allowsExecution = false
    #expect(shell.run("lua run('ls')").errors.contains("error[not-allowed]: programs may not be run here (--no-exec)"))
  }

  /// What a program has started ends with it, and nobody waits for it.
  @Test func whatItStartedEndsWithIt() throws {
    let shell = try Shell()
    let outcome = shell.run("= run('sh', '-c', 'sleep 100 & echo $!').stdout")
    let id = try #require(Int32(outcome.output.filter(\.isNumber)))
    // Whoever takes its place as its parent may not have asked for it yet.
    func isThere() -> Bool { Shell.contents("/proc/\(id)/stat").map { !$0.contains(") Z ") && !$0.isEmpty } ?? false }
    for _ in 0..<200 where isThere() { usleep(10_000) }
    #expect(!isThere())
  }

  @Test func theEnvironmentCanBeReadAndNamesStayFree() throws {
    let shell = try Shell()
    setenv("STSH_STEP_TEST", "here", 1)
    #expect(shell.run("= env('STSH_STEP_TEST')", "= env('STSH_NO_SUCH') == nil").output == "\"here\"\ntrue\n")
    let hidden = shell.run("let env = 'prod'", "= env", "let run = 3", "= run + 1")
    #expect(hidden.output == "\"prod\"\n4\n")
    #expect(hidden.errors.hasPrefix("note: the variable env hides the function env of Lua\n"), "\(hidden)")
    for name in ["arg", "it", "ok", "state"] {
      #expect(shell.run("let \(name) = 1").errors.contains("error[name-taken]"), "\(name)")
    }
    #expect(shell.run("= env('HOME')").errors.contains("the variable env hides the function env"))
  }

  /// Conditions only read.
  @Test func conditionsRunNothing() throws {
    let shell = try Shell()
    #expect(shell.run("watch $(run('ls').status)").errors.contains("it may not call run"))
    #expect(shell.run("project p = command('show counter')", "show p").errors.contains("it may not call command"))
  }

  /// A failure that no Lua gets fails the line; one that it keeps does not.
  @Test(arguments: [
    ("lua if true then command('assert false') end", 3), ("lua function go() command('assert false') end go()", 3),
    ("lua command('assert false') command('echo b')", 3), ("lua command('nonsense')", 1),
    ("step x lua command('assert false')", 3), ("lua if not command('assert false') then end", 0),
    ("lua local ok = command('assert false')", 0), ("try lua command('assert false')", 0),
    ("lua command('try assert false')", 0), ("lua print(command('assert false'))", 0),
  ])
  func aFailureThatNothingGetsEndsTheLine(line: String, status: Int32) throws {
    let outcome = try Shell().run(line, "echo on")
    #expect(outcome.status == status && outcome.output.hasSuffix("on\n") == (status == 0), "\(outcome)")
    #expect(outcome.errors.contains("a command that failed ends the line") == (status != 0), "\(outcome)")
    #expect(!outcome.output.contains("ok  "))
  }

  /// The number of an action may stand in a variable.
  @Test func theNumberOfAnActionIsReplaced() throws {
    let shell = try Shell { $0.isQuiet = true }
    _ = shell.run("dispatch tasks.add a", "dispatch tasks.add b", "dispatch tasks.add c", "let n = 2")
    #expect(shell.run("undo #$n").status == 0)
    #expect(shell.run("show $(#state.tasks.items) --as raw", "show tasks.items[2].title --as raw").output == "2\nc\n")
    #expect(shell.run("why #${n}").output == shell.run("why #2").output)
    #expect(shell.run("diff #0 #$(n - 1)").output == shell.run("diff #0 #1").output)
  }
}
