@testable import StoreHost
@testable import StoreShell
import Testing

/// Reducers of plugins that keep no state of their own, and of those that change another module's.
struct ReducerTests {
  @Test func withoutAStateADraftHasNoFields() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "p", #"return plugin { actions = { { name = "go" } }, reducers = { go = function(draft) draft.x = 1 end } }"#)
    _ = try shell.type("plugin load \(folder)")
    #expect(try shell.type("dispatch p.go").errors.contains("reducer 'p.go': \(folder)/init.lua:1: p has no field 'x'"))
    #expect(try shell.type("log 1 --as json").output.contains("init.lua:1: p has no field 'x'"))
  }

  @Test func liftedReducersAreCountedAtLoadAndInTheAudit() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin { lifted = { { at = "counter", on = "counter.double", args = {}, reduce = function(draft)
        draft.value = draft.value * 2 end } } }
      """, permissions: #"["reduce:counter"]"#)
    #expect(try shell.type("plugin load \(folder)").output.hasSuffix("\n  1 action, 1 lifted reducer\n"))
    _ = try shell.type("dispatch counter.double", "dispatch counter.increment", "dispatch counter.double")
    #expect(
      try shell.type("plugin audit p").output == """
        plugin  permission      uses  required  needed
        p       reduce:counter  2     true      reduce:counter
        p needs all that it asks for

        """)
  }

  /// A number that gives out ids never falls by a reducer, none leaves an id that it would give again, and in company it goes on
  /// behind a reset.
  @Test func sequencesGiveEachIdOnce() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "shop",
      """
      return plugin {
        state = { field("nextId", int { min = 1, sequence = true }), field("orders", list(record("order", { field("id", int()) }))) },
        actions = { { name = "add" }, { name = "forget" }, { name = "clear" } },
        reducers = {
          add = function(s) s.orders[#s.orders + 1] = { id = s.nextId } s.nextId = s.nextId + 1 end,
          forget = function(s) s.orders[#s.orders + 1] = { id = s.nextId } end,
          clear = function(s) s.orders = {} s.nextId = 1 end,
        } }
      """)
    _ = try shell.type("plugin load \(folder)", "dispatch shop.add", "dispatch shop.add")
    #expect(
      try shell.type("dispatch shop.clear").errors.contains(
        "error[sequence]: shop.nextId would fall from 3 to 1, and it gives out ids"))
    #expect(
      try shell.type("dispatch shop.forget").errors.contains(
        "error[sequence]: shop.nextId stays at 3, which an element got as its id"))
    #expect(try shell.type("show shop.nextId").output == "3\n")
    let company = StoreClient(of: shell.session.store.live)
    _ = try shell.type("plugin reload shop --reset")
    #expect(try shell.type("show shop.nextId").output == "3\n")
    #expect(try shell.type("dispatch shop.add").output.contains("shop.orders[id=3]  +"))
    withExtendedLifetime(company) {}
    #expect(
      try shell.type("export journal \(shell.folder)/run.rec", "replay \(shell.folder)/run.rec --verify").errors == "")
  }

  @Test func whatTheyFailWithIsTextToCommands() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "p",
      """
      return plugin { actions = { { name = "no" } }, reducers = { no = function() refuse("not today") end },
        commands = { { name = "try", run = function(_, cmd)
          local ok, reason = pcall(cmd.dispatch, cmd, "no")
          return reason
        end } } }
      """)
    #expect(shell.run("plugin load \(folder)", "p try").output.hasSuffix(": p: not today\n"))
  }

  /// Swift takes them for one.
  @Test func textsThatSpellACharacterInTwoWaysAreTwo() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      #"""
      return plugin {
        state = { field("t", text()) }, actions = { { name = "one" }, { name = "two" }, { name = "task" } },
        reducers = { one = function(s) s.t = "\u{e9}" end, two = function(s) s.t = "e\u{301}" end },
        lifted = { { at = "tasks", on = "p.task", reduce = function(d) d.items[1].title = "e\u{301}" end } },
        projections = { { name = "n", type = int(), fn = function(state) return #state.p.t end } },
      }
      """#, permissions: #"["reduce:tasks"]"#)
    _ = try shell.type("plugin load \(folder)", "dispatch p.one", "show p.n")
    #expect(try shell.type("dispatch p.two").output == "#3 p.two\n  p.t  \"\u{e9}\" -> \"e\u{301}\"\n")
    #expect(try shell.type("show p.n", "undo --quiet", "show p.n", "redo --quiet", "show p.n").output == "3\n2\n3\n")
    _ = try shell.type("dispatch tasks.add \u{e9} --quiet")
    #expect(try shell.type("dispatch p.task").output.contains("tasks.items[id=1].title"))
  }

  @Test func whoTakesTheArgumentsForTheDraftIsToldTheParameters() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "p",
      """
      return plugin { state = { field("n", int()) }, actions = { { name = "inc", args = { field("by", int()) } } },
        reducers = { inc = function(a, s) s.n = s.n + a.by end } }
      """)
    let errors = try shell.type("plugin load \(folder)", "dispatch p.inc 1").errors
    #expect(
      errors.hasSuffix("p has no field 'by'\n  hint: its parameters are function(draft, args, meta)\n"), "\(errors)")
  }
}
