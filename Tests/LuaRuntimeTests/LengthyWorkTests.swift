import LuaRuntime
import Testing

/// Work that takes long where no instruction, no library function and no allocation tells of it: the parser's, and that of
/// instructions on long texts.
@Suite struct LengthyWorkTests {
  /// The parser's time grows with the square of each of them.
  static let lengthyCode: [String] = [
    "('local a return a ' .. ('and a '):rep(120000))",
    "('if a then ' .. ('elseif a then '):rep(60000) .. 'end')",
    "(('local function f() local a' .. ('1,a'):rep(198):gsub('1', '1') .. ' '):rep(180) .. ('b=b '):rep(60000))",
  ]

  @Test(arguments: lengthyCode)
  func readingCodeEndsWithTheTimeOfTheCall(code: String) throws {
    let state = try LuaState(limits: .init(instructions: 1 << 40, memory: 64 << 20, milliseconds: 300))
    let text = try #require(try evaluate(state, "return \(code)").asText)
    let host = #expect(throws: LuaError.self) { try state.load(text, chunkName: "long/init.lua") }
    #expect(host?.kind == .time)
    #expect(host?.message == "long/init.lua:1: ran longer than 300 ms")

    let plugin = failure(state, "local code = \(code)\nload(code)")
    #expect(plugin?.kind == .time)
    #expect(plugin?.message == "t.lua:2: ran longer than 300 ms")

    let inPieces = failure(
      state, "local code, given = \(code)\npcall(load, function()\nif not given then given = true return code end end)")
    #expect(inPieces?.kind == .time)
    #expect(try run(state, "return 1") == [.integer(1)])
  }

  @Test func readingCodeInARepeatableCallEndsForTheTimeItTakes() throws {
    let state = try LuaState(limits: .init(instructions: 2_000_000, memory: 64 << 20))
    LuaCaller(state).isRepeatable = true
    let error = failure(state, "while true do load(\(Self.lengthyCode[0])) end")
    #expect(error?.kind == .time)
    #expect(error?.message.contains(" worked for ") == true, "\(String(describing: error))")
  }

  @Test func theLineOfCodeThatTakesLongToReadIsGiven() throws {
    let state = try LuaState(limits: .init(memory: 64 << 20, milliseconds: 100))
    let lines = String(repeating: "\n", count: 999) + "return a" + String(repeating: " and a", count: 200_000)
    let error = #expect(throws: LuaError.self) { try state.load(lines, chunkName: "long/init.lua") }
    #expect(error?.message == "long/init.lua:1000: ran longer than 100 ms")
  }

  /// Of texts of NULs each byte is compared by a call of its own.
  static let lengthyComparisons: [String] = [
    "local a, b = ('\\0'):rep(1000000), ('\\0'):rep(1000000) .. 'x' while true do local _ = a < b end",
    "local a = '\\0' while #a < 1000000 do a = a .. a end while true do local _ = a <= a end",
    "local c = coroutine.create(function(a) while true do local _ = a < a end end) coroutine.resume(c, ('\\0'):rep(1000000))",
    "local c = coroutine.wrap(function() local a = coroutine.yield() while true do local _ = a < a end end) c() c(('\\0'):rep(1000000))",
    """
    local a
    local c = coroutine.wrap(function() a = ('\\0'):rep(1000000) while true do coroutine.yield() end end)
    c() while true do c() local _ = a < a end
    """,
    "local c <close> = setmetatable({}, {__close = function() local a = ('\\0'):rep(1000000) while true do local _ = a < a end end}) error('x')",
    "local t = {} for i = 1, 3 do t[i] = ('\\0'):rep(1000000 + i) end while true do table.sort(t) end",
  ]

  @Test(arguments: lengthyComparisons)
  func comparingLongTextsEnds(source: String) throws {
    let timed = try LuaState(limits: .init(instructions: 1 << 40, memory: 8 << 20, milliseconds: 100))
    #expect(failure(timed, source)?.kind == .time)
    #expect(timed.instructionsUsed < 200_000, "it was looked at before so many instructions ran")

    let repeatable = try LuaState(limits: .init(instructions: 1 << 40, memory: 8 << 20))
    LuaCaller(repeatable).isRepeatable = true
    #expect(failure(repeatable, source)?.kind == .time)
  }

  /// The texts of the host, too.
  @Test func aLongTextOfTheHostIsKeptInMind() throws {
    let state = try LuaState(limits: .init(instructions: 1 << 40, memory: 8 << 20, milliseconds: 100))
    let function = try #require(
      try evaluate(state, "return function(a) while true do local _ = a < a end end").asFunction)
    let error = #expect(throws: LuaError.self) {
      try state.call(function, [.string(String(repeating: "\0", count: 1_000_000))])
    }
    #expect(error?.kind == .time)
    #expect(state.instructionsUsed < 2_000)
  }

  /// The least limit of instructions with which a chunk ends well.
  private func leastLimit(_ setup: String, _ work: String) throws -> Int {
    let state = try LuaState(limits: .init(instructions: 1 << 40, memory: 8 << 20))
    let function = try #require(try evaluate(state, "\(setup) return function() \(work) end").asFunction)
    var (low, high) = (1, 1 << 20)
    while low < high {
      let middle = (low + high) / 2
      state.limits.instructions = middle
      do {
        _ = try state.call(function)
        high = middle
      } catch {
        #expect(error.kind == .instructions, "\(error)")
        low = middle + 1
      }
    }
    return low
  }

  /// A text is read once, however many places hold it.
  @Test(arguments: [20_000, 5])
  func whatHoldsALongTextManyTimesIsSeenThroughAtOnce(count: Int) throws {
    let state = try LuaState(limits: .init(instructions: 5_000_000, memory: 64 << 20))
    let function = try #require(
      try evaluate(
        state,
        """
        local s = ('x'):rep(1 << 20) local t = {}
        for i = 1, \(count) do t[i] = s end for i = 1, 12 do t['k' .. i] = s .. i end
        return function(i) t[i] = s .. 1 end
        """
      ).asFunction)
    let before = try state.digestOfCaptures(function)
    #expect(try state.digestOfCaptures(function) == before)
    _ = try state.call(function, [.string("k1")])
    #expect(try state.digestOfCaptures(function) == before, "an equal text is no change")
    _ = try state.call(function, [.string("k2")])
    #expect(try state.digestOfCaptures(function) != before)
  }

  /// What is left of other calls is collected when memory lacks: that is no work of the call that happens to need it.
  @Test func garbageOfOthersChangesNoCount() throws {
    func leastLimit(garbage: String) throws -> Int {
      let state = try LuaState(limits: .init(instructions: 1 << 30, memory: 4 << 20))
      let make = try #require(try evaluate(state, "return function() \(garbage) end").asFunction)
      let work = try #require(
        try evaluate(
          state,
          """
          local function deep(n) if n == 0 then return 0 end return deep(n - 1) + 1 end
          return function()
            local x for i = 1, 400 do x = ('x'):rep(3000 + i % 7) if i % 100 == 0 then deep(300) end end
            local t = {} for i = 1, 900 do t['key' .. i] = i end
          end
          """
        ).asFunction)
      LuaCaller(state).isRepeatable = true
      var (low, high) = (1, 1 << 20)
      while low < high {
        let middle = (low + high) / 2
        state.limits.instructions = 1 << 30
        _ = try state.call(make)
        state.limits.instructions = middle
        if (try? state.call(work)) != nil { high = middle } else { low = middle + 1 }
      }
      return low
    }
    let alone = try leastLimit(garbage: "")
    #expect(alone > 20_000)
    #expect(try leastLimit(garbage: "local x for i = 1, 2 do x = ('x'):rep(700000) end") == alone)
    #expect(try leastLimit(garbage: "for i = 1, 3000 do local x = 'k' .. i .. 'x' end") == alone)
    let deep = "local function deep(n) if n == 0 then return 0 end return deep(n - 1) + 1 end deep(3000)"
    #expect(try leastLimit(garbage: deep) == alone)
  }

  /// What a call may do does not depend on which texts others hold.
  @Test(arguments: [
    "for i = 1, 5000 do local x = i end",
    "for i = 1, 50 do local x = ('x'):rep(20000 + i * 100) for j = 1, 37 do x = j end end",
    "local c = coroutine.wrap(function() while true do for i = 1, 77 do coroutine.yield(i) end end end) for i = 1, 3000 do c() end",
    "local s = 'x' while #s < 500000 do s = s .. s for i = 1, 91 do local y = i end end",
  ])
  func longTextsElsewhereChangeNoCount(work: String) throws {
    let alone = try leastLimit("", work)
    #expect(alone > 4_000)
    #expect(try leastLimit("local held = ('x'):rep(1000000)", work + " local _ = held") == alone + 1)
    #expect(try leastLimit("local held = ('x'):rep(40000)", work + " local _ = held") == alone + 1)
  }
}
