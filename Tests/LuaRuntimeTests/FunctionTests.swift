import LuaRuntime
import Testing

@Suite struct FunctionTests {
  let state: LuaState

  init() throws { state = try LuaState() }

  @Test func argumentsAndResults() throws {
    let function = try state.makeFunction { call in
      #expect(call.count == call.arguments.count)
      #expect(call[99] == .nil)
      #expect(call[-1] == .nil)
      for argument in call.arguments { call.results.append(argument) }
    }
    try state.setGlobal("echo", .function(function))
    #expect(try run(state, "return echo(1, nil, 'x', {}, 2.5)").count == 5)
    #expect(try run(state, "return select('#', echo())") == [.integer(0)])
    #expect(try state.call(function, [.integer(3)]) == [.integer(3)])
  }

  @Test func argumentsAreReadInPlace() throws {
    try state.setGlobal(
      "kinds",
      .function(
        state.makeFunction { call in
          let names = (0..<call.count).map { position in
            switch call.argument(position).kind {
            case .nil: "nil"
            case .boolean(let value): "\(value)"
            case .integer(let value): "\(value)"
            case .number(let value): "\(value)"
            case .decimal(let value): "\(value.units)@\(value.scale)"
            case .string(let text): text.text
            case .table: "table"
            case .function: "function"
            case .object(let object): "object \(object.id)"
            case .other: call.argument(position).typeName
            }
          }
          call.results.append(names.joined(separator: " "))
        }))
    try state.setGlobal("object", .object(LuaObject(tag: 0, id: 8)))
    #expect(
      try run(
        state, "return kinds(nil, true, 1, 0.5, decimal('1.50'), 'x', {}, kinds, object, coroutine.create(kinds))") == [
          .string("nil true 1 0.5 150@2 x table function object 8 thread")
        ])
  }

  @Test func closuresEndWithTheState() throws {
    final class Witness {}
    weak var witness: Witness?
    do {
      let held = Witness()
      witness = held
      let state = try LuaState()
      try state.setGlobal("f", .function(state.makeFunction { _ in _ = held }))
    }
    #expect(witness == nil)
  }

  @Test func functionsCanMakeFunctions() throws {
    try state.setGlobal(
      "make",
      .function(
        state.makeFunction { call in
          let number = call[0]
          call.results.append(try call.state.makeFunction { call in call.results.append(number) })
        }))
    #expect(
      try run(state, "local a, b = make(1), make(2) return a(), b(), a()") == [
        .integer(1), .integer(2), .integer(1),
      ])
  }

  @Test func resultsSurviveTheirHolders() throws {
    try state.setGlobal(
      "make",
      .function(
        state.makeFunction { call in
          for round in 0..<5 {
            call.results.append(try call.state.makeFunction { call in call.results.append(round) })
            _ = try call.state.makeTable { writer in
              writer.beginTable()
              writer.endTable()
            }
            _ = try call.state.call(call.state.load("return {}", chunkName: "x"))
          }
        }))
    #expect(
      try run(state, "local t = {make()} for i = 1, #t do t[i] = t[i]() end return table.concat(t, ' ')") == [
        .string("0 1 2 3 4")
      ])
  }

  @Test func resultsThatAreTooMany() throws {
    try state.setGlobal(
      "flood", .function(state.makeFunction { call in for _ in 0..<2_000_000 { call.results.append(1) } }))
    #expect(failure(state, "return flood()") != nil)
    #expect(try run(state, "return 1") == [.integer(1)])
  }

  @Test func resultsOfTheHostCountAgainstTheMemoryOfLua() throws {
    let text = String(repeating: "x", count: 3 << 20)
    try state.setGlobal("large", .function(state.makeFunction { call in call.results.append(text) }))
    let error = failure(state, "local a = large() local b = large() .. 'y' return 1")
    #expect(error?.kind == .memory)
    #expect(try run(state, "return 1") == [.integer(1)])
  }
}
