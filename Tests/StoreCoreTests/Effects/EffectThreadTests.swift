import Dispatch
import StoreCore
import Testing

/// Which threads effects run on, and what other threads can do to them.
@Suite struct EffectThreadTests {
  @Test func asynchronousEffectsRunOnTheThreadOfTheStore() throws {
    let here = StoreThread.current
    let threads = Notes<UInt>()
    let order = Notes<String>()
    let u = effects { name in
      guard name == "go" else { return .none }
      return .run { context in
        threads.note(StoreThread.current)
        order.note("start")
        async let child: Void = { threads.note(StoreThread.current) }()
        await child
        await Task.yield()
        threads.note(StoreThread.current)
        try? await context.sleep(for: .seconds(1))
        threads.note(StoreThread.current)
        order.note("end")
      }
    }
    let bench = try Bench(u)
    bench.send(.named("go"))
    order.note("dispatched")
    bench.advance(1)
    order.note("advanced")
    #expect(threads.all == [here, here, here, here])
    #expect(order.all == ["start", "dispatched", "end", "advanced"])
  }

  @Test func workMayGoElsewhereAndComesBack() async throws {
    let threads = Notes<UInt>()
    let done = DispatchSemaphore(value: 0)
    let u = effects { name in
      guard name == "go" else { return .none }
      return .run { context in
        let sum = await context.concurrently {
          threads.note(StoreThread.current)
          return (1...100).reduce(0, +)
        }
        context.send(.set(sum))
        done.signal()
      }
    }
    let store = try Counting(initial: 0, reducer: count, middleware: u)
    let dispatching = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        store.dispatch(.named("go"))
        // This thread stays blocked meanwhile, so that it cannot be the one that works.
        done.wait()
        continuation.resume(returning: StoreThread.current)
      }
    }
    await store.dispatchAndWait(.noop)
    #expect(store.state == 5050)
    #expect(threads.all.count == 1)
    #expect(threads.all != [dispatching])
  }

  @Test func aHostDrivesTheEffectsOfARealClock() throws {
    let clock = RealClock(driver: .host(wake: {}))
    let u = effects { $0 == "go" ? .just(.set(7)).after(.nanoseconds(1)).token("t") : .none }
    let store = try Counting(initial: 0, reducer: count, middleware: u, clock: clock)
    store.dispatch(.named("go"))
    #expect(store.state == 1)
    while clock.nextDeadline != nil { clock.runDue() }
    #expect(store.state == 7)
  }

  @Test func cancelsFromOtherThreadsUnderStress() throws {
    let emitted = Notes<Int>()
    let u = CountMiddleware.effects("u") { action, context, _ in
      guard action == .inc else { return .none }
      return CountEffect.run { context in
        for value in 0..<20 {
          await context.concurrently {
            context.send(.set(value))
            await Task.yield()
          }
        }
      }.token(context.number % 4)
    }
    let store = try Counting(initial: 0, reducer: count, middleware: u)
    store.setRecorder { if case .set(let value) = $0.action { emitted.note(value) } }
    DispatchQueue.concurrentPerform(iterations: 8) { worker in
      for round in 0..<50 {
        if worker % 2 == 0 {
          store.dispatch(.inc)
        } else {
          store.cancelEffects(unit: "u", token: round % 2 == 0 ? "\(round % 4)" : nil)
        }
      }
    }
    // What waits in the queue may start effects, and what they sent before stays in it.
    store.awaitQueue()
    store.cancelEffects()
    store.awaitQueue()
    let settled = emitted.all.count
    #expect(store.effects.isEmpty)
    // Whatever the pool still does on behalf of cancelled effects: nothing of it is enqueued.
    store.dispatch(.noop)
    #expect(emitted.all.count == settled)
  }

  @Test func emissionsOfOtherThreadsKeepTheirOrder() throws {
    let bench = try Bench(
      effects { name in
        guard name == "go" else { return .none }
        return CountEffect.promise { context, promise in
          // While this action is processed, another thread brings an emission, then an action.
          DispatchQueue.global().sync {
            Thread.run {
              context.send(.named("emitted"))
              promise.fulfil(.named("fulfilled"))
            }
          }
        }
      })
    #expect(
      bench.send(.named("go")) == [
        "Q 1 go", "E 1 u/- start", "Q 2 emitted <1", "Q 3 fulfilled <1", "E 1 u/- done",
      ])
  }

  /// Runs a closure on another thread, to its end.
  private enum Thread {
    static func run(_ body: @escaping @Sendable () -> Void) {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue(label: "other").async {
        body()
        done.signal()
      }
      done.wait()
    }
  }
}
