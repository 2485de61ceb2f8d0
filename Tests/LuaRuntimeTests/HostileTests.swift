import Foundation
import LuaRuntime
import Synchronization
import Testing

/// Hostile code: each ends in an error, and the state answers
/// afterwards.
@Suite struct HostileTests {
  static let attacks: [String] = [
    "while true do end",
    "while true do pcall(function() while true do end end) end",
    "local function f() pcall(f) while true do end end f()",
    "coroutine.wrap(function() while true do end end)()",
    "while true do pcall(coroutine.wrap(function() while true do end end)) end",
    "local function nest() local c = coroutine.create(nest) coroutine.resume(c) while true do pcall(coroutine.resume, coroutine.create(nest)) end end nest()",
    "local function f() for i = 1, 100 do pcall(coroutine.wrap(f)) end end f()",
    "local c <close> = setmetatable({}, {__close = function() while true do end end}) error('x')",
    "local c <close> = setmetatable({}, {__close = function() while true do end end}) while true do end",
    "xpcall(function() error('x') end, function() while true do end end)",
    "setmetatable({}, {__gc = function() while true do end end})",
    "string.rep('x', 1e9)",
    "while true do pcall(string.rep, 'x', 1e9) end",
    "local s = string.rep('', 1 << 62) while true do end",
    "string.rep('ab', math.maxinteger)",
    "string.rep('', math.maxinteger, 'x')",
    "string.find(('a'):rep(300), ('a*'):rep(40) .. 'b')",
    "string.find(('x'):rep(300000), '.-.-.-b')",
    "string.match(('x'):rep(300000), '.-.-.-b')",
    "for _ in string.gmatch(('x'):rep(300000), '.-.-.-b') do end",
    "string.gsub(('x'):rep(300000), '.-.-.-b', '')",
    "while true do pcall(string.find, ('a'):rep(300), ('a*'):rep(40) .. 'b') end",
    "string.gsub(('x'):rep(100000), '', ('y'):rep(1000))",
    "string.gsub(('('):rep(100000), '%b()', '')",
    "while true do string.find(('a'):rep(1000000), ('a'):rep(500000) .. 'b', 1, true) end",
    "local s = ('('):rep(1000000) for i = 1, 1e9 do s:find('%b()') end",
    "table.move({}, 1, math.maxinteger - 1, 2)",
    "table.move(setmetatable({}, {__index = function() end, __newindex = function() end}), 1, 1e12, 2)",
    "table.concat(setmetatable({}, {__index = function() return '' end, __len = function() return 1e15 // 1 | 0 end}))",
    "table.insert(setmetatable({}, {__index = function() return 1 end, __newindex = function() end, __len = function() return 1 << 60 end}), 1, 1)",
    "table.remove(setmetatable({}, {__index = function() return 1 end, __newindex = function() end, __len = function() return 1 << 60 end}), 1)",
    "table.sort(setmetatable({}, {__index = function() return 1 end, __newindex = function() end, __len = function() return 1 << 30 end}))",
    "local t = {} for i = 1, 10000 do t[i] = i end while true do table.sort(t, function() return true end) end",
    "local t = {} for i = 1, 10000 do t[i] = i end while true do table.insert(t, 1, 1) table.remove(t, 1) end",
    "table.unpack({}, 1, 1e8)",
    "while true do table.unpack({}, 1, 10000) end",
    "local t = {} while true do t[#t + 1] = {} end",
    "local s = 'x' while true do s = s .. s end",
    "local s = ('x'):rep(1000000) while true do local t = s .. 'y' end",
    "local s = ('x'):rep(1000000) while true do s:upper() end",
    "local s = ('x'):rep(1000000) while true do utf8.len(s) end",
    "local s = ('x'):rep(100000) while true do s:byte(1, -1) end",
    "local s = ('x'):rep(1000000) while true do string.format(s) end",
    "local s = ('x'):rep(1000000) while true do string.format('%s', s) end",
    "while true do string.format('%99.99f', 1e308) end",
    "local t = {} for i = 1, 20000 do t['k' .. i] = i end while true do for k in pairs(t) do break end end",
    "local t = {} for i = 1, 20000 do t['k' .. i] = i end while true do next(t) end",
    "local function f() return f() + 1 end f()",
    "local function f(...) return f(1, ...) end f()",
    "error(setmetatable({}, {__tostring = function() while true do end end}))",
    "tostring(setmetatable({}, {__tostring = function() while true do end end}))",
    "string.format('%s', setmetatable({}, {__tostring = function() while true do end end}))",
    "load(string.dump(function() end))",
    "load(('x = 1 '):rep(100000))() while true do end",
    "while true do load('return ' .. ('1 + '):rep(10000) .. '1') end",
    "load(function() return ' ' end)",
    "load('return ' .. ('('):rep(10000))() ",
    "local t = setmetatable({}, {}) getmetatable(t).__index = t return t.x.y",
    "local a = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) return a[1]",
    "for i = 1, math.huge do end",
    "goto a ::a:: goto a",
    "pcall(error) pcall(pcall, pcall, pcall) while true do end",
    "select(-1)",
    "os.exit()",
    "local f f = function(...) return f(1, ...) + 1 end f()",
  ]

  @Test(arguments: attacks)
  func endsInAnErrorAndTheStateAnswers(attack: String) throws {
    let state = try LuaState()
    for _ in 0..<2 {
      #expect(failure(state, attack) != nil)
      #expect(
        try run(state, "return 1 + 1, ('x'):rep(3), #table.pack(1, 2)") == [.integer(2), .string("xxx"), .integer(2)])
      #expect(state.memoryInUse < 8 << 20)
    }
  }

  @Test(arguments: attacks)
  func endsByTimeWhenInstructionsAreUnlimited(attack: String) throws {
    let limits = LuaState.Limits(instructions: .max, memory: 4 << 20, milliseconds: 20)
    let state = try LuaState(limits: limits)
    #expect(failure(state, attack) != nil)
    #expect(try run(state, "return 1 + 1") == [.integer(2)])
  }

  /// Reading a long text as a number is work.
  @Test(arguments: [
    "tonumber(a)", "tonumber(a, 10)", "a + 1", "1 - a", "a * a", "a / 2", "a // 2", "a % 7", "a ^ 2", "-a",
    "math.floor(a)", "math.max(1, a)", "math.tointeger(a)", "math.fmod(a, 3)", "('x'):rep(b)", "('x'):sub(b)",
    "('x'):byte(b)", "string.char(b)", "string.format('%g', a)", "('x'):find('x', b)", "('x'):match('x', b)",
    "('x'):gmatch('x', b)", "('x'):gsub('x', 'y', b)", "table.concat({}, '', b)", "table.unpack({}, b)",
    "table.move({}, b, b, b)", "table.insert({}, b, 1)", "table.remove({}, b)", "select(b, 1)", "error('x', b)",
    "utf8.char(b)", "utf8.codepoint('x', b)",
  ])
  func textsThatStandForNumbersAreChargedFor(expression: String) throws {
    let state = try LuaState()
    let texts = "local a, b = ('1'):rep(100000), (' '):rep(100000) .. '1'"
    _ = try run(state, texts)
    let before = state.instructionsUsed
    _ = try run(state, "\(texts) pcall(function() return \(expression) end)")
    #expect(state.instructionsUsed - before >= 6_000)
  }

  /// The limit of a `for` may be a text, which no function reads.
  @Test(arguments: ["('0'):rep(1 << 20) .. '1'", "('x'):rep(1 << 20)"])
  func aRepeatableCallWhoseInstructionsTakeLongEnds(text: String) throws {
    let state = try LuaState(limits: .init(instructions: 20_000_000, memory: 4 << 20))
    LuaCaller(state).isRepeatable = true
    let error = failure(
      state, "local text = \(text) while true do pcall(function() for i = 1, text do break end end) end")
    #expect(error?.kind == .time)
    #expect(error?.message.contains(" worked for ") == true, "\(String(describing: error))")
    #expect(state.instructionsUsed < state.limits.instructions, "it was stopped for the time that they took")
  }

  @Test(arguments: [1, 7, 999, 1000, 1001, 4096, 25_000])
  func budgetsOfAnySizeEnd(instructions: Int) throws {
    let state = try LuaState(limits: .init(instructions: instructions))
    let error = failure(state, "while true do pcall(function() while true do end end) end")
    #expect(error?.kind == .instructions)
    #expect(error?.message.hasSuffix("used more than \(instructions) VM instructions") == true)
  }

  @Test(arguments: Array(stride(from: 40_000, through: 160_000, by: 1_777)))
  func anyAllocationMayFail(memory: Int) throws {
    let work = """
      local t = {}
      for i = 1, 200 do t['key' .. i] = {i, tostring(i), function() return i end} end
      local c = coroutine.wrap(function(...) coroutine.yield(table.concat({...}, ',')) end)
      c(1, 2, 3)
      local s = string.gsub(('ab'):rep(500), 'a(b)', '%1%1') .. string.format('%s %d', s, 3)
      table.sort(t) for k, v in pairs(t) do s = s .. k end
      return s
      """
    guard let state = try? LuaState(limits: .init(memory: memory)) else { return }
    for _ in 0..<3 {
      let error = failure(state, "local s = 1 \(work)")
      #expect(error == nil || error?.kind == .memory, "\(String(describing: error))")
      state.collectGarbage()
      #expect(try run(state, "return 1") == [.integer(1)])
    }
  }

  @Test(arguments: Array(stride(from: 28_000, through: 67_000, by: 611)))
  func anyAllocationAroundTheHostMayFail(memory: Int) throws {
    let state = try LuaState(limits: .init(memory: memory))
    let records = Records()
    records.fields = [("a", .integer(1)), ("b", .string("text"))]
    records.list = Array(1...20)
    state.objectHandler = records
    try state.setGlobal("record", .object(LuaObject(tag: 1, id: 1)))
    try state.setGlobal("list", .object(LuaObject(tag: 2, id: 2)))
    let inner = try state.load("local t = {...} return t, function() return t end", chunkName: "inner.lua")
    try state.setGlobal(
      "host",
      .function(
        state.makeFunction { call in
          for value in try call.state.call(inner, call.arguments) { call.results.append(value) }
          call.results.append(try call.state.makeFunction { _ in throw LuaFailure("made") })
        }))
    let work = """
      local all = {}
      for i = 1, 30 do
        record.a = {i, {tostring(i)}}
        all[i] = {record.nested, record.b .. i, host(i, record, {i})}
        for k, v in pairs(record) do all[#all + 1] = k end
        for i, v in ipairs(list) do all[#all + 1] = v end
        coroutine.wrap(function() coroutine.yield(host(list)) end)()
        pcall(all[i][5])
        pcall(function() return record.cuont end)
      end
      return #all
      """
    let chunk = try? state.load(work, chunkName: "t.lua")
    guard let chunk else { return }
    for _ in 0..<3 {
      do {
        _ = try state.call(chunk)
      } catch {
        #expect(error.kind == .memory || error.message.contains("memory"), "\(error)")
      }
      let coroutine = try state.makeCoroutine(chunk)
      do {
        _ = try coroutine.resume()
      } catch {
        #expect(error.kind == .memory || error.message.contains("memory"), "\(error)")
      }
      records.fields[0].1 = .nil
      state.collectGarbage()
      let one = try state.load("return 1", chunkName: "one.lua")
      #expect(try state.call(one) == [.integer(1)])
    }
  }

  /// Lua itself counts no C calls where a coroutine is closed within the closing of another one.
  @Test(arguments: ["coroutine.close(next)", "pcall(next)", "local _ <close> = setmetatable({}, { __close = next })"])
  func coroutinesClosedWithinClosings(onwards: String) throws {
    let state = try LuaState(limits: .init(instructions: .max, memory: 256 << 20))
    let isWrapped = !onwards.hasPrefix("coroutine")
    let chain = """
      local all, closed = {}, 0
      for i = 1, 20000 do
        all[i] = coroutine.\(isWrapped ? "wrap" : "create")(function()
          local x <close> = setmetatable({}, { __close = function()
            closed = closed + 1
            local next = all[i + 1]
            if next then \(onwards) end
          end })
          coroutine.yield()
          error("on")
        end)
        \(isWrapped ? "all[i]()" : "coroutine.resume(all[i])")
      end
      \(isWrapped ? "pcall(all[1])" : "coroutine.close(all[1])")
      return closed
      """
    guard case .integer(let closed) = try evaluate(state, chain) else { return #expect(Bool(false)) }
    #expect((1...20).contains(closed), "\(closed)")
    #expect(
      try run(state, "local c = coroutine.create(error) return coroutine.close(c), coroutine.status(c)") == [
        .boolean(true), .string("dead"),
      ])
  }

  /// The larger the memory, the longer one instruction can take, and the sooner the next look at the budget.
  @Test func instructionsOnMuchMemoryAreLookedAtSooner() throws {
    let state = try LuaState(limits: .init(instructions: .max, memory: 256 << 20, milliseconds: 1))
    let count = try state.makeTable { writer in
      writer.beginTable(record: 1)
      writer.key("n")
      writer.append(0)
      writer.endTable()
    }
    try state.setGlobal("count", .table(count))
    let error = failure(state, "local s = ('0'):rep(4000000) while true do tonumber(s) count.n = count.n + 1 end")
    #expect(error?.kind == .time)
    guard case .integer(let calls) = try evaluate(state, "return count.n") else { return #expect(Bool(false)) }
    #expect(calls < 60, "\(calls)")
  }

  /// A host function that calls Lua makes the count of instructions begin anew, so that the hook alone never fires.
  @Test(arguments: ["while true do pcall(function() while true do end end) end", "while true do nested() end"])
  func interruptsFromAnotherThread(code: String) throws {
    let state = try LuaState(limits: .init(instructions: .max))
    let quick = try state.load("", chunkName: "quick.lua")
    try state.setGlobal("nested", .function(try state.makeFunction { _ = try $0.state.call(quick) }))
    let interruption = state.interruption
    let isOver = Flag()
    // A task might wait for ever for a thread of the pool that runs the tests.
    Thread.detachNewThread {
      while !isOver.isSet {
        interruption.interrupt()
        Thread.sleep(forTimeInterval: 0.001)
      }
    }
    defer { isOver.set() }
    #expect(failure(state, code)?.kind == .interrupted)
  }

  @Test func timeIsBounded() throws {
    let state = try LuaState(limits: .init(instructions: .max, milliseconds: 5))
    let error = failure(state, "while true do end")
    #expect(error?.kind == .time)
    #expect(error?.message == "t.lua:1: ran longer than 5 ms")
  }

  /// The same code has to come to the same end on a slow machine.
  @Test func repeatableCodeIsStoppedByItsInstructionsOnly() throws {
    let state = try LuaState(limits: .init(instructions: 5_000_000, milliseconds: 1))
    LuaCaller(state).isRepeatable = true
    #expect(failure(state, "while true do end")?.kind == .instructions)
    #expect(LuaCaller(state).takeLateness())
    #expect(!LuaCaller(state).takeLateness())
    let patient = try LuaState(limits: .init(instructions: 5_000_000, milliseconds: 60_000))
    LuaCaller(patient).isRepeatable = true
    #expect(try run(patient, "return 1 + 1") == [.integer(2)])
    #expect(!LuaCaller(patient).takeLateness())
  }

  /// Lua puts one more argument below the others for each `__call` that is no function, without an instruction: with this
  /// much memory it would go on for minutes.
  @Test(arguments: [
    "m.__call = t t()",
    "m.__call = t t(table.unpack({}, 1, 30000))",
    "m.__call = t coroutine.wrap(function(...) t(...) end)(('x'):rep(30000):byte(1, -1))",
    "m.__call = t local function deep(n) if n == 0 then t() end return deep(n - 1) + 1 end deep(3000)",
  ])
  func callsOfTablesThatCallThemselvesEnd(attack: String) throws {
    let state = try LuaState(limits: .init(memory: 256 << 20))
    let error = failure(state, "local m = {} local t = setmetatable({}, m) " + attack)
    #expect(error?.message == "t.lua:1: stack overflow (too many values at once)")
    #expect(try run(state, "return 1 + 1") == [.integer(2)])
  }

  @Test func deepRecursionAndLargeTablesStayPossible() throws {
    let state = try LuaState(limits: .init(instructions: 5_000_000, memory: 64 << 20))
    let source = "local function depth(n) if n == 0 then return 0 end return depth(n - 1) + 1 end return depth(5000)"
    #expect(try run(state, source) == [.integer(5000)])
    #expect(try run(state, "local t = {} for i = 1, 200000 do t[i] = i end return #t") == [.integer(200_000)])
    #expect(
      try run(state, "local t = {} for i = 1, 200000 do t['k' .. i] = i end return t.k200000") == [.integer(200_000)])
    #expect(try run(state, "return select('#', table.unpack({}, 1, 32768))") == [.integer(32768)])
    #expect(failure(state, "return table.unpack({}, 1, 32769)")?.message.contains("too many results") == true)
    #expect(failure(state, "return ('x'):rep(32769):byte(1, -1)")?.message.contains("slice too long") == true)
    #expect(
      failure(state, "return utf8.codepoint(('x'):rep(32769), 1, -1)")?.message.contains("slice too long") == true)
  }

  /// A text is no stack, whatever was made before it.
  @Test func aTextOfTheSizeOfAStackMayBeMade() throws {
    let state = try LuaState()
    #expect(try run(state, "return #(('x'):rep(640048))") == [.integer(640_048)])
    #expect(try run(state, "return #(('x'):rep(1280041))") == [.integer(1_280_041)])
  }

  /// More values than a stack takes are no lack of memory.
  @Test(arguments: [true, false])
  func aStackThatGrowsTooTallSaysSo(isRepeatable: Bool) throws {
    let state = try LuaState()
    LuaCaller(state).isRepeatable = isRepeatable
    let source = "local function f(...) return select('#', ...) end return f(table.unpack({}, 1, 20000))"
    #expect(failure(state, source)?.message == "t.lua:1: stack overflow (too many values at once)")
    #expect(failure(state, "local s = 'x' while true do s = s .. s end")?.message == "t.lua:1: not enough memory")
    #expect(try run(state, "return 1") == [.integer(1)])
  }

  /// What earlier calls left behind takes no memory from a call, whether the block is Lua's own or that of a buffer.
  @Test(arguments: [
    "#(('y'):rep(N))", "#(('y'):rep(N // 2)):upper()", "#(('y'):rep(N // 2)):reverse()",
    "#(('%s'):format(('y'):rep(N // 2)))", "#string.pack('s', ('y'):rep(N // 2))",
    "#table.concat({ ('y'):rep(N // 4), ('y'):rep(N // 4) })", "#((('y'):rep(N // 4)):gsub('.+', '%0%0'))",
  ])
  func garbageIsCollectedBeforeABufferIsRefused(code: String) throws {
    for size in stride(from: 200_000, through: 1_700_000, by: 250_000) {
      let state = try LuaState(limits: LuaState.Limits(memory: 4 << 20))
      let take = try state.load("local text = ... return #text", chunkName: "take.lua")
      for _ in 1...3 { _ = try state.call(take, [.string(String(repeating: "x", count: 1_000_000))]) }
      #expect(throws: Never.self) { try run(state, "return \(code.replacing("N", with: "\(size)"))") }
    }
  }

  @Test func theMemoryMessageIsPlain() throws {
    let state = try LuaState()
    let error = failure(state, "local s = 'x' while true do s = s .. s end")
    #expect(error?.kind == .memory)
    #expect(error?.message == "t.lua:1: not enough memory")
  }
}

private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}
