import StoreCore
import Testing

/// Loops through effects are stopped, tickers are not.
@Suite struct EffectRunawayTests {
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
}
