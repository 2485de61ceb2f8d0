import Dispatch
import Testing

@testable import StoreCore

/// R34: the turn that several parties share.
@Suite struct TurnTests {
  @Test func anActionOfTheHolderIsDoneWithAllThatItCausedWhenDispatchReturns() throws {
    let store = try Counting(
      initial: 0, reducer: gated(),
      middleware: unit("m") { action, _, output in if action == .named("A") { output.dispatch(.inc) } })
    store.turn {
      guard case .done = store.dispatch(.named("A")).outcome else {
        Issue.record("A is done")
        return
      }
      #expect(store.state == 2)
      #expect(store.dispatch(.inc).number == 3)
      #expect(store.state == 3)
    }
  }

  @Test func aFailureIsTheResultOfItsOwnDispatch() throws {
    let store = try Counting(
      initial: 0,
      reducer: CountReducer.throwing("f") { action, _, _ in
        if case .fail(let why) = action { throw Refused(description: why) }
      })
    store.turn {
      guard case .failed = store.dispatch(.fail("no")).outcome else {
        Issue.record("it fails")
        return
      }
    }
  }

  @Test func withinAnActionTheTurnIsItsOwn() throws {
    let states = Notes<Int>()
    let store = try Counting(initial: 5, reducer: gated())
    let watching = store.watch("w", { $0 }) { [unowned store] _ in store.turn { states.note(store.state) } }
    store.turn { _ = store.dispatch(.inc) }
    watching.cancel()
    #expect(states.all == [5, 6])
  }

  @Test func whoWaitsGetsTheTurnBehindTheActionInProgress() throws {
    let gate = Gate("A")
    let store = try Counting(initial: 0, reducer: gated(gate) { _ in })
    let caller = onThread { store.dispatch(.named("A")) }
    gate.awaitEntry()
    let thread = Notes<UInt>()
    let waiter = onThread {
      let own = StoreThread.current
      store.turn { if own == StoreThread.current { thread.note(own) } }
    }
    gate.open()
    caller.wait()
    waiter.wait()
    #expect(thread.all.count == 1, "the closure runs on the thread that waits")
  }

  @Test func nobodyElseActsWhileAThreadHoldsTheTurn() throws {
    let store = try Counting(initial: 0, reducer: gated())
    let torn = Notes<Int>()
    let (dispatchers, holders, rounds) = (3, 3, 2000)
    var threads: [DispatchSemaphore] = []
    for _ in 0..<dispatchers { threads.append(onThread { for _ in 0..<rounds { _ = store.dispatch(.inc) } }) }
    for _ in 0..<holders {
      threads.append(
        onThread {
          for _ in 0..<rounds {
            store.turn {
              let before = store.state
              let result = store.dispatch(.inc)
              // What stood in the queue came first.
              guard case .done = result.outcome, store.state > before else { return torn.note(before) }
              let after = store.state
              if store.state != after { torn.note(after) }
            }
          }
        })
    }
    for thread in threads { thread.wait() }
    store.awaitQueue()
    #expect(torn.all.isEmpty)
    #expect(store.state == (dispatchers + holders) * rounds)
  }

  @Test func turnsWatchersAndTasksOfManyThreadsLoseNothing() throws {
    let store = try Counting(
      initial: 0, reducer: gated(),
      middleware: unit("m") { action, _, output in if action == .named("A") { output.dispatch(.inc) } })
    let seen = Notes<Int>()
    let watching = store.watch("w", { $0 }) { if $0.new % 100 == 0 { seen.note($0.new) } }
    let threads = (0..<4).map { index in
      onThread {
        for round in 0..<1000 {
          switch (index + round) % 4 {
          case 0: _ = store.dispatch(.named("A"))
          case 1: store.turn { _ = store.dispatch(.named("A")) }
          case 2:
            _ = store.state
            store.turn { for _ in 0..<2 { _ = store.dispatch(.inc) } }
          default: store.turn { _ = store.state }
          }
        }
      }
    }
    for thread in threads { thread.wait() }
    store.awaitQueue()
    watching.cancel()
    // Two for each A and what it caused, two for the two.
    let each = 2 + 2 + 2
    #expect(store.state == 4 * 250 * each)
  }
}
