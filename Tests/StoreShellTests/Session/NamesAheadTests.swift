import ShellLanguage
import Testing

@testable import StoreShell

/// Unknown names in a file are found before its first line runs.
@Suite struct NamesAheadTests {
  /// Lines with one unknown name, each behind one that would dispatch.
  @Test(arguments: [
    ("nonsense", "unknown-command"), ("show counter --jsn", "unknown-flag"),
    ("dispatch counter.incremnt", "unknown-action"), ("dispatch counter.increment bye=3", "unexpected-argument"),
    ("dispatch tasks.add a b", "unexpected-argument"), ("ingest x.csv --as tasks.ad", "unknown-action"),
    ("time dispatch tasks.ad x", "unknown-action"), ("step \"x\" dispatch tasks.ad x", "unknown-action"),
    ("echo $none", "unknown-variable"), ("dispatch tasks.add \"for $none\"", "unknown-variable"),
    ("echo x > $none", "unknown-variable"), ("lua x = 1\necho $none", "unknown-variable"),
    ("lua x = 1\ndispatch tasks.ad x", "unknown-action"), ("echo $2", "unknown-variable"),
    ("plugin load web\necho $none", "unknown-variable"), ("show counter --as jason", "unknown-format"),
    ("dispatch tasks.add", "missing-argument"), ("show tasks.items --limit", "missing-argument"),
    ("bind n counter.step counter.setStp", "unknown-action"), ("lua print(\"$1\")", "syntax"),
    ("checks begin\ndispatch tasks.ad x\nchecks end", "unknown-action"),
    ("wait 5", "type-mismatch"), ("wait 1m", "type-mismatch"), ("show tasks.items --limit ten", "type-mismatch"),
    ("set hints maybe", "type-mismatch"), ("set nosuch 5", "unknown-setting"), ("quit x", "out-of-range"),
    ("set runaway 0", "out-of-range"), ("undo zero", "type-mismatch"), ("help nosuch", "unknown-topic"),
    ("retry 3 assert true", "unexpected-argument"), ("retry 3 every 5 assert true", "type-mismatch"),
    ("retry 0 every 5s assert true", "type-mismatch"), ("time", "missing-argument"), ("try", "missing-argument"),
    ("dispatch counter.increment by=1\ndispatch counter.increment by=x", "type-mismatch"),
    ("dispatch counter.increment 1\ndispatch counter.increment 1x", "type-mismatch"),
    ("dispatch counter.increment by=1\ndispatch counter.increment by=\"1\"", "type-mismatch"),
    ("dispatch counter.increment by=1\ndispatch counter.increment by=1.5", "type-mismatch"),
    ("dispatch counter.increment 1\ndispatch counter.increment 1.5", "type-mismatch"),
    ("dispatch counter.increment 1\ndispatch counter.increment 99999999999999999999", "type-mismatch"),
    ("dispatch counter.increment by=1 --quiet\ndispatch counter.increment by=1.5 --quiet", "type-mismatch"),
    ("step x dispatch counter.increment 1\nstep x dispatch counter.increment 1.5", "type-mismatch"),
    ("project p = 1\ndispatch counter.increment 1\ndispatch counter.increment 1.5", "type-mismatch"),
    ("dispatch counter.increment 1 --info a\ndispatch counter.increment 1.5 --info a", "type-mismatch"),
    ("show tasks.items --limit 3\nshow tasks.items --limit 1.5", "type-mismatch"),
    ("set runaway 10\nset runaway 0", "out-of-range"),
  ])
  func anUnknownNameIsFoundFirst(line: String, code: String) throws {
    let shell = try Shell()
    let outcome = try shell.run(script: "dispatch counter.increment\n\(line)\n", "one")
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("error[\(code)]"))
    #expect(outcome.status == 2)
    #expect(shell.session.store.live.head == 0)
  }

  /// The same lines behind one that can define the name, or where a failure does not end the script.
  @Test(arguments: [
    "try wait 5", "use tasks\nwait 5", "retry 1 every 1ms wait 5", "lua load('none = 1')()\necho $none",
    "lua none = 1\necho $none", "use tasks\nnonsense", "try nonsense",
    "retry 2 every 1ms dispatch tasks.ad x",
    "undo\ndispatch tasks.ad x", "let r = command(\"show counter\")\nnonsense",
  ])
  func aNameThatMayBeThereByThenIsLeft(lines: String) throws {
    let shell = try Shell()
    let outcome = try shell.run(script: "dispatch counter.increment\n\(lines)\n")
    #expect(outcome.output.hasPrefix("#1 counter.increment"))
  }

  /// Behind a line that gave names, those of the lines up to the next such line are looked at before any of them runs.
  @Test(arguments: [
    "dispatch ledger.transfre", "shwo ledger", "ledger.opne x", "dispatch ledger.open bad=1",
    "show ledger.accounts --as jason", "step x dispatch ledger.opn",
  ])
  func namesOfAPluginAreLookedAtOnceItIsThere(line: String) throws {
    let shell = try Shell()
    let outcome = try shell.run(
      script: "plugin load ledger\ndispatch counter.increment\n\(line)\nundo\nnonsense\n")
    #expect(!outcome.output.contains("counter.increment"), "\(outcome)")
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.errors.contains("script.stsh:3:"), "\(outcome)")
  }

  /// A valid script is valid before it runs, too.
  @Test(arguments: [
    "try atomic begin\ndispatch counter.increment\natomic end", "atomic begin\ntry atomic end",
    "try checks begin\nassert true\nchecks end", "checks begin\nassert true\ntry checks end",
    "retry 3 every 10ms atomic begin\natomic end", "= (function() m = 3; return true end)()\necho $m",
    "let a = (function() m = 3; return true end)()\necho $m",
    "lua function login() token = 't1' return true end\nassert login()\necho $token",
    "checks begin\nassert true\nlua command('checks end')",
    "lua function fin() return command('atomic end') end\natomic begin\n= fin()\natomic begin\natomic cancel",
    "plugin load ledger\nshow ledger.accounts where it.balance > 0", "plugin load ledger\nlua n = 1\necho $n",
    "undo\nlet k = 2\necho $k", "lua function f() return 1 end\n= f()\nlet x = f()\necho $x",
  ])
  func noValidScriptIsRefused(lines: String) throws {
    let outcome = try Shell().run(script: "dispatch counter.increment\n\(lines)\n")
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
    let shell = try Shell()
    shell.session.checkOnly()
    let checked = try shell.run(script: "dispatch counter.increment\n\(lines)\n")
    #expect(checked.status == 0 && checked.errors == "", "\(checked)")
  }

  /// Of lines that differ in values alone one is looked at, however many there are.
  @Test(arguments: [100, 400])
  func linesThatDifferInValuesAreLookedAtOnce(count: Int) throws {
    func looks(_ lines: (Int) -> String) throws -> Int {
      let session = try Shell().session
      let text = (0..<count).map { lines($0) + "\n" }.joined()
      var reader = StatementReader(Array(text.utf8), grammar: session.grammar)
      var names = NamesAhead(session)
      defer { names.end() }
      var looks = 0
      while true {
        reader.passPlainLines { names.values(of: $0) }
        guard let statement = try reader.next() else { return looks }
        looks += 1
        #expect(names.error(in: statement) == nil)
      }
    }
    #expect(try looks { "dispatch counter.increment by=\($0)" } == 1)
    #expect(
      try looks {
        "dispatch tasks.add \"to-do \($0)\"\ndispatch counter.increment \($0) --quiet\ndispatch tasks.complete \($0)"
      } == 3)
    // Behind a line that can define any name, values are left to the run.
    #expect(try looks { $0 == 0 ? "undo" : "dispatch other.go \($0)" } == 2)
    // The same line is looked at once, whatever it says.
    #expect(try looks { $0 % 2 == 0 ? "show counter --json" : "time dispatch counter.increment 1" } == 2)
  }

  @Test func whatEarlierLinesNameIsKnown() throws {
    let shell = try Shell()
    let outcome = try shell.run(
      script: """
        let n = 2
        project double = state.counter.value * 2
        bind pace counter.step counter.setStep
        echo "$n of $double, $1 $(n + 1)"
        pace := $n
        echo $(arg[1]) $ok ${err}

        """, "one")
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
    #expect(try shell.run(script: "echo $n\necho $double\n").output == "2\n0\n")
  }

  /// A run knows how many there are; a check of all lines does not.
  @Test func argumentsOfTheCommandLineCountAsGivenInACheck() throws {
    let outcome = try Shell().run(script: "echo $1\necho $2\n", "one")
    #expect(outcome.output == "")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("there is no argument $2"))
    let shell = try Shell()
    shell.session.checkOnly()
    #expect(try shell.run(script: "echo $1\necho $2\n") == .init())
    let given = try Shell()
    given.session.checkOnly()
    let checked = try given.run(script: "echo $1\necho $2\n", "one")
    #expect(checked.status == 2 && checked.errors.contains("there is no argument $2"), "\(checked)")
  }

  @Test func flagsAreKnownWhateverIsDefined() throws {
    let shell = try Shell()
    let outcome = try shell.run(script: "lua x = 1\ndispatch counter.increment\nshow counter --jsn\n")
    #expect(outcome.output == "")
    #expect(outcome.status == 2)
  }

  @Test func aRunThatGoesOnMeetsThemWhereTheyStand() throws {
    let shell = try Shell { $0.keepsGoing = true }
    let outcome = try shell.run(script: "nonsense\ndispatch counter.increment\n")
    #expect(outcome.output.hasPrefix("#1"))
    #expect(try Shell().run(input: Array("dispatch counter.increment\nnonsense\n".utf8)).output.hasPrefix("#1"))
  }

  @Test func syntaxComesFirstAndTheFirstNameIsTold() throws {
    let shell = try Shell()
    #expect(try shell.run(script: "nonsense\necho \"open\n").errors.contains("never closed"))
    let outcome = try shell.run(script: "dispatch counter.increment by=1\ndispatch counter.increment bay=2\nnonsense\n")
    #expect(
      outcome.errors.replacing(shell.folder + "/", with: "") == """
        script.stsh:2:28: error[unexpected-argument]: counter.increment has no argument 'bay'
          dispatch counter.increment bay=2
                                     ^~~
          hint: did you mean 'by'?

        """)
  }

  @Test func aCheckFindsUnknownVariables() throws {
    let shell = try Shell()
    shell.session.checkOnly()
    let outcome = try shell.run(script: "echo $1 $none\nlet n = 1\necho $n\nlua x = 2\necho $x\n")
    #expect(outcome.errors.contains("script.stsh:1:9: error[unknown-variable]: there is no variable $none"))
    #expect(outcome.errors.split(separator: "\n").count { $0.contains("error[") } == 1)
  }
}
