import Testing

@testable import StoreShell

/// Values, selectors of paths, and where results go.
@Suite struct ValueAndPathTests {
  @Test func aFileThatCannotBeWrittenIsFoundBeforeTheActionIsApplied() throws {
    let shell = try Shell()
    let outcome = shell.run("dispatch counter.increment > \(shell.folder)/no/such/file")
    #expect(outcome.errors.hasPrefix("-c:1:28: error[no-such-file]: \(shell.folder)/no/such/file: "))
    #expect(outcome.status == 2)
    #expect(shell.session.store.live.recent().isEmpty)
    #expect(shell.run("dispatch counter.increment > \(shell.folder)").status == 1)
    #expect(shell.session.store.live.recent().isEmpty)
  }

  @Test func aCommandThatFailsLeavesItsFileAsItWas() throws {
    let shell = try Shell()
    try shell.write("kept", "before\n")
    #expect(shell.run("show nowhere > \(shell.folder)/kept").status == 1)
    #expect(shell.run("show nowhere > \(shell.folder)/new").status == 1)
    #expect(shell.contents("kept") == "before\n")
    #expect(shell.contents("new") == nil)
  }

  /// What `show` gives, in the same order.
  @Test func theWholeStateIsAValue() throws {
    let shell = try Shell()
    #expect(shell.run("= state").output == shell.run("show").output)
    #expect(shell.run("let s = state", "= s.counter.step").output == "1\n")
  }

  @Test(arguments: [
    "wait until counter.value > 3", "= counter.value + 1", "plot counter.value", "= counter", "plot counter",
  ])
  func aModuleThatLuaTakesForAVariable(command: String) throws {
    let outcome = try Shell().run(command)
    #expect(outcome.errors.contains("error[lua-error]: 'counter' is not defined\n"))
    #expect(outcome.errors.hasSuffix("  hint: in Lua a module is a field of state: state.counter\n"))
  }

  /// A table of Lua has no order of its own.
  @Test func theFieldsOfAVariableStandAsTheyWereDeclared() throws {
    let shell = try Shell { $0.isQuiet = true }
    #expect(shell.run("let c = state.counter", "show $c --as json").output == #"{"value":0,"step":1}"# + "\n")
    #expect(shell.run("lua c.value = 7", "show $c --as json").output == #"{"value":7,"step":1}"# + "\n")
    #expect(shell.run("lua c.more = 1", "show $c --as json").output == #"{"more":1,"step":1,"value":7}"# + "\n")
    _ = shell.run("dispatch tasks.add milk", "let list = state.tasks.items")
    #expect(shell.run("show $list").output == "id  title  done\n1   milk   false\n")
  }

  @Test func aFlagWithoutAValueTakesNone() throws {
    let outcome = try Shell().run("dispatch counter.increment --quiet=3")
    #expect(outcome.errors.hasPrefix("-c:1:28: error[unexpected-argument]: --quiet takes no value\n"))
    #expect(outcome.status == 2)
  }

  @Test func aModuleIsNoAction() throws {
    #expect(try Shell().run("dispatch tasks").errors.hasSuffix("  hint: describe tasks lists its actions\n"))
  }

  @Test func whatIsInsideAVariableIsSaidInLua() throws {
    let errors = try Shell().run("show $s.items").errors
    #expect(errors.contains("expected a space here; to reach into a variable write $(s…)"))
  }

  /// The program's own flag lifts the sandbox for the session, but never for plugins.
  @Test func theSandboxOfTheSessionSaysWhatLiftsIt() throws {
    #expect(try Shell().run("= io").errors.hasSuffix("  hint: stsh --unsafe-lua allows it in commands\n"))
  }

  @Test func aSubstateOfNoTypeIsDescribed() throws {
    let outcome = try Shell().run("substate add cart --value {n = 1} > /dev/null", "describe cart")
    #expect(outcome.output == "module cart (swift)\nstate\n  Any\n")
  }

  @Test func aDurationIsCalledOne() throws {
    let errors = try Shell().run("dispatch counter.increment by=2s").errors
    #expect(errors.hasPrefix("-c:1:28: error[type-mismatch]: 'by' must be Int, got duration 2s\n"))
    #expect(try Shell().run("dispatch counter.increment by='2s'").errors.contains("got string \"2s\"\n"))
    #expect(try Shell().run("dispatch tasks.add 2s --quiet", "show tasks.items[1].title").output == "\"2s\"\n")
  }

  @Test func selectorsOfPaths() throws {
    let shell = try Shell()
    _ = shell.run(
      "dispatch tasks.add a --quiet", "dispatch tasks.add b --quiet", "dispatch tasks.add c --quiet",
      "let t = { { id = 1, x = 'p' }, { id = 2, x = 'q' } }", "project list = t")
    for (path, expected) in [
      ("tasks.items[1].title", "\"a\""), ("tasks.items[-1].title", "\"c\""), ("tasks.items[-3].title", "\"a\""),
      ("tasks.items[id=2].title", "\"b\""), ("tasks.items[title=c].id", "3"), ("tasks.items[title=\"a\"].id", "1"),
      ("tasks.items[*].id", "[1, 2, 3]"), ("tasks.open[-1].id", "3"), ("list[2].x", "\"q\""), ("list[id=1].x", "\"p\""),
      ("list[*].x", "[\"p\", \"q\"]"),
    ] {
      #expect(
        try shell.type("show \(path) --as lua").output.replacing("{ ", with: "[").replacing(" }", with: "]") == expected
          + "\n", "\(path)")
    }
    for (path, message) in [
      ("tasks.items[0]", "'tasks.items[0]': indices start at 1"),
      ("tasks.items[4]", "'tasks.items[4]': the list has 3 items"),
      ("tasks.items[-4]", "'tasks.items[-4]': the list has 3 items"),
      ("tasks.items[id=9]", "'tasks.items' has no item with id = 9"),
      ("tasks.items[nme=9]", "'tasks.items' has no field 'nme'"), ("list[id=9]", "'list' has no item with id = 9"),
      ("tasks.items[]", "'tasks.items[]' is not a path"),
      ("tasks.nextId[1]", "'tasks.nextId' is Int; it has no items"),
    ] { #expect(try shell.type("show \(path)").errors.contains(message), "\(path)") }
  }

  @Test func logOfAPathThatIsNowhereIsRefused() throws {
    let shell = try Shell()
    let outcome = shell.run("log --changed tasks.itmes")
    #expect(
      outcome.errors == """
        -c:1:15: error[unknown-path]: 'tasks' has no field or projection 'itmes'
          log --changed tasks.itmes
                        ^~~~~~~~~~~
          hint: did you mean 'tasks.items'?

        """)
    // What has gone meanwhile was somewhere.
    _ = try shell.type("dispatch tasks.add a --quiet", "dispatch tasks.remove 1 --quiet")
    #expect(try shell.type("log --changed tasks.items[id=1] --as json").output.contains("tasks.remove"))
  }

  /// The items of an empty list have a type as well.
  @Test(arguments: [
    "show tasks.items[*].foo", "watch tasks.items[*].foo", "why tasks.items[*].foo", "log --changed tasks.items[*].foo",
  ])
  func whatNoItemHasIsNowhere(command: String) throws {
    let shell = try Shell()
    #expect(shell.run(command).errors.contains("error[unknown-path]: 'tasks.items[*]' has no field 'foo'"))
    #expect(shell.run("show tasks.items[*].title --json").output == "[]\n")
    _ = shell.run("dispatch tasks.add x --quiet")
    #expect(shell.run(command).errors.contains("error[unknown-path]: 'tasks.items[1]' has no field 'foo'"))
  }

  @Test func variablesInSelectors() throws {
    let shell = try Shell()
    _ = shell.run(
      "dispatch tasks.add a --quiet", "dispatch tasks.add \"x ]\" --quiet", "let i = 2", "let t = 'x ]'",
      "let list = { 1 }", "let map = { k = 5 }", "project maps = map")
    for (path, expected) in [
      ("tasks.items[id=$i].title", "\"x ]\""), ("tasks.items[$i].id", "2"), ("tasks.items[title=$t].id", "2"),
      ("tasks.items[id=$(i - 1)].title", "\"a\""), ("tasks.items[$(4 / 2)].id", "2"),
      ("tasks.items[id=$( ({1, 2})[1] )].id", "1"), ("maps[$('k')]", "5"),
    ] { #expect(try shell.type("show \(path)") == .init(output: expected + "\n"), "\(path)") }
    #expect(try shell.type("watch tasks.items[id=$i].done").output == "watch 1: tasks.items[id=2].done = false\n")
    #expect(try shell.type("why tasks.items[id=$i].done").output.hasPrefix("#2 tasks.add "))
    #expect(try shell.type("log --changed tasks.items[id=$i]").output.contains("#2  "))
    for (path, message) in [
      ("tasks.items[id=$nothing]", "error[unknown-variable]: there is no variable $nothing\n"),
      ("tasks.items[$list]", "error[type-mismatch]: a selector takes a number or a text, $list is a list\n"),
      ("tasks.items[id=$(i + 1)]", "error[unknown-path]: 'tasks.items' has no item with id = 3\n"),
      ("maps['$i']", "error[unknown-path]: 'maps' has no entry \"$i\"\n"),
    ] { #expect(try shell.type("show \(path)").errors.hasPrefix(message), "\(path)") }
  }

  @Test func aDurationIsAValue() throws {
    let shell = try Shell()
    #expect(shell.run("show 500ms", "show [1.5s, 5min] --as json").output == "\"500ms\"\n[\"1.5s\",\"5min\"]\n")
    #expect(shell.run("show 500").output == "500\n")
  }

  @Test func luaInAWordIsRunOnce() throws {
    let shell = try Shell()
    #expect(shell.run("echo $(dispatch('counter.increment') or 1)", "show counter.value").output == "true\n1\n")
  }
}
