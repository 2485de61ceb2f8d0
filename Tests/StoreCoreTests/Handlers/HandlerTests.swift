import StoreCore
import TraceSupport
import Testing

/// Rows 59, 158, 159: a reducer and a middleware lifted together, and a store in one block.
@Suite struct HandlerTests {
  typealias CountHandler = Handler<Act, Int>

  static func handler(_ generator: inout SeededGenerator, _ names: inout Int) -> CountHandler {
    CountHandler(
      reducer: CompositionTests.reducer(&generator, depth: 2),
      middleware: CompositionTests.middleware(&generator, &names, depth: 2))
  }

  static func behaviour(of handler: CountHandler) throws -> [String] {
    let store = try Counting(initial: 3, emission: .always) { handler }
    let trace = TraceLines()
    trace.listen(to: store)
    for action in [Act.inc, .dec] { store.dispatch(action) }
    return trace.lines
  }

  @Test(arguments: 0..<60)
  func handlersAreAMonoid(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var names = 0
    let a = Self.handler(&generator, &names)
    let b = Self.handler(&generator, &names)
    let c = Self.handler(&generator, &names)
    let expected = try Self.behaviour(of: .compose(a, b, c))
    #expect(try Self.behaviour(of: a.appending(b).appending(c)) == expected)
    #expect(try Self.behaviour(of: a.appending(b.appending(c))) == expected)
    #expect(
      try Self.behaviour(
        of: .compose {
          a; b; c
        }) == expected)
    #expect(try Self.behaviour(of: .compose(.identity, a, .identity, b, c, .identity)) == expected)
    let apart = CountHandler.compose {
      a.reducer; a.middleware; b.reducer; b.middleware; c.middleware; c.reducer
    }
    #expect(try Self.behaviour(of: apart) == expected, "reducers and middlewares keep their own order")
  }

  enum App: Equatable, Sendable {
    case left(Act), right(Act), other
    var left: Act? { if case .left(let act) = self { act } else { nil } }
    var right: Act? { if case .right(let act) = self { act } else { nil } }
  }

  struct Two: Equatable, Sendable {
    var left = 0
    var right = 100
  }

  /// Every `inc` causes one `set` to the double of what the middleware sees after the commit.
  static func doubling(_ name: String) -> CountHandler {
    CountHandler(
      reducer: count,
      middleware: CountMiddleware(name) { action, _, state in
        action == .inc ? IO { $0.dispatch(.set(state() * 2)) } : .none
      })
  }

  @Test func aStoreTakesAHandler() throws {
    let handler = Handler<Int, Int>(
      reducer: Reducer("adding") { $1 += $0 },
      middleware: Middleware("once more") { number, _, _ in number == 1 ? IO { $0.dispatch(2) } : .none })
    let store = try Store(initial: 0, handler: handler)
    store.dispatch(1)
    #expect(store.state == 3)
    let always = try Store(initial: 0, handler: handler, emission: .always)
    #expect(always.dispatch(5).number == 1)
  }

  @Test func oneDeclarationLiftsBoth() throws {
    let left = Self.doubling("l").lift(action: { (app: App) in app.left }, embed: { .left($0) }, state: \Two.left)
    let right = Self.doubling("r").lift(
      action: { (app: App) in app.right }, embed: { .right($0) }, get: { (two: Two) in two.right },
      set: { $0.right = $1 })
    let store = try Store(initial: Two(), emission: .whenDifferent) {
      left
      right
    }
    let trace = TraceLines("QH")
    trace.listen(to: store)
    store.dispatch(.left(.inc))
    store.dispatch(.other)
    store.dispatch(.right(.inc))
    #expect(store.state == Two(left: 2, right: 202))
    #expect(
      trace.lines == [
        "Q 1 \(App.left(.inc))", "H 1 l s=0", "Q 2 \(App.left(.set(2))) <1", "H 2 l s=1", "Q 3 \(App.other)",
        "Q 4 \(App.right(.inc))", "H 4 r s=100", "Q 5 \(App.right(.set(202))) <4", "H 5 r s=101",
      ])
  }

  @Test(arguments: 0..<30)
  func liftingACompositionIsComposingTheLifted(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var names = 0
    let (a, b) = (Self.handler(&generator, &names), Self.handler(&generator, &names))
    func lift(_ handler: CountHandler) -> Handler<App, Two> {
      handler.lift(action: { $0.right }, embed: { .right($0) }, state: \.right)
    }
    func behaviour(_ handler: Handler<App, Two>) throws -> [String] {
      let store = try Store(initial: Two()) { handler }
      let trace = TraceLines()
      trace.listen(to: store)
      for action in [App.right(.inc), .left(.inc), .right(.dec)] { store.dispatch(action) }
      return trace.lines
    }
    #expect(try behaviour(lift(a.appending(b))) == behaviour(lift(a).appending(lift(b))))
    #expect(try behaviour(lift(.identity)) == behaviour(.identity))
    #expect(try behaviour(lift(a).lift(state: \Two.self)) == behaviour(lift(a)))
  }

  @Test(arguments: [true, false])
  func aStoreInOneBlock(isLogged: Bool) throws {
    let log = Notes<Act>()
    let store = try Counting(initial: 1) {
      count
      if isLogged { unit("log") { action, _, _ in log.note(action) } }
      for factor in 2...3 { on(.inc, "×\(factor)") { $0 *= factor } }
      CountHandler.compose {
        if isLogged { Self.doubling("d") } else { unit("d") }
      }
    }
    store.dispatch(.inc)
    #expect(store.state == (isLogged ? 26 : 12))
    #expect(log.all == (isLogged ? [.inc, .set(26)] : []))
  }

  @Test func aStoreOfOneClosureAndAStoreOfNothing() throws {
    let sketch = try Store(initial: [String]()) { Reducer<String, [String]> { $1.append($0) } }
    sketch.dispatch("a")
    #expect(sketch.state == ["a"])
    let nothing = try Counting(initial: 4) {}
    nothing.dispatch(.inc)
    #expect(nothing.state == 4)
  }

  @Test func twoUnitsOfOneNameAreRefused() {
    #expect(throws: StoreError.duplicateUnit(name: "d")) {
      try Counting(initial: 0) {
        Self.doubling("d")
        unit("d")
      }
    }
  }
}
