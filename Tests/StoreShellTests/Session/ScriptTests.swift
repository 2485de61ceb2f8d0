import StoreSchema
import Testing

@testable import StoreShell

/// Scripts: arguments, variables, sourced files, redirection, keep-going, leaving.
@Suite struct ScriptTests {
  @Test func variablesKeepTheirTypes() throws {
    let shell = try Shell()
    let outcome = shell.run(
      "let n = 3", "let t = {a = {1, 2}}", "dispatch counter.increment by=$n --quiet", "echo $n $(n * 2) $(t.a[2])",
      "dispatch tasks.add title=$(\"t\" .. n) --quiet", "show tasks.items[1].title", "let", "show $t", "let n = n + 1",
      "= n", "show $_")
    #expect(outcome.errors == "")
    #expect(outcome.output.hasPrefix("3 6 2\n\"t3\"\nn  3\nt"))
    #expect(outcome.output.hasSuffix("4\n4\n"))
  }

  @Test func aVariableOfTheWrongTypeIsRefused() throws {
    let outcome = try Shell().run("let n = 'two'", "dispatch counter.increment by=$n")
    #expect(outcome.errors.hasPrefix("-c:2:28: error[type-mismatch]: 'by' must be Int, got string \"two\"\n"))
    let float = try Shell().run("dispatch counter.increment by=$(3 / 2)")
    #expect(float.errors.hasPrefix("-c:1:28: error[type-mismatch]: 'by' must be Int, got number 1.5\n"))
    #expect(try Shell().run("let cuont = 1", "echo $count").errors.contains("hint: did you mean $cuont?"))
  }

  @Test func theLastResultIsAVariable() throws {
    let outcome = try Shell().run(
      "dispatch counter.increment by=7 --quiet", "show counter", "echo $_", "= 5", "echo $_")
    #expect(outcome.output == "value  7\nstep   1\n{\"value\":7,\"step\":1}\n5\n5\n")
  }

  @Test func showTakesValuesToo() throws {
    let outcome = try Shell().run(
      "show 5", "show 'a b'", "show true", "show nil --as json", "show [1,2] --as json", "show {a=1} --as json")
    #expect(outcome.output == "5\n\"a b\"\ntrue\nnull\n[1,2]\n{\"a\":1}\n")
    #expect(outcome.errors == "")
  }

  @Test func scriptsHaveArguments() throws {
    let shell = try Shell()
    let outcome = try shell.run(
      script: "dispatch tasks.add title=$1 --quiet\nshow tasks.items[1].title --as raw\necho $2\n", "Buy milk", "7")
    #expect(outcome.output == "Buy milk\n7\n")
    #expect(
      try shell.run(script: "echo $1\n\necho $2 $3\n", "Buy milk", "7").errors
        == "\(shell.folder)/script.stsh:3:9: error[unknown-variable]: there is no argument $3\n  echo $2 $3\n"
        + "          ^~\n  hint: the script was given 2\n")
  }

  @Test func anArgumentIsReadAsTheWordThatItIs() throws {
    let shell = try Shell()
    let outcome = try shell.run(
      script: """
        echo $1 $2 $3
        dispatch tasks.add $1 --quiet
        dispatch tasks.add $2 --quiet
        dispatch counter.increment by=$1 --quiet
        = #arg .. arg[1]
        show tasks.items[*].title --json
        show counter.value

        """, "007", "nil", "1e400")
    #expect(outcome == .init(output: "007 nil 1e400\n\"3007\"\n[\"007\",\"nil\"]\n7\n"))
  }

  @Test func luaKnowsArgumentsByAnotherName() throws {
    let outcome = try Shell().run(script: "= $1\n", "x")
    #expect(
      outcome.errors.contains(
        "error[lua-syntax]: unexpected symbol near '$' (in Lua a variable has no $: write n for $n, and arg[1] for"))
  }

  @Test func sourcedFilesShowTheChain() throws {
    let shell = try Shell()
    let inner = try shell.write("inner.stsh", "echo $1\ndispatch tasks.ad\n")
    let middle = try shell.write("middle.stsh", "\nsource \(inner) deep\necho never\n")
    let outcome = shell.run("source \(middle)", "echo never")
    #expect(outcome.output == "")
    #expect(
      outcome.errors == """
        \(inner):2:10: error[unknown-action]: unknown action 'tasks.ad'
          dispatch tasks.ad
                   ^~~~~~~~
          hint: did you mean 'tasks.add'?
          in file sourced from \(middle):2
          in file sourced from -c:1

        """)
    #expect(outcome.status == 2)
  }

  @Test func aFileBesideTheScriptIsPointedAt() throws {
    let shell = try Shell()
    try shell.write("leaf.stsh", "echo leaf\n")
    let script = try shell.write("branch.stsh", "source leaf.stsh\nsource other.stsh\n")
    shell.session.options.keepsGoing = true
    let errors = shell.run("source \(script)").errors
    let hint = "did you mean '\(shell.folder)/leaf.stsh'? paths start from the folder that the program was started in"
    #expect(errors.contains("hint: \(hint)\n"))
    #expect(errors.split(separator: "hint:").count == 2)
  }

  @Test func theSyntaxOfASourcedFileIsCheckedFirst() throws {
    let shell = try Shell()
    let file = try shell.write("bad.stsh", "echo first\necho \"open\n")
    let outcome = shell.run("source \(file)")
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("\(file):2:6: error[syntax]: this \" is never closed\n"))
    #expect(outcome.errors.hasSuffix("  in file sourced from -c:1\n"))
    #expect(outcome.status == 2)
  }

  @Test func filesThatSourceThemselvesEnd() throws {
    let shell = try Shell()
    try shell.write("loop.stsh", "source \(shell.folder)/loop.stsh\n")
    let outcome = shell.run("source \(shell.folder)/loop.stsh")
    #expect(outcome.errors.contains("error[runaway]: files source each other more than 64 deep\n"))
    #expect(outcome.status == 1)
    #expect(shell.run("echo on").output == "on\n")
  }

  @Test func keepGoingCountsStatementsReached() throws {
    let shell = try Shell { $0.keepsGoing = true }
    let inner = try shell.write("inner.stsh", "echo a\nnope\necho b\n")
    let outcome = try shell.run(
      script: "# comment\n\nassert false\necho one\nsource \(inner)\nshow counter --jsn\necho two\n")
    #expect(outcome.output == "one\na\nb\ntwo\n")
    #expect(outcome.errors.hasSuffix("3 of 8 commands failed\n"))
    #expect(outcome.errors.components("commands failed") == 1)
    #expect(outcome.status == 3)
  }

  @Test func aSourceIsCountedWhateverBecomesOfIt() throws {
    let shell = try Shell { $0.keepsGoing = true }
    let bad = try shell.write("bad.stsh", "nope\n")
    let good = try shell.write("good.stsh", "echo a\n")
    let open = try shell.write("open.stsh", "echo 'a\n")
    func summary(_ commands: String...) throws -> String {
      let shell = try Shell { $0.keepsGoing = true }
      let outcome = try shell.run(script: commands.joined(separator: "\n"))
      return outcome.errors.split(separator: "\n").last.map(String.init) ?? ""
    }
    #expect(try summary("source \(bad)", "assert false") == "2 of 3 commands failed")
    #expect(try summary("source \(good)", "assert false") == "1 of 3 commands failed")
    #expect(try summary("source \(open)", "assert false") == "2 of 3 commands failed")
    #expect(try summary("source \(shell.folder)/none", "assert false") == "2 of 2 commands failed")
  }

  @Test func keepGoingPassesOverSyntaxErrorsOfStandardInput() throws {
    let shell = try Shell { $0.keepsGoing = true }
    let outcome = try shell.run(input: Array("echo one\necho 'open\n\necho two\n".utf8))
    #expect(outcome.output.hasPrefix("one\n"))
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasSuffix("commands failed\n"))
  }

  @Test func quitLeavesWithItsStatus() throws {
    #expect(try Shell().run("quit", "echo never") == .init())
    #expect(try Shell().run("quit 4", "echo never") == .init(status: 4))
    let shell = try Shell { $0.keepsGoing = true }
    let inner = try shell.write("inner.stsh", "quit 7\necho never\n")
    #expect(try shell.run(script: "source \(inner)\necho never\n") == .init(status: 7))
    #expect(shell.session.hasQuit)
    #expect(try Shell().run(input: Array("echo a\nquit 300\necho never\n".utf8)).status == 1)
  }

  @Test(arguments: [("quit", 3), ("quit 0", 3), ("quit 7", 7)] as [(String, Int32)])
  func quitEndsWhatGoesOnAfterErrors(quit: String, status: Int32) throws {
    let commands = ["assert false", "dispatch no.such", quit, "echo never"]
    func shell() throws -> Shell { try Shell { $0.keepsGoing = true } }
    for outcome in [
      try shell().run(commands[0], commands[1], commands[2], commands[3]),
      try shell().run(script: commands.joined(separator: "\n")),
      try shell().run(input: Array(commands.joined(separator: "\n").utf8)),
    ] {
      #expect(outcome.output == "")
      #expect(outcome.errors.hasSuffix("\n2 of 3 commands failed\n"))
      #expect(outcome.status == status)
    }
  }

  @Test func quitInASourcedFileEndsAllOfThem() throws {
    let shell = try Shell { $0.keepsGoing = true }
    let inner = try shell.write("inner.stsh", "assert false\nquit 4\n")
    let outcome = try shell.run(script: "dispatch no.such\nsource \(inner)\necho never\n")
    #expect(outcome.output == "")
    #expect(outcome.errors.hasSuffix("\n2 of 4 commands failed\n"))
    #expect(outcome.status == 4)
  }

  @Test func aMissingScriptIsUnreadable() throws {
    let shell = try Shell()
    let outcome = shell.outcome { shell.session.run(file: "/nope.stsh", arguments: []) }
    #expect(outcome == .init(errors: "error[no-such-file]: /nope.stsh: No such file or directory\n", status: 2))
    #expect(
      shell.outcome { shell.session.run(file: "/", arguments: []) }
        == .init(errors: "error[unreadable-file]: /: Is a directory\n", status: 2))
    #expect(
      shell.outcome { shell.session.run(file: "", arguments: []) }
        == .init(errors: "error[no-such-file]: '': No such file or directory\n", status: 2))
  }

  /// A command is no script.
  @Test(arguments: [
    (["help"], "'help'"), (["show", "counter"], "'show counter'"), (["echo", "it's"], "\"echo it's\""),
  ])
  func aCommandInThePlaceOfAScriptIsSeen(words: [String], line: String) throws {
    let shell = try Shell()
    let outcome = shell.outcome { shell.session.run(file: words[0], arguments: Array(words.dropFirst())) }
    #expect(outcome.status == 2 && outcome.errors.hasSuffix("hint: stsh -c \(line) runs a command\n"), "\(outcome)")
  }

  /// Signs that look like quotes or dashes, as word processors write them, and those of other shells.
  @Test(arguments: [
    ("echo \u{201C}milk\u{201D}", "\u{201C} is no quote here"),
    ("echo a=\u{2018}b\u{2019}", "\u{2018} is no quote here"),
    ("echo \u{201E}a", "no quote here"), ("show tasks.items \u{2013}limit 3", "is no dash of a flag"),
    ("show tasks.items \u{2013}-limit 3", "is no dash of a flag"), ("echo `date`", "` runs no program"),
  ])
  func aSignThatOnlyLooksRightIsAMistake(line: String, message: String) throws {
    let outcome = try Shell().run(line)
    #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome)")
    #expect(try Shell().run("echo '\u{201C}x\u{201D}' a\u{2019}s \u{2013} a\u{2013}b a`b").status == 0)
  }

  @Test func redirectionSendsTheResultElsewhere() throws {
    let shell = try Shell()
    let file = "\(shell.folder)/out.txt"
    #expect(shell.run("echo one > \(file)", "echo two >> \(file)") == .init())
    #expect(shell.contents("out.txt") == "one\ntwo\n")
    #expect(shell.run("dispatch counter.increment > \(file)") == .init())
    #expect(shell.contents("out.txt") == "#1 counter.increment\n  counter.value  0 -> 1\n")
    #expect(shell.run("show tasks.items --as json | tr '[]' '<>' > \(file)").status == 0)
    #expect(shell.contents("out.txt") == "<>\n")
    #expect(shell.run("let f = '\(file)'", "echo $1 > $f").status == 1)
    #expect(shell.contents("out.txt") == "<>\n", "a failed command writes nothing")
    #expect(try shell.type("echo three > $f") == .init())
    #expect(shell.contents("out.txt") == "three\n")
  }

  @Test func redirectionFailsWithItsPlace() throws {
    let shell = try Shell()
    let outcome = shell.run("echo a > /nope/x")
    #expect(
      outcome
        == .init(
          errors:
            "-c:1:8: error[no-such-file]: /nope/x: No such file or directory\n  echo a > /nope/x\n         ^~~~~~~~~\n",
          status: 2))
    #expect(shell.run("echo a | false").errors.hasPrefix("-c:1:8: error[failed]: false: ended with status 1\n"))
    #expect(try shell.type("echo a | true") == .init())
    let locked = try Shell { $0.allowsExecution = false }
    let refused = locked.run("dispatch counter.increment | cat")
    #expect(
      refused.errors.hasPrefix("-c:1:28: error[not-allowed]: results may not be piped into commands here (--no-exec)\n")
    )
    #expect(locked.session.store.live.recent().isEmpty)
  }

  @Test func aReaderThatStopsEarlyIsNoFailure() throws {
    let shell = try Shell()
    let outcome = shell.run(
      "lua for i = 1, 50 do dispatch('tasks.add', {title = ('x'):rep(5000)}) end",
      "show tasks --as json | head -c 1 > /dev/null")
    #expect(outcome == .init())
  }

  /// What a script writes into a file is the same with `--json` and without.
  @Test func withJSONRedirectionGetsWhatItGetsWithout() throws {
    for line in [
      #"echo '{"title":"t"}'"#, "show counter", "show counter --as json", "dispatch counter.increment",
    ] {
      let (plain, shell) = (try Shell(), try Shell { $0.isJSON = true })
      _ = plain.run("\(line) > \(plain.folder)/f")
      let outcome = shell.run("\(line) > \(shell.folder)/f")
      #expect(outcome == .init(output: "{\"ok\":true,\"line\":1,\"data\":null}\n"), "\(line)")
      #expect(shell.contents("f") == plain.contents("f"), "\(line)")
    }
  }

  @Test func everyCommandAnswersWithOneObject() throws {
    let shell = try Shell { $0.isJSON = true }
    let file = try shell.write("a.jsonl", "{\"title\":\"a\"}\n")
    let lines = [
      ("echo a b", "\"a b\""), ("let n = 2", "null"), ("= n", "2"), ("show counter.value", "0"),
      ("watch counter.value", "{\"id\":1,\"path\":\"counter.value\",\"value\":0}"), ("watch stop all", "null"),
      ("assert true", "null"),
      (
        "ingest \(file) --as tasks.add",
        #"{"action":"tasks.add","records":1,"first":1,"last":1,"bad":0,"dropped":0,"blank":0,"replaced":0}"#
      ),
      ("show tasks.items", "[{\"id\":1,\"title\":\"a\",\"done\":false}]"), ("plugin list", "[]"),
      ("trace", "\"off\""),
      ("trace on", "null"), ("trace off", "null"), ("lua x = 1", "null"), ("set output table", "null"),
      ("middleware on logger", "{\"id\":2,\"action\":\"shell.setGate\",\"changes\":[]}"), ("quit 3", "null"),
    ]
    for (line, data) in lines {
      #expect(shell.run(line).output == "{\"ok\":true,\"line\":1,\"data\":\(data)}\n", "\(line)")
    }
    for line in ["help", "describe", "describe tasks", "log", "middleware", "set", "let", "show"] {
      let output = try Shell { $0.isJSON = true }.run(line).output
      #expect(output.hasPrefix("{\"ok\":true,\"line\":1,\"data\":"))
      _ = try JSON.value(of: output)
    }
  }

  @Test func quietLeavesOutTheAnswersToActions() throws {
    let shell = try Shell { $0.isQuiet = true }
    #expect(shell.run("dispatch counter.increment", "middleware on logger", "show counter.value").output == "1\n")
    #expect(try Shell().run("dispatch counter.increment --quiet") == .init())
  }

  @Test func infoIsKeptInTheSource() throws {
    let shell = try Shell()
    _ = shell.run("dispatch counter.increment --info 'by hand'")
    let entry = try #require(shell.session.store.live.recent().first)
    #expect(entry.source.info == "by hand")
    #expect(entry.source.file == "-c")
    #expect(entry.source.line == 1)
    #expect(entry.source.function == "dispatch")
  }
}

extension String {
  /// How often a text stands in this one.
  fileprivate func components(_ part: String) -> Int { ranges(of: part).count }
}

/// Faults of Lua that are found before a file runs.
@Suite struct LuaInFilesTests {
  @Test(arguments: [
    ("let a = )", 2, 9), ("lua for for", 2, 5), ("assert 1 = 2 -- no", 2, 8), ("echo $(1 +)", 2, 6),
    ("dispatch counter.increment by=$(])", 2, 28),
  ])
  func nothingRunsBeforeTheLuaIsRead(line: String, status: Int32, column: Int) throws {
    let shell = try Shell()
    let outcome = try shell.run(script: "echo first\n\(line)\n")
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("\(shell.folder)/script.stsh:2:\(column): error[lua-syntax]: "))
    #expect(outcome.status == status)
  }
}

/// What a plugin's command dispatches.
@Suite struct CommandDispatchTests {
  @Test func hasABudgetOfItsOwnAndKeepsTheRightToDispatch() throws {
    let shell = try Shell { $0.isQuiet = true }
    try shell.write("many/plugin.json", Array("{\"name\":\"many\",\"version\":\"1\",\"api\":1}".utf8))
    try shell.write(
      "many/init.lua",
      Array(
        """
        return plugin {
          state = { field("n", int()) },
          actions = { { name = "a" }, { name = "spin" } },
          reducers = {
            a = function(s) for _ = 1, 3000 do end s.n = s.n + 1 end,
            spin = function() while true do end end,
          },
          middleware = { { name = "m", on = { "a" }, after = function() end } },
          commands = {
            { name = "go", run = function(_, cmd)
                local before = cmd.state.many
                for _ = 1, 300 do cmd:dispatch("a") end
                return before.n
              end },
            { name = "bad", run = function(_, cmd) cmd:dispatch("spin") end },
          },
        }
        """.utf8))
    #expect(shell.run("plugin load \(shell.folder)/many", "many go").output == "300\n")
    let outcome = shell.run("many bad")
    #expect(outcome.errors.contains("error[plugin-budget]: many: reducer 'many.spin' used more than 200_000 VM"))
    #expect(shell.run("show many.n").output == "300\n")
  }

  @Test func aFailureOfACausedActionFailsTheCommand() throws {
    let shell = try Shell()
    try shell.write("chain/plugin.json", Array("{\"name\":\"chain\",\"version\":\"1\",\"api\":1}".utf8))
    try shell.write(
      "chain/init.lua",
      Array(
        """
        return plugin {
          state = { field("n", int()) }, actions = { { name = "a" }, { name = "b" } },
          reducers = {
            a = function(s) s.n = s.n + 1 end,
            b = function(s) s.n = 9 error("boom") end,
          },
          middleware = { { name = "m", on = { "a" }, after = function(_, ctx) ctx:dispatch("b") end } },
        }
        """.utf8))
    _ = shell.run("plugin load \(shell.folder)/chain")
    let outcome = shell.run("dispatch chain.a")
    #expect(outcome.status == 1)
    #expect(outcome.output.hasPrefix("#2 chain.a\n  chain.n  0 -> 1\n  #3 chain.b <- plugin:chain/m  (failed: chain: "))
    #expect(outcome.errors.contains("error[plugin-runtime]: chain: reducer 'chain.b': "))
    #expect(outcome.errors.hasSuffix("note: #2 chain.a was applied\n"))
    #expect(shell.run("show chain.n").output == "1\n")
  }

  @Test func aPluginMayNotTakeTheNameOfACommand() throws {
    let shell = try Shell()
    try shell.write("echo/plugin.json", Array("{\"name\":\"echo\",\"version\":\"1\",\"api\":1}".utf8))
    try shell.write("echo/init.lua", Array("return plugin {}".utf8))
    let outcome = shell.run("plugin load \(shell.folder)/echo")
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains("error[plugin-load]: echo: that is the name of a command of the shell"))
  }
}
