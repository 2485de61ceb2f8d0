import PluginSupport
import StoreSchema
import Testing

@testable import StorePlugins

/// The hostile corpus through whole plugins: wherever an attack runs, it ends in an error of its plugin, the memory stays
/// under the limit, and the plugin and the others answer the next action.
@Suite("Hostile plugins")
struct HostilePluginTests {
  /// Where an attack runs.
  enum Place: CaseIterable {
    case reducer, before, after, projection, command, load
  }

  private static func plugin(_ attack: String, at place: Place) -> String {
    func body(_ there: Place) -> String { place == there ? "do \(attack) end" : "" }
    return """
      \(body(.load))
      return plugin {
        state = { field("count", int()) }, actions = { { name = "strike" }, { name = "inc" } },
        reducers = { strike = function(s) s.count = s.count + 100 \(body(.reducer)) end,
          inc = function(s) s.count = s.count + 1 end },
        middleware = { { name = "m", on = { "strike" }, before = function() \(body(.before)) end,
          after = function() \(body(.after)) end } },
        projections = { { name = "p", fn = function() \(body(.projection)) return 1 end } },
        commands = { { name = "c", run = function() \(body(.command)) return "done" end } },
      }
      """
  }

  /// Each attack at two places in turn, so that each place meets all kinds of them. A definition has a hundred times the
  /// instructions of a call: fewer are tried there.
  static let cases: [(attack: String, place: Place)] = HostileCorpus.attacks.enumerated().flatMap { index, attack in
    let calls: [Place] = [.reducer, .before, .after, .projection, .command]
    let places = [calls[index % calls.count], calls[(index + 2) % calls.count]]
    return (places + (index % 6 == 0 ? [.load] : [])).map { (attack, $0) }
  }

  @Test(arguments: cases)
  func endsInAnErrorOfThePlugin(attack: String, place: Place) throws {
    let bench = try Bench()
    try bench.load(try PluginFolder("other", lua: Self.plugin("", at: .load)))
    let folder = try PluginFolder("evil", lua: Self.plugin(attack, at: place))
    var error: PluginError?
    if place == .load {
      error = fault { try bench.load(folder) }
      #expect(bench.plugins.map(\.module.name) == ["other"])
    } else {
      let plugin = try bench.load(folder)
      for round in 1...2 {
        switch place {
        case .reducer: error = fault { try bench.dispatch("evil.strike") }
        case .before, .after:
          try bench.dispatch("evil.strike")
          #expect(bench.faults.count == round, "\(attack)")
          error = bench.faults.last
        case .projection: error = fault { _ = try bench.project("evil", "p") }
        case .command, .load: error = fault { _ = try bench.run("evil", "c") }
        }
        #expect(plugin.machine.lua.memoryInUse < 6 << 20, "\(attack): \(plugin.machine.lua.memoryInUse)")
        // The plugin answers the next action.
        try bench.dispatch("evil.inc")
      }
      #expect(bench.state("evil") == #"{"count":\#(place == .before || place == .after ? 202 : 2)}"#)
    }
    let found = try #require(error, "\(attack)")
    #expect(found.message.hasPrefix("evil: "), "\(found.message)")
    #expect(found.message.utf8.count < 8 << 20)
    try bench.dispatch("other.inc")
    #expect(bench.state("other") == #"{"count":1}"#)
  }

  /// Attacks on the parts of the state that Swift answers for.
  static let drafts: [String] = [
    "for i = 1, 1e9 do s.list[i] = i end",
    "for i = 1, 1e9 do s.names['k' .. i] = 'v' end",
    "s.names[('k'):rep(5 << 20)] = 'x'",
    "s.text = ('x'):rep(3 << 20) while true do s.text = s.text .. s.text end",
    "s.text = ('x'):rep(1 << 20) local all = {} for i = 1, 1e9 do all[i] = s.text .. i end",
    "local all = {} for i = 1, 1e9 do all[i] = s.list end while true do end",
    "local t = {} t.t = t s.list = t",
    "local t = { 1 } for i = 1, 200000 do t = { t } end s.list = t",
    "s.list = setmetatable({}, { __index = function() while true do end end, __len = function() return 1 << 40 end }) while true do end",
    "s.list = { [1 << 40] = 1 }", "s.list = { [3] = 1 }", "s.list = coroutine.create(error)",
    "s.names = { [{}] = 'x' }", "s.names = { [1.5] = 'x' }",
    "setmetatable(s, {})", "getmetatable(s).__index = nil", "rawset(s, 'count', 1)", "s[s] = s", "s.count = 0/0",
    "s.count = 1e300", "s[('x'):rep(1 << 20)] = 1",
    "table.sort(s.list, function() while true do end end) while true do end",
    "for k in pairs(s) do s[k] = nil end",
    "local c = coroutine.wrap(function() s.count = 1 coroutine.yield() s.count = 'x' end) c() c()",
    "s.text = setmetatable({}, { __tostring = function() return 'x' end })",
    "while true do s.count = s.count + 1 end",
    "while true do pcall(function() s.cuont = 1 end) end",
    "while true do pcall(function() s.list = { 'x' } end) end",
    "local function f() s.list = { 1, 2, 3 } return f() end f()",
  ]

  @Test(arguments: drafts)
  func attacksOnADraft(attack: String) throws {
    let bench = try Bench()
    let lua = """
      return plugin {
        state = { field("count", int()), field("list", list(int())), field("text", text()), field("names", map(text())) },
        actions = { { name = "strike" }, { name = "inc" } },
        reducers = { strike = function(s) \(attack) end, inc = function(s) s.count = s.count + 1 end },
      }
      """
    let plugin = try bench.load(try PluginFolder("evil", lua: lua))
    let before = bench.state("evil")
    for _ in 1...2 {
      let error = try #require(fault { try bench.dispatch("evil.strike") }, "\(attack)")
      #expect(error.message.hasPrefix("evil: reducer 'evil.strike'"), "\(error.message)")
      #expect(bench.state("evil") == before, "\(attack)")
      #expect(plugin.machine.lua.memoryInUse < 6 << 20, "\(attack)")
    }
    try bench.dispatch("evil.inc")
    #expect(bench.state("evil") == before.replacing("\"count\":0", with: "\"count\":1"))
  }

  /// Every amount of memory that a plugin may ask for is enough for an error: also where Swift, called back by Lua, makes
  /// values for it.
  @Test(arguments: Array(stride(from: 40, through: 200, by: 7)))
  func allocationAtTheLimitInsideACallback(kibibytes: Int) throws {
    let lua = """
      return plugin {
        state = { field("list", list(record("R", { field("a", int()), field("b", text()) }))) },
        actions = { { name = "fill" }, { name = "inc" } },
        reducers = {
          fill = function(s)
            local kept = {}
            for i = 1, 1e6 do
              s.list[#s.list + 1] = { a = i, b = ("x"):rep(i % 50) }
              kept[i] = { s.list[i].b .. "y", pcall(function() return s.lits end), s.list }
            end
          end,
          inc = function(s) s.list[1] = { a = 1, b = "b" } end,
        },
        middleware = { { name = "m", after = function(action, ctx)
          local kept = {}
          for i = 1, 1e6 do kept[i] = { action.name .. i, pcall(function() return ctx.state.nope end), action.args } end
        end } },
      }
      """
    let bench = try Bench()
    let folder = try PluginFolder(
      "full", extra: "\"limits\": { \"memory\": \"\(kibibytes)KiB\", \"instructions\": 20000000 }", lua: lua)
    guard let plugin = try? bench.load(folder) else { return }
    for _ in 1...3 {
      #expect(fault { try bench.dispatch("full.fill") }?.code == .memory)
      #expect(bench.state("full") == #"{"list":[]}"#)
      #expect(plugin.machine.lua.memoryInUse < (kibibytes + 64) << 10)
    }
    try bench.dispatch("full.inc")
    #expect(bench.state("full") == #"{"list":[{"a":1,"b":"b"}]}"#)
    #expect(bench.faults.map(\.code) == [.memory])
  }
}
