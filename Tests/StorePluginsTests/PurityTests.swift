import PluginSupport
import StorePlugins
import StoreSchema
import Testing

/// Two proofs that a plugin is pure: the scan of its code at load, and the look at what it captures around calls.
@Suite("Purity")
struct PurityTests {
  /// A plugin with a count, the action `visit` and its reducer, whose body starts on line 5.
  private static func memo(_ locals: String, _ body: String, more: String = "") -> String {
    """
    \(locals)
    return plugin {
      state = { field("count", int()) }, actions = { { name = "visit" }, { name = "other" } },
      reducers = { visit = function(s)
        \(body)
      end },
      \(more)
    }
    """
  }

  private func refusal(_ name: String, _ lua: String, permissions: [String] = []) throws -> PluginError? {
    let bench = try Bench()
    let folder = try PluginFolder(name, permissions: permissions, lua: lua)
    return fault { try bench.load(folder) }
  }

  // MARK: Without running it

  @Test func anAssignmentToACapturedLocalIsFoundAtLoad() throws {
    let error = try refusal("hidden", Self.memo("local n = 0", "n = n + 1; s.count = n"))
    #expect(error?.code == .impure)
    #expect(
      error?.message == "hidden: reducer 'hidden.visit' assigns to the captured local 'n' (bad/hidden/init.lua:5)")
    #expect(error?.hint == "keep the value in the plugin's state")
  }

  @Test func theScanLooksAtLiftedReducersProjectionsAndFunctionsInside() throws {
    let lifted = """
      local n
      return plugin { lifted = { { at = "tasks", on = "tasks.add", reduce = function(draft)
        n = 1
      end } } }
      """
    #expect(
      try refusal("deep", lifted, permissions: ["reduce:tasks"])?.message
        == "deep: reducer 'tasks.add' assigns to the captured local 'n' (bad/deep/init.lua:3)")
    let projection = Self.memo(
      "local last", "s.count = 1",
      more: """
        projections = { { name = "seen", type = int(), fn = function(state)
          local function note() last = state end
          note()
          return 1
        end } },
        """)
    #expect(
      try refusal("deep", projection)?.message
        == "deep: projection 'deep.seen' assigns to the captured local 'last' (bad/deep/init.lua:8)")
  }

  @Test func readingCapturedLocalsAndKeepingOwnOnesIsPure() throws {
    let bench = try Bench()
    let lua = Self.memo(
      "local step, names, insert = 2, { 'a', { 'b' } }, table.insert\nlocal function add(a, b) return a + b end",
      """
      local own, all = 0, {}
      local function count() own = own + 1 end
      for _ = 1, #names do count() insert(all, own) end
      s.count = add(s.count, step) + own - #all
      """)
    try bench.load(try PluginFolder("pure", lua: lua))
    for _ in 1...5 { try bench.dispatch("pure.visit") }
    #expect(bench.state("pure") == #"{"count":10}"#)
  }

  // MARK: While it runs

  static let impure = [
    ("local seen = {}", "seen[#seen + 1] = 1; s.count = #seen"),
    ("local n = 0\nlocal function step() n = n + 1 return n end", "s.count = step()"),
    ("local t = { deep = { er = {} } }", "local e = t.deep.er; e.x = (e.x or 0) + 1; s.count = e.x"),
    (
      "local next = coroutine.wrap(function() local n = 0 while true do n = n + 1 coroutine.yield(n) end end)",
      "s.count = next()"
    ),
    ("local letters = ('abcdefg'):gmatch('.')", "s.count = #letters()"),
    ("local each, list, key = ipairs({ 1, 2 }) local t = {}", "t[1] = each(list, key); s.count = 1"),
    ("local t = setmetatable({}, { __index = {} })", "getmetatable(t).__index.x = 1; s.count = 1"),
    ("local t = {}", "t.draft = s; s.count = 1"),
    ("local t = {}", "t[s.count] = function() return t end; s.count = 1"),
    (
      "local _ENV = setmetatable({}, { __index = _ENV })",
      "hidden = 1 + (rawget(_ENV, 'hidden') or 0); s.count = hidden"
    ),
    ("local t = {}", "rawset(t, 'x', 1); s.count = 1"),
    ("local t = {}", "table.insert(t, 1); s.count = #t"),
    ("local t = {}", "pcall(function() t.x = 1 error('x') end); s.count = 1"),
    ("local t = {}", "t.x = 1; refuse('no')"),
    ("local t = {}", "t.x = 1; error('no')"),
    ("local t = {}", "t.x = 1; s.cuont = 1"),
    ("local t = {}", "t.x = 1; return 1"),
    ("local t = {}", "t.x = 1; while true do end"),
  ]

  @Test(arguments: impure.indices)
  func hiddenStateIsFoundWhileTheReducerRuns(_ index: Int) throws {
    let (locals, body) = Self.impure[index]
    let bench = try Bench()
    try bench.load(try PluginFolder("memo", lua: Self.memo(locals, body)))
    let guilty = try #require(fault { try bench.dispatch("memo.visit") })
    #expect(
      guilty
        == PluginError(
          .impure, of: "memo", "reducer 'memo.visit' changed a captured local; reducers may only change their draft",
          hint: "keep the value in the plugin's state"))
    // The calls that follow are not made, and not blamed.
    for _ in 1...2 {
      let idle = try #require(fault { try bench.dispatch("memo.visit") })
      #expect(
        idle
          == PluginError(
            .impure,
            of: "memo",
            "reducer 'memo.visit' is no longer called, because in #1 it changed a value that it captures; reducers may only change their draft",
            hint: "keep the value in the plugin's state, then plugin reload memo"))
      #expect(bench.state("memo") == #"{"count":0}"#)
    }
    try bench.dispatch("memo.other")
  }

  @Test func aLiftedReducerIsWatchedToo() throws {
    let bench = try Bench()
    let plugin = try bench.load(
      try PluginFolder(
        "memo", permissions: ["reduce:tasks"],
        lua: """
          local seen = {}
          return plugin { lifted = { { at = "tasks", on = "tasks.add", reduce = function(draft, args)
            seen[args.title] = true
          end } } }
          """))
    let error = fault {
      var tasks = Tasks()
      try withUnsafeMutablePointer(to: &tasks) { slice in
        try plugin.reducers.reduce(
          lifted: 0, try Bench.add.call([("title", .string("a"))]), context: .first, schema: Tasks.schema, slice: slice)
      }
    }
    #expect(
      error?.message == "memo: reducer 'tasks.add' changed a captured local; reducers may only change their draft")
  }

  @Test(arguments: ["return cache[1]", "error('no')"])
  func aProjectionIsWatchedToo(_ end: String) throws {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "memo",
        lua: """
          local cache = {}
          return plugin { state = { field("count", int()) }, projections = { { name = "seen", type = int(), fn = function(state)
            cache[1] = (cache[1] or 0) + 1
            \(end)
          end } } }
          """))
    let messages = (1...2).map { _ in fault { _ = try bench.project("memo", "seen") }?.message }
    #expect(
      messages == [
        "memo: projection 'memo.seen' changed a captured local; projections may only read state",
        "memo: projection 'memo.seen' is no longer called, because before it changed a value that it captures; projections may only read state",
      ])
  }

  @Test func middlewareMayKeepStateOfItsOwn() throws {
    let bench = try Bench()
    let lua = Self.memo(
      "local seen = {}", "s.count = s.count + 1",
      more: "middleware = { { name = \"m\", after = function() seen[#seen + 1] = 1 end } },")
    try bench.load(try PluginFolder("own", lua: lua))
    for _ in 1...3 { try bench.dispatch("own.visit") }
    #expect(bench.faults.isEmpty)
    #expect(bench.state("own") == #"{"count":3}"#)
  }

  /// What other code keeps beside what a reducer reads is no state of the reducer's.
  @Test(arguments: [
    "local calls = 0 local util = { note = function() calls = calls + 1 end }",
    "local util = { seen = {} } function util.note() util.seen[#util.seen + 1] = 1 end",
    "local util = { n = 0 } function util.note() util.n = util.n + 1 end",
    "local n, util = 0, setmetatable({}, { __index = { note = true } }) function util.note() n = n + 1 end",
    "local Class = {} Class.__index = Class local util = setmetatable({}, Class) function Class.note() Class.n = (Class.n or 0) + 1 end",
    "local util = { text = { step = 2, cache = {} } } function util.note() util.text.cache[#util.text.cache + 1] = 1 end",
  ])
  func otherCodeMayKeepStateWhereAReducerHasItsHelpers(locals: String) throws {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "own",
        lua: """
          \(locals)
          util.factor = { by = 2 }
          function util.twice(n) return util.factor.by * n end
          return plugin {
            state = { field("count", int { default = 1 }) }, actions = { { name = "visit" } },
            reducers = { visit = function(s) s.count = util.twice(s.count) end },
            middleware = { { name = "m", after = function() util.note() end } },
            projections = { { name = "seen", type = int(), fn = function(state) return util.twice(state.own.count) end } },
          }
          """))
    for _ in 1...3 {
      try bench.dispatch("own.visit")
      _ = try bench.project("own", "seen")
    }
    #expect(bench.faults.isEmpty)
    #expect(bench.state("own") == #"{"count":8}"#)
  }

  // MARK: How often

  /// The numbers of the calls that were found impure, of calls that each change what they capture when told so.
  private func found(
    _ purity: Purity, among calls: Int, changing: Set<Int>, values: Int = 1
  ) throws -> [Int] {
    let lua = """
      local seen = {}
      for i = 1, \(values) do seen[i] = 0 end
      return plugin { state = { field("count", int()) },
        actions = { { name = "visit", args = { field("changes", bool()) } } },
        reducers = { visit = function(s, a) if a.changes then seen[1] = seen[1] + 1 end end } }
      """
    var found: [Int] = []
    var bench = try Bench()
    try bench.load(try PluginFolder("memo", lua: lua)).purity = purity
    for call in 1...calls {
      do {
        try bench.dispatch("memo.visit", [("changes", .bool(changing.contains(call)))])
      } catch {
        found.append(call)
        // One that was found is refused from then on; the others are asked of a fresh plugin.
        bench = try Bench()
        try bench.load(try PluginFolder("memo", lua: lua)).purity = purity
        for _ in 0..<call { try bench.dispatch("memo.visit", [("changes", .bool(false))]) }
      }
    }
    return found
  }

  @Test func alwaysIsEveryCall() throws {
    #expect(try found(.always, among: 70, changing: [1, 33, 50, 64, 70]) == [1, 33, 50, 64, 70])
  }

  @Test func sampledIsTheFirstCallsAndThenSome() throws {
    #expect(
      try found(.sampled, among: 200, changing: [1, 32, 33, 64, 95, 96, 97, 160, 199]) == [1, 32, 96, 160])
  }

  @Test func whatCapturesMuchIsLookedAtLessOften() throws {
    // Two looks of more than 3,000 values each are within what the first calls may see, the third is not.
    #expect(
      try found(.sampled, among: 70, changing: [1, 2, 3, 4, 32, 66, 67, 68, 69], values: 1500) == [1, 2, 3])
    #expect(try found(.always, among: 70, changing: [1, 66], values: 1500) == [1, 66])
  }

  @Test func offIsNever() throws {
    #expect(try found(.off, among: 70, changing: Set(1...70)) == [])
  }

  @Test func whoWasFoundImpureIsRefusedUntilItIsSwitchedOff() throws {
    let bench = try Bench()
    let plugin = try bench.load(
      try PluginFolder("memo", lua: Self.memo("local t = {}", "s.count = t[1] or 7; t[1] = 7")))
    for _ in 1...3 { #expect(fault { try bench.dispatch("memo.visit") }?.code == .impure) }
    plugin.purity = .sampled
    #expect(fault { try bench.dispatch("memo.visit") }?.code == .impure)
    plugin.purity = .off
    try bench.dispatch("memo.visit")
    #expect(bench.state("memo") == #"{"count":7}"#)
  }
}
