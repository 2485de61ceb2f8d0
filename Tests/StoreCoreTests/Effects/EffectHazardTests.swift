import Dispatch
import StoreCore
import Testing

/// What goes wrong elsewhere (D9, D10, row 43) and what threads can do to an effect.
@Suite struct EffectHazardTests {
  @Test func whatEndsDoesNotTakeItsSuccessorAlong() throws {
    // D10: the clean-up of a completed effect removes whatever sits under its token by then.
    let bench = try Bench(
      effects { name in
        switch name {
        case "first":
          return CountEffect.run { context in
            context.send(.named("second"))
            await Task.yield()
          }.token("t")
        case "second": return .just(.set(100)).after(.seconds(1)).token("t")
        default: return .none
        }
      })
    bench.send(.named("first"))
    #expect(bench.store.effects.map(\.startedBy) == [2])
    bench.advance(1)
    #expect(bench.store.state == 100)
  }

  @Test func anEffectMayReplaceItself() throws {
    let bench = try Bench(
      effects { name in
        guard name == "tick" else { return .none }
        return CountEffect.run { context in
          try? await context.sleep(for: .seconds(1))
          context.send(.named("tick"))
        }.token("tick")
      })
    bench.send(.named("tick"))
    bench.advance(10)
    #expect(bench.store.state == 11)
    #expect(bench.store.effects.count == 1)
    bench.store.cancelEffects()
    bench.advance(10)
    #expect(bench.store.state == 11)
  }

  @Test func aCancelReachesWhatHasNotStarted() throws {
    let started = Notes<Int>()
    let effect = CountEffect.run { _ in started.note(1) }.token("t")
    let bench = try Bench(effects { $0 == "go" ? effect.appending(.cancel("t")) : .none })
    #expect(bench.send(.named("go")) == ["Q 1 go", "E 1 u/t start", "E 1 u/t cancel"])
    #expect(started.all.isEmpty)
    #expect(bench.store.effects.isEmpty)
  }

  @Test func anEffectMayCancelItself() throws {
    let bench = try Bench(
      effects { name in
        guard name == "go" else { return .none }
        return CountEffect.fireAndForget { context in
          context.cancel("t")
          #expect(context.isCancelled)
          context.send(.set(7))
        }.token("t")
      })
    #expect(bench.send(.named("go")) == ["Q 1 go", "E 1 u/t start", "E 1 u/t cancel"])
    #expect(bench.store.state == 1)
  }

  @Test func aPromiseIsKeptOnce() throws {
    let kept = Lock<EffectPromise<Act>?>(nil)
    let bench = try Bench(
      effects { name in
        name == "go" ? CountEffect.promise { _, promise in kept.withLock { $0 = promise } }.token("p") : .none
      })
    bench.send(.named("go"))
    #expect(bench.store.effects.map(\.tokenText) == ["p"], "D9: a promise keeps its token")
    kept.withLock { $0 }?.fulfil(.set(5))
    kept.withLock { $0 }?.fulfil(.set(6))
    #expect(bench.trace.take() == ["Q 2 set(5) <1", "E 1 u/p done"])
    bench.send(.named("go"))
    kept.withLock { $0 = nil }
    #expect(bench.trace.take().last == "E 3 u/p done", "nobody can fulfil it any more")
    #expect(bench.store.state == 6)
  }

  @Test func aStreamEndsWithItsSequenceAndItsErrorIsAnAction() throws {
    struct Broken: Error {}
    let (numbers, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
    let bench = try Bench(
      effects { name in
        guard name == "listen" else { return .none }
        return CountEffect.stream(
          { _ in numbers }, action: { $0 < 0 ? nil : .set($0) }, failure: { error in .named("failed: \(error)") }
        ).token("s")
      })
    bench.send(.named("listen"))
    continuation.yield(3)
    continuation.yield(-1)
    continuation.yield(4)
    #expect(bench.store.state == 4)
    #expect(bench.trace.take() == ["Q 2 set(3) <1", "Q 3 set(4) <1"])
    continuation.finish(throwing: Broken())
    #expect(bench.trace.take() == ["Q 4 failed: Broken() <1", "E 1 u/s done"])
  }

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

  @Test func aUnitThatIsReplacedTakesItsEffectsAlong() throws {
    let stays = effects("stays") { $0 == "go" ? .just(.inc).after(.seconds(1)).token("t") : .none }
    let goes = effects("goes") { $0 == "go" ? .just(.set(100)).after(.seconds(1)).token("t") : .none }
    let bench = try Bench(.compose(stays, goes))
    bench.send(.named("go"))
    try bench.store.replaceMiddleware(stays)
    #expect(bench.trace.take() == ["E 1 goes/t cancel"])
    bench.advance(5)
    #expect(bench.store.state == 2)
    try bench.store.replaceMiddleware(.compose(stays, goes))
    bench.send(.named("go"))
    bench.advance(5)
    #expect(bench.store.state == 101, "set by the one, then counted up by the other")
    #expect(bench.store.effects.isEmpty)
  }

  @Test func aUnitThatIsReplacedWhileItsActionRunsStartsNothing() throws {
    let bench = Lock<Bench?>(nil)
    let late = effects("late") { $0 == "go" ? .just(.set(100)) : .none }
    let swapper = CountMiddleware("swapper") { action, _, _ in
      guard action == .named("go") else { return .none }
      return IO { _ in try? bench.withLock { $0 }?.store.replaceMiddleware(.identity) }
    }
    let made = try Bench(.compose(late, swapper))
    bench.withLock { $0 = made }
    made.send(.named("go"))
    #expect(made.store.state == 1)
    bench.withLock { $0 = nil }
  }

  @Test func tokensArePrivateToTheElement() throws {
    // D18: an effect of one row cancels another row's.
    let rows = CountMiddleware("rows") { action, context, _, effects in
      guard case .set(let code) = action else { return .none }
      return IO { output in
        effects.element(code / 10).start(
          code % 10 == 1 ? .just(.inc).after(.seconds(1)).token("w") : .cancel("w"), context: context, output: output)
      }
    }
    let bench = try Bench(rows)
    #expect(bench.send(.set(21)) == ["Q 1 set(21)", "E 1 rows[2]/w start"])
    #expect(bench.send(.set(31)) == ["Q 2 set(31)", "E 2 rows[3]/w start"])
    #expect(bench.store.effects.map(\.name) == ["rows[2]/w", "rows[3]/w"])
    #expect(bench.send(.set(20)) == ["Q 3 set(20)", "E 1 rows[2]/w cancel"])
    #expect(bench.advance(1) == ["Q 4 inc <2", "E 2 rows[3]/w done"])
  }

  @Test func aStoreThatGoesTakesItsEffectsAlong() throws {
    final class Witness: Sendable {
      let gone: @Sendable () -> Void
      init(_ gone: @escaping @Sendable () -> Void) { self.gone = gone }
      deinit { gone() }
    }
    let ended = DispatchSemaphore(value: 0)
    let seen = Notes<String>()
    let clock = VirtualClock()
    weak var released: Counting?
    do {
      let witness = Witness { ended.signal() }
      let u = CountMiddleware.effects("u") { [witness] action, _, state in
        guard action == .inc else { return .none }
        return .run { [witness] context in
          do {
            try await context.sleep(for: .seconds(1))
          } catch {
            seen.note("cancelled at \(state())")
          }
          context.send(.set(100))
          withExtendedLifetime(witness) {}
        }
      }
      let store = try Counting(initial: 0, reducer: count, middleware: u, clock: clock)
      released = store
      store.dispatch(.inc)
      #expect(clock.nextDeadline == .seconds(1))
    }
    #expect(released == nil, "a sleeping effect does not keep its store")
    #expect(clock.nextDeadline == nil)
    ended.wait()
    clock.advance(by: .seconds(5))
    #expect(seen.all == ["cancelled at 1"])
  }

  @Test func anEffectMayDropTheLastReferenceToItsStore() throws {
    let held = Lock<Counting?>(nil)
    let clock = VirtualClock()
    let u = effects { name in
      guard name == "go" else { return .none }
      return .run { context in
        try? await context.sleep(for: .seconds(1))
        held.withLock { $0 = nil }
        context.send(.inc)
      }
    }
    held.withLock { $0 = try? Counting(initial: 0, reducer: count, middleware: u, clock: clock) }
    held.withLock { $0 }?.dispatch(.named("go"))
    clock.advance(by: .seconds(1))
    #expect(held.withLock { $0 == nil })
  }

  @Test func aThousandEffectsSleepAndWakeInOrder() throws {
    let u = CountMiddleware.effects("u") { action, _, _ in
      guard case .set(let value) = action, value < 2_000 else { return .none }
      return .run { context in
        try? await context.sleep(for: .milliseconds(1 + value % 10))
        context.send(.set(10_000 + value))
      }
    }
    let bench = try Bench(u)
    let woken = Notes<Int>()
    bench.store.setRecorder { record in
      if case .set(let value) = record.action, value >= 10_000 { woken.note(value - 10_000) }
    }
    for value in 0..<1_000 { bench.store.dispatch(.set(value)) }
    #expect(bench.store.effects.count == 1_000)
    bench.advance(1)
    #expect(woken.all == (0..<1_000).sorted { ($0 % 10, $0) < ($1 % 10, $1) })
    #expect(bench.store.effects.isEmpty)
    #expect(bench.clock.nextDeadline == nil)
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
    store.cancelEffects()
    let settled = emitted.all.count
    #expect(store.effects.isEmpty)
    // Whatever the pool still does on behalf of cancelled effects: nothing of it is enqueued.
    store.dispatch(.noop)
    #expect(emitted.all.count == settled)
  }

  @Test func anAsynchronousPingPongIsStopped() throws {
    let errors = Notes<String>()
    let u = effects { name in
      name == "ping"
        ? .run { context in
          await Task.yield()
          context.send(.named("ping"))
        } : .none
    }
    let bench = try Bench(u, runawayLimit: 50)
    bench.store.setErrorHandler { errors.note("\($0)") }
    let result = bench.store.dispatch(.named("ping"))
    guard case .stopped(.runaway(let limit, let next, _, let chain)) = result.outcome else {
      Issue.record("it was not stopped")
      return
    }
    #expect(limit == 50)
    #expect(next == "ping")
    #expect(chain.count == 10)
    #expect(bench.store.state == 51)
    #expect(bench.store.effects.isEmpty)
    bench.store.dispatch(.inc)
    #expect(bench.store.state == 52, "the store stays usable")
  }

  @Test func aPingPongThroughALongLivedEffectIsStopped() throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let u = effects { name in
      switch name {
      case "listen": return .stream({ _ in stream }, action: { _ in .named("echo") })
      case "echo": return .fireAndForget { _ in continuation.yield(1) }
      default: return .none
      }
    }
    let bench = try Bench(u, runawayLimit: 50)
    bench.send(.named("listen"))
    let result = bench.store.dispatch(.named("echo"))
    guard case .stopped = result.outcome else {
      Issue.record("it was not stopped")
      return
    }
    #expect(bench.store.state == 52)
    #expect(bench.store.effects.map(\.startedBy) == [1], "the listener had no part in the loop but its echo")
  }

  @Test func aTickerOfManyTicksIsNotARunaway() throws {
    let u = effects { name in
      guard name == "start" else { return .none }
      return CountEffect.run { context in
        while (try? await context.sleep(for: .seconds(1))) != nil { context.send(.inc) }
      }.token("tick")
    }
    let bench = try Bench(u, runawayLimit: 10)
    let roots = Notes<Int>()
    bench.store.setRecorder { roots.note($0.context.root) }
    bench.send(.named("start"))
    bench.advance(100)
    #expect(bench.store.state == 101)
    #expect(roots.all == Array(1...101), "each tick is a root of its own")
  }

  @Test func aSpinningEffectIsStoppedWithItsRoot() throws {
    let u = effects { name in
      guard name == "spin" else { return .none }
      return .run { context in
        while !context.isCancelled {
          context.send(.inc)
          await Task.yield()
        }
      }
    }
    let bench = try Bench(u, runawayLimit: 20)
    guard case .stopped = bench.store.dispatch(.named("spin")).outcome else {
      Issue.record("it was not stopped")
      return
    }
    #expect(bench.store.state == 21)
    #expect(bench.store.effects.isEmpty)
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
