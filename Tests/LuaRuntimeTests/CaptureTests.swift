import LuaRuntime
import Testing

@Suite struct CaptureTests {
  let state: LuaState

  init() throws { state = try LuaState() }

  private func function(_ source: String) throws -> LuaFunction {
    try #require(try evaluate(state, source).asFunction)
  }

  @Test(arguments: [
    "local n = 0 return function() n = n + 1 end",
    "local t = {} return function() t[#t + 1] = 1 end",
    "local t = {a = {b = 'x'}} return function() t.a.b = t.a.b .. 'y' end",
    "local t = {a = {}} return function() t.a = {} end",
    "local n = 0 local function step() n = n + 1 end return function() step() end",
    "local t = {step = function() local k = 1 return k end} return function() t.step = pairs end",
    "local t = setmetatable({}, {}) return function() getmetatable(t).x = 1 end",
    "local t = {} return function() setmetatable(t, {}) end",
    "local t = {nil, nil, 3} return function() for i=1,9 do t['k'..i]=1 end for i=1,9 do t['k'..i]=nil end end",
    "local t = {} t.t = t return function() t.t.t.x = 1 end",
    "local t = {1, 2} return function() t[1], t[2] = t[2], t[1] end",
    "local t = {x = 1} return function() t.x = 1.0 end",
    "local t = {{{{{{{{{{{{}}}}}}}}}}}} return function() local u = t while u[1] do u = u[1] end u[1] = {} end",
    "local t = {} for i = 1, 100 do t[i] = {i} end return function() t[77][1] = 'x' end",
    "local c = coroutine.wrap(function() local n = 0 while true do n = n + 1 coroutine.yield(n) end end) return function() return c() end",
    "local next = ('abc'):gmatch('%a') return function() return next() end",
    "local c = coroutine.create(function() coroutine.yield() end) return function() coroutine.resume(c) end",
    "local t = {} local c = coroutine.wrap(function() while true do t.x = (t.x or 0) + 1 coroutine.yield() end end) c() return function() c() end",
    "local _ENV = setmetatable({}, {__index = _ENV}) return function() x = 1 end",
  ])
  func digestSeesChanges(source: String) throws {
    let function = try function(source)
    let before = try state.digestOfCaptures(function)
    #expect(try state.digestOfCaptures(function) == before)
    _ = try state.call(function)
    #expect(try state.digestOfCaptures(function) != before)
  }

  @Test(arguments: [
    "local t = {1, 2, {3}} return function() local s = 0 for k, v in pairs(t) do s = s + k end return s, #t[3] end",
    "local t = {x = 1} return function() t.x = t.x end",
    "local t = {x = 1} return function() t.y = 2 t.y = nil end",
    "local function helper(n) local m = n m = m + 1 return m end return function() return helper(1) end",
    "return function() return string.rep('x', 10), math.pi, ('x'):rep(20) end",
    "local insert, m = table.insert, math return function() local t = {} insert(t, m.pi) return t end",
    "local t = {} for i = 1, 100 do t[i] = {i} end return function() local n = 0 for _, v in ipairs(t) do n = n + v[1] end return n end",
    "local c = coroutine.wrap(function() coroutine.yield() end) return function() return type(c) end",
    "local next = ('abc'):gmatch('%a') return function() local n = 0 for _ in ('abc'):gmatch('%a') do n = n + 1 end return n, type(next) end",
    "local t = {_G, string, g = _G} return function() return t[2].rep end",
  ])
  func digestIgnoresTheRest(source: String) throws {
    let function = try function(source)
    let before = try state.digestOfCaptures(function)
    for _ in 0..<3 { _ = try state.call(function) }
    #expect(try state.digestOfCaptures(function) == before)
  }

  @Test func assignmentsAreFoundInTheCode() throws {
    let source = """
      local n, m, unused = 0, 0, {}
      local reducers = {
        pure = function(s) local k = n for i = 1, 3 do k = k + i end local f = function() k = k + 1 end f() s.x = k end,
        hidden = function(s)
          s.x = n
          n = n + 1
        end,
        nested = function(s)
          local own = 0
          return function()
            own = own + 1
            return function()
              m = own
            end
          end
        end,
      }
      return reducers
      """
    let reducers = try #require(
      try state.call(state.load(source, chunkName: "bad/hidden/init.lua")).first?.asTable)
    let pure = try #require(reducers["pure"].asFunction)
    let hidden = try #require(reducers["hidden"].asFunction)
    let nested = try #require(reducers["nested"].asFunction)
    #expect(state.captureAssignments(of: pure).isEmpty)
    #expect(
      state.captureAssignments(of: hidden).map { "\($0.name) \($0.chunk):\($0.line)" } == ["n bad/hidden/init.lua:6"])
    #expect(
      state.captureAssignments(of: nested).map { "\($0.name) \($0.chunk):\($0.line)" } == ["m bad/hidden/init.lua:13"])
    #expect(state.captureAssignments(of: try state.makeFunction { _ in }).isEmpty)
  }

  @Test func captureNothingBesideGlobals() throws {
    for source in ["return function() return string.rep('x', 2) end", "return function(s) s.x = 1 end"] {
      #expect(state.capturesOnlyGlobals(try function(source)), "\(source)")
    }
    for source in [
      "local n = 0 return function() return n end", "local rep = string.rep return function() return rep end",
    ] {
      #expect(!state.capturesOnlyGlobals(try function(source)), "\(source)")
    }
    #expect(!state.capturesOnlyGlobals(try state.makeFunction { _ in }))
  }

  @Test func usesOfGlobalsAreFoundInTheCode() throws {
    let source = """
      local insert = table.insert
      count = 1
      return function(s)
        local os = { time = function() return 1 end }
        s.x = os.time() + math.max(io, 2)
        return function()
          total = s
        end
      end
      """
    let chunk = try state.load(source, chunkName: "bad/glob/init.lua")
    #expect(
      state.globalUses(of: chunk).map {
        "\($0.isAssignment ? "set" : "get") \($0.name)\($0.field.map { ".\($0)" } ?? "") \($0.chunk):\($0.line)"
      } == [
        "get table.insert bad/glob/init.lua:1", "set count bad/glob/init.lua:2", "get math.max bad/glob/init.lua:5",
        "get io bad/glob/init.lua:5", "set total bad/glob/init.lua:7",
      ])
    #expect(state.globalUses(of: try state.makeFunction { _ in }).isEmpty)
  }

  @Test func longFunctionsKeepTheirLines() throws {
    let filler = String(repeating: "\nlocal _ = 'constant' .. 1.5 .. 3", count: 150)
    let gap = String(repeating: "\n", count: 500)
    let function = try function("local n = 0 return function() do \(filler) end \(gap) n = 1 end")
    #expect(state.captureAssignments(of: function).map(\.line) == [651])
  }
}
