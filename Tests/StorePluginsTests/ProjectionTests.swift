import PluginSupport
import StorePlugins
import StoreSchema
import Testing

@Suite("Projections and commands in Lua")
struct ProjectionTests {
  private func bench(_ definition: String, permissions: [String] = []) throws -> Bench {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "p", permissions: permissions,
        lua: """
          return plugin {
            state = { field("count", int { default = 3 }), field("items", list(record("Item", { field("n", int()) }))) },
            actions = { { name = "inc", args = { field("by", int { min = 1, default = 1 }) } } },
            reducers = { inc = function(s, a) s.count = s.count + a.by; s.items[#s.items + 1] = { n = s.count } end },
            \(definition)
          }
          """))
    return bench
  }

  private func project(_ type: String, _ body: String, permissions: [String] = []) throws -> String {
    let type = type.isEmpty ? "" : "type = \(type), "
    let bench = try bench(
      "projections = { { name = \"x\", \(type)fn = function(state) \(body) end } }", permissions: permissions)
    try bench.dispatch("p.inc")
    try bench.dispatch("tasks.add", [("title", .string("Buy milk"))])
    do {
      return try bench.project("p", "x")
    } catch {
      return (error as? PluginError).map { "\($0.code.reported.rawValue): \($0.message)" } ?? "\(error)"
    }
  }

  @Test func typedResults() throws {
    #expect(try project("int()", "return state.p.count") == "4")
    #expect(try project("number()", "return state.p.count") == "4.0")
    #expect(try project("text()", "return string.format('%02d', state.p.count)") == #""04""#)
    #expect(try project("optional(text())", "") == "null")
    #expect(
      try project("list(record('R', { field('a', int()), field('b', text()) }))", "return { { b = 'x', a = 1 } }")
        == #"[{"a":1,"b":"x"}]"#)
    #expect(try project("map(int())", "return { z = 1, a = 2 }") == #"{"a":2,"z":1}"#)
    #expect(try project("", "return { 1, 'x', { y = 2 } }") == #"[1,"x",{"y":2}]"#)
    #expect(try project("list(record('Item', { field('n', int()) }))", "return state.p.items") == #"[{"n":4}]"#)
    #expect(try project("", "return state.tasks.items[1].title", permissions: ["read:tasks"]) == #""Buy milk""#)
  }

  @Test func faults() throws {
    #expect(
      try project("int()", "return 'x'")
        == "plugin-runtime: p: projection 'p.x': value must be Int, got string \"x\"")
    #expect(try project("int()", "") == "plugin-runtime: p: projection 'p.x': value must be Int, got nil")
    #expect(
      try project("list(int())", "return { 1, 'x' }")
        == "plugin-runtime: p: projection 'p.x': '[2]' must be Int, got string \"x\"")
    #expect(
      try project("int()", "return state.p.cuont")
        == "plugin-runtime: p: projection 'p.x': bad/p/init.lua:5: p has no field 'cuont' (did you mean 'count'?)")
    #expect(
      try project("int()", "state.p.count = 1")
        == "plugin-runtime: p: projection 'p.x': bad/p/init.lua:5: state.p is read-only here; change it by dispatching an action"
    )
    #expect(
      try project("int()", "return #state.tasks.items").hasSuffix(
        "may not read 'tasks' (add \"read:tasks\" to permissions in plugin.json)"))
    #expect(
      try project("int()", "while true do end")
        == "plugin-budget: p: projection 'p.x' used more than 200_000 VM instructions and was stopped")
    #expect(try project("", "return function() end").hasPrefix("plugin-runtime: p: projection 'p.x': "))
  }

  @Test func anUnknownProjection() throws {
    let bench = try bench("")
    #expect(fault { _ = try bench.project("p", "nope") }?.message == "p: no projection 'nope'")
  }

  // MARK: Commands

  private func command(_ body: String, args: String = "", values: [Value] = []) throws -> (Bench, PluginCommandResult) {
    let bench = try bench(
      """
      projections = { { name = "face", type = text(), fn = function(s) return "count " .. s.p.count end } },
      commands = { { name = "go", args = { \(args) }, run = function(args, cmd) \(body) end } },
      """)
    return (bench, try bench.run("p", "go", values))
  }

  @Test func whatCommandsReturn() throws {
    guard case .text("count 3") = try command("return cmd:project('p.face')").1 else { return #expect(Bool(false)) }
    guard case .nothing = try command("").1 else { return #expect(Bool(false)) }
    guard case .nothing = try command("return nil").1 else { return #expect(Bool(false)) }
    for (body, expected) in [
      ("return { 1, 2 }", "[1,2]"), ("return cmd.state.p.count", "3"), ("return false", "false"),
    ] {
      guard case .value(let reading) = try command(body).1 else { return #expect(Bool(false)) }
      #expect(JSON.text(of: reading.value) == expected)
    }
  }

  @Test func argumentsAndPrinting() throws {
    let (bench, _) = try command(
      "cmd:print('by', args.by, args.name, { 1 } ~= nil, nil)",
      args: "field('by', int()), field('name', optional(text()))",
      values: [.int(4), .none])
    #expect(bench.printed == ["by 4 nil true nil"])
  }

  @Test func dispatchingInACommandIsDoneAtOnce() throws {
    let (bench, result) = try command("cmd:dispatch('inc', { by = 5 }); return cmd:project('p.face')")
    guard case .text("count 8") = result else { return #expect(Bool(false), "\(result)") }
    let source = try #require(bench.processed.last?.source)
    #expect(source.file == "bad/p/init.lua")
    #expect(source.line == 6)
    #expect(source.kind == .plugin)
    #expect(source.plugin == "p")
    #expect(source.unit == "go")
  }

  @Test func faultsInCommands() throws {
    func message(_ body: String) -> String? { fault { _ = try command(body) }?.message }
    #expect(message("error('no')") == "p: command 'p go': bad/p/init.lua:6: no")
    #expect(
      message("cmd:dispatch('inc', { by = 0 })")
        == "p: command 'p go': bad/p/init.lua:6: p.inc: 'by' must be >= 1, got 0")
    #expect(message("cmd:dispatch('tasks.add', { title = '' })")?.contains("may not dispatch 'tasks.add'") == true)
    #expect(
      message("cmd.print('a')") == "p: command 'p go': bad/p/init.lua:6: write cmd:print(…), with a colon")
    #expect(message("cmd:project(7)")?.contains("cmd:project needs the name of a projection or a path") == true)
    #expect(message("return function() end")?.hasPrefix("p: command 'p go': ") == true)
    #expect(message("local x = args.nope.y")?.contains("attempt to index a nil value") == true)
  }

  @Test func anUnknownCommand() throws {
    let bench = try bench("")
    let record = Record(RecordLayout(name: "", fields: []), [])
    #expect(
      fault { _ = try bench.plugins[0].commands.run("nope", arguments: record, view: bench.view, host: bench) }?.message
        == "p: no command 'nope'")
  }
}
