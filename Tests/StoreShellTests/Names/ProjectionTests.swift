import StoreCore
import StoreHost
import StoreSchema
import Testing

@testable import StoreShell

@Schema
struct Numbers: Hashable, Sendable {
  var count = 0
  var other = 0
}

@Schema
enum NumbersAction: Hashable, Sendable {
  case inc
  case touch
}

@Schema
struct NumbersState: Hashable, Sendable { var numbers = Numbers() }

@Schema
enum NumbersRoot: Hashable, Sendable { case numbers(NumbersAction) }

/// `project`, `use` and `bind`.
@Suite struct ProjectionTests {
  private static func numbers(_ options: SessionOptions, _ console: Console) throws -> Session {
    let reducer = Reducer<NumbersAction, Numbers>("numbers") { action, numbers in
      switch action {
      case .inc: numbers.count += 1
      case .touch: numbers.other += 1
      }
    }
    return try Session(
      Application(
        initial: NumbersState(),
        reducer: reducer.lift(action: NumbersRoot.cases.numbers.extract, state: \NumbersState.numbers)),
      options: options, console: console)
  }

  /// S-19: projections own nothing.
  @Test func aWatchTellsWhereItsExpressionFails() throws {
    let shell = try Shell { $0.isQuiet = true }
    _ = try shell.type("project share = 12 // (3 - state.counter.value)", "watch share")
    let seen = try shell.type(
      "dispatch counter.increment", "dispatch counter.increment by=2", "dispatch counter.setStep 2",
      "dispatch counter.increment by=-1")
    #expect(
      seen.errors == """
        [watch 1] share  4 -> 6  (#1 counter.increment)
        [watch 1] error[lua-error]: attempt to divide by zero
        [watch 1] share  6 -> 12  (#4 counter.increment)

        """)
    #expect(seen.status == 0)
  }

  @Test func aWatchOfAPlaceThatGoesSeesNothingThere() throws {
    let shell = try Shell { $0.isQuiet = true }
    _ = try shell.type("dispatch tasks.add one", "watch tasks.items[id=1].title")
    #expect(
      try shell.type("dispatch tasks.remove 1").errors
        == "[watch 1] tasks.items[id=1].title  - \"one\"  (#2 tasks.remove)\n")
  }

  /// Where one is wanted: a call that gives several gives its first, as in Lua.
  @Test(arguments: [
    "assert 1, 2", "let x = 1, 2", "project p = 1, 2", "plot 1, 2 ", "wait until true, true", "set emit 'state, 2'",
    "dispatch counter.increment by=$(1, 2)", "show tasks.items[$(1, 2)]", "echo $(1, 2)",
  ])
  func severalExpressionsAreRefusedWhereOneIsWanted(line: String) throws {
    let shell = try Shell()
    let outcome = try shell.type(line)
    #expect(outcome.errors.contains("expected one expression, got several"), "\(outcome)")
    #expect(try shell.type("show counter.value").output == "0\n")
    #expect(try shell.type("show p", "= x .. ''").output == "")
  }

  @Test(arguments: ["assert false) or (true", "let x = 1), (2", "project p = 1), (2", "wait until true), (false"])
  func whatIsNoLuaByItselfIsNone(line: String) throws {
    let shell = try Shell()
    #expect(try shell.type(line).errors.contains("error[lua-syntax]"))
  }

  @Test func theFirstValueOfACallIsTakenWhereOneIsWanted() throws {
    let shell = try Shell()
    #expect(try shell.type("let x = 1;", "= x", "assert x == 1; -- so", "let y = 'a;';", "= y").output == "1\n\"a;\"\n")
    let position = "('ab'):find('b')"
    #expect(try shell.type("assert \(position)", "let at = \(position) -- a comment", "= at").output == "2\n")
    #expect(try shell.type("echo $(\(position))", "project p = \(position)", "show p").output == "2\n2\n")
  }

  @Test func severalValuesOfAnExpressionAreAllShown() throws {
    let shell = try Shell()
    #expect(try shell.type("= 1, 'two', nil, 4 --as json").output == "[1,\"two\",null,4]\n")
    #expect(try shell.type("= ('a-b'):find('-', 1, true) --as json").output == "[2,2]\n")
    #expect(try shell.type("= (('a-b'):find('-', 1, true)) --as json").output == "2\n")
    #expect(try shell.type("= state.counter, 1 --as json").output == "[{\"value\":0,\"step\":1},1]\n")
  }

  @Test func watchersOfProjectionsCompareProjectedValues() throws {
    let shell = try Shell(over: Self.numbers)
    let outcome = try shell.run(
      script: """
        project p = state.numbers.count * 10 --actions {up = numbers.inc, hush = nil}
        project p2 = p + 1 --actions {up = p.up, hush = p.hush}
        trace on --stable
        watch p
        watch p2
        use p
        dispatch up --quiet
        use root
        dispatch numbers.touch --quiet
        use p2
        dispatch up --quiet
        dispatch hush
        trace off
        log
        """)
    #expect(
      outcome.errors == """
        N 0 watch 1 0
        N 0 watch 2 1
        Q 1 numbers.inc
        R 1 numbers {"count":0,"other":0}→{"count":1,"other":0}
        C 1 {"count":0,"other":0}→{"count":1,"other":0}
        N 1 watch 1 10
        [watch 1] p  0 -> 10  (#1 numbers.inc)
        N 1 watch 2 11
        [watch 2] p2  1 -> 11  (#1 numbers.inc)
        D 1
        Q 2 numbers.touch
        R 2 numbers {"count":1,"other":0}→{"count":1,"other":1}
        C 2 {"count":1,"other":0}→{"count":1,"other":1}
        D 2
        Q 3 numbers.inc
        R 3 numbers {"count":1,"other":1}→{"count":2,"other":1}
        C 3 {"count":1,"other":1}→{"count":2,"other":1}
        N 3 watch 1 20
        [watch 1] p  10 -> 20  (#3 numbers.inc)
        N 3 watch 2 21
        [watch 2] p2  11 -> 21  (#3 numbers.inc)
        D 3
        X hush projection p
        note: hush was not dispatched: the projection p maps it to nothing

        """)
    let script = shell.folder + "/script.stsh"
    #expect(
      outcome.output.split(separator: "\n").suffix(3).map { $0.split(separator: " ")[2] } == [
        "\(script):7", "\(script):9", "\(script):11",
      ])
  }

  @Test func projectionsAreReadLikeEverythingElse() throws {
    let outcome = try Shell().run(
      "project open = project('tasks.open')", "project first = open[1]", "dispatch tasks.add milk --quiet",
      "dispatch tasks.add tea --quiet", "show first.title", "= first.title", "assert #open == 2",
      "show open[id=2].title",
      "show open[*].title --as raw", "echo $(#project('open'))", "show $first --as json", "project --as json")
    #expect(outcome.errors == "")
    #expect(
      outcome.output == """
        "milk"
        "milk"
        "tea"
        milk
        tea
        2
        {"done":false,"id":1,"title":"milk"}
        [{"name":"open","value":"project('tasks.open')","actions":null},{"name":"first","value":"open[1]","actions":null}]

        """)
  }

  /// However much it is in total, what is printed and dispatched is let go of while the Lua goes on.
  @Test func aLongChunkPrintsAndDispatchesAsItGoes() throws {
    let shell = try Shell()
    let outcome = shell.run(
      "lua local x = (\"x\"):rep(1000000) for i = 1, 140 do print(x) end",
      "lua local x = (\"x\"):rep(1000000) for i = 1, 140 do dispatch(\"tasks.add\", { title = x }) dispatch(\"tasks.remove\", { id = i }) end"
    )
    #expect(outcome.errors == "")
    #expect(outcome.output.utf8.count > 140_000_000)
    #expect(shell.session.store.live.recent().last?.number == 280)
  }

  @Test func aWatchedProjectionMayBeReadWhileLuaRuns() throws {
    let outcome = try Shell().run(
      "project twice = state.counter.value * 2", "watch twice",
      "lua local c = state.counter; dispatch('counter.increment'); print(c.value, twice, project('twice')) dispatch('counter.increment') print(c.value)"
    )
    #expect(outcome.output == "watch 1: twice = 0\n1\t2\t2\n2\n")
    #expect(
      outcome.errors
        == "[watch 1] twice  0 -> 2  (#1 counter.increment)\n[watch 1] twice  2 -> 4  (#2 counter.increment)\n")
  }

  /// Lua's tables know no types; what `project` gave keeps its own.
  @Test func whatLuaProjectsKeepsItsType() throws {
    let shell = try Shell { $0.isQuiet = true }
    func answers() -> [String] {
      ["= project(\"tasks.open\") --json", "let o = project(\"tasks.open\")", "show $o --json", "show p --json"]
        .map { shell.run($0).output }
    }
    _ = shell.run("project p = project(\"tasks.open\")")
    #expect(answers() == ["[]\n", "", "[]\n", "[]\n"])
    _ = shell.run("dispatch tasks.add x")
    let items = "[{\"id\":1,\"title\":\"x\",\"done\":false}]\n"
    #expect(answers() == [items, "", items, items])
  }

  @Test func whatLuaProjectsKeepsItsTypeWithinATable() throws {
    let shell = try Shell { $0.isQuiet = true }
    let parts =
      "= { all = project(\"tasks.open\"), list = { project(\"tasks.open\") }, n = #project(\"tasks.open\") } --json"
    #expect(shell.run(parts).output == "{\"all\":[],\"list\":[[]],\"n\":0}\n")
    let items = "[{\"id\":1,\"title\":\"x\",\"done\":false}]"
    #expect(
      shell.run("dispatch tasks.add x", parts).output == "{\"all\":\(items),\"list\":[\(items)],\"n\":1}\n")
  }

  @Test func aProjectionDispatchesNothing() throws {
    let shell = try Shell()
    let outcome = shell.run("project b = dispatch(\"counter.increment\")", "show b")
    #expect(outcome.status != 0)
    #expect(outcome.errors.contains("a projection or a condition only reads the state: it may not dispatch"))
    #expect(shell.session.store.live.recent().isEmpty)
  }

  @Test func aProjectionOfItselfIsRefused() throws {
    let shell = try Shell()
    let outcome = shell.run("project p = p", "show p")
    #expect(outcome.errors.hasPrefix("-c:2:1: error[runaway]: the projection 'p' is read within itself"))
    #expect(shell.run("project q = project('q')", "= q").errors.contains("error[runaway]: the projection 'q'"))
    #expect(shell.run("dispatch counter.increment --quiet").errors == "")
  }

  @Test(arguments: [
    ("project show = 1", "error[name-taken]: 'show' is a command"),
    ("project counter = 1", "error[name-taken]: 'counter' is a module"),
    ("project shell = 1", "error[name-taken]: 'shell' is a module"),
    ("project state = 1", "error[name-taken]: 'state' is a name of the shell's Lua"),
    ("project end = 1", "error[name-taken]: 'end' is a name of the shell's Lua"),
    ("project n = 1", "error[name-taken]: 'n' is a variable"),
    ("project b = 1", "error[name-taken]: 'b' is a binding"),
    ("project p = 1 +", "error[syntax]: this Lua is never finished"),
    ("project p = 1 1", "error[lua-syntax]: "),
    ("project p = 1 --actions {up = counter.up}", "error[unknown-action]: unknown action 'counter.up'"),
    ("project p = 1 --actions 3", "error[type-mismatch]: --actions takes a record"),
    ("let state = 5", "error[name-taken]: 'state' is a name of the shell's Lua"),
    ("let ok = 5", "error[name-taken]: 'ok' is a name of the shell's Lua"),
    ("let b = 5", "error[name-taken]: 'b' is a binding"),
    ("bind n counter.step counter.setStep", "error[name-taken]: 'n' is a variable"),
    (
      "bind c counter.step tasks.add", "error[type-mismatch]: 'counter.step' is Int, but 'title' of tasks.add is String"
    ),
    ("bind c counter.step counter.reset", "error[type-mismatch]: counter.reset does not set one value"),
    ("bind c counter.stp counter.setStep", "error[unknown-path]: 'counter' has no field or projection 'stp'"),
    ("bind c counter.step", "error[missing-argument]: bind needs an action"),
    ("b :=", "error[missing-argument]: b := needs a value"),
    ("b := two", "error[type-mismatch]: 'to' must be Int, got string \"two\""),
    ("b := 1 2", "error[unexpected-argument]: b := takes one value"),
    ("b = 1", "error[unknown-command]: 'b' is a binding, not a command"),
    ("b=1", "error[unknown-command]: 'b' is a binding, not a command"),
    ("c := 1", "error[unknown-command]: there is no command 'c'"),
    ("use nowhere", "error[unknown-path]: there is no module 'nowhere'"),
    ("use tasks.opne", "error[unknown-path]: 'tasks' has no field or projection 'opne'"),
  ])
  func mistakesAreNamedAndChangeNothing(line: String, message: String) throws {
    let shell = try Shell { $0.keepsGoing = true }
    #expect(shell.run("let n = 1", "bind b counter.step counter.setStep").errors == "")
    let outcome = shell.run(line)
    #expect(outcome.errors.contains(": \(message)"), "\(outcome.errors)")
    #expect(shell.session.store.live.recent().isEmpty)
    #expect(shell.session.names.scope.isEmpty)
  }

  @Test func useShortensActionsAndPaths() throws {
    let outcome = try Shell().run(
      "use tasks", "dispatch add milk --quiet", "show items[1].title", "show summary", "show", "log --changed items",
      "dispatch counter.increment --quiet", "show counter.value", "describe counter > /dev/null",
      "use tasks.items[id=1]",
      "show title", "use root", "show tasks.nextId")
    #expect(outcome.errors == "")
    #expect(
      outcome.output == """
        "milk"
        "0 of 1 done"
        nextId  2
        items   1 item
          id  title  done
          1   milk   false
        n   at    source  action                  changed
        #1  0.0s  -c:2    tasks.add title="milk"  tasks.nextId, tasks.items[id=1]
        1
        "milk"
        2

        """)
    #expect(
      try Shell().run("use tasks", "show itmes").errors.hasSuffix("hint: did you mean 'tasks.items'?\n"))
    #expect(try Shell().run("use tasks", "dispatch compleet 1").errors.contains("hint: did you mean 'complete'?"))
  }

  @Test func aWatchStaysWhereItWasSet() throws {
    let outcome = try Shell().run("use tasks", "watch nextId", "use counter", "dispatch tasks.add x --quiet")
    #expect(outcome.output == "watch 1: tasks.nextId = 1\n")
    #expect(outcome.errors == "[watch 1] tasks.nextId  1 -> 2  (#1 tasks.add)\n")
  }

  @Test func aBindingThatIsMadeAnewSaysWhatItWas() throws {
    let shell = try Shell()
    let line = "bind pace counter.step counter.setStep"
    #expect(shell.run(line, line).errors == "", "it is the same")
    #expect(
      shell.run("bind pace counter.value counter.increment").errors
        == "note: pace was bound to counter.step counter.setStep before\n")
  }

  @Test func aBindingIsReadAndWritten() throws {
    let outcome = try Shell().run(
      "bind pace counter.step counter.setStep", "watch pace", "pace := 4", "show pace", "= pace * 2", "echo $pace",
      "pace := $(pace + 1) > /dev/null", "show counter.step", "log")
    #expect(
      outcome.output == """
        watch 1: pace = 1
        #1 counter.setStep to=4
          counter.step  1 -> 4
        4
        8
        4
        5
        n   at    source  action                changed
        #1  0.0s  -c:3    counter.setStep to=4  counter.step
        #2  0.0s  -c:7    counter.setStep to=5  counter.step

        """)
    #expect(
      outcome.errors
        == "[watch 1] pace  1 -> 4  (#1 counter.setStep)\n[watch 1] pace  4 -> 5  (#2 counter.setStep)\n")
  }

  /// Its value has the type of the state's part, and is held otherwise.
  @Test func aProjectionMayBeAPartOfTheState() throws {
    let shell = try Shell()
    #expect(
      shell.run(
        "dispatch counter.increment 5 --quiet", "project q = state.counter", "show q.value", "assert q.value == 5"
      ).output
        == "5\n")
    #expect(
      shell.run("dispatch tasks.add a --quiet", "project t = state.tasks.items", "show t[1].title", "= #t").output
        == "\"a\"\n1\n")
    #expect(shell.run("project u = state.tasks.items[1]", "show u.title", "= u.id").output == "\"a\"\n1\n")
    #expect(
      shell.run("project w = state.tasks", "show w.nextId", "show w --json").output.hasPrefix("2\n{\"nextId\":2,"))
  }
}
