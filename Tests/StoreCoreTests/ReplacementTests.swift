import Dispatch
import StoreCore
import Testing
import TraceSupport

/// What is replaced while an action is on its way is replaced from the next action on, and nothing in use is let go of.
@Suite struct ReplacementTests {
  private static func noting(
    _ name: String, _ notes: Notes<String>, _ body: @escaping @Sendable (Act) -> Void = { _ in }
  )
    -> CountInterceptor
  {
    CountInterceptor(name) { action, _, _, next in
      notes.note(name)
      body(action)
      next(action)
      notes.note("/\(name)")
    }
  }

  @Test func interceptorsReplacedOnTheWayServeTheNextAction() throws {
    let notes = Notes<String>()
    let box = Lock<(store: Counting, list: [CountInterceptor])?>(nil)
    let replace: @Sendable (Act) -> Void = { action in
      guard action == .named("x"), let (store, list) = box.withLock({ $0 }) else { return }
      try? store.replaceInterceptors(list)
    }
    let (a, b) = (Self.noting("a", notes, replace), Self.noting("b", notes))
    let c = Self.noting("c", notes)
    let store = try Counting(initial: 0, reducer: count, interceptors: [a, b])
    box.withLock { $0 = (store, [c, a]) }
    store.dispatch(.named("x"))
    #expect(notes.all == ["a", "b", "/b", "/a"])
    #expect(store.interceptors.map(\.name) == ["c", "a"])
    store.dispatch(.inc)
    #expect(notes.all.dropFirst(4) == ["c", "a", "/a", "/c"])
    box.withLock { $0 = nil }
  }

  @Test func reducersAndMiddlewaresReplacedOnTheWayServeTheNextAction() throws {
    let notes = Notes<String>()
    let box = Lock<Counting?>(nil)
    let replacing = Self.noting("i", Notes<String>()) { action in
      guard action == .named("x"), let store = box.withLock({ $0 }) else { return }
      try? store.replaceReducer(CountReducer("hundred") { $1 += 100 })
      try? store.replaceMiddleware(unit("new") { _, _, _ in notes.note("new") })
    }
    let store = try Counting(
      initial: 0, reducer: count, middleware: unit("old") { _, _, _ in notes.note("old") }, interceptors: [replacing])
    box.withLock { $0 = store }
    store.dispatch(.named("x"))
    #expect(store.state == 1)
    #expect(notes.all == ["old"])
    store.dispatch(.inc)
    #expect(store.state == 101)
    #expect(notes.all == ["old", "new"])
    box.withLock { $0 = nil }
  }

  @Test func aChainThatIsRefusedLeavesNothingRunning() throws {
    let clock = VirtualClock()
    let store = try Counting(initial: 0, reducer: count, clock: clock)
    let good = CountInterceptor("good") { (attachment: CountInterceptor.Attachment) in
      let context = ActionContext(number: 0, source: .here(), time: .zero, root: 0)
      attachment.effects.start(
        Effect<Void, Act>.just(.inc).after(.seconds(1)), context: context, output: attachment.output)
      return { next in { next($0) } }
    }
    let bad = CountInterceptor("bad") { dispatch, _ in
      dispatch.dispatch(.inc)
      return { next in { next($0) } }
    }
    #expect(throws: StoreError.dispatchWhileBuilding(interceptor: "bad")) {
      try store.replaceInterceptors([good, bad])
    }
    clock.advance(by: .seconds(2))
    #expect(store.state == 0)
  }

  @Test func watchersMayComeAndGoWhileAReplayTellsThem() throws {
    let store = try Counting(initial: 0, reducer: count)
    let kept = Kept()
    let seen = Notes<String>()
    for index in 0..<6 {
      kept.keep(
        store.watch("w\(index)") { notification in
          guard notification.old != nil else { return }
          seen.note("w\(index)")
          guard index == 0 else { return }
          kept.cancel(3)
          kept.keep(store.watch("new") { _ in seen.note("new") })
        })
    }
    let context = ActionContext(number: 1, source: .here(), time: .zero, root: 1)
    try store.replay([ReplayedAction(.inc, context: context)])
    #expect(seen.all == ["w0", "new", "w1", "w2", "w4", "w5"])
    store.dispatch(.inc)
    #expect(store.state == 2)
    kept.cancelAll()
  }

  @Test func aWatcherMayGoByACancellationThatAnotherThreadBrings() throws {
    let scope = Lock<EffectScope?>(nil)
    let kept = Kept()
    let middleware = CountMiddleware("u") { action, context, _, effects in
      IO { output in
        guard action == .named("go") else { return }
        scope.withLock { $0 = effects }
        let waiting = Effect<Void, Act>.run { context in
          await withTaskCancellationHandler {
            try? await context.sleep(for: .seconds(100))
          } onCancel: {
            kept.cancel(0)
          }
        }
        effects.start(waiting.token("t"), context: context, output: output)
      }
    }
    let store = try Counting(initial: 0, reducer: count, middleware: middleware, clock: VirtualClock())
    let seen = Notes<String>()
    kept.keep(store.watch("victim") { seen.note("victim \($0.new)") })
    kept.keep(
      store.watch("w1") { [weak store] notification in
        guard notification.new == 5 else { return }
        let done = DispatchSemaphore(value: 0)
        let effects = scope.withLock { $0 }
        DispatchQueue.global().async {
          effects?.cancel("t")
          done.signal()
        }
        done.wait()
        store?.dispatch(.noop)
      })
    for index in 2..<8 { kept.keep(store.watch("w\(index)") { seen.note("w\(index) \($0.new)") }) }
    store.dispatch(.named("go"))
    store.dispatch(.set(5))
    #expect(seen.all.suffix(6) == ["w2 5", "w3 5", "w4 5", "w5 5", "w6 5", "w7 5"])
    store.dispatch(.set(6))
    #expect(!seen.all.contains("victim 6"))
    kept.cancelAll()
  }
}
