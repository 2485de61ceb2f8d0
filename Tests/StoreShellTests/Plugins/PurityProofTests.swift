import Testing

@testable import StoreShell

/// Plugins that try to keep state where nobody looks, or to depend on what no journal holds: each is caught by one of the
/// steps of "How a plugin is proven pure".
@Suite struct PurityProofTests {
  enum Step: String, Sendable {
    /// By looking at its code.
    case code
    /// While it runs.
    case running
    /// By running it twice.
    case twice
  }

  struct Impure: CustomTestStringConvertible, Sendable {
    let name: String
    /// What stands before the definition.
    let lua: String
    /// The body of its reducer `go(s, a)`, whose slice is `n` and `t`.
    let reducer: String
    let step: Step
    var middleware = ""
    var lifted = ""
    var testDescription: String { name }
  }

  static let corpus = [
    Impure(name: "a local", lua: "local n = 0", reducer: "n = n + 1 s.n = n", step: .code),
    Impure(
      name: "a local of a helper", lua: "local n = 0 local function up() n = n + 1 return n end", reducer: "s.n = up()",
      step: .running),
    Impure(name: "a table", lua: "local seen = {}", reducer: "seen[#seen + 1] = 1 s.n = #seen", step: .running),
    Impure(
      name: "a metatable", lua: "local mt = { n = 0 } local o = setmetatable({}, mt)",
      reducer: "local m = getmetatable(o) m.n = m.n + 1 s.n = m.n", step: .running),
    Impure(
      name: "a coroutine",
      lua: "local co = coroutine.wrap(function() local n = 0 while true do n = n + 1 coroutine.yield(n) end end)",
      reducer: "s.n = co()", step: .running),
    Impure(
      name: "the rest of a coroutine's arguments",
      lua:
        "local function loop(...) coroutine.yield(select('#', ...)) return loop(1, ...) end local co = coroutine.wrap(loop)",
      reducer: "s.n = co()", step: .running),
    Impure(
      name: "an iterator of the library", lua: "local words = ('a b c d e f g h'):gmatch('%a')",
      reducer: "s.t = words() or 'none'", step: .running),
    Impure(
      name: "the environment of a loaded chunk", lua: "local f = load('n = (n or 0) + 1 return n', 'f', 't', {})",
      reducer: "s.n = f()", step: .running),
    Impure(
      name: "a local that a middleware sets", lua: "local last = 0", reducer: "s.n = last", step: .twice,
      middleware: "middleware = { { name = 'm', after = function() last = last + 1 end } },"),
    Impure(
      name: "a table that a middleware fills", lua: "local seen = {}", reducer: "s.n = #seen", step: .twice,
      middleware: "middleware = { { name = 'm', after = function() seen[#seen + 1] = 1 end } },"),
    Impure(
      name: "a local of a helper that a middleware sets", lua: "local last = 0 local function get() return last end",
      reducer: "s.n = get()", step: .twice,
      middleware: "middleware = { { name = 'm', after = function() last = last + 1 end } },"),
    Impure(
      name: "a local that hides behind a metatable that a middleware sets",
      lua: "local last = 0 local get = setmetatable({}, { __index = function() return last end })",
      reducer: "s.n = get[1]", step: .twice,
      middleware: "middleware = { { name = 'm', after = function() last = last + 1 end } },"),
    Impure(
      name: "a field of the class of a table that a middleware sets",
      lua: "local Base = { n = 0 } local t = setmetatable({}, { __index = setmetatable({}, { __index = Base }) })",
      reducer: "s.n = t.n", step: .twice,
      middleware: "middleware = { { name = 'm', after = function() Base.n = Base.n + 1 end } },"),
    Impure(
      name: "a method that a table inherits, which reads what a middleware sets",
      lua:
        "local last = 0 local Base = { get = function() return last end } local t = setmetatable({}, { __index = Base })",
      reducer: "s.n = t.get()", step: .twice,
      middleware: "middleware = { { name = 'm', after = function() last = last + 1 end } },"),
    Impure(
      name: "a local that a middleware sets before the first call", lua: "local last = 0", reducer: "s.n = last",
      step: .twice,
      middleware: "middleware = { { name = 'm', before = function() if last == 0 then last = 1 end end } },"),
    Impure(
      name: "the order of addresses",
      lua: """
        local keys = {} for i = 1, 64 do keys[{}] = i end
        local order = {} for _, i in pairs(keys) do order[#order + 1] = i end
        """, reducer: "s.t = table.concat(order, ' ')", step: .twice),
    Impure(
      name: "the order of addresses, by next",
      lua:
        "local keys = {} for i = 1, 64 do keys[function() return i end] = i end local order = {} local k, v = next(keys) "
        + "while k do order[#order + 1] = v k, v = next(keys, k) end",
      reducer: "s.t = table.concat(order, ' ')", step: .twice),
    Impure(
      name: "a lifted reducer that reads what a middleware sets", lua: "local last = 0", reducer: "s.n = 1",
      step: .twice,
      middleware: "middleware = { { name = 'm', after = function() last = last + 1 end } },",
      lifted: "lifted = { { at = 'counter', on = 'odd.go', reduce = function(s) s.value = last end } },"),
    Impure(
      name: "a lifted reducer that follows addresses",
      lua:
        "local keys = {} for i = 1, 64 do keys[{}] = i end local first for _, i in pairs(keys) do first = first or i end",
      reducer: "s.n = 1", step: .twice,
      lifted: "lifted = { { at = 'counter', on = 'odd.go', reduce = function(s) s.value = first end } },"),
    Impure(
      name: "keys without an order", lua: "local keys = {} for i = 1, 9 do keys[{}] = i end",
      reducer: "for _, i in pairs(keys) do s.n = i end", step: .running),
  ]

  private func plugin(_ impure: Impure, _ shell: Shell) throws -> String {
    let folder = try shell.plugin(
      "odd",
      """
      \(impure.lua)
      return plugin {
        state = { field("n", int()), field("t", text()) }, actions = { { name = "go", args = { field("by", int()) } } },
        reducers = { go = function(s, a) \(impure.reducer) end }, \(impure.middleware) \(impure.lifted)
      }
      """, permissions: #"["reduce:counter"]"#)
    try shell.write(
      "odd/tests/odd_test.lua",
      "test('it goes', function(t) for i = 1, 3 do pcall(function() t:dispatch('go', { by = i }) end) end end)")
    shell.session.options.grants = ["odd"]
    return folder
  }

  @Test(arguments: corpus)
  func isCaught(impure: Impure) throws {
    let shell = try Shell()
    let folder = try plugin(impure, shell)
    let check = shell.run("plugin check \(folder)")
    let load = shell.run("plugin load \(folder)")
    guard impure.step != .code else {
      #expect(check.status == 4 && check.output.contains("FAIL  reducer 'odd.go' assigns to the captured local 'n'"))
      #expect(load.status == 4 && load.errors.contains("error[plugin-impure]"))
      return
    }
    #expect(check.status == 0)
    #expect(load.status == 0)
    shell.session.store.live.setDefaultPurity(.always)
    let runs = (1...2).map { shell.run("dispatch odd.go by=\($0)") }
    guard impure.step != .running else {
      #expect(
        runs.contains { $0.errors.contains("error[plugin-impure]") || $0.errors.contains("have no order; use numbers") }
      )
      return
    }
    #expect(runs.allSatisfy { $0.status == 0 }, "\(runs)")
    #expect(shell.run("plugin test \(folder)").status == 0)
    let outcome = shell.run("plugin test \(folder) --pure")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("error[plugin-test]: odd: a reducer is not pure\n"))
    #expect(outcome.output.contains("FAIL pure: odd.go by="), "\(outcome.output)")
    #expect(outcome.output.contains(" differ at odd.") || outcome.output.contains(" differ at counter.value"))
  }

  @Test func theFaultNamesActionPathAndBothValues() throws {
    let shell = try Shell()
    let impure = try #require(Self.corpus.first { $0.name == "a local that a middleware sets before the first call" })
    let outcome = shell.run("plugin test \(try plugin(impure, shell)) --pure")
    #expect(
      outcome.output == """
        ok   it goes
        FAIL pure: odd.go by=1
          the test and a fresh Lua state differ at odd.n
            test   1
            fresh  0
          action #2 of the test 'it goes'
        1 passed, 0 failed

        """)
  }

  /// What no test dispatches is made up from the actions' types.
  @Test func actionsThatNoTestDispatchesAreMadeUp() throws {
    let shell = try Shell()
    let impure = try #require(Self.corpus.first { $0.name == "the order of addresses" })
    let folder = try plugin(impure, shell)
    try shell.write("odd/tests/odd_test.lua", "test('nothing', function() end)")
    let outcome = shell.run("plugin test \(folder) --pure --seed 7")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("  two fresh Lua states differ at odd.t\n    one    \""))
    #expect(outcome.output.contains("  generated action 1; --seed 7 makes the same ones\n"))
    // The addresses are others the next time, the action is not.
    let again = shell.run("plugin test \(folder) --pure --seed 7")
    #expect(again.output.split(separator: "\n")[1] == outcome.output.split(separator: "\n")[1])
  }

  /// A lifted reducer runs behind the module's own, which is there in the proof, too.
  @Test(arguments: ["reducers = { ['tasks.add'] = function(s) s.n = s.n + 1 end },", ""])
  func aLiftedReducerThatWorksOnWhatSwiftAddedIsPure(own: String) throws {
    let shell = try Shell { $0.grants = ["odd"] }
    let folder = try shell.plugin(
      "odd",
      """
      return plugin { state = { field("n", int()) }, \(own)
        lifted = { { at = "tasks", on = "tasks.add", reduce = function(d) d.items[#d.items].title = "x" end } } }
      """, permissions: #"["read:tasks", "reduce:tasks"]"#)
    try shell.write(
      "odd/tests/odd_test.lua", "test('it goes', function(t) t:dispatch('tasks.add', { title = 'a' }) end)")
    let outcome = shell.run("plugin test \(folder) --pure")
    #expect(outcome.output.hasPrefix("ok   it goes\nok   pure: 1 recorded"), "\(outcome)")
  }

  /// So do those of other plugins, and one that was switched off did nothing.
  @Test func aLiftedReducerOverAnotherPluginsSliceIsPure() throws {
    let shell = try Shell { $0.grants = ["odd", "base"] }
    let base = try shell.plugin(
      "base",
      """
      return plugin { state = { field("n", int()) }, actions = { { name = "inc" } },
        reducers = { inc = function(s) s.n = s.n + 1 end } }
      """)
    let folder = try shell.plugin(
      "odd",
      """
      return plugin { state = { field("n", int()) }, actions = { { name = "inc" }, { name = "bad" } },
        reducers = { inc = function(s) s.n = s.n + 1 end, bad = function() error("no") end },
        lifted = { { at = "base", on = "base.inc", reduce = function(d) d.n = d.n * 2 end } } }
      """, permissions: #"["read:base", "reduce:base"]"#)
    try shell.write(
      "odd/tests/odd_test.lua",
      """
      test('it goes', function(t) t:dispatch('base.inc') t:equals(t:get('base.n'), 2) end)
      test('it is switched off', function(t)
        for i = 1, 3 do t:fails('plugin-runtime', function() t:dispatch('bad') end) end
        t:fails('plugin-off', function() t:dispatch('inc') end)
        t:equals(t:get('odd.n'), 0)
      end)
      """)
    #expect(shell.run("plugin load \(base)").status == 0)
    let outcome = shell.run("plugin test \(folder) --pure")
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func pureOnesAreToldSo() throws {
    let shell = try Shell()
    let pure = Impure(
      name: "", lua: "", reducer: "s.n = s.n + a.by if s.n > 9 then refuse('too much') end", step: .twice)
    let outcome = shell.run("plugin test \(try plugin(pure, shell)) --pure --seed 7")
    #expect(
      outcome
        == .init(
          output: """
            ok   it goes
            ok   pure: 3 recorded and 200 generated actions, twice the same
            1 passed, 0 failed

            """))
    let data = shell.run("plugin test \(shell.folder)/odd --pure --json --seed 7").output
    #expect(data.contains(#""pure":{"ok":true,"recorded":3,"generated":200,"failed":84,"fault":null}"#))
  }

  /// An action that an interceptor took out was reduced nowhere, so nothing is compared with it.
  @Test func aDroppedActionShowsNothing() throws {
    let shell = try Shell { $0.grants = ["odd"] }
    let folder = try shell.plugin(
      "odd",
      """
      return plugin {
        state = { field("n", int()) }, actions = { { name = "go" }, { name = "drop" } },
        reducers = { go = function(s) s.n = s.n + 1 end, drop = function(s) s.n = s.n + 100 end },
        interceptors = { function(dispatch, get, next) return function(action)
          if action.name ~= "odd.drop" then next(action) end
        end end },
      }
      """, permissions: #"["intercept"]"#)
    try shell.write("odd/tests/odd_test.lua", "test('it goes', function(t) t:dispatch('go') t:dispatch('drop') end)")
    let outcome = shell.run("plugin test \(folder) --pure --seed 7")
    #expect(outcome.output.contains("ok   pure: 2 recorded and 200 generated actions, twice the same"), "\(outcome)")
  }

  /// Where no action worked, two states that are alike show nothing.
  @Test func nothingThatWorksIsNoProof() throws {
    let shell = try Shell()
    let lua = """
      return plugin { state = { field("n", int()) }, actions = { { name = "go", args = { field("by", int()) } } },
        reducers = { go = function(s, a) if a.by ~= 1234567 then refuse("no") end s.n = a.by end } }
      """
    let folder = try shell.plugin("odd", lua)
    try shell.write("odd/tests/odd_test.lua", "test('nothing', function() end)")
    let outcome = shell.run("plugin test \(folder) --pure --seed 7")
    #expect(outcome.status == 1)
    #expect(
      outcome.output.hasPrefix(
        "ok   nothing\nFAIL pure: 0 recorded and 200 generated actions, all of which failed\n"))
    #expect(outcome.output.contains(": odd: no\n1 passed, 0 failed\n"))
    #expect(outcome.errors.contains("odd: no action worked, so nothing shows its reducers to be pure\n"))
    try shell.write("odd/tests/odd_test.lua", "test('goes', function(t) t:dispatch('go', { by = 1234567 }) end)")
    #expect(
      shell.run("plugin test \(folder) --pure --seed 7").output.contains(
        "ok   pure: 1 recorded and 200 generated actions, twice the same; each of the latter failed\n"))
  }

  /// Every type that an action can have is made up well: what does not fit is not counted.
  @Test func allTypesAreMadeUp() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "all",
      """
      return plugin { state = { field("n", int()) },
        actions = { { name = "go", args = {
          field("a", int { min = 3, max = 5 }), field("b", number()), field("c", bool()), field("d", text()),
          field("e", enum { "x", "y" }), field("f", optional(int())), field("g", list(text())), field("h", map(int())),
          field("i", record("R", { field("j", list(record("S", { field("k", int { max = -1 }) }))) })) } } },
        reducers = { go = function(s, a)
          if a.a < 3 or a.a > 5 or (a.i.j[1] and a.i.j[1].k > -1) then error("out of range") end
          s.n = s.n + #a.g
        end } }
      """)
    try shell.write("all/tests/all_test.lua", "test('nothing', function() end)")
    #expect(
      shell.run("plugin test \(folder) --pure").output.contains(
        "ok   pure: 0 recorded and 200 generated actions, twice the same\n"))
  }

  /// One action shows nothing of what answers it; those that are made up are processed as a store does it.
  @Test func whatAMiddlewareChangesShowsInAProofOfOneAction() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "odd",
      """
      local seen = {}
      return plugin {
        state = { field("n", int()) }, actions = { { name = "go" } }, reducers = { go = function(s) s.n = seen.n or 0 end },
        middleware = { { name = "m", after = function() seen.n = (seen.n or 0) + 1 end } },
      }
      """)
    try shell.write("odd/tests/odd_test.lua", "test('it goes', function(t) t:dispatch('go') end)")
    #expect(shell.run("plugin test \(folder)").status == 0)
    let outcome = shell.run("plugin test \(folder) --pure --seed 7")
    #expect(
      outcome.output.contains("  the store and a fresh Lua state differ at odd.n\n    store  1\n    fresh  0\n"),
      "\(outcome)")
    #expect(outcome.output.contains("  generated action 2; --seed 7 makes the same ones\n"))
    #expect(outcome.status == 1)
  }
}
