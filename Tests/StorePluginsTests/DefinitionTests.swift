import PluginSupport
import StorePlugins
import StoreSchema
import Testing

@Suite("Definitions")
struct DefinitionTests {
  /// The error with which a definition is refused.
  private func refuse(_ lua: String, permissions: [String] = []) throws -> PluginError? {
    let folder = try PluginFolder("p", permissions: permissions, lua: lua)
    return fault { try Bench().load(folder) }
  }

  private func message(_ lua: String, permissions: [String] = []) throws -> String? {
    try refuse(lua, permissions: permissions)?.message
  }

  @Test func whatAPluginDeclares() throws {
    let plugin = try Bench().load(
      try PluginFolder(
        "p",
        lua: """
          return plugin {
            state = {
              field("count", int { min = 0, default = 3 }), field("ratio", number { default = 0.5 }),
              field("on", bool()), field("name", text { default = "x" }), field("phase", enum { "idle", "work" }),
              field("task", optional(int())), field("list", list(text())), field("by", map(int { min = 1 })),
              field("place", record("Place", { field("x", int()), field("y", int { min = 2 }) })),
              field("low", int { max = -4 }),
            },
            actions = {
              { name = "start", doc = "Starts.", args = { field("minutes", int { min = 1, max = 180, default = 25 }) } },
              { name = "tick", quiet = true },
            },
            projections = { { name = "face", type = text(), fn = function() return "" end } },
            commands = { { name = "status", summary = "one line", examples = { "p status" }, run = function() end } },
            middleware = { { name = "m", gate = "off" }, { name = "n" } },
            on_load = "tick",
          }
          """))
    #expect(
      JSON.text(of: plugin.initialState) == #"""
        {"count":3,"ratio":0.5,"on":false,"name":"x","phase":"idle","task":null,"list":[],"by":{},"place":{"x":0,"y":2},"low":-4}
        """#)
    #expect(plugin.module.name == "p")
    #expect(plugin.module.origin == .lua)
    #expect(plugin.module.actions.map(\.signature) == ["p.start minutes:Int=25", "p.tick"])
    #expect(plugin.module.actions[0].documentation == "Starts.")
    #expect(plugin.module.actions.map(\.isQuiet) == [false, true])
    #expect(plugin.module.projections.map(\.name) == ["face"])
    #expect(plugin.module.commands.map(\.examples) == [["p status"]])
    #expect(plugin.units.map(\.name) == ["m", "n"])
    #expect(plugin.units.map(\.isOpen) == [false, true])
    #expect(plugin.onLoad == "p.tick")
  }

  @Test func anEmptyDefinition() throws {
    let plugin = try Bench().load(try PluginFolder("p", lua: "return plugin {}"))
    #expect(plugin.module.schema == nil)
    #expect(JSON.text(of: plugin.initialState) == "{}")
    #expect(plugin.onLoad == nil)
  }

  @Test func noDefinition() throws {
    let error = try refuse("return {}")
    #expect(error?.code == .load)
    #expect(error?.message == "p: bad/p/init.lua: does not call plugin{…}")
    #expect(error?.hint == "end it with: return plugin { … }")
    #expect(try message("plugin {}\nplugin {}") == "p: bad/p/init.lua:2: plugin{…} may be called once only")
    #expect(try message("plugin(7)") == "p: bad/p/init.lua:1: plugin{…} needs a table")
  }

  @Test func noInit() throws {
    let folder = try PluginFolder("p", lua: nil)
    let error = fault { try Bench().load(folder) }
    #expect(error?.message == "p: bad/p/init.lua: No such file or directory")
    #expect(error?.code == .load)
  }

  @Test func unknownKeys() throws {
    let error = try refuse("return plugin { reducer = {} }")
    #expect(error?.code == .schema)
    #expect(error?.message == "p: plugin{…} has no key 'reducer'")
    #expect(error?.hint == "did you mean 'reducers'?")
    #expect(try message("return plugin { 1 }") == "p: plugin{…} has no key number 1")
    #expect(
      try message("return plugin { actions = { { name = 'a', arg = {} } } }")?.hasPrefix("p: actions: unknown key")
        == true)
    #expect(
      try message("return plugin { actions = { a = { name = 'a' } } }")
        == "p: actions must be a list of tables { name = … }")
    #expect(try message("return plugin { actions = { 'a' } }") == "p: actions must be a list of tables { name = … }")
    #expect(try message("return plugin { actions = 3 }") == "p: actions must be a table, got number 3")
  }

  @Test func badTypes() throws {
    for (type, reason) in [
      ("7", "bad/p/init.lua:1: field 'x' needs a type such as int() or text()"),
      ("{ kind = 'int32' }", "state.x: unknown type 'int32'"),
      ("int(7)", "bad/p/init.lua:1: int{…} takes a table of options"),
      ("int { min = 3, max = 1 }", "state.x: min is above max"),
      ("int { min = 1.5 }", "state.x: min must be a whole number, got number 1.5"),
      ("int { min = 2, default = 1 }", "state.x: the default does not fit: value must be >= 2, got 1"),
      ("text { default = 1 }", "state.x: the default does not fit: value must be String, got number 1"),
      ("enum {}", "bad/p/init.lua:1: enum{…} needs the names of its cases"),
      ("enum { 1 }", "state.x: the cases of an enum are names, got number 1"),
      ("optional()", "bad/p/init.lua:1: optional(…) needs a type such as int() or text()"),
      ("list(int)", "bad/p/init.lua:1: list(…) needs a type such as int() or text()"),
      ("record('R', { 1 })", "R must be a list of field(name, type)"),
      ("record('R', { field('a', int()), field('a', int()) })", "R declares 'a' twice"),
    ] {
      #expect(try message("return plugin { state = { field('x', \(type)) } }") == "p: \(reason)", "\(type)")
    }
  }

  @Test func badNames() throws {
    #expect(try message("return plugin { state = { field('a b', int()) } }") == "p: state: \"a b\" is not a name")
    #expect(
      try message("return plugin { state = { field(1, int()) } }")
        == "p: bad/p/init.lua:1: field(…) needs a name and a type")
    #expect(try message("return plugin { state = { int() } }") == "p: state must be a list of field(name, type)")
    #expect(try message("return plugin { state = { x = int() } }") == "p: state must be a list of field(name, type)")
    #expect(try message("return plugin { actions = { {} } }") == "p: actions: every entry needs a name, got nil")
    #expect(
      try message("return plugin { actions = { { name = 'a.b' } } }")
        == "p: actions: every entry needs a name, got string \"a.b\"")
  }

  @Test func duplicates() throws {
    #expect(
      try message("return plugin { state = { field('a', int()), field('a', int()) } }") == "p: state declares 'a' twice"
    )
    #expect(
      try message("return plugin { actions = { { name = 'a' }, { name = 'a' } } }") == "p: action 'a' is declared twice"
    )
    #expect(
      try message("return plugin { middleware = { { name = 'a' }, { name = 'a' } } }")
        == "p: middleware 'a' is declared twice")
    let projection = "{ name = 'a', fn = function() end }"
    #expect(
      try message("return plugin { projections = { \(projection), \(projection) } }")
        == "p: projection 'a' is declared twice")
    let command = "{ name = 'a', run = function() end }"
    #expect(
      try message("return plugin { commands = { \(command), \(command) } }") == "p: command 'a' is declared twice")
    #expect(
      try message("return plugin { actions = { { name = 'a', args = { field('x', int()), field('x', int()) } } } }")
        == "p: p.a declares 'x' twice")
  }

  @Test func anActionReducedTwice() throws {
    #expect(
      try message(
        "return plugin { actions = { { name = 'a' } }, reducers = { a = function() end, ['p.a'] = function() end } }")
        == "p: reducer for 'p.a' is declared twice")
  }

  @Test func aProjectionNamedAsAField() throws {
    #expect(
      try message(
        "return plugin { state = { field('a', int()) }, projections = { { name = 'a', fn = function() end } } }")
        == "p: projection 'a' has the name of a field")
  }

  @Test func reducersForUnknownActions() throws {
    let error = try refuse("return plugin { actions = { { name = 'start' } }, reducers = { strat = function() end } }")
    #expect(error?.code == .schema)
    #expect(error?.message == "p: reducer for unknown action 'p.strat'")
    #expect(error?.hint == "did you mean 'p.start'?")
    #expect(
      try message("return plugin { reducers = { function() end } }")
        == "p: reducers go by the name of an action, got number 1")
    #expect(
      try message("return plugin { actions = { { name = 'a' } }, reducers = { a = 3 } }")
        == "p: reducer 'a' must be a function, got number 3")
    #expect(
      try message("return plugin { reducers = { ['tasks.nope'] = 3 } }") == "p: reducer for unknown action 'tasks.nope'"
    )
  }

  @Test func foreignActionsNeedPermission() throws {
    let error = try refuse("return plugin { reducers = { ['tasks.add'] = function() end } }")
    #expect(error?.code == .schema)
    #expect(error?.message == "p: reducer for 'tasks.add' needs to read 'tasks'")
    #expect(error?.hint == "add \"read:tasks\" to permissions in plugin.json")
    let on = "return plugin { middleware = { { name = 'm', on = { 'tasks.add' }, after = function() end } } }"
    #expect(try message(on) == "p: middleware 'm' for 'tasks.add' needs to read 'tasks'")
    #expect(try message(on.replacing("tasks.add", with: "tasks.*")) == "p: middleware 'm' needs to read 'tasks'")
    #expect(try message(on, permissions: ["read:tasks"]) == nil)
    #expect(
      try message(on.replacing("tasks.add", with: "task.*"), permissions: ["read:task"])
        == "p: middleware 'm': unknown module 'task'")
  }

  @Test func badMiddleware() throws {
    #expect(
      try message("return plugin { middleware = { { name = 'm', gate = 'ajar' } } }")
        == "p: middleware 'm': gate must be \"on\" or \"off\", got string \"ajar\"")
    #expect(
      try message("return plugin { middleware = { { name = 'm', on = { 7 } } } }")
        == "p: middleware 'm': on must be a list of action names, got number 7")
    #expect(
      try message("return plugin { middleware = { { name = 'm', on = { 'inc' } } } }")
        == "p: middleware 'm' for unknown action 'p.inc'")
    #expect(
      try message("return plugin { middleware = { { name = 'm', before = 'x' } } }")
        == "p: middleware 'm': before must be a function, got string \"x\"")
  }

  @Test func badProjectionsAndCommands() throws {
    #expect(
      try message("return plugin { projections = { { name = 'a' } } }")
        == "p: projection 'a' needs fn = function(state) … end")
    #expect(
      try message("return plugin { commands = { { name = 'a' } } }")
        == "p: command 'a' needs run = function(args, cmd) … end")
    #expect(
      try message("return plugin { projections = { { name = 'a', type = 3, fn = function() end } } }")
        == "p: projection 'a' must be a type such as int() or text(), got number 3")
  }

  @Test func badOnLoad() throws {
    #expect(try message("return plugin { on_load = 'hello' }") == "p: on_load for unknown action 'p.hello'")
    #expect(try message("return plugin { on_load = 7 }") == "p: on_load must be the name of an action, got number 7")
    #expect(try message("return plugin { on_unload = 7 }") == "p: on_unload must be a function, got number 7")
  }

  @Test func globalsAndSyntax() throws {
    let glob = try refuse("count = 0\nreturn plugin {}")
    #expect(glob?.code == .load)
    #expect(glob?.message == "p: bad/p/init.lua:1: plugins may not create globals ('count'); use 'local'")
    let syntax = try refuse("return plugin {\n  state = {\n    field(\"count\", int())\n")
    #expect(syntax?.code == .load)
    #expect(syntax?.message == "p: bad/p/init.lua:4: '}' expected (to close '{' at line 2) near <eof>")
    #expect(try refuse("\u{1B}Lua")?.code == .load)
    #expect(try message("error('no')") == "p: bad/p/init.lua:1: no")
    #expect(try message("error({})") == "p: (error object is a table)")
  }

  @Test func initRunsOnABudget() throws {
    let error = try refuse("while true do end")
    #expect(error?.code == .budget)
    #expect(error?.message == "p: init.lua ran too long and was stopped")
    let memory = try refuse("local t = {} for i = 1, 1e7 do t[i] = ('x'):rep(100) .. i end")
    #expect(memory?.code == .memory)
    #expect(memory?.message == "p: init.lua needed more than 4 MiB and was stopped")
  }
}
