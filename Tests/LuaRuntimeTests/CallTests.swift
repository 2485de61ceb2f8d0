import LuaRuntime
import Testing

@Suite struct CallTests {
  let state: LuaState

  init() throws { state = try LuaState() }

  @Test func valuesCrossBothWays() throws {
    let echo = try #require(try evaluate(state, "return function(...) return ... end").asFunction)
    let values: [LuaValue] = [
      .integer(.min), .number(0.5), .boolean(true), .nil, .string("grüße\0x"),
      .object(LuaObject(tag: 3, id: 4, generation: 5)),
    ]
    #expect(try state.call(echo, values) == values)
  }

  @Test func integersAndFloatsStayApart() throws {
    #expect(
      try run(state, "return 1, 1.0, 1 // 1, 3 / 1, math.maxinteger") == [
        .integer(1), .number(1), .integer(1), .number(3), .integer(.max),
      ])
  }

  @Test func countsDiscardedResults() throws {
    let function = try #require(try evaluate(state, "return function(n) return table.unpack({}, 1, n) end").asFunction)
    let caller = LuaCaller(state)
    for count in [0, 3] {
      var arguments = caller.arguments()
      arguments.writer.append(count)
      let outcome = caller.count(function.handle, arguments)
      #expect(outcome.isDone && outcome.count == count)
    }
  }

  @Test func writesNestedTables() throws {
    let key = try state.intern("kept")
    let table = try state.makeTable { writer in
      writer.beginTable(array: 2, record: 2)
      writer.append("first")
      writer.key(key)
      writer.beginTable()
      writer.key("deep")
      writer.append(1.5)
      writer.key(10)
      writer.append(true)
      writer.endTable()
      writer.append(LuaObject(tag: 1, id: 1))
      writer.key("list")
      writer.append(LuaValue.string("x"))
      writer.endTable()
    }
    #expect(table.count == 2)
    #expect(table[1] == .string("first"))
    #expect(table["list"] == .string("x"))
    let inner = try #require(table["kept"].asTable)
    #expect(inner["deep"] == .number(1.5))
    #expect(inner[10] == .boolean(true))
    #expect(table["absent"] == .nil)
  }

  @Test func refusesTablesNestedTooDeep() throws {
    #expect(throws: LuaError.self) {
      _ = try state.makeTable { writer in
        for _ in 0..<5000 { writer.beginTable() }
        for _ in 0..<5000 { writer.endTable() }
      }
    }
    #expect(try run(state, "return 1") == [.integer(1)])
  }

  @Test func manyArguments() throws {
    let count = try #require(try evaluate(state, "return function(...) return select('#', ...) end").asFunction)
    #expect(try state.call(count, Array(repeating: .string("x"), count: 5000)) == [.integer(5000)])
  }

  @Test func functionsOfAnotherStateAreRefused() throws {
    let other = try LuaState()
    let function = try other.load("return 1", chunkName: "o.lua")
    #expect(throws: LuaError.self) { try state.call(function) }
  }

  @Test func referencesOutliveTheirState() throws {
    func leftovers() throws -> (LuaTable, LuaFunction, LuaCoroutine, LuaInterrupter) {
      let short = try LuaState()
      let table = try #require(try evaluate(short, "return {1, 2, a = 3}").asTable)
      #expect(table.count == 2)
      let function = try short.load("return 1", chunkName: "x.lua")
      return (table, function, try short.makeCoroutine(function), short.interruption)
    }
    let (table, function, coroutine, interrupter) = try leftovers()
    #expect(table.count == 0)
    #expect(table["a"] == .nil)
    #expect(table.entries().isEmpty)
    #expect(throws: LuaError.self) { try self.state.call(function) }
    #expect(throws: LuaError.self) { try coroutine.resume() }
    interrupter.interrupt()
  }

  @Test func droppedReferencesFreeTheirValues() throws {
    let make = try #require(try evaluate(state, "return function() return {string.rep('x', 100000)} end").asFunction)
    for _ in 0..<200 { _ = try state.call(make) }
    state.collectGarbage()
    #expect(state.memoryInUse < 1 << 20)
  }

  @Test func entriesComeInKeyOrder() throws {
    let table = try #require(
      try evaluate(state, "return {[true]=1, [false]=2, b=3, a=4, [10]=5, [2.5]=6, [-1]=7, ['']=8, aa=9}").asTable)
    #expect(
      table.entries().map(\.0) == [
        .integer(-1), .number(2.5), .integer(10), .string(""), .string("a"), .string("aa"), .string("b"),
        .boolean(false), .boolean(true),
      ])
  }

  @Test func globalsOfTheHost() throws {
    try state.setGlobal("answer", .integer(42))
    try state.setGlobal(
      "options",
      to: { writer in
        writer.beginTable()
        writer.key("deep")
        writer.append(true)
        writer.endTable()
      })
    #expect(try run(state, "return answer, options.deep") == [.integer(42), .boolean(true)])
    #expect(state.global("answer") == .integer(42))
    #expect(state.global("nothing") == .nil)
  }

  @Test func aNestedCallHasABudgetOfItsOwn() throws {
    let spin = try #require(try evaluate(state, "return function() while true do end end").asFunction)
    var kinds: [LuaError.Kind] = []
    let nested = try state.makeFunction { call in
      do throws(LuaError) {
        _ = try call.state.call(spin)
      } catch {
        kinds.append(error.kind)
      }
    }
    try state.setGlobal("nested", .function(nested))
    #expect(try run(state, "nested() nested() return 1") == [.integer(1)])
    #expect(kinds == [.instructions, .instructions])
  }

  @Test func nestedCallsDoNotHideAnEndlessLoop() throws {
    let quick = try #require(try evaluate(state, "return function() end").asFunction)
    let nested = try state.makeFunction { call in _ = try call.state.call(quick) }
    try state.setGlobal("nested", .function(nested))
    #expect(failure(state, "while true do nested() end")?.kind == .instructions)
    #expect(failure(state, "while true do pcall(nested) end")?.kind == .instructions)
    #expect(try run(state, "return 1") == [.integer(1)])
  }

  @Test func deepRecursionThroughTheHostEnds() throws {
    try state.setGlobal(
      "again",
      .function(
        try state.makeFunction { call in
          guard case .function(let function) = call[0] else { return }
          for value in try call.state.call(function, [call[0]]) { call.results.append(value) }
        }))
    let error = failure(state, "local function f(g) return (again(g)) end return f(f)")
    #expect(error?.message.contains("stack overflow") == true, "\(String(describing: error))")
    #expect(try run(state, "return 1") == [.integer(1)])
  }
}
