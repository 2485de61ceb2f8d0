import Testing

@testable import StoreShell

/// Lua reducers over the slices of other modules.
@Suite struct LiftedReducerTests {
  private func shell(_ lua: String, permissions: String = "\"reduce:counter\", \"reduce:tasks\"") throws -> Shell {
    let shell = try Shell { $0.grants = ["lifter"] }
    _ = try shell.write("lifter/init.lua", "return plugin { lifted = { \(lua) } }")
    _ = try shell.write(
      "lifter/plugin.json",
      "{\"name\":\"lifter\",\"version\":\"1\",\"api\":1,\"permissions\":[\(permissions)]}")
    return shell
  }

  private func load(_ shell: Shell) -> Shell.Outcome { shell.run("plugin load \(shell.folder)/lifter") }

  private let double = """
    { at = "counter", on = "counter.double", args = { field("times", int { default = 1 }) },
      reduce = function(s, a) for _ = 1, a.times do s.value = s.value * 2 end end }
    """

  @Test func declareAnActionOfAnotherModule() throws {
    let shell = try shell(double)
    #expect(load(shell).status == 0)
    _ = shell.run("dispatch counter.increment by=3")
    #expect(
      shell.run("dispatch counter.double times=2").output
        == "#3 counter.double times=2\n  counter.value  3 -> 12\n")
    #expect(shell.run("describe counter").output.hasSuffix("  counter.double times:Int=1\n"))
  }

  @Test func readWhatTheActionsOfAThirdModuleSay() throws {
    let lua = "{ at = 'tasks', on = 'counter.increment', reduce = function(s, a) s.nextId = a.by end }"
    #expect(
      try load(shell(lua, permissions: "\"reduce:tasks\"")).errors.hasPrefix(
        """
        -c:1:1: error[plugin-schema]: lifter: lifted on 'counter.increment' needs to read 'counter'
        """))
    let shell = try shell(lua, permissions: "\"reduce:tasks\", \"read:counter\"")
    #expect(load(shell).status == 0)
    #expect(shell.run("dispatch counter.increment by=7").output.contains("tasks.nextId  1 -> 7"))
    #expect(!shell.run("plugin audit lifter").output.contains("never used"))
  }

  @Test func goWithThePlugin() throws {
    let shell = try shell(double)
    _ = load(shell)
    _ = shell.run("plugin unload lifter")
    let outcome = shell.run("dispatch counter.double")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("error[unknown-action]: unknown action 'counter.double'"))
  }

  @Test func runBehindTheModulesOwnReducers() throws {
    let shell = try shell(
      """
      { at = "tasks", on = "tasks.add", reduce = function(s, a)
          local last = s.items[#s.items]
          last.title = last.title .. "!"
          s.items[1].done = true
        end }
      """)
    _ = load(shell)
    _ = shell.run("dispatch tasks.add one", "dispatch tasks.add two")
    #expect(
      shell.run("show tasks.items --as json").output
        == "[{\"id\":1,\"title\":\"one!\",\"done\":true},{\"id\":2,\"title\":\"two!\",\"done\":false}]\n")
  }

  @Test func everyWriteIsCheckedAndAFaultUndoesTheWholeAction() throws {
    let shell = try shell(
      "{ at = \"tasks\", on = \"tasks.add\", reduce = function(s) s.nextId = 9 s.items[1].done = \"x\" end }")
    _ = load(shell)
    let outcome = shell.run("dispatch tasks.add one")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(
        "error[plugin-schema]: lifter: reducer 'tasks.add' left invalid state: "
          + "'tasks.items[1].done' must be Bool, got string \"x\""))
    #expect(shell.run("show tasks --as json").output == "{\"nextId\":1,\"items\":[]}\n")
  }

  /// Its own actions go without its name, as they do in a middleware's `on`.
  @Test func answersTheOwnActionsOfItsPlugin() throws {
    let shell = try Shell { $0.grants = ["own"] }
    let folder = try shell.plugin(
      "own",
      """
      return plugin { actions = { { name = "twice" } },
        lifted = { { at = "counter", on = "twice", reduce = function(s) s.value = 2 end } } }
      """, permissions: #"["reduce:counter"]"#)
    #expect(
      try shell.type("plugin load \(folder)", "dispatch own.twice").output.hasSuffix("  counter.value  0 -> 2\n"))
  }

  @Test func needThePermission() throws {
    let shell = try shell(double, permissions: "\"read:counter\"")
    let outcome = load(shell)
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains("error[plugin-schema]: lifter: lifted: may not reduce over 'counter'"))
    #expect(outcome.errors.contains("hint: add \"reduce:counter\" to permissions in plugin.json"))
  }

  @Test(arguments: [
    ("{ at = \"nowhere\", on = \"nowhere.x\", reduce = function() end }", "unknown module 'nowhere'"),
    ("{ at = \"lifter\", on = \"lifter.x\", reduce = function() end }", "'lifter' is the plugin's own module"),
    ("{ at = \"counter\", on = \"tasks.nope\", reduce = function() end }", "lifted on unknown action 'tasks.nope'"),
    ("{ at = \"counter\", on = \"counter.reset\" }", "lifted on 'counter.reset' needs reduce"),
    (
      "{ at = \"counter\", on = \"counter.reset\", args = {}, reduce = function() end }",
      "lifted on 'counter.reset': the action exists"
    ),
  ])
  func aFaultyDeclarationIsRefused(lua: String, message: String) throws {
    let outcome = load(try shell(lua))
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains(message))
  }
}
