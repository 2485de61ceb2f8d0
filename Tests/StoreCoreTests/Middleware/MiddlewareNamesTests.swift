import StoreCore
import Testing
import TraceSupport

/// One middleware several times in a store, and middlewares listed in a block.
@Suite struct MiddlewareNamesTests {
  @Test func aMiddlewareStandsInAStoreTwiceUnderTwoNames() throws {
    struct Pair: Equatable, Sendable {
      var (left, right) = (0, 0)
    }
    enum Side: Sendable, CustomStringConvertible {
      case left(Act), right(Act)
      var description: String {
        switch self {
        case .left(let action): "left.\(action)"
        case .right(let action): "right.\(action)"
        }
      }
      var left: Act? { if case .left(let action) = self { action } else { nil } }
      var right: Act? { if case .right(let action) = self { action } else { nil } }
    }
    let waiting = CountMiddleware.effects("waiting") { action, _, _ in
      action == .inc ? .just(.noop).after(.seconds(1)).token("w") : .none
    }
    let counter = Handler<Act, Int>(reducer: count, middleware: waiting)
    let twice = Handler<Side, Pair>.compose(
      counter.prefixed("left").lift(action: { $0.left }, embed: { .left($0) }, state: \.left),
      counter.prefixed("right").lift(action: { $0.right }, embed: { .right($0) }, state: \.right))
    let clock = VirtualClock()
    let store = try Store(initial: Pair(), reducer: twice.reducer, middleware: twice.middleware, clock: clock)
    let trace = TraceLines("QHIE")
    trace.listen(to: store)
    store.dispatch(.left(.inc))
    store.dispatch(.right(.inc))
    #expect(store.effects.map(\.name) == ["left.waiting/w", "right.waiting/w"])
    clock.advance(by: .seconds(1))
    #expect(
      trace.lines
        == scenario(
          """
          Q 1 left.inc · H 1 left.waiting s=0 · I 1 left.waiting s=1 · E 1 left.waiting/w start
          Q 2 right.inc · H 2 right.waiting s=0 · I 2 right.waiting s=1 · E 2 right.waiting/w start
          E 1 left.waiting/w done · Q 3 left.noop <1 · H 3 left.waiting s=1 · I 3 left.waiting s=1
          E 2 right.waiting/w done · Q 4 right.noop <2 · H 4 right.waiting s=1 · I 4 right.waiting s=1
          """.replacing(
            "E 1 left.waiting/w done · Q 3 left.noop <1", with: "Q 3 left.noop <1 · E 1 left.waiting/w done"
          )
          .replacing(
            "E 2 right.waiting/w done · Q 4 right.noop <2", with: "Q 4 right.noop <2 · E 2 right.waiting/w done")
        ))
  }

  @Test func theBuilderInfersWhatALineIs() throws {
    let extra: CountMiddleware? = nil
    let middleware = CountMiddleware.compose {
      .effects("a") { action, _, _ in action == .inc ? .just(.noop) : .none }
      extra
      unit("b").lift(input: { $0 })
      [unit("c"), unit("d")]
    }
    #expect(middleware.units.map(\.name) == ["a", "b", "c", "d"])
  }

  @Test func aReaderListsMiddlewaresOfEffects() throws {
    let reader = MiddlewareReader<Int, Act, Act, Int>.compose {
      EffectMiddleware<Int, Act, Act, Int>("set") { action, _, _ in
        action == .inc ? .just { .set($0.dependencies) } : .none
      }
      unit("b")
    }
    let store = try Counting(initial: 0, reducer: count, middleware: reader.inject(42))
    store.dispatch(.inc)
    #expect(store.state == 42)
  }

  @Test func anErrorSaysItsSentence() {
    #expect("\(StoreError.duplicateUnit(name: "a"))" == "two units are named 'a'; names must be unique in a store")
  }
}
