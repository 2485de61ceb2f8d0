import Dispatch
import StoreCore
import Testing

/// `dispatchAndBlock`, which is `dispatchAndWait` for threads: it blocks until its action is done.
@Suite struct BlockingDispatchTests {
  private func outcome(_ result: DispatchResult) -> String {
    switch result.outcome {
    case .done: "done"
    case .queued: "queued"
    case .failed(let error): "failed \(error)"
    case .dropped(let interceptor): "dropped \(interceptor)"
    case .stopped(let error): "stopped \(error)"
    }
  }

  @Test func everyThreadKnowsWhatBecameOfItsAction() throws {
    let failing = CountReducer.throwing("failing") { action, count, _ in
      switch action {
      case .fail(let why):
        count = 99
        throw Refused(description: why)
      case .inc: count += 1
      default: break
      }
    }
    let latch = Interceptor<Act, Int>("latch") { action, _, _, next in if action != .noop { next(action) } }
    let store = try Counting(initial: 0, reducer: failing, interceptors: [latch])
    let isOver = Lock(false)
    let flood = onThread { while !isOver.withLock({ $0 }) { store.dispatchAndBlock(.dec) } }
    let outcomes = Notes<String>()
    let workers = (0..<4).map { worker in
      onThread {
        for index in 0..<100 {
          let result = store.dispatchAndBlock([.inc, .fail("\(worker)"), .noop][index % 3])
          outcomes.note("\(index % 3) \(worker) \(outcome(result)) \(result.number == nil)")
        }
      }
    }
    for worker in workers { #expect(worker.isSignalledSoon) }
    isOver.withLock { $0 = true }
    flood.wait()
    store.awaitQueue()
    #expect(store.state == 4 * 34)
    for worker in 0..<4 {
      #expect(outcomes.all.count { $0 == "0 \(worker) done false" } == 34)
      #expect(outcomes.all.count { $0 == "1 \(worker) failed \(worker) false" } == 33)
      #expect(outcomes.all.count { $0 == "2 \(worker) dropped latch false" } == 33)
    }
  }

  /// A reducer that got hold of the store dispatches nothing: each run of it would dispatch once more.
  @Test func aReducerDispatchesNothing() throws {
    let (place, outcomes) = (Lock<Counting?>(nil), Notes<String>())
    let store = try Counting(
      initial: 0,
      reducer: CountReducer("dispatching") { action, count in
        count += 1
        let store = place.withLock { $0 }
        outcomes.note([store?.dispatch(.inc), store?.dispatchAndBlock(.inc)].compactMap { $0.map(outcome) }.joined())
      })
    place.withLock { $0 = store }
    #expect(outcome(store.dispatch(.inc)) == "done")
    #expect(outcomes.all == ["stopped \(StoreError.busy)stopped \(StoreError.busy)"])
    #expect(store.state == 1)
    place.withLock { $0 = nil }
  }

  @Test func itWaitsForWhatStandsBeforeIt() throws {
    let gate = Gate("A")
    let store = try Counting(initial: 0, reducer: gated(gate))
    let caller = onThread { store.dispatch(.named("A")) }
    gate.awaitEntry()
    let seen = Notes<Int>()
    let waiter = onThread {
      store.dispatchAndBlock(.inc)
      seen.note(store.state)
    }
    #expect(waiter.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
    gate.open()
    #expect(waiter.isSignalledSoon)
    caller.wait()
    #expect(seen.all == [2])
  }

  @Test func onTheThreadThatProcessesActionsItIsRefused() throws {
    let outcomes = Notes<String>()
    let store = try Counting(initial: 0, reducer: count)
    let watching = store.watch { [store] notification in
      if notification.new == 1 { outcomes.note(outcome(store.dispatchAndBlock(.inc))) }
    }
    store.dispatch(.inc)
    #expect(outcomes.all.count == 1)
    #expect(outcomes.all[0].hasSuffix("cannot wait for another action, use dispatch, which enqueues it"))
    #expect(store.state == 1)
    #expect(outcome(store.turn { store.dispatchAndBlock(.inc) }) == "done", "the holder of the turn waits for nobody")
    watching.cancel()
  }

  @Test func aFullQueueRefusesIt() throws {
    let gate = Gate("A")
    let store = try Counting(initial: 0, reducer: gated(gate), queueLimit: 1)
    let caller = onThread { store.dispatch(.named("A")) }
    gate.awaitEntry()
    store.dispatch(.inc)
    let refused = Notes<String>()
    let waiter = onThread { refused.note(outcome(store.dispatchAndBlock(.inc))) }
    #expect(waiter.isSignalledSoon)
    #expect(refused.all.first?.hasPrefix("stopped the queue is full: 1 actions wait already") == true)
    gate.open()
    caller.wait()
    store.awaitQueue()
    #expect(store.state == 2)
  }
}
