import LuaRuntime
import Testing

/// What is told of functions by their code.
@Suite struct CodeTests {
  let state: LuaState

  init() throws { state = try LuaState() }

  private func sketch(_ source: String) throws -> LuaCodeSketch {
    try #require(try evaluate(state, "local up = {} return \(source)").asFunction).sketch
  }

  @Test(arguments: [
    "function(a) end", "function(_, a) return a end", "function(a, b) b.x = b.y + 1 end",
    "function(a) a = 1 return a and 2 end",
    "function(a) local b = {} b.x = b end",
  ])
  func parametersThatAreNotUsed(source: String) throws {
    #expect(try sketch(source).use(of: 0) == (source.contains("a = 1") ? .any : .none))
  }

  @Test(arguments: [
    ("function(a) return a.x end", ["x"]), ("function(a) return a.x.y end", ["x"]),
    ("function(a) local x, y = a.x, a.y return x < y and x or y end", ["x", "y"]),
    ("function(a, b) b.x = a.x b[a.y] = a.z end", ["x", "y", "z"]),
    ("function(a) if a then return a.x .. a.y end end", ["x", "y"]), ("function(a) if a then up = 1 end end", []),
    ("function(a) for i = a.x, a.y do up[i] = a.z end end", ["x", "y", "z"]), ("function(a) up.f(a.x) end", ["x"]),
  ])
  func parametersOfWhichFieldsAreRead(source: String, names: [String]) throws {
    #expect(try sketch(source).use(of: 0) == .fields(Set(names)))
  }

  @Test(arguments: [
    "function(a) a.x = 1 end", "function(a) up.a = a end", "function(a) return a end", "function(a) return 1, a end",
    "function(a) return { a } end", "function(a) return { x = a } end", "function(a) up(a) end", "function(a) a() end",
    "function(a) a:x() end", "function(a) return function() return a end end", "function(a) local b = a b.x = 1 end",
    "function(a) a[1] = 1 end", "function(a, b) a[b] = 1 end", "function(a, b) b[a] = 1 end",
    "function(a, b) b[1] = a end",
    "function(a) return a .. 'x' end", "function(a) return #a end", "function(a) return -a end",
    "function(a) return a + 1 end", "function(a) return 1 - a end", "function(a, b) return b + a end",
    "function(a, b) return b == a end", "function(a, b) return b or a end", "function(a) for i = 1, a do end end",
    "function(a) for k in pairs(a) do end end", "function(a) up = a end", "function(a, ...) end", "tostring",
    "function(a) local b <close> = a end", "function(a) return up(a.x, a) end", "function(a, b) return b[a] end",
    "function(a) return a[1] end", "function(a, b) return b:x(a) end", "function(a) x = a end",
  ])
  func parametersThatAnythingIsDoneWith(source: String) throws {
    #expect(try sketch(source).use(of: 0) == .any)
  }

  @Test func parametersThatThereAreNot() throws {
    #expect(try sketch("function(a) return a end").use(of: 1) == .none)
    #expect(try sketch("function(a, ...) end").use(of: 7) == .any)
  }

  @Test(arguments: [
    "function(s) s.n = s.n + 1 end", "function(s, a) local e = s.all[a.key] e.n = e.n + 1 end",
    "function(s) if s.x ~= 'y' then return end s.list[#s.list + 1] = { s.x } end",
    "function(s) s.title = s.title == 'a' and 'b' or 'a' .. s.x end",
  ])
  func codeThatEndsSoon(source: String) throws {
    #expect(try sketch(source).isBrief)
  }

  @Test(arguments: [
    "function(s) while s.x do end end", "function(s) for i = 1, 2 do end end", "function(s) repeat until s.x end",
    "function(s) for k in s.x do end end", "function(s) s.f() end", "function(s) return s.f() end",
    "function(s) s:f() end",
    "function(s) up.x = 1 end", "function(s) return up.x end", "function(s) up = 1 end", "function(s) return x end",
    "function(s) ::again:: if s.x then goto again end end", "function(...) end", "tostring",
    "function(s) local c <close> = s.x end", "function(s) return function() end end",
  ])
  func codeThatMayGoOn(source: String) throws {
    #expect(try !sketch(source).isBrief)
  }

  /// Whether a function of a module with some captured locals is brief.
  private func isBrief(_ source: String, _ preparation: String = "") throws -> Bool {
    let chunk = try state.loadModule(
      """
      local function add(t, k) t[k] = 1 return t[k] end
      local function loop() while true do end end
      local function again(n) return again(n) end
      local function twice(t) add(t, 'a') return add(t, 'b') end
      local function call(f) return f end
      local changed, data, limit = add, { f = loop }, 20
      local function change() changed = loop end
      \(preparation)
      return \(source), change
      """, chunkName: "m")
    return try #require(try state.call(chunk).first?.asFunction).isBrief
  }

  @Test(arguments: [
    "function(s) add(s, 'x') end", "function(s) return twice(s) end", "function(s, a) s.x = a.time:sub(1, limit) end",
    "function(s, a) local t = a.time return t:upper() end", "function(s) if not s.x then error('no ' .. s.y) end end",
    "function(s, a) s.n = math.max(s.n, a.n) end", "function(s, a) add(s, a.x and tostring(a.y) or a.z) end",
    "function(s) s:f() end", "function(s) s.f() end",
    "function(action, ctx) if action.name == 'x' then ctx:dispatch('y', { n = ctx.state.m.n + limit }) end end",
  ])
  func codeThatCallsWhatEndsSoon(source: String) throws {
    #expect(try isBrief(source))
  }

  @Test(arguments: [
    "function(s) loop() end", "function(s) again(1) end", "function(s) changed(s, 1) end", "function(s) data.f() end",
    "function(s) data:f() end", "function(s) s.f = add end", "function(s) return add end", "function(s) add(loop) end",
    "function(s) local f = add f(s) end", "function(s) call(add)(s) end", "function(s) pcall(loop) end",
    "function(s, a) a.x:gsub('.', loop) end", "function(s) (s.x and add or loop)(s) end", "function(s) load(s.x)() end",
    "(function() local _ENV = { error = loop } return function(s) error(s.x) end end)()",
    "function(s) for i = 1, 2 do add(s, i) end end", "function(s) s = data s:f() end", "function(s, ...) add(s) end",
    "function(s) for _ in pairs(s) do end end", "function(s) add(s, function() end) end", "function(s) limit = 1 end",
    // Set by the function whose local it is, once the other has captured it.
    "(function() local f = add local function r(s) f(s) end f = loop return r end)()",
    "(function() local r for _, f in ipairs({ loop }) do r = function(s) f(s) end end return r end)()",
    "(function() local r pcall(function() local f = add r = function(s) f(s) end f = loop error() end) return r end)()",
    "function(s) local f = s.x and add f = f or loop f(s) end", "function(s) local t = { add } t[1](s) end",
    "function(s) table.sort(s.x, loop) end", "function(action, ctx) ctx:task('key', loop) end",
    "function(s) return s.x(add) end", "function(s) error({ add }) end",
  ])
  func codeThatCallsWhatMayGoOn(source: String) throws {
    #expect(try !isBrief(source))
  }

  @Test(arguments: ["_G['co' .. 'routine'].wrap(call)", "_G['lo' .. 'ad']('')"])
  func codeIsCountedWhereNoChunkShowsAllOfIt(preparation: String) throws {
    #expect(try !isBrief("function(s) add(s) end", preparation))
    let other = try evaluate(state, "local function f() end return function() f() end")
    #expect(try !#require(other.asFunction).isBrief, "its chunk is no module")
  }

  /// What is charged for is not the instructions alone: the budget ends at the same place, counted or not.
  @Test func theBudgetIsTheSameCountedOrNot() throws {
    let source = "return function(n) local t = ('x'):rep(n) return #t:upper() end"
    let function = try #require(try evaluate(state, source).asFunction)
    let caller = LuaCaller(state)
    state.limits.instructions = 5000
    func end(isBrief: Bool) -> Int? {
      (1...1000).first { count in
        var arguments = caller.arguments()
        arguments.writer.append(count * 1000)
        return !caller.count(function.handle, arguments, isBrief: isBrief).isDone
      }
    }
    let counted = try #require(end(isBrief: false))
    #expect(counted > 10 && counted == end(isBrief: true))
  }

  @Test func longCodeIsNotBrief() throws {
    func code(_ count: Int) -> String { "function(s) " + String(repeating: "s.x = s.x ", count: count) + "end" }
    #expect(try sketch(code(200)).isBrief)
    #expect(try !sketch(code(500)).isBrief)
  }

  @Test func countingGoesOnAfterABriefCall() throws {
    state.limits.instructions = 5000
    let brief = try #require(try evaluate(state, "return function() end").asFunction)
    let endless = try #require(try evaluate(state, "return function() while true do end end").asFunction)
    let caller = LuaCaller(state)
    for _ in 0..<3 {
      #expect(caller.count(brief.handle, caller.arguments(), isBrief: brief.sketch.isBrief).isDone)
      #expect { try state.call(endless) } throws: { ($0 as? LuaError)?.kind == .instructions }
    }
    let inCoroutine = "return function() coroutine.wrap(function() while true do end end)() end"
    let wrapping = try #require(try evaluate(state, inCoroutine).asFunction)
    #expect(caller.count(brief.handle, caller.arguments(), isBrief: true).isDone)
    #expect { try state.call(wrapping) } throws: { ($0 as? LuaError)?.kind == .instructions }
    #expect(caller.count(brief.handle, caller.arguments(), isBrief: true).isDone)
    let coroutine = try state.makeCoroutine(endless)
    #expect { try coroutine.resume() } throws: { ($0 as? LuaError)?.kind == .instructions }
  }

  @Test func errorsOfCoroutinesAreDescribedWithinABudgetAfterABriefCall() throws {
    let brief = try #require(try evaluate(state, "return function() end").asFunction)
    let spinning = "function() error(setmetatable({}, { __tostring = function() while true do end end })) end"
    let failing = try #require(try evaluate(state, "return \(spinning)").asFunction)
    let caller = LuaCaller(state)
    #expect(caller.count(brief.handle, caller.arguments(), isBrief: true).isDone)
    let coroutine = try state.makeCoroutine(failing)
    #expect { try coroutine.resume() } throws: { ($0 as? LuaError)?.kind == .notText }
  }
}
