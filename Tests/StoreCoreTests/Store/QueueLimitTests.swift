import Dispatch
import StoreCore
import Testing

/// R2: a bounded queue refuses what finds no room, and loses nothing.
@Suite struct QueueLimitTests {
  /// A store that is busy on another thread until its gate is opened.
  private func busy(limit: Int) throws -> (store: Counting, gate: Gate, caller: DispatchSemaphore) {
    let gate = Gate("A")
    let store = try Counting(
      initial: 0, reducer: gated(gate),
      middleware: unit("m") { action, _, output in
        if action == .named("A") { for _ in 0..<10 { output.dispatch(.inc) } }
      }, queueLimit: limit)
    let caller = onThread { store.dispatch(.named("A")) }
    gate.awaitEntry()
    return (store, gate, caller)
  }

  @Test func whatFindsNoRoomIsRefusedToItsCaller() throws {
    let (store, gate, caller) = try busy(limit: 3)
    for _ in 0..<3 {
      guard case .queued = store.dispatch(.inc).outcome else {
        Issue.record("there is room")
        continue
      }
    }
    let refused = store.dispatch(.inc)
    #expect(refused.number == nil)
    #expect(throws: StoreError.queueFull(limit: 3)) { try refused.get() }
    gate.open()
    caller.wait()
    store.awaitQueue()
    #expect(store.state == 1 + 10 + 3, "what the action caused finds room")
  }

  @Test func whatWaitsForItsActionIsRefusedToo() async throws {
    let (store, gate, caller) = try busy(limit: 1)
    store.dispatch(.inc)
    let refused = await store.dispatchAndWait(.inc)
    #expect(throws: StoreError.queueFull(limit: 1)) { try refused.get() }
    gate.open()
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        caller.wait()
        continuation.resume()
      }
    }
    guard case .done = await store.dispatchAndWait(.inc).outcome else {
      Issue.record("there is room again")
      return
    }
    #expect(store.state == 1 + 10 + 1 + 1)
  }

  @Test func threadsThatTryAgainLoseNothing() throws {
    let store = try Store(initial: QueueTests.Tally(), reducer: QueueTests.tally, queueLimit: 4)
    let refusals = Lock(0)
    let workers = (0..<4).map { thread in
      onThread {
        for index in 0..<2_000 {
          while case .stopped(.queueFull) = store.dispatch(.init(thread: thread, index: index)).outcome {
            refusals.withLock { $0 += 1 }
            StoreThread.yield()
          }
        }
      }
    }
    for worker in workers { worker.wait() }
    store.awaitQueue()
    #expect(store.state.count == 8_000)
    #expect(store.state.disorder == 0)
  }

  @Test func aDropOfTheQueueGivesItsRoomBack() throws {
    let gate = Gate("A")
    let store = try Counting(
      initial: 0, reducer: gated(gate),
      middleware: unit("m") { action, _, output in if action == .named("on") { output.dispatch(.named("on")) } },
      runawayLimit: 5, queueLimit: 2)
    let errors = Notes<any Error>()
    store.setErrorHandler { errors.note($0) }
    for round in 1...3 {
      let caller = onThread { store.dispatch(.named("A")) }
      gate.awaitEntry()
      for _ in 0..<2 {
        guard case .queued = store.dispatch(.named("on")).outcome else {
          Issue.record("there is room")
          continue
        }
      }
      gate.open()
      caller.wait()
      while errors.all.count < round { StoreThread.yield() }
      store.awaitQueue()
    }
  }

  @Test func aSequenceWaitsForRoom() async throws {
    let (store, gate, caller) = try busy(limit: 1)
    store.dispatch(.inc)
    let (stream, actions) = AsyncStream.makeStream(of: Act.self)
    for _ in 0..<5 { actions.yield(.inc) }
    actions.finish()
    async let fed: Void = store.connection.dispatch(each: stream)
    gate.open()
    await fed
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        caller.wait()
        continuation.resume()
      }
    }
    await store.dispatchAndWait(.noop)
    #expect(store.state == 1 + 10 + 1 + 5)
  }
}
