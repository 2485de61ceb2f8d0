import Dispatch
import StoreCore
import Testing

/// What goes wrong elsewhere with tokens and with what ends (D9, D10, row 43).
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
}
