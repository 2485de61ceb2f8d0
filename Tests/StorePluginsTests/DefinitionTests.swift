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
            middleware = { { name = "m", gate = "off", after = error }, { name = "n", before = error } },
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

  /// Whatever a definition spells out by a few tables, and however deep, reading it ends.
  @Test(arguments: [
    (
      "local r = {} r[1] = field('x', record('R', r)) return plugin { state = r }",
      "R.x: types are nested deeper than 32, or within themselves"
    ),
    ("local t = {} t.kind, t.of = 'list', t return plugin { state = { field('x', t) } }", "nested deeper than 32"),
    (
      "local t = int() for i = 1, 20000 do t = optional(t) end return plugin { state = { field('x', t) } }",
      "nested deeper"
    ),
    (
      "local t = int() for i = 1, 30 do t = record('R' .. i, { field('a', t), field('b', t) }) end "
        + "return plugin { state = { field('x', t) } }",
      "p: the definition is too large: it declares more than 10,000 types and entries"
    ),
    (
      "local c = {} for i = 1, 10001 do c[i] = 'c' .. i end return plugin { state = { field('x', enum(c)) } }",
      "too large"
    ),
    ("local a = {} for i = 1, 10001 do a[i] = { name = 'a' .. i } end return plugin { actions = a }", "too large"),
  ])
  func definitionsWithoutEnd(lua: String, message: String) throws {
    let error = try #require(try refuse(lua))
    #expect(error.code == .schema)
    #expect(error.message.contains(message), "\(error.message)")
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
    // A call that ends the chunk leaves no line.
    #expect(
      try message("plugin {}\nreturn plugin {}") == "p: bad/p/init.lua: plugin{…} may be called once only")
    #expect(try message("plugin(7)") == "p: bad/p/init.lua:1: plugin{…} needs a table")
  }

  @Test func aMarkOfTheOrderOfBytesIsSkipped() throws {
    let plugin = try Bench().load(
      try PluginFolder(
        "p", manifest: "\u{FEFF}{ \"name\": \"p\", \"version\": \"1\", \"api\": 1 }",
        lua: "\u{FEFF}return plugin { actions = { { name = 'a' } } }"))
    #expect(plugin.module.actions.map(\.name) == ["a"])
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
      try message("return plugin { actions = { { name = 'a', arg = {} } } }") == "p: actions 'a': unknown key 'arg'")
    #expect(try refuse("return plugin { actions = { { name = 'a', arg = {} } } }")?.hint == "did you mean 'args'?")
    #expect(
      try refuse("return plugin { actions = { { 'a' } } }")?.hint == "keys are name, args, doc, quiet")
    #expect(
      try message("return plugin { thunks = { a = { run = function() end, arg = {} } } }")
        == "p: thunk 'a': unknown key 'arg'")
    #expect(
      try message("return plugin { actions = { a = { name = 'a' } } }")
        == "p: actions must be a list of tables { name = … }, got a table by the name 'a'")
    #expect(try message("return plugin { actions = 3 }") == "p: actions must be a table, got number 3")
  }

  @Test func badTypes() throws {
    for (type, reason) in [
      ("7", "bad/p/init.lua:1: field 'x' needs a type such as int() or text(), got number 7"),
      ("{ kind = 'int32' }", "state.x: unknown type 'int32'"),
      ("int(7)", "bad/p/init.lua:1: int{…} takes a table of options, got number 7; write int { default = 7 }"),
      (
        "text('a')",
        "bad/p/init.lua:1: text{…} takes a table of options, got string \"a\"; write text { default = \"a\" }"
      ),
      (
        "bool(false)",
        "bad/p/init.lua:1: bool{…} takes a table of options, got boolean false; write bool { default = false }"
      ),
      ("int('a')", "bad/p/init.lua:1: int{…} takes a table of options, got string \"a\""),
      ("int, 0", "bad/p/init.lua:1: field 'x' needs a type such as int() or text(), got the function int; write int()"),
      ("int { min = 3, max = 1 }", "state.x: min is above max"),
      ("int { min = 1.5 }", "state.x: min must be a whole number, got number 1.5"),
      ("int { min = 2, default = 1 }", "state.x: the default does not fit: value must be >= 2, got 1"),
      ("text { default = 1 }", "state.x: the default does not fit: value must be String, got number 1"),
      ("enum {}", "bad/p/init.lua:1: enum{…} needs the names of its cases; write enum { \"a\", \"b\" }"),
      ("enum { 1 }", "state.x: the cases of an enum are texts of one line without blanks around them, got number 1"),
      ("optional()", "bad/p/init.lua:1: optional(…) needs a type such as int() or text(), got nothing"),
      (
        "list(int)", "bad/p/init.lua:1: list(…) needs a type such as int() or text(), got the function int; write int()"
      ),
      ("int { mni = 3 }", "state.x: int{…} has no option 'mni'"),
      ("int { 3 }", "state.x: int{…} has no option number 1"),
      ("number { min = 0 }", "state.x: number{…} has no option 'min'"),
      ("text { max = 3 }", "state.x: text{…} has no option 'max'"),
      ("enum { 'a', 'b', dfault = 'b' }", "state.x: enum{…} has no option 'dfault'"),
      ("enum { 'a', 'a' }", "state.x: enum{…} has the case 'a' twice"),
      ("optional(int { default = 3 })", "state.x: the type inside optional(…) takes no default"),
      ("list(int { default = 3 })", "state.x[…]: the type inside list(…) takes no default"),
      ("map(bool { default = true })", "state.x[…]: the type inside map(…) takes no default"),
      ("list(optional(int()))", "state.x[…]: list(…) cannot hold optional(…)"),
      ("map(optional(text()))", "state.x[…]: map(…) cannot hold optional(…)"),
      ("optional(optional(int()))", "state.x: optional(…) cannot hold optional(…)"),
      ("map(text(), int())", "bad/p/init.lua:1: map(…) takes one type and nothing else"),
      ("list(int(), { max = 3 })", "bad/p/init.lua:1: list(…) takes one type and nothing else"),
      (
        "record('R', {}, 4)",
        "bad/p/init.lua:1: record(…) needs a name and a list of fields; write record(\"Point\", { field(\"x\", int()) })"
      ),
      ("int(), { default = 3 }", "bad/p/init.lua:1: field 'x': only a text that describes it may follow the type"),
      ("int(), 'doc', 3", "bad/p/init.lua:1: field 'x': only a text that describes it may follow the type"),
      ("record('R', { 1 })", "R: the fields must be a list of field(name, type), got number 1 as number 1"),
      ("record('R', { field('a', int()), field('a', int()) })", "R declares 'a' twice"),
    ] {
      #expect(try message("return plugin { state = { field('x', \(type)) } }") == "p: \(reason)", "\(type)")
    }
  }

  @Test func mistypedOptionsGetAHint() throws {
    #expect(try refuse("return plugin { state = { field('x', int { mni = 3 }) } }")?.hint == "did you mean 'min'?")
    #expect(
      try refuse("return plugin { state = { field('x', int { least = 3 }) } }")?.hint
        == "options are min, max, default, sequence"
    )
    #expect(
      try refuse("return plugin { state = { field('x', text { max = 3 }) } }")?.hint == "its only option is default")
  }

  @Test func whatIsNoTextOrNoFlagIsRefused() throws {
    for (lua, reason) in [
      ("actions = { { name = 'a', doc = 42 } }", "action 'a': doc must be text, got number 42"),
      ("actions = { { name = 'a', quiet = 'no' } }", "action 'a': quiet must be true or false, got string \"no\""),
      ("thunks = { a = { doc = 3, run = function() end } }", "thunk 'a': doc must be text, got number 3"),
      (
        "commands = { { name = 'a', summary = 3, run = function() end } }",
        "command 'a': summary must be text, got number 3"
      ),
      (
        "commands = { { name = 'a', examples = { 3 }, run = function() end } }",
        "command 'a': an example must be text, got number 3"
      ),
      (
        "projections = { { name = 'a', type = int { default = 2 }, fn = function() end } }",
        "projection 'a': the type of a projection takes no default"
      ),
      ("state = { { field = 'x', type = int(), dflt = 3 } }", "state.x: unknown key 'dflt'"),
    ] {
      #expect(try message("return plugin { \(lua) }") == "p: \(reason)", "\(lua)")
    }
  }

  @Test func middlewareThatNamesActionsAndSeesNone() throws {
    let go = "actions = { { name = 'go' } }"
    #expect(
      try message("return plugin { \(go), middleware = { { name = 'm', on = { 'go' } } } }")
        == "p: middleware 'm' has on, but neither before nor after, so that it sees no action")
    #expect(
      try message("return plugin { \(go), middleware = { { name = 'm', on = 'go', after = function() end } } }")
        == "p: middleware 'm': on must be a list of action names, got string \"go\"")
  }

  @Test func aMistypedActionIsNoNewOne() throws {
    let error = try refuse(
      "return plugin { lifted = { { at = 'tasks', on = 'tasks.ad', reduce = function() end } } }",
      permissions: ["reduce:tasks"])
    #expect(error?.message == "p: lifted on unknown action 'tasks.ad'")
    #expect(error?.hint == "did you mean 'tasks.add'?")
  }

  @Test func actionsOfOtherModulesAreSuggested() throws {
    for lua in [
      "reducers = { ['tasks.remvoe'] = function() end }",
      "middleware = { { name = 'm', on = { 'tasks.remvoe' }, after = function() end } }",
      "bridges = { { from = 'tasks.remvoe', to = 'tasks.add' } }",
    ] {
      #expect(
        try refuse("return plugin { \(lua) }", permissions: ["read:tasks"])?.hint == "did you mean 'tasks.remove'?")
    }
  }

  @Test func reducersForUnknownActions() throws {
    let error = try refuse("return plugin { actions = { { name = 'start' } }, reducers = { strat = function() end } }")
    #expect(error?.code == .schema)
    #expect(error?.message == "p: reducer for unknown action 'p.strat'")
    #expect(error?.hint == "did you mean 'p.start'?")
    let other = try refuse("return plugin { actions = { { name = 'start' } }, reducers = { ['q.start'] = error } }")
    #expect(other?.hint == "there is no module 'q'; where it is a plugin, load that first")
    #expect(
      try message("return plugin { reducers = { function() end } }")
        == "p: the keys of reducers must be names of actions, got number 1")
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
        == "p: middleware 'm': gate must be \"on\", \"off\" or a rule, got string \"ajar\"")
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
    #expect(try message("return plugin { on_load = 'hello' }") == "p: on_load: unknown action 'p.hello'")
    let needy = "return plugin { actions = { { name = 'a', args = { field('x', int()) } } }, on_load = 'a' }"
    #expect(try message(needy) == "p: on_load: 'p.a' needs 'x' (Int)")
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
    #expect(try message("error({})") == "p: bad/p/init.lua:1: (error object is a table)")
  }

  @Test func initRunsOnABudget() throws {
    let error = try refuse("while true do end")
    #expect(error?.code == .budget)
    #expect(error?.message == "p: init.lua ran too long and was stopped")
    #expect(error?.trace == ["at bad/p/init.lua:1"])
    let memory = try refuse("local t = {} for i = 1, 1e7 do t[i] = ('x'):rep(100) .. i end")
    #expect(memory?.code == .memory)
    #expect(memory?.message == "p: init.lua needed more than 4 MiB and was stopped")
  }
}
