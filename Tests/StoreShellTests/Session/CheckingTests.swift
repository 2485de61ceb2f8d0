import Testing

@testable import StoreShell

/// `--check`: syntax, names and types, and nothing runs.
@Suite struct CheckingTests {
  private func check(_ script: String, _ shell: Shell? = nil) throws -> (Shell, Shell.Outcome) {
    let shell = try shell ?? Shell()
    shell.session.checkOnly()
    let outcome = try shell.run(script: script)
    return (
      shell,
      .init(
        output: outcome.output, errors: outcome.errors.replacing(shell.folder + "/", with: ""), status: outcome.status)
    )
  }

  @Test func ofWhatIsCheckedNothingIsSaidToHaveBeenApplied() throws {
    let (_, outcome) = try check("substate reset cart\n")
    #expect(
      outcome.errors == """
        script.stsh:1:1: error[unknown-substate]: no substate cart
          substate reset cart
        1 of 1 commands failed

        """)
  }

  @Test func aScriptWithoutMistakesPrintsNothingAndRunsNothing() throws {
    let shell = try Shell()
    let inner = try shell.write("inner.stsh", "dispatch tasks.add title=$1\n")
    let (_, outcome) = try check(
      """
      let n = 3
      let title = "x"
      dispatch counter.increment by=$n
      dispatch counter.increment by=$(n * 2)
      dispatch tasks.add $title
      try dispatch tasks.remove id=9
      time show tasks.items[id=7].title
      show tasks.summary --as json
      watch counter.value
      watch stop 1
      assert state.counter.value == 3 -- no
      source \(inner) milk
      project open = #project('tasks.open') --actions {add = tasks.add}
      use open
      dispatch add tea
      show $n
      bind pace counter.step counter.setStep
      pace := 9
      echo hello > \(shell.folder)/made
      set output json
      show tasks.items[-1].title
      log --changed tasks.items[$n]
      ingest \(shell.folder)/made --as tasks.add --map title=name
      source \(shell.folder)/made
      quit 7
      """, shell)
    #expect(outcome == .init())
    #expect(shell.session.store.live.recent().isEmpty)
    #expect(shell.contents("made") == nil)
    #expect(shell.session.watches.list.isEmpty)
    #expect(shell.session.options.format == .auto)
  }

  /// What a projection gives is known only once the lines above have run: their functions, their variables and their data.
  @Test func aProjectionThatCannotBeComputedYetIsNoMistake() throws {
    let (shell, sound) = try check(
      """
      lua function double() return state.counter.value * 2 end
      let rate = 3
      project twice = double()
      project priced = rate * state.counter.value
      project first = state.tasks.items[1].title
      show twice
      show priced
      watch first
      use first
      use root
      show first.anything
      """)
    #expect(sound == .init())
    #expect(shell.session.store.live.recent().isEmpty)
    let (_, outcome) = try check("project twice = double()\nshow twice\nproject up = up + 1\nshow up\n")
    #expect(outcome.errors.contains("script.stsh:2:1: error[lua-error]: 'double' is not defined"))
    #expect(outcome.errors.contains("script.stsh:4:1: error[runaway]"), "\(outcome.errors)")
  }

  /// What a run finds before its first line has the same status where nothing runs.
  @Test(arguments: [
    ("dispatch tasks.ad x", "unknown action"), ("plugin lod x", "plugin has no 'lod'"),
    ("echo $nope", "no variable $nope"),
    ("show counter --jsn", "no flag --jsn"), ("! echo", "! is for the prompt"), ("checks end", "no checks have begun"),
    ("checks begin\nchecks begin", "checks began on line 2 already"), ("checks begin", "no line ends them"),
    ("let name = 1\necho $nme", "did you mean $name?"), ("step \"s $nope\" echo a", "no variable $nope"),
    ("assert true -- m $nope", "no variable $nope"), ("show tasks > x-$nope", "no variable $nope"),
    ("let rev = 1\nlet m = \"to $(rev)\"", "Lua does not replace $rev"),
  ])
  func unknownNamesHaveStatusTwo(lines: String, message: String) throws {
    let script = "dispatch counter.increment\n\(lines)\necho last\n"
    let (_, checked) = try check(script)
    #expect(checked.status == 2 && checked.errors.contains(message), "\(checked)")
    let shell = try Shell()
    let outcome = try shell.run(script: script)
    #expect(outcome.status == 2 && outcome.output == "" && outcome.errors.contains(message), "\(outcome)")
    #expect(outcome.errors.contains("script.stsh:"), "\(outcome)")
  }

  /// What Lua asks of the state, and what a line asks of the elements of a list, is declared.
  @Test(arguments: [
    ("assert state.tasks.itmes == nil", "hint: did you mean 'items'?"),
    ("= state.tasks.sumary", #"hint: did you mean project("tasks.summary")?"#),
    ("= state.tasks.summary", #"hint: in Lua a projection is project("tasks.summary")"#),
    ("echo $(state.counter.vale)", "counter has no field 'vale'"), ("plot state.counter.vale", "no field 'vale'"),
    ("lua if true then print(state.counter.stp) end", "hint: did you mean 'step'?"),
    ("show tasks.items --columns id,titel", "no element has a field 'titel'\n"),
    ("show tasks.items --sort -titel", "hint: did you mean 'title'?"),
    ("show tasks.items where titel == 'a'", "'titel' is not defined"),
    ("watch tasks.items where titel == 'a'", "'titel' is not defined"),
    ("lua x = 1\nshow tasks.items where titel == 'a'", "'titel' is not defined"),
    ("plugin load ledger\nshow ledger.accounts where balanc > 0", "'balanc' is not defined"),
    ("show tasks.items where it.titel == 'a'", "no element has a field 'titel'\n"),
    ("show tasks.items where type == 'a'", "no element has a field 'type'\n"),
    ("assert state.countr.value == 0", "state has no module 'countr'\n"),
    ("lua dispatch(\"tasks.ad\", { title = 'x' })", "unknown action 'tasks.ad'"),
    ("lua dispatch('counter.nope')", "unknown action 'counter.nope'"),
    ("= project('tasks.sumary')", "'tasks' has no field or projection 'sumary'"),
    ("echo $(project('tasks.sumary'))", "hint: did you mean 'tasks.summary'?"),
  ])
  func partsThatNothingHasAreMistakes(line: String, message: String) throws {
    let (_, outcome) = try check("\(line)\n")
    #expect(outcome.status != 0 && outcome.errors.contains(message), "\(outcome)")
  }

  @Test func partsThatMayBeThereAreNoMistakes() throws {
    let (_, outcome) = try check(
      """
      = state.tasks.items[1].title
      = state.nothere.x
      = "state.tasks.itmes" -- state.tasks.itmes
      lua local state = { counter = {} } print(state.counter.x)
      lua local t = { state = { counter = {} } } print(t.state.counter.x)
      let r = { { a = 1 } }
      show $r --columns b
      lua if state.web then dispatch('web.tick') print(project('web.sum')) end
      lua local function dispatch(x) end dispatch('counter.nope')
      lua local d = { dispatch = print } d.dispatch('counter.nope')
      lua if not pcall(function() dispatch('counter.nope') end) then print(1) end
      try lua dispatch('counter.nope')
      try echo $(state.conter.value)
      lua function mine(x) return x end
      show tasks.items where mine(title) == 'a' --sort -id --columns title
      """)
    #expect(outcome == .init())
  }

  /// The names of a plugin that is not granted are not known.
  @Test func behindAPluginThatDoesNotComeNoNameIsJudged() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "depot", "return plugin { state = { field('n', int()) } }", permissions: "[\"dispatch:counter.*\"]")
    let (_, outcome) = try check(
      "plugin load \(folder)\ndispatch depot.item\nshow depot.n\nshow counter --jsn\n", shell)
    #expect(outcome.errors.split(separator: "\n").filter { $0.contains("error[") }.count == 2, "\(outcome)")
    #expect(outcome.errors.contains("error[plugin-grant]") && outcome.errors.contains("--jsn"), "\(outcome)")
  }

  /// In a text of Lua no argument is replaced, whether the script is given it or not.
  @Test(arguments: [
    ("lua if \"$1\" == 'prod' then end", "Lua does not replace $1"),
    ("let target = \"$1\"", "Lua does not replace $1"),
  ])
  func anArgumentInATextOfLuaIsFoundFirst(line: String, message: String) throws {
    let shell = try Shell()
    let outcome = try shell.run(script: "dispatch counter.increment\n\(line)\n")
    #expect(outcome.status == 2 && outcome.output == "" && outcome.errors.contains(message), "\(outcome)")
  }

  @Test func everyMistakeIsReportedInItsPlace() throws {
    let shell = try Shell()
    try shell.write("inner.stsh", "dispatch tasks.ad x\n")
    let (_, outcome) = try check(
      """
      dispatch counter.incremnt
      dispatch counter.increment by=two
      time show tasks.itmes
      nonsense
      show counter --jsn
      dispatch tasks.add
      ingest x.csv --as tasks.ad
      set outptu json
      source \(shell.folder)/inner.stsh
      = 1 1
      echo $(1 1)
      echo "open
      """, shell)
    let heads = outcome.errors.split(separator: "\n").filter { $0.contains("error[") }
    #expect(
      heads == [
        "script.stsh:1:10: error[unknown-action]: unknown action 'counter.incremnt'",
        "script.stsh:2:28: error[type-mismatch]: 'by' must be Int, got string \"two\"",
        "script.stsh:3:11: error[unknown-path]: 'tasks' has no field or projection 'itmes'",
        "script.stsh:4:1: error[unknown-command]: there is no command 'nonsense'",
        "script.stsh:5:14: error[unknown-flag]: show has no flag --jsn",
        "script.stsh:6:10: error[missing-argument]: tasks.add needs 'title' (String)",
        "script.stsh:7:19: error[unknown-action]: unknown action 'tasks.ad'",
        "script.stsh:8:5: error[unknown-setting]: there is no setting 'outptu'",
        "inner.stsh:1:10: error[unknown-action]: unknown action 'tasks.ad'",
        "script.stsh:10:3: error[lua-syntax]: <eof> expected near '1'",
        "script.stsh:11:6: error[lua-syntax]: <eof> expected near '1'",
        "script.stsh:12:6: error[syntax]: this \" is never closed",
      ])
    // A run would have refused the file for its last line before it reached the others.
    #expect(outcome.status == 2)
    #expect(shell.session.store.live.recent().isEmpty)
  }

  @Test func whichItemsThereWillBeIsNotKnownButWhatTheyHaveIs() throws {
    let (_, sound) = try check(
      "use tasks.items[1]\nshow title\nuse root\nbind id tasks.items[1].id counter.setStep\nshow tasks.items[id=3].done\n"
    )
    #expect(sound == .init())
    let (_, outcome) = try check(
      "show tasks.items[1].foo\nshow tasks.items[nope=1].title\nlog --changed tasks.items[2].foo\nwatch tasks.items[*].x\n"
    )
    let heads = outcome.errors.split(separator: "\n").filter { $0.contains("error[") }
    #expect(
      heads == [
        "script.stsh:1:6: error[unknown-path]: 'tasks.items[1]' has no field 'foo'",
        "script.stsh:2:6: error[unknown-path]: 'tasks.items' has no field 'nope'",
        "script.stsh:3:15: error[unknown-path]: 'tasks.items[2]' has no field 'foo'",
        "script.stsh:4:7: error[unknown-path]: 'tasks.items[*]' has no field 'x'",
      ])
  }

  @Test func aPipeThatIsForbiddenIsAMistake() throws {
    let (_, outcome) = try check("echo a | cat", try Shell { $0.allowsExecution = false })
    #expect(outcome.errors.hasPrefix("script.stsh:1:8: error[not-allowed]: "))
  }

  /// A script that tries what it knows to fail has no mistakes.
  @Test(arguments: ["try dispatch no.such", "time try show tasks.itmes", "try nonsense", "try show counter --jsn"])
  func whatIsTriedMayFail(line: String) throws {
    let (_, outcome) = try check(line)
    #expect(outcome == .init())
    #expect(try check("try").1.status != 0)
  }

  @Test func pluginsThatAreLoadedOnTheWayAddNames() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "beans",
      "return plugin { state = { field('n', int()) }, actions = { { name = 'add' } }, reducers = { add = function(s) s.n = s.n + 1 end } }"
    )
    let (_, outcome) = try check(
      "dispatch beans.add\nplugin load \(folder)\ndispatch beans.add\nshow beans.n\nshow beans.m\n", shell)
    #expect(outcome.output == "")
    let heads = outcome.errors.split(separator: "\n").filter { $0.contains("error[") }
    #expect(
      heads == [
        "script.stsh:1:10: error[unknown-action]: unknown action 'beans.add'",
        "script.stsh:5:6: error[unknown-path]: 'beans' has no field or projection 'm'",
      ])
  }

  @Test(
    arguments: [
      ("set output bogus", 12, "type-mismatch"), ("set runaway -3", 13, "out-of-range"),
      ("set plugin.ceiling.tasks x", 26, "out-of-range"), ("show \"b\" x y", 10, "unexpected-argument"),
      ("show counter --as bogus", 19, "unknown-format"), ("show counter --at x", 19, "type-mismatch"),
      ("show tasks.itmes[$i]", 6, "unknown-path"), ("watch stop x", 12, "unknown-watch"),
      ("why tasks.itmes", 5, "unknown-path"), ("quit 999", 6, "out-of-range"), ("wait 5x", 6, "type-mismatch"),
      ("goto abc", 6, "type-mismatch"), ("diff 1 2 3", 10, "unexpected-argument"), ("undo zero", 6, "type-mismatch"),
      ("trace sideways", 7, "unexpected-argument"), ("log x", 5, "type-mismatch"), ("let x =", 5, "missing-argument"),
      ("project x =", 9, "missing-argument"),
      ("= 1 --as bogus", 10, "unknown-format"), ("plot 1 --over x", 15, "type-mismatch"),
      ("plot 1 --bogus", 8, "unknown-flag"), ("plugin reload", 8, "missing-argument"),
      ("plugin new --seed 1", 12, "unknown-flag"), ("export state", 8, "missing-argument"),
      ("export journal x --as y", 23, "unknown-format"), ("import journal x", 8, "unexpected-argument"),
      ("replay", 1, "missing-argument"), ("ingest --as tasks.add", 1, "missing-argument"),
      ("middleware on nobody", 15, "unknown-middleware"), ("effects stop", 9, "unexpected-argument"),
      ("alias a = echo", 1, "not-allowed"), ("thunk nothing", 7, "unknown-thunk"),
      ("history a b", 11, "unexpected-argument"), ("log --changed foo.bar", 15, "unknown-path"),
      ("log --changed tasks.itmes[$i]", 15, "unknown-path"), ("show tasks.items[0].title", 6, "unknown-path"),
      ("source /no.stsh", 8, "no-such-file"), ("ingest /no.csv --as tasks.add", 8, "no-such-file"),
      ("replay /no.jsonl", 8, "no-such-file"), ("import state /no.json", 14, "no-such-file"),
      ("show a=b", 6, "missing-argument"), ("plugin new Bad-Name", 12, "type-mismatch"),
      ("plugin test x --seed y", 22, "type-mismatch"), ("plugin reload x --verify y", 26, "type-mismatch"),
      ("log $n --changed foo.bar", 18, "unknown-path"), ("watch --as bogus", 12, "unknown-format"),
    ])
  func whatIsKnownBeforeItRunsIsChecked(line: String, column: Int, code: String) throws {
    let (_, outcome) = try check(line)
    #expect(outcome.errors.hasPrefix("script.stsh:1:\(column): error[\(code)]: "), "\(outcome.errors)")
  }

  /// A value that is known later hides no mistake beside it, and is none itself.
  @Test func whatIsKnownLaterIsNoMistake() throws {
    let names = ["n", "name", "value", "onOrOff", "p", "what", "f", "m"].map { "let \($0) = 1" }
    let lines =
      names + [
        "goto $n", "undo $n", "set $name $value", "trace $onOrOff", "plugin load $p", "export $what $f", "use $m",
      ]
    let (shell, outcome) = try check(lines.joined(separator: "\n"))
    #expect(outcome == .init())
    #expect(shell.session.names.scope.isEmpty)
  }

  @Test(arguments: CommandTable.standard.definitions.flatMap { $0.examples.map(CheckedExample.init) })
  func noExampleRuns(example: CheckedExample) throws {
    let shell = try Shell()
    shell.session.checkOnly()
    let settings = shell.session.options.format
    let outcome = try shell.type(
      "echo kept > \(shell.folder)/file",
      example.lines.map { $0.replacing("FOLDER", with: shell.folder) }.joined(separator: "\n"))
    #expect(outcome.output == "")
    #expect(shell.session.store.live.recent().allSatisfy { $0.action.hasPrefix("shell.") })
    #expect(shell.contents("file") == nil)
    #expect(shell.session.options.format == settings)
    #expect(shell.session.watches.list.isEmpty)
    #expect(!shell.session.hasQuit)
  }

  /// The lines of an example.
  struct CheckedExample: CustomTestStringConvertible {
    let lines: [String]

    init(_ example: CommandExample) { lines = example.lines }

    var testDescription: String { lines.joined(separator: "; ") }
  }

  @Test func commandsOfPluginsAreCheckedAndNotRun() throws {
    let (shell, outcome) = try check(
      """
      plugin load pomodoro
      pomodoro stats
      pomodoro status > made
      bind limit counter.step counter.setStep
      limit := two
      """, try Shell { $0.grants = ["pomodoro"] })
    let heads = outcome.errors.split(separator: "\n").filter { $0.contains("error[") }
    #expect(
      heads == [
        "script.stsh:2:10: error[unknown-command]: pomodoro has no command 'stats'",
        "script.stsh:5:10: error[type-mismatch]: 'to' must be Int, got string \"two\"",
      ])
    #expect(shell.contents("made") == nil)
  }

  /// What a sourced file says is checked whatever it will be given.
  @Test(arguments: ["$(1 + 1)", "$d", "$1"])
  func aSourcedFileWithArgumentsThatAreNotKnownYet(argument: String) throws {
    let shell = try Shell()
    try shell.write("inner.stsh", "echo $1\ndispatch tasks.ad x\n")
    let (_, outcome) = try check("let d = \"x\"\nsource \(shell.folder)/inner.stsh \(argument)\n", shell)
    #expect(outcome.errors.contains("inner.stsh:2:10: error[unknown-action]: unknown action 'tasks.ad'"))
    #expect(outcome.status == 2)
  }
}
