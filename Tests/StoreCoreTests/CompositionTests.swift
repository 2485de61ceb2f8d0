import TraceSupport
import StoreCore
import Testing

/// R4, R6, R9, R13–R16: composition, lifting, laws.
@Suite struct CompositionTests {
  /// Any reducer of a small language: arithmetic does not commute, so order shows.
  static func reducer(_ generator: inout SeededGenerator, depth: Int = 3) -> CountReducer {
    switch depth == 0 ? Int.random(in: 0..<4, using: &generator) : Int.random(in: 0..<8, using: &generator) {
    case 0: return .identity
    case 1:
      let addend = Int.random(in: -9...9, using: &generator)
      return CountReducer("+\(addend)") { $1 &+= addend }
    case 2:
      let factor = Int.random(in: 2...5, using: &generator)
      return CountReducer("×\(factor)") { $1 &*= factor }
    case 3:
      let limit = Int.random(in: 0...1_000, using: &generator)
      return .throwing("<\(limit)", canFail: { $0 == .inc }) { action, state, _ in
        if action == .inc, state > limit * 1_000 { throw Refused(description: "\(limit)") }
        state &-= limit
      }
    case 4, 5: return reducer(&generator, depth: depth - 1).liftedByIdentity()
    default: return reducer(&generator, depth: depth - 1).appending(reducer(&generator, depth: depth - 1))
    }
  }

  /// What a composition does to a few actions, and in which steps.
  static func behaviour(of reducer: CountReducer, from initial: Int) throws -> [String] {
    let store = try Counting(initial: initial, reducer: reducer)
    let trace = TraceLines()
    trace.listen(to: store)
    let silent = try Counting(initial: initial, reducer: reducer)
    for action in [Act.inc, .noop, .inc] {
      store.dispatch(action)
      silent.dispatch(action)
      #expect(store.state == silent.state, "the short way does the same as the traced one")
    }
    return trace.lines
  }

  @Test(arguments: 0..<100)
  func reducersAreAMonoid(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let (a, b, c) = (
      CompositionTests.reducer(&generator), CompositionTests.reducer(&generator), CompositionTests.reducer(&generator)
    )
    let initial = Int.random(in: -100...100, using: &generator)
    func behaviour(_ reducer: CountReducer) throws -> [String] {
      try CompositionTests.behaviour(of: reducer, from: initial)
    }
    let expected = try behaviour(a.appending(b).appending(c))
    #expect(try behaviour(a.appending(b.appending(c))) == expected)
    #expect(try behaviour(.compose(a, b, c)) == expected)
    #expect(
      try behaviour(
        .compose {
          a; b; c
        }) == expected)
    #expect(try behaviour(CountReducer.identity.appending(a)) == behaviour(a))
    #expect(try behaviour(a.appending(.identity)) == behaviour(a))
    #expect(a.appending(b).appending(c).names == a.appending(b.appending(c)).names)
  }

  /// Middlewares that may or may not want IO, and emit or not; names are drawn from a counter to be unique.
  static func middleware(_ generator: inout SeededGenerator, _ names: inout Int, depth: Int = 3) -> CountMiddleware {
    switch depth == 0 ? Int.random(in: 0..<4, using: &generator) : Int.random(in: 0..<9, using: &generator) {
    case 0: return .identity
    case 1:
      names += 1
      return CountMiddleware("silent\(names)") { _, _, _ in .none }
    case 2:
      names += 1
      return unit("io\(names)")
    case 3:
      names += 1
      return unit("emit\(names)") { action, _, output in if action == .inc { output.dispatch(.noop) } }
    case 4: return middleware(&generator, &names, depth: depth - 1).liftedByIdentity()
    case 5:
      return middleware(&generator, &names, depth: depth - 1).lift(input: { (action: Act) in
        action == .inc ? action : nil
      })
    default:
      return middleware(&generator, &names, depth: depth - 1).appending(
        middleware(&generator, &names, depth: depth - 1))
    }
  }

  @Test(arguments: 0..<100)
  func middlewaresAreAMonoid(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var names = 0
    let a = CompositionTests.middleware(&generator, &names)
    let b = CompositionTests.middleware(&generator, &names)
    let c = CompositionTests.middleware(&generator, &names)
    func behaviour(_ middleware: CountMiddleware) throws -> [String] {
      let store = try Counting(initial: 0, reducer: count, middleware: middleware)
      let trace = TraceLines()
      trace.listen(to: store)
      for action in [Act.inc, .dec] { store.dispatch(action) }
      return trace.lines
    }
    let expected = try behaviour(a.appending(b).appending(c))
    #expect(try behaviour(a.appending(b.appending(c))) == expected)
    #expect(try behaviour(.compose(a, b, c)) == expected)
    #expect(
      try behaviour(
        .compose {
          a; b; c
        }) == expected)
    #expect(try behaviour(CountMiddleware.identity.appending(a)) == behaviour(a))
    #expect(try behaviour(a.appending(.identity)) == behaviour(a))
    let handled = expected.filter { $0.hasPrefix("H 1") }.map { $0.split(separator: " ")[2] }
    let ran = expected.filter { $0.hasPrefix("I 1") }.map { $0.split(separator: " ")[2] }
    #expect(ran == handled.reversed().filter { !$0.hasPrefix("silent") }, "IO runs last-composed first")
  }

  @Test func aPartialInputMapSkipsAUnitAltogether() throws {
    let middleware = CountMiddleware.compose(
      unit("all"), unit("some").lift(input: { (action: Act) in action == .inc ? .dec : nil }))
    let store = try Counting(initial: 0, reducer: count, middleware: middleware)
    let trace = TraceLines("HI")
    trace.listen(to: store)
    store.dispatch(.noop)
    #expect(trace.take() == scenario("H 1 all s=0 · I 1 all s=0"))
    store.dispatch(.inc)
    #expect(trace.take() == scenario("H 2 all s=0 · H 2 some s=0 · I 2 some s=1 · I 2 all s=1"))
  }

  @Test(arguments: [0, 1, 2, 5])
  func liftingNeverChangesTheSource(times: Int) throws {
    var source = ActionSource(
      file: "a", function: "f", line: 3, info: "i", kind: .bridge, plugin: "p", unit: "u", cause: nil)
    let emitted = source
    var middleware = unit("m") { action, _, output in
      if action == .inc { output.dispatch(DispatchedAction(.dec, source: emitted)) }
    }
    var reducer = count
    for _ in 0..<times {
      middleware = middleware.lift(input: { $0 }, output: { $0 }, state: { $0 }).lift(output: { $0 })
      reducer = reducer.liftedByIdentity()
    }
    let store = try Counting(initial: 0, reducer: reducer, middleware: middleware)
    let sources = Notes<ActionSource>()
    store.setRecorder { sources.note($0.context.source) }
    store.dispatch(.inc, source: source)
    #expect(sources.all.first == source)
    source.cause = 1
    #expect(sources.all.last == source)
  }

  @Test func aHandlerOrIOThatIsMappedKeepsSources() {
    let got = Notes<DispatchedAction<String>>()
    let handler = ActionHandler<String> { got.note($0) }
    let source = ActionSource(file: "f", function: "g", line: 9, cause: 4)
    handler.contramap { (number: Int) in "\(number)" }.dispatch(DispatchedAction(1, source: source))
    IO<Int> { $0.dispatch(DispatchedAction(2, source: source)) }.map { "\($0)" }.run(handler)
    IO<Int> { $0.dispatch(DispatchedAction(3, source: source)) }
      .flatMap { dispatched in IO { $0.dispatch(dispatched.map { "\($0)" }) } }.run(handler)
    #expect(got.all == ["1", "2", "3"].map { DispatchedAction($0, source: source) })
  }

  @Test func iosAreAMonoid() {
    func run(_ io: IO<Int>) -> [Int] {
      let got = Notes<Int>()
      io.run(ActionHandler { got.note($0.action) })
      return got.all
    }
    let (a, b, c) = (IO<Int> { $0.dispatch(1) }, IO<Int> { $0.dispatch(2) }, IO<Int> { $0.dispatch(3) })
    #expect(run(a.appending(b).appending(c)) == [1, 2, 3])
    #expect(run(a.appending(b.appending(c))) == [1, 2, 3])
    #expect(run(IO.none.appending(a)) == [1])
    #expect(run(a.appending(.none)) == [1])
    #expect(IO<Int>.none.appending(.none).isNone)
    #expect(IO<Int>.none.map { $0 + 1 }.isNone)
  }

  @Test func twoUnitsOfOneNameAreRefused() throws {
    let doubled = unit("a").appending(unit("b")).appending(unit("a"))
    #expect(throws: StoreError.duplicateUnit(name: "a")) {
      try Counting(initial: 0, reducer: count, middleware: doubled)
    }
    let store = try Counting(initial: 0, reducer: count, middleware: unit("m"))
    #expect(throws: StoreError.duplicateUnit(name: "a")) { try store.replaceMiddleware(doubled) }
    let trace = TraceLines("H")
    trace.listen(to: store)
    store.dispatch(.inc)
    #expect(trace.lines == ["H 1 m s=0"], "the composition is as before")
  }

  @Test func aUnitThatStaysKeepsWhatItHolds() throws {
    let attached = Notes<String>()
    func counting(_ name: String) -> CountMiddleware {
      CountMiddleware(units: [
        MiddlewareUnit(name: name) { _ in
          attached.note(name)
          let seen = Lock(0)
          return { _, _ in
            let number = seen.withLock {
              $0 += 1
              return $0
            }
            attached.note("\(name) \(number)")
            return IO.none
          }
        }
      ])
    }
    let (a, b) = (counting("a"), counting("b"))
    let store = try Counting(initial: 0, reducer: count, middleware: a)
    store.dispatch(.inc)
    try store.replaceMiddleware(.compose(b, a))
    store.dispatch(.inc)
    try store.replaceMiddleware(b)
    try store.replaceMiddleware(.compose(b, a))
    store.dispatch(.inc)
    #expect(attached.all == ["a", "a 1", "b", "b 1", "a 2", "a", "b 2", "a 1"])
  }

  @Test func replacingTheCompositionFromWithinCountsFromTheNextActionOn() throws {
    let box = Lock<Counting?>(nil)
    let order = Notes<String>()
    let first = CountMiddleware("first") { action, _, _ in
      if action == .inc { try? box.withLock { $0 }?.replaceMiddleware(unit("only") { _, _, _ in order.note("only") }) }
      return IO { _ in order.note("first") }
    }
    let store = try Counting(
      initial: 0, reducer: count, middleware: .compose(first, unit("second") { _, _, _ in order.note("second") }))
    box.withLock { $0 = store }
    defer { box.withLock { $0 = nil } }
    store.dispatch(.inc)
    store.dispatch(.inc)
    #expect(order.all == ["second", "first", "only"])
  }

  @Test func stateReadersFollowTheMoment() throws {
    let seen = Notes<Int>()
    let kept = Lock<StateReader<Int>?>(nil)
    let middleware = CountMiddleware("m") { _, _, state in
      seen.note(state())
      kept.withLock { $0 = state }
      return IO { _ in seen.note(state()) }
    }
    let store = try Counting(initial: 0, reducer: count, middleware: middleware)
    store.dispatch(.inc)
    store.dispatch(.inc)
    if let later = kept.withLock({ $0 }) { seen.note(later()) }
    #expect(seen.all == [0, 1, 1, 2, 2])
    #expect(store.state == 2)
  }

  @Test func aContextBearsNumberSourceTimeAndRoot() throws {
    let clock = VirtualClock()
    let contexts = Notes<ActionContext>()
    let middleware = CountMiddleware("m") { action, context, _ in
      contexts.note(context)
      return action == .inc ? IO { $0.dispatch(.noop) } : .none
    }
    let store = try Counting(initial: 0, reducer: count, middleware: middleware, clock: clock)
    store.dispatch(.inc)
    clock.advance(by: .seconds(2))
    clock.advance(by: .seconds(-1))
    store.dispatch(.inc)
    #expect(contexts.all.map(\.number) == [1, 2, 3, 4])
    #expect(contexts.all.map(\.root) == [1, 1, 3, 3])
    #expect(contexts.all.map(\.time) == [.zero, .zero, .seconds(2), .seconds(2)])
    #expect(contexts.all.map(\.source.cause) == [nil, 1, nil, 3])
  }
}
