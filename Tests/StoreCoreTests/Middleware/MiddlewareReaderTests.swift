import StoreCore
import TraceSupport
import Testing

/// Row 48: middlewares that wait for their dependencies.
@Suite struct MiddlewareReaderTests {
  struct World: Sendable {
    var step: Int
    var name: String
  }

  typealias Reader = MiddlewareReader<World, Act, Act, Int>

  /// A reader whose middleware shows its dependencies in its name and in what it dispatches.
  static func emitter(_ number: Int) -> Reader {
    Reader { world in
      unit("\(world.name)\(number)") { action, _, output in
        if action == .inc { output.dispatch(.set(world.step * number)) }
      }
    }
  }

  static func reader(_ generator: inout SeededGenerator, _ names: inout Int, depth: Int = 3) -> Reader {
    switch depth == 0 ? Int.random(in: 0..<3, using: &generator) : Int.random(in: 0..<9, using: &generator) {
    case 0: return .identity
    case 1:
      names += 1
      return emitter(names)
    case 2: return .pure(CompositionTests.middleware(&generator, &names, depth: 1))
    case 3: return reader(&generator, &names, depth: depth - 1).lift(input: { $0 }, output: { $0 }, state: { $0 })
    case 4:
      let summand = Int.random(in: 1...9, using: &generator)
      return reader(&generator, &names, depth: depth - 1).contramapDependencies { (world: World) in
        World(step: world.step + summand, name: world.name)
      }
    case 5:
      return reader(&generator, &names, depth: depth - 1).lift(input: { (action: Act) in
        action == .inc ? action : nil
      })
    default:
      return reader(&generator, &names, depth: depth - 1).appending(reader(&generator, &names, depth: depth - 1))
    }
  }

  static func behaviour(of middleware: CountMiddleware) throws -> [String] {
    let store = try Counting(initial: 0, reducer: count, middleware: middleware)
    let trace = TraceLines()
    trace.listen(to: store)
    for action in [Act.inc, .dec] { store.dispatch(action) }
    return trace.lines
  }

  @Test(arguments: 0..<100)
  func injectingThenComposingIsComposingThenInjecting(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var names = 0
    let a = Self.reader(&generator, &names)
    let b = Self.reader(&generator, &names)
    let c = Self.reader(&generator, &names)
    let world = World(step: Int.random(in: 1...100, using: &generator), name: "u")
    let expected = try Self.behaviour(of: .compose(a.inject(world), b.inject(world), c.inject(world)))
    func behaviour(_ reader: Reader) throws -> [String] { try Self.behaviour(of: reader.inject(world)) }
    #expect(try behaviour(.compose(a, b, c)) == expected)
    #expect(
      try behaviour(
        .compose {
          a; b; c
        }) == expected)
    #expect(try behaviour(.zip(a, b, c) { $0.appending($1).appending($2) }) == expected)
    #expect(try behaviour(a.appending(b).appending(c)) == expected)
    #expect(try behaviour(a.appending(b.appending(c))) == expected, "grouping does not matter")
    #expect(try behaviour(.compose(.identity, a, .identity, b, c, .identity)) == expected, "identity is neutral")
    let filter: @Sendable (Act) -> Act? = { $0 == .dec ? $0 : nil }
    #expect(
      try behaviour(Reader.compose(a, b, c).lift(input: filter))
        == Self.behaviour(
          of: CountMiddleware.compose(a.inject(world), b.inject(world), c.inject(world)).lift(input: filter)),
      "lifting before injecting is lifting after")
  }

  @Test(arguments: 0..<60)
  func readersAreAFunctorAndAMonad(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var names = 0
    let reader = Self.reader(&generator, &names)
    let (first, second) = (Self.reader(&generator, &names), Self.reader(&generator, &names))
    let middleware = CompositionTests.middleware(&generator, &names)
    let world = World(step: Int.random(in: 1...100, using: &generator), name: "u")
    func behaviour(_ reader: Reader) throws -> [String] { try Self.behaviour(of: reader.inject(world)) }

    let f: @Sendable (CountMiddleware) -> CountMiddleware = { $0.lift(input: { $0 == .noop ? nil : $0 }) }
    let g: @Sendable (CountMiddleware) -> CountMiddleware = { $0.lift(output: { $0 == .noop ? .inc : $0 }) }
    #expect(try behaviour(reader.mapMiddleware { $0 }) == behaviour(reader))
    #expect(try behaviour(reader.mapMiddleware(f).mapMiddleware(g)) == behaviour(reader.mapMiddleware { g(f($0)) }))
    let bigger: @Sendable (World) -> World = { World(step: $0.step + 7, name: $0.name) }
    #expect(
      try behaviour(reader.dimap(dependencies: bigger, middleware: f))
        == behaviour(reader.mapMiddleware(f).contramapDependencies(bigger)))

    let k: @Sendable (CountMiddleware) -> Reader = { .pure($0).appending(first) }
    let h: @Sendable (CountMiddleware) -> Reader = { second.appending(.pure($0)) }
    #expect(try behaviour(Reader.pure(middleware).flatMap(k)) == behaviour(k(middleware)), "left identity")
    #expect(try behaviour(reader.flatMap { Reader.pure($0) }) == behaviour(reader), "right identity")
    #expect(
      try behaviour(reader.flatMap(k).flatMap(h)) == behaviour(reader.flatMap { k($0).flatMap(h) }), "associativity")
  }

  @Test func nothingIsBuiltBeforeInjectionAndEachInjectionBuildsOnce() throws {
    let built = Notes<Int>()
    let reader = MiddlewareReader<Int, Act, Act, Int> { step in
      built.note(step)
      return unit("m\(step)")
    }
    let composed = reader.lift(dependencies: { (world: World) in world.step })
      .appending(.identity).lift(input: { (action: Act) in action }).mapMiddleware { $0 }
    #expect(built.all == [])
    #expect(composed.inject(World(step: 3, name: "")).units.map(\.name) == ["m3"])
    #expect(built.all == [3])
    _ = composed.inject(World(step: 4, name: ""))
    #expect(built.all == [3, 4])
  }

  @Test func zipJoinsReadersOfDifferentActionsAndStates() throws {
    let strings = MiddlewareReader<World, String, Never, [Int]> { _ in Middleware("strings") { _, _, _ in .none } }
    let numbers = MiddlewareReader<World, Int, Int, Void> { world in
      Middleware("numbers") { number, _, _ in IO { $0.dispatch(number + world.step) } }
    }
    let joined = Reader.zip(strings, numbers) { strings, numbers in
      .compose(
        strings.lift(input: { (action: Act) in "\(action)" }, state: { [$0] }),
        numbers.lift(input: { $0 == .inc ? 1 : nil }, output: { .set($0) }, state: { _ in }))
    }
    let store = try Counting(
      initial: 0, reducer: count, middleware: joined.inject(World(step: 40, name: "")))
    let trace = TraceLines("HQ")
    trace.listen(to: store)
    store.dispatch(.inc)
    #expect(store.state == 41)
    #expect(
      trace.lines
        == scenario("Q 1 inc · H 1 strings s=[0] · H 1 numbers s=() · Q 2 set(41) <1 · H 2 strings s=[1]"))
  }

  /// A reader of local types, lifted on every subset of its four axes, in both orders of the chain.
  @Test func everyAxisIsLiftedOnItsOwnAndWithTheOthers() throws {
    let local = MiddlewareReader<Int, Int, Int, Int> { step in
      Middleware("m") { number, _, state in IO { $0.dispatch(number * 100 + state() * 10 + step) } }
    }
    let input: @Sendable (String) -> Int? = { Int($0) }
    let output: @Sendable (Int) -> String = { "\($0)" }
    let state: @Sendable ([Int]) -> Int = { $0[0] }
    let dependencies: @Sendable (World) -> Int = { $0.step }
    let world = World(step: 2, name: "")

    #expect(try dispatched(by: local.inject(2), 3, 4) == ["342"])
    #expect(try dispatched(by: local.lift(input: input).inject(2), "3", 4) == ["342"])
    #expect(try dispatched(by: local.lift(input: input).inject(2), "x", 4) == [])
    #expect(try dispatched(by: local.lift(output: output).inject(2), 3, 4) == ["342"])
    #expect(try dispatched(by: local.lift(state: state).inject(2), 3, [4]) == ["342"])
    #expect(try dispatched(by: local.lift(dependencies: dependencies).inject(world), 3, 4) == ["342"])
    #expect(try dispatched(by: local.lift(input: input).lift(output: output).inject(2), "3", 4) == ["342"])
    #expect(try dispatched(by: local.lift(state: state).lift(input: input).inject(2), "3", [4]) == ["342"])
    #expect(
      try dispatched(by: local.lift(input: input).lift(dependencies: dependencies).inject(world), "3", 4) == ["342"])
    #expect(try dispatched(by: local.lift(output: output).lift(state: state).inject(2), 3, [4]) == ["342"])
    #expect(
      try dispatched(by: local.lift(dependencies: dependencies).lift(output: output).inject(world), 3, 4) == ["342"])
    #expect(
      try dispatched(by: local.lift(state: state).lift(dependencies: dependencies).inject(world), 3, [4]) == ["342"])
    #expect(try dispatched(by: local.lift(input: input, output: output, state: state).inject(2), "3", [4]) == ["342"])
    #expect(
      try dispatched(
        by: local.lift(output: output).lift(dependencies: dependencies).lift(input: input).inject(world), "3", 4)
        == ["342"])
    #expect(
      try dispatched(
        by: local.lift(input: input).lift(state: state).lift(dependencies: dependencies).inject(world), "3", [4])
        == ["342"])
    #expect(
      try dispatched(
        by: local.lift(dependencies: dependencies).lift(state: state).lift(output: output).inject(world), 3, [4])
        == ["342"])
    #expect(
      try dispatched(
        by: local.lift(input: input, output: output, state: state, dependencies: dependencies).inject(world), "3", [4])
        == ["342"])
  }

  /// What a middleware dispatches, as text, when it is asked about one action over one state.
  private func dispatched<Input: Sendable, Output, State: Sendable>(
    by middleware: Middleware<Input, Output, State>, _ action: Input, _ state: State
  ) throws -> [String] {
    let got = Notes<String>()
    // What it dispatches is noted on its way out, since it need not be what the store takes in.
    let closed = middleware.lift(output: { (output: Output) -> Input in
      got.note("\(output)")
      return action
    })
    let store = try Store(
      initial: state, reducer: .identity, middleware: closed, emission: .always, runawayLimit: 0)
    store.dispatch(action)
    return got.all
  }
}
