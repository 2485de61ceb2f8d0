import LuaRuntime
import Testing

@Suite struct OrderTests {
  let state: LuaState

  init() throws { state = try LuaState() }

  private let keys = """
    local function keys(walk)
      local list = {}
      walk(function(k, v) list[#list + 1] = tostring(k) .. '=' .. tostring(v) end)
      return table.concat(list, ' ')
    end
    local t = {[true] = 1, [false] = 2, b = 3, a = 4, [10] = 5, [2.5] = 6, [-1] = 7, [''] = 8, aa = 9,
      [2^53] = 10, [math.maxinteger] = 11, [math.mininteger] = 12, [1e300] = 13, [-1e300] = 14, [2^63] = 15}
    """
  private let expected =
    "-1e+300=14 -9223372036854775808=12 -1=7 2.5=6 10=5 9007199254740992=10 9223372036854775807=11 "
    + "9.2233720368548e+18=15 1e+300=13 =8 a=4 aa=9 b=3 false=2 true=1"

  @Test func pairsAndNextGoInKeyOrder() throws {
    let walks = [
      "for k, v in pairs(t) do f(k, v) end", "for k, v in next, t do f(k, v) end",
      "local k, v = next(t) while k ~= nil do f(k, v) k, v = next(t, k) end",
    ]
    for walk in walks {
      #expect(try evaluate(state, "\(keys) return keys(function(f) \(walk) end)") == .string(expected), "\(walk)")
    }
  }

  @Test func listsGoInOrder() throws {
    #expect(
      try evaluate(
        state, "local s = '' for i, v in pairs({5, 6, 7}) do s = s .. i .. v .. ' ' end return s")
        == .string("15 26 37 "))
  }

  @Test func entriesMayBeClearedAndChangedWhileWalking() throws {
    for walk in ["pairs(t)", "next, t"] {
      let source = """
        local t, n = {}, 0
        for i = 1, 10 do t[i] = i t['k' .. i] = i end
        for k, v in \(walk) do n = n + 1 t[k] = nil if k == 3 then t[4] = nil t.k5 = 'x' end end
        return n, next(t)
        """
      #expect(try run(state, source) == [.integer(19), .nil], "\(walk)")
    }
  }

  @Test func walksMayBeNested() throws {
    let source = """
      local a, b, n = {x = 1, y = 2, z = 3}, {p = 1, q = 2}, 0
      for _ in next, a do for _ in next, b do n = n + 1 end end
      for _ in pairs(a) do for _ in pairs(a) do n = n + 1 end end
      return n
      """
    #expect(try evaluate(state, source) == .integer(15))
  }

  /// What `pairs` gives can be used as often as that of the stock function, and in any way that `next` can.
  @Test func aWalkMayBeginAgain() throws {
    let source = """
      local function walk(f, s, c) local all = {} for k, v in f, s, c do all[#all + 1] = k .. v end return table.concat(all, ' ') end
      local list, named = {5, 6, 7}, {a = 1, b = 2, c = 3}
      local out = {}
      for _, t in ipairs({list, named}) do
        local f, s, c = pairs(t)
        out[#out + 1] = walk(f, s, c)
        out[#out + 1] = walk(f, s, c)
        for k in f, s, c do break end
        out[#out + 1] = walk(f, s, c)
        t[#t + 1] = 'new'
        out[#out + 1] = walk(f, s, c)
        out[#out + 1] = walk(f, {x = 9, y = 8}, nil)
        out[#out + 1] = walk(f, named, 'a')
        for i in f, s, c do for j in f, s, c do for k in f, s, c do out[1] = out[1] end end end
      end
      return table.concat(out, '; ')
      """
    #expect(
      try evaluate(state, source)
        == .string(
          "15 26 37; 15 26 37; 15 26 37; 15 26 37 4new; x9 y8; b2 c3; a1 b2 c3; a1 b2 c3; a1 b2 c3; 1new a1 b2 c3; x9 y8; b2 c3"
        ))
  }

  @Test func aWalkOfAnEarlierCallIsForgotten() throws {
    let functions = try run(
      state, "local t = {a = 1, c = 3} return function() next(t, 'a') t.b = 2 end, function() return next(t, 'a') end")
    let begin = try #require(functions.first?.asFunction)
    let goOn = try #require(functions.last?.asFunction)
    _ = try state.call(begin)
    #expect(try state.call(goOn) == [.string("b"), .integer(2)])
  }

  @Test func nextOfAnUnknownKey() throws {
    for call in [
      "next({a = 1}, {})", "next({a = 1, c = 2}, 'b')", "next({}, 'nokey')", "next({1, 2}, 3)", "next({1, 2}, 0.5)",
      "next({1, 2}, 1.0)", "next({1, 2}, true)", "next({[1] = 1, [2] = 2, [4] = 4}, 3)",
      "local t = {a = 1, c = 2} next(t, 'a') next(t, 'b')",
    ] {
      #expect(failure(state, call)?.message.contains("invalid key to 'next'") == true, "\(call)")
    }
    #expect(try run(state, "return next({})") == [.nil])
    #expect(try run(state, "return next({}, nil)") == [.nil])
  }

  @Test func pairsHonoursItsMetamethod() throws {
    #expect(
      try run(
        state,
        "for k, v in pairs(setmetatable({}, {__pairs = function(t) return function(_, k) if not k then return 1, 2 end end, t end})) do return k, v end"
      ) == [.integer(1), .integer(2)])
  }

  @Test func keysWithoutOrderCanBeRefused() throws {
    let source = "local n = 0 for k in pairs({[{}] = 1, [1] = 2, a = 3}) do n = n + 1 end return n"
    #expect(try run(state, source) == [.integer(3)])
    LuaCaller(state).isRepeatable = true
    #expect(failure(state, source)?.message.contains("keys of type 'table' have no order") == true)
    #expect(try evaluate(state, "return {[{}] = 1, [1] = 2}").asTable?.entries().count == 2)
    LuaCaller(state).isRepeatable = false
    #expect(try run(state, source) == [.integer(3)])
  }
}
