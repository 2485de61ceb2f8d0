import LuaRuntime
import Testing

@Suite struct CoroutineTests {
  let state: LuaState

  init() throws { state = try LuaState() }

  private func coroutine(_ source: String) throws -> LuaCoroutine {
    try state.makeCoroutine(#require(try evaluate(state, "return \(source)").asFunction))
  }

  private func yielded(_ outcome: LuaCoroutine.Outcome) -> [LuaValue]? {
    if case .yielded(let values) = outcome { values } else { nil }
  }

  private func finished(_ outcome: LuaCoroutine.Outcome) -> [LuaValue]? {
    if case .finished(let values) = outcome { values } else { nil }
  }

  /// What is closed after an error may raise another one, an object that would run code where nothing bounds it.
  @Test(arguments: [
    ("error(setmetatable({}, {__concat = function() while true do end end}))", "(error object is a table)"),
    ("error({})", "(error object is a table)"), ("error('other', 0)", "other"), ("error('x')", "t.lua:1: x"),
  ])
  func whatIsClosedMayRaiseAnotherError(closing: String, message: String) throws {
    let state = try LuaState()
    let function = try #require(
      try evaluate(
        state,
        "return function() local c <close> = setmetatable({}, {__close = function() \(closing) end})\ntable.sort({1, {}, 2}) end"
      ).asFunction)
    let coroutine = try state.makeCoroutine(function)
    let error = #expect(throws: LuaError.self) { try coroutine.resume() }
    #expect(error?.message.hasSuffix(message) == true, "\(String(describing: error))")
    #expect(error?.message.contains("attempt") == false)
  }

  @Test func yieldsAndFinishes() throws {
    let coroutine = try coroutine("function(a) local b = coroutine.yield(a + 1) return b, 'end' end")
    #expect(yielded(try coroutine.resume([.integer(1)])) == [.integer(2)])
    #expect(finished(try coroutine.resume([.string("x")])) == [.string("x"), .string("end")])
    let error = #expect(throws: LuaError.self) { try coroutine.resume() }
    #expect(error?.message == "cannot resume dead coroutine")
  }

  @Test func hostFunctionsYield() throws {
    try state.setGlobal(
      "sleep",
      .function(
        state.makeFunction { call in
          #expect(call.canYield)
          call.yield([.string("sleep"), call[0]])
        }))
    let coroutine = try coroutine(
      "function() for i = 1, 2 do local woken = sleep(i) if woken ~= i * 10 then error('no') end end return 'done' end")
    #expect(yielded(try coroutine.resume()) == [.string("sleep"), .integer(1)])
    #expect(yielded(try coroutine.resume([.integer(10)])) == [.string("sleep"), .integer(2)])
    #expect(finished(try coroutine.resume([.integer(20)])) == [.string("done")])
  }

  @Test func yieldingOutsideACoroutineIsAnError() throws {
    try state.setGlobal(
      "sleep",
      .function(
        state.makeFunction { call in
          #expect(!call.canYield)
          call.yield()
        }))
    #expect(failure(state, "sleep(1)")?.message.hasSuffix("attempt to yield from outside a coroutine") == true)
    #expect(
      failure(state, "coroutine.yield()")?.message == "t.lua:1: attempt to yield from outside a coroutine")
  }

  @Test func errorsCarryPlaceAndTraceback() throws {
    let coroutine = try coroutine(
      "\nfunction()\n local function inner() error('bad') end\n coroutine.yield()\n inner()\nend")
    _ = try coroutine.resume()
    let error = #expect(throws: LuaError.self) { try coroutine.resume() }
    #expect(error?.message == "t.lua:3: bad")
    #expect(error?.traceback.map(\.description) == ["t.lua:3: in local 'inner'"])
    #expect(throws: LuaError.self) { try coroutine.resume() }
  }

  @Test func eachResumeHasItsOwnBudget() throws {
    let coroutine = try coroutine(
      "function() while true do for i = 1, 100000 do end coroutine.yield() end end")
    for _ in 0..<20 { _ = try coroutine.resume() }
    let spin = try self.coroutine("function() coroutine.yield() while true do end end")
    _ = try spin.resume()
    let error = #expect(throws: LuaError.self) { try spin.resume() }
    #expect(error?.kind == .instructions)
  }

  @Test func resumingItselfIsRefused() throws {
    let holder = Holder()
    try state.setGlobal(
      "again", .function(state.makeFunction { _ in _ = try holder.coroutine?.resume() }))
    holder.coroutine = try coroutine("function() again() end")
    let error = #expect(throws: LuaError.self) { try holder.coroutine?.resume() }
    #expect(error?.underlying is LuaError)
    #expect(try run(state, "return 1") == [.integer(1)])
  }

  @Test func closingRunsWhatIsToBeClosed() throws {
    let log = Holder()
    try state.setGlobal("note", .function(state.makeFunction { _ in log.count += 1 }))
    let source =
      "function() local c <close> = setmetatable({}, {__close = function() note() end}) coroutine.yield() error('x') end"
    let closed = try coroutine(source)
    _ = try closed.resume()
    try closed.close()
    #expect(log.count == 1)
    try closed.close()
    #expect(throws: LuaError.self) { try closed.resume() }
    let failed = try coroutine(source)
    _ = try failed.resume()
    #expect(throws: LuaError.self) { try failed.resume() }
    #expect(log.count == 2)
    let endless = try coroutine(
      "function() local c <close> = setmetatable({}, {__close = function() while true do end end}) coroutine.yield() end"
    )
    _ = try endless.resume()
    let error = #expect(throws: LuaError.self) { try endless.close() }
    #expect(error?.kind == .instructions)
  }

  @Test func theLibraryWorksAsInStockLua() throws {
    let source = """
      local c = coroutine.wrap(function(a) local b = coroutine.yield(a) error('bad ' .. b) end)
      local first = c(1)
      local ok, message = pcall(c, 2)
      local d = coroutine.create(function() return 1, 2 end)
      local e = coroutine.create(function() error({}) end)
      return first, ok, message, coroutine.status(d), coroutine.resume(d)
      """
    #expect(
      try run(state, source) == [
        .integer(1), .boolean(false), .string("t.lua:1: bad 2"), .string("suspended"), .boolean(true), .integer(1),
        .integer(2),
      ])
    #expect(
      try run(state, "local d = coroutine.create(function() end) coroutine.resume(d) return coroutine.resume(d)") == [
        .boolean(false), .string("cannot resume dead coroutine"),
      ])
    #expect(try run(state, "local c c = coroutine.wrap(function() c() end) return pcall(c)").first == .boolean(false))
    #expect(
      try run(state, "return coroutine.resume(coroutine.running())") == [
        .boolean(false), .string("cannot resume non-suspended coroutine"),
      ])
    #expect(
      try run(
        state,
        "local t = {} for v in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) do t[#t + 1] = v end return #t"
      ) == [.integer(3)])
  }

  @Test func hostCallsInsideACoroutineRunOnIt() throws {
    let double = try #require(try evaluate(state, "return function(n) return n * 2 end").asFunction)
    try state.setGlobal(
      "double",
      .function(
        state.makeFunction { call in
          for value in try call.state.call(double, [call[0]]) { call.results.append(value) }
        }))
    let coroutine = try coroutine("function(n) n = double(n) coroutine.yield(n) return double(n) end")
    #expect(yielded(try coroutine.resume([.integer(4)])) == [.integer(8)])
    #expect(finished(try coroutine.resume()) == [.integer(16)])
  }

  @Test func aCallWithinACallBeginsAsOneFromOutside() throws {
    let probe = try evaluate(
      state,
      """
      local main = coroutine.running()
      return function()
        local depth = 0
        local function deeper(x) depth = depth + 1 return (x:gsub(".", deeper)) end
        pcall(deeper, "x")
        local thread, isMain = coroutine.running()
        local _, refused = pcall(coroutine.yield)
        return depth, isMain, thread == main, coroutine.status(thread), coroutine.isyieldable(), refused,
          select(2, pcall(coroutine.close, thread)), coroutine.wrap(function() return coroutine.status(thread) end)()
      end
      """)
    let function = try #require(probe.asFunction)
    let outside = try state.call(function)
    for isRepeatable in [false, true] {
      var seen: [[LuaValue]] = []
      try state.setGlobal(
        "probe",
        .function(
          state.makeFunction { call in
            LuaCaller(call.state).isRepeatable = isRepeatable
            defer { LuaCaller(call.state).isRepeatable = false }
            seen.append(try call.state.call(function))
          }))
      let caller = try coroutine(
        """
        function()
          local function below(levels) if levels < 1 then probe() else assert(pcall(below, levels - 1)) end end
          for levels = 0, 190 do below(levels) end
          coroutine.wrap(probe)()
          string.gsub("x", "x", probe)
        end
        """)
      _ = try caller.resume()
      #expect(seen.count == 193)
      #expect(seen.allSatisfy { $0 == outside })
    }
  }
}

private final class Holder {
  var coroutine: LuaCoroutine?
  var count = 0
}
