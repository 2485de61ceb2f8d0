import PluginSupport
import StoreCore
import StorePlugins
import StoreSchema
import Testing

@Suite("Middleware in Lua")
struct MiddlewareTests {
  /// A plugin that notes texts in its state, by the action `note`.
  private func bench(_ middleware: String, permissions: [String] = [], lines: String = "") throws -> Bench {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "p", permissions: permissions,
        lua: """
          \(lines)
          return plugin {
            state = { field("count", int()), field("notes", list(text())) },
            actions = { { name = "inc", args = { field("by", int { min = 1, default = 1 }) } }, { name = "dec" },
              { name = "note", args = { field("text", text()) } } },
            reducers = {
              inc = function(s, a) s.count = s.count + a.by end,
              dec = function(s) s.count = s.count - 1 end,
              note = function(s, a) s.notes[#s.notes + 1] = a.text end,
            },
            middleware = { \(middleware) },
          }
          """))
    return bench
  }

  @Test func beforeAndAfterSeeTheirStates() throws {
    let bench = try bench(
      """
      { name = "m", on = { "inc" }, before = function(action, ctx) return ctx.state.p.count end,
        after = function(action, ctx, kept)
          ctx:dispatch("note", { text = action.name .. " " .. kept .. "->" .. ctx.state.p.count })
        end },
      """)
    try bench.dispatch("p.inc", [("by", .int(4))])
    try bench.dispatch("p.dec")
    #expect(bench.state("p") == #"{"count":3,"notes":["p.inc 0->4"]}"#)
    #expect(bench.faults.isEmpty)
  }

  @Test(arguments: [
    ("function() end", "function(_, ctx) ctx:dispatch('note', { text = 'ctx' }) end", "ctx"),
    (
      "function(action) return action.name end", "function(_, ctx, kept) ctx:dispatch('note', { text = kept }) end",
      "p.inc"
    ),
    (
      "function(_, ctx) return ctx.state.p.count * 0 end",
      "function(a, ctx, kept) ctx:dispatch('note', { text = a.name .. kept }) end", "p.inc0"
    ),
    (
      "function(_, ctx) send = function(t) ctx:dispatch('note', { text = t }) end end", "function() send('none') end",
      "none"
    ),
    (
      "function(a, ctx) send = function(t) ctx:dispatch('note', { text = t }) end return a end",
      "function(_, _, a) send(a.name) end", "p.inc"
    ),
  ])
  func functionsGetWhatTheyUse(_ before: String, _ after: String, _ note: String) throws {
    let bench = try bench("{ name = 'm', on = { 'inc' }, before = \(before), after = \(after) },", lines: "local send")
    for _ in 0..<2 { try bench.dispatch("p.inc") }
    #expect(bench.state("p") == #"{"count":2,"notes":["\#(note)","\#(note)"]}"#)
    #expect(bench.faults.isEmpty, "\(bench.faults)")
  }

  @Test(arguments: [
    ("function() return setmetatable({}, endless) end", "function(_, _, kept) kept.x = kept.y end"),
    ("function() return setmetatable({}, endless) end", "function(_, _, kept) return kept + 1 end"),
  ])
  func metamethodsOfWhatIsHandedOverAreStopped(_ before: String, _ after: String) throws {
    let bench = try bench(
      "{ name = 'm', on = { 'inc' }, before = \(before), after = \(after) },",
      lines: "local function spin() while true do end end local endless = { __index = spin, __add = spin }")
    try bench.dispatch("p.inc")
    #expect(bench.faults.contains { "\($0)".contains("VM instructions") }, "\(bench.faults)")
  }

  @Test(arguments: ["ctx.mine = 1", "rawset(ctx, 'mine', 1)", "rawset(ctx, 'dispatch', error)"])
  func contextKeepsNothing(assignment: String) throws {
    let bench = try bench("{ name = 'm', on = { 'inc' }, after = function(_, ctx) \(assignment) end },")
    try bench.dispatch("p.inc")
    #expect(bench.faults.contains { "\($0)".contains("ctx keeps nothing") }, "\(bench.faults)")
  }

  @Test func whatBeforeKeeps() throws {
    for (kept, seen) in [
      ("nil", "nil"), ("false", "boolean"), ("{ a = { 1 } }", "table"), ("function() end", "function"),
      ("'x'", "string"),
      ("1.5", "number"),
    ] {
      let bench = try bench(
        """
        { name = "m", on = { "inc" }, before = function() return \(kept) end,
          after = function(_, ctx, kept) ctx:dispatch("note", { text = type(kept) }) end },
        """)
      try bench.dispatch("p.inc")
      #expect(bench.state("p") == "{\"count\":1,\"notes\":[\"\(seen)\"]}", "\(bench.faults)")
    }
  }

  /// Where a reducer fails nobody is told after, and what `before` was told of is out of reach.
  @Test func anActionWhoseReducerFailsIsShut() throws {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "p",
        lua: """
          local kept = {}
          local function name() return kept.action.name end
          return plugin {
            state = { field("seen", list(text())) },
            actions = { { name = "bad" }, { name = "good" }, { name = "note", args = { field("text", text()) } } },
            reducers = {
              bad = function() error("no") end,
              note = function(s, a) s.seen[#s.seen + 1] = a.text end,
            },
            middleware = {
              { name = "a", on = { "bad", "good" },
                before = function(action) kept.action = kept.action or action return action.name end,
                after = function(action, ctx, was)
                  ctx:dispatch("note", { text = was .. " " .. action.name .. " " .. name() })
                end },
              { name = "b", on = { "bad" }, before = function(action) return action.name end, after = function() end },
            },
            commands = { { name = "look", run = function() return select(2, pcall(name)) end } },
          }
          """))
    // What Lua code catches names the file within the plugin, wherever that is.
    let shut = "p/init.lua:2: this action was valid only during the call that gave it"
    for seen in [#"[]"#, #"["p.good p.good p.good"]"#] {
      #expect(fault { try bench.dispatch("p.bad") }?.code == .runtime)
      guard case .text(shut) = try bench.run("p", "look") else { return #expect(Bool(false)) }
      #expect(bench.state("p") == "{\"seen\":\(seen)}")
      if seen == "[]" { try bench.dispatch("p.good") }
    }
    #expect(bench.faults.isEmpty)
  }

  @Test func beforeRunsInOrderAndAfterBackwards() throws {
    func unit(_ name: String) -> String {
      """
      { name = "\(name)", on = { "inc" }, before = function() log("b\(name)") end,
        after = function(_, ctx) log("a\(name)"); ctx:dispatch("note", { text = said }) end },
      """
    }
    let bench = try bench(
      unit("1").replacing("\"1\"", with: "\"one\"") + unit("2").replacing("\"2\"", with: "\"two\""),
      lines: "local said = ''; local function log(x) said = said .. x .. ' ' end")
    try bench.dispatch("p.inc")
    #expect(bench.state("p") == #"{"count":1,"notes":["b1 b2 a2 ","b1 b2 a2 a1 "]}"#)
  }

  @Test func dispatchedActionsWaitTheirTurn() throws {
    let bench = try bench(
      """
      { name = "m", on = { "inc" }, after = function(_, ctx)
          ctx:dispatch("dec")
          ctx:dispatch("p.note", { text = "count " .. ctx.state.p.count })
        end },
      """)
    try bench.dispatch("p.inc")
    #expect(bench.state("p") == #"{"count":0,"notes":["count 1"]}"#)
    #expect(bench.processed.map(\.action) == ["p.inc", "p.dec", "p.note"])
    #expect(bench.processed.map(\.source.cause) == [nil, 1, 1])
  }

  @Test func theSourceOfADispatchedAction() throws {
    let bench = try bench(
      """
      { name = "m", on = { "inc" }, after = on_inc },
      """,
      lines: """
        local function on_inc(_, ctx)
          ctx:dispatch("dec")
        end
        """)
    try bench.dispatch("p.inc")
    let source = try #require(bench.processed.last?.source)
    #expect(source.file == "bad/p/init.lua")
    #expect(source.function == "on_inc")
    #expect(source.line == 2)
    #expect(source.kind == .plugin)
    #expect(source.plugin == "p")
    #expect(source.unit == "m")
    #expect(source.cause == 1)
    #expect(source.info == nil)
  }

  @Test func theNamesOfDispatchingFunctions() throws {
    let bench = try bench(
      """
      { name = "a", on = { "inc" }, after = function(_, ctx) ctx:dispatch("dec") end },
      { name = "b", on = { "inc" }, after = function(_, ctx) helper(ctx) end },
      { name = "c", on = { "inc" }, after = assigned },
      { name = "d", on = { "inc" }, after = t.member },
      { name = "e", on = { "inc" }, after = t.named },
      """,
      lines: """
        local function helper(ctx) ctx:dispatch("dec") end
        local assigned
        assigned = function(_, ctx)
          ctx:dispatch("dec")
        end
        local t = { member = function(_, ctx) ctx:dispatch("dec") end }
        function t.named(_, ctx) ctx:dispatch("dec") end
        """)
    try bench.dispatch("p.inc")
    #expect(bench.faults.isEmpty)
    #expect(
      bench.processed.dropFirst().map(\.source.function) == ["named", "member", "assigned", "helper", "after"])
  }

  @Test func whatTheActionIs() throws {
    let bench = try bench(
      """
      { name = "m", on = { "inc" }, after = function(action, ctx)
          local s = action.source
          ctx:dispatch("note", { text = table.concat({ action.name, action.args.by, action.id, action.at, s.file,
            s["function"], s.line, s.kind, tostring(s.plugin), tostring(s.cause) }, " ") })
        end },
      { name = "n", on = { "note" }, after = function(action, ctx)
          if action.source.cause == 1 then
            local s = action.source
            ctx:dispatch("note", { text = table.concat({ s.file, s.kind, s.plugin, s.cause, action.meta.id }, " ") })
          end
        end },
      """)
    try bench.dispatch("p.inc", [("by", .int(2))])
    #expect(bench.faults.isEmpty, "\(bench.faults)")
    #expect(
      bench.state("p")
        == #"{"count":2,"notes":["p.inc 2 1 0.0 t.stsh dispatch 7 batch nil nil","bad/p/init.lua plugin p 1 2"]}"#)
  }

  /// Read at once, or kept and changed.
  @Test(arguments: [
    "return action.args.by", "return (action.args.by or 0) + (action.args.other or 0)",
    "local all = action.args all.by = all.by + 1 return all.by - 1",
    "local by = action.args.by if by > 2 then return by end return action.args.by",
  ])
  func argumentsOfAnAction(_ before: String) throws {
    let bench = try bench(
      """
      { name = "m", on = { "inc", "dec" }, before = function(action) if action.name == "p.inc" then \(before) end end,
        after = function(action, ctx, kept) if kept then ctx:dispatch("note", { text = kept .. " " .. action.args.by }) end end },
      """)
    for by in [1, 3] {
      try bench.dispatch("p.inc", [("by", .int(by))])
      try bench.dispatch("p.dec")
    }
    #expect(bench.state("p") == #"{"count":2,"notes":["1 1","3 3"]}"#)
    #expect(bench.faults.isEmpty, "\(bench.faults)")
  }

  @Test(arguments: ["for _ in pairs(action) do end", "next(action.meta)", "return #action.meta"])
  func theActionIsNoTable(_ use: String) throws {
    let bench = try bench("{ name = \"m\", on = { \"inc\" }, after = function(action) \(use) end },")
    try bench.dispatch("p.inc")
    let message = try #require(bench.faults.first?.message)
    #expect(message.hasSuffix(" is no table; its fields are read by name"), "\(message)")
  }

  @Test func metaInReducers() throws {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "p",
        lua: """
          return plugin {
            state = { field("said", text()) }, actions = { { name = "go", args = { field("x", optional(int())) } } },
            reducers = { go = function(s, a, meta)
              s.said = table.concat({ meta.id, meta.at, meta.source.file, meta.source.line, meta.source.kind,
                tostring(a.x) }, " ")
            end },
          }
          """))
    try bench.dispatch("p.go", [("x", .int(4))])
    #expect(bench.state("p") == #"{"said":"1 90.0 t.stsh 7 batch 4"}"#)
    try bench.dispatch("p.go")
    #expect(bench.state("p") == #"{"said":"2 90.0 t.stsh 7 batch nil"}"#)
  }

  @Test func argumentsAreTheReducersOwn() throws {
    for change in [
      "a.left = 1", "a.x = nil; a.left = 1", "a.x = 9", "a[1] = 1", "setmetatable(a, { __index = { left = 1 } })",
      "a.place.x = 9; a.place = a.place.tags", "a.left = 1; a.left = nil",
    ] {
      let bench = try Bench()
      try bench.load(
        try PluginFolder(
          "p",
          lua: """
            local Place = record("Place", { field("x", int()), field("tags", list(text())) })
            return plugin {
              state = { field("said", text()) },
              actions = { { name = "go", args = { field("x", optional(int())), field("place", Place) } } },
              reducers = { go = function(s, a)
                s.said = tostring(a.left) .. tostring(a.x) .. a.place.x .. tostring(a[1])
                for k in pairs(a) do s.said = s.said .. " " .. k end
                \(change)
              end },
            }
            """))
      let place = Value.map([.string("x"): .int(3), .string("tags"): .list([])])
      for _ in 0..<2 {
        try bench.dispatch("p.go", [("x", .int(4)), ("place", place)])
        #expect(bench.state("p") == #"{"said":"nil43nil place x"}"#, "\(change)")
        try bench.dispatch("p.go", [("place", place)])
        #expect(bench.state("p") == #"{"said":"nilnil3nil place"}"#, "\(change)")
      }
    }
  }

  @Test func aTypoInTheAction() throws {
    let bench = try bench("{ name = \"m\", after = function(action) local x = action.nmae end }")
    try bench.dispatch("p.inc")
    #expect(
      bench.faults.first?.message.hasSuffix(": action has no field 'nmae' (did you mean 'name'?)") == true)
  }

  // MARK: Dispatching

  /// The message with which a dispatch from `after` is refused.
  private func refuse(_ dispatch: String, permissions: [String] = []) throws -> String? {
    let bench = try bench(
      "{ name = \"m\", on = { \"inc\" }, after = function(_, ctx) \(dispatch) end },", permissions: permissions)
    try bench.dispatch("p.inc")
    return bench.faults.first?.message.split(separator: ": ", maxSplits: 3).last.map(String.init)
  }

  @Test func dispatchesWithoutPermission() throws {
    #expect(
      try refuse("ctx:dispatch('tasks.add', { title = 'x' })")
        == "may not dispatch 'tasks.add' (add \"dispatch:tasks.add\" to permissions in plugin.json)")
    #expect(
      try refuse("ctx:dispatch('tasks.add', { title = 'x' })", permissions: ["dispatch:tasks.remove"])?
        .hasPrefix("may not dispatch 'tasks.add'") == true)
    #expect(try refuse("ctx:dispatch('tasks.add', { title = 'x' })", permissions: ["dispatch:tasks.add"]) == nil)
    #expect(try refuse("ctx:dispatch('tasks.add', { title = 'x' })", permissions: ["dispatch:tasks.*"]) == nil)
  }

  @Test func dispatchesThatCannotBe() throws {
    #expect(try refuse("ctx:dispatch('inv')") == "unknown action 'inv' (did you mean 'inc'?)")
    #expect(try refuse("ctx:dispatch('p.incc')") == "unknown action 'p.incc' (did you mean 'p.inc'?)")
    let colon = " (is it called with a colon?)"
    #expect(try refuse("ctx:dispatch()") == "dispatch needs the name of an action, got nil\(colon)")
    #expect(try refuse("ctx.dispatch('inc', {})") == "write ctx:dispatch(…), with a colon")
    // A table with a name would be taken for an action.
    #expect(try refuse("ctx.dispatch('inc', { name = 'note' })") == "write ctx:dispatch(…), with a colon")
    #expect(try refuse("ctx:dispatch(7)") == "dispatch needs the name of an action, got number 7")
    #expect(try refuse("ctx:dispatch('inc', { by = 0 })") == "p.inc: 'by' must be >= 1, got 0")
    #expect(try refuse("ctx:dispatch('inc', { by = 'x' })") == "p.inc: 'by' must be Int, got string \"x\"")
    #expect(
      try refuse("ctx:dispatch('note', { textt = 'x' })") == "p.note has no argument 'textt' (did you mean 'text'?)")
    #expect(try refuse("ctx:dispatch('note')") == "p.note needs 'text' (String)")
    #expect(try refuse("ctx:dispatch('inc', 3)") == "p.inc: value must be a table of arguments, got number 3")
    #expect(try refuse("ctx:dispatch('inc', { 3 })") == "p.inc: value must be a table of arguments, got a list")
    #expect(try refuse("ctx:dispatch('dec', {})") == nil)
  }

  @Test func dispatchInBeforeIsRefused() throws {
    let bench = try bench("{ name = \"m\", before = function(_, ctx) ctx:dispatch(\"dec\") end }")
    try bench.dispatch("p.inc")
    #expect(
      bench.faults.first?.message
        == "p: middleware 'm' (before): bad/p/init.lua:11: dispatching is not possible here; do it in after, or in a command"
    )
    #expect(bench.state("p") == #"{"count":1,"notes":[]}"#)
  }

  @Test func filters() throws {
    let after =
      "after = function(action, ctx) if action.name ~= 'p.note' then ctx:dispatch('note', { text = \"%\" .. action.name }) end end"
    func seen(_ on: String, permissions: [String] = ["read:tasks"]) throws -> String {
      let bench = try bench("{ name = \"m\", \(on) \(after.replacing("%", with: "")) }", permissions: permissions)
      try bench.dispatch("p.inc")
      try bench.dispatch("tasks.add", [("title", .string("x"))])
      try bench.dispatch("p.dec")
      #expect(bench.faults.isEmpty)
      return bench.state("p").replacing("\"", with: "").replacing("{count:0,notes:", with: "").replacing("}", with: "")
    }
    #expect(try seen("") == "[p.inc,p.dec]")
    #expect(try seen("on = { 'inc' },") == "[p.inc]")
    #expect(try seen("on = { 'tasks.add', 'p.dec' },") == "[tasks.add,p.dec]")
    #expect(try seen("on = { 'tasks.*' },") == "[tasks.add]")
    #expect(try seen("on = {},") == "[]")
  }
}
