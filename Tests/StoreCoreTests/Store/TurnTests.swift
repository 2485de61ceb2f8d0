import Dispatch
import Glibc
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

  @Test(arguments: [false, true])
  func nobodyElseActsWhileAThreadHoldsTheTurn(isShared: Bool) throws {
    let store = try Counting(initial: 0, reducer: gated())
    let keeper = Notes<Int>()
    if isShared { store.setKeeper { keeper } }
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
              // What stood in the queue came first, where parties do not share the store.
              guard case .done = result.outcome, store.state > before else { return torn.note(before) }
              if isShared, store.state != before + 1 { torn.note(before) }
              let after = store.state
              if store.state != after { torn.note(after) }
            }
          }
        })
    }
    for thread in threads { thread.wait() }
    store.awaitQueue()
    withExtendedLifetime(keeper) {}
    #expect(torn.all.isEmpty)
    #expect(store.state == (dispatchers + holders) * rounds)
  }

  @Test(arguments: [false, true])
  func turnsWatchersAndTasksOfManyThreadsLoseNothing(isShared: Bool) throws {
    let store = try Counting(
      initial: 0, reducer: gated(),
      middleware: unit("m") { action, _, output in if action == .named("A") { output.dispatch(.inc) } })
    let keeper = Notes<Int>()
    if isShared { store.setKeeper { keeper } }
    let seen = Notes<Int>()
    let watching = store.watch("w", { $0 }) { if $0.new % 100 == 0 { seen.note($0.new) } }
    let threads = (0..<4).map { index in
      onThread {
        for round in 0..<1000 {
          switch (index + round) % 4 {
          case 0: _ = store.dispatch(.named("A"))
          case 1: store.turnAnywhere { _ = store.dispatch(.named("A")) }
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
    withExtendedLifetime(keeper) {}
    // Two for each A and what it caused, two for the two.
    let each = 2 + 2 + 2
    #expect(store.state == 4 * 250 * each)
  }

  // MARK: A store that parties share

  /// A store that a thread has busy with `A` and what that caused, while others bring actions.
  private struct Busy {
    let store: Counting
    let order = Notes<String>()
    private let gates = (Gate("A"), Gate("caused"))
    private let keeper = Notes<Int>()
    private let caller: DispatchSemaphore

    init(also gate: Gate...) throws {
      let order = order
      store = try Counting(
        initial: 0, reducer: gated([gates.0, gates.1] + gate) { order.note($0) },
        middleware: unit("m") { action, _, output in if action == .named("A") { output.dispatch(.named("caused")) } })
      store.setKeeper { [keeper] in keeper }
      caller = onThread { [store] in store.dispatch(.named("A")) }
      gates.0.awaitEntry()
    }

    /// Lets the store go on to what `A` caused, with all that was brought so far.
    func goOnToWhatItCaused() {
      gates.0.open()
      gates.1.awaitEntry()
    }

    /// Waits until a thread has brought something since.
    func awaitArrival() { while !store.ownership.hasIncoming { sched_yield() } }

    func letCausedGoOn() { gates.1.open() }

    func end() {
      letCausedGoOn()
      caller.wait()
      store.awaitQueue()
      withExtendedLifetime(keeper) {}
    }
  }

  @Test func whoWaitsComesBehindTheActionInProgressAndWhatItCausedNotBehindTheQueue() throws {
    let busy = try Busy()
    for _ in 0..<100 { busy.store.dispatch(.named("B")) }
    busy.goOnToWhatItCaused()
    let waiter = onThread { busy.store.turn { _ = busy.store.dispatch(.named("turn")) } }
    busy.awaitArrival()
    busy.end()
    waiter.wait()
    #expect(busy.order.all.prefix(4) == ["A", "caused", "turn", "B"])
    #expect(busy.order.all.count == 103)
  }

  @Test func whatAThreadBroughtComesBeforeItsTurn() throws {
    let busy = try Busy()
    busy.store.dispatch(.named("B"))
    let hasBrought = DispatchSemaphore(value: 0)
    let mayWait = DispatchSemaphore(value: 0)
    let waiter = onThread {
      busy.store.dispatch(.named("own"))
      hasBrought.signal()
      mayWait.wait()
      busy.store.turn { _ = busy.store.dispatch(.named("turn")) }
    }
    hasBrought.wait()
    busy.store.dispatch(.named("C"))
    busy.goOnToWhatItCaused()
    mayWait.signal()
    busy.awaitArrival()
    busy.end()
    waiter.wait()
    #expect(busy.order.all == ["A", "caused", "B", "own", "turn", "C"])
  }

  @Test func theStoreGoesOnWhereAThreadNeedNotBeAwakeForItsTurn() throws {
    let busy = try Busy()
    for _ in 0..<10 { busy.store.dispatch(.named("B")) }
    busy.goOnToWhatItCaused()
    let threads = Notes<Bool>()
    let waiter = onThread {
      let own = StoreThread.current
      busy.store.turnAnywhere {
        threads.note(own == StoreThread.current)
        guard case .done = busy.store.dispatch(.named("turn")).outcome else { return threads.note(true) }
      }
    }
    busy.awaitArrival()
    busy.end()
    waiter.wait()
    #expect(busy.order.all.prefix(4) == ["A", "caused", "turn", "B"])
    #expect(threads.all == [false], "another thread has the store, and runs the closure")
  }

  /// A thread finds the store free since its owner has served the thread and left: the store is nobody's then, not the thread's.
  @Test func aThreadThatWasServedBeforeItLooksGivesTheStoreBack() throws {
    let busy = try Busy()
    for _ in 0..<10 { busy.store.dispatch(.named("B")) }
    busy.goOnToWhatItCaused()
    let served = Notes<Bool>()
    let waiter = TurnWaiter { served.note(true) }
    busy.store.ownership.bring(.turn(waiter))
    busy.end()
    busy.store.awaitQueue()
    #expect(served.all == [true])
    // Behind a turn of this thread no other has the store.
    busy.store.turn {}
    busy.store.awaitService(of: waiter)
    try #require(!busy.store.isMine)
    let other = onThread { busy.store.turn { served.note(false) } }
    other.wait()
    #expect(served.all == [true, false])
  }

  /// A thread that comes again waits for as many arrivals as there are threads of which some wait; one that comes for the first time
  /// does not.
  @Test func whoComesAgainComesBehindTheArrivalsOfOthers() throws {
    let gate = Gate("B")
    let busy = try Busy(also: gate)
    busy.store.dispatch(.named("B"))
    let (hasBrought, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let third = onThread {
      busy.store.dispatch(.named("C"))
      hasBrought.signal()
      // A thread that ended could be the next one's: what it brought would come before its turn.
      mayEnd.wait()
    }
    hasBrought.wait()
    busy.store.dispatch(.named("D"))
    busy.goOnToWhatItCaused()
    @Sendable func turn(_ name: String) { busy.store.turn { _ = busy.store.dispatch(.named(name)) } }
    let mayComeAgain = DispatchSemaphore(value: 0)
    let again = onThread {
      turn("first")
      mayComeAgain.wait()
      turn("again")
    }
    busy.awaitArrival()
    busy.letCausedGoOn()
    gate.awaitEntry()
    mayComeAgain.signal()
    busy.awaitArrival()
    let other = onThread { turn("other") }
    while busy.store.ownership.waitingCount < 2 { sched_yield() }
    gate.open()
    busy.end()
    mayEnd.signal()
    for waiter in [again, other, third] { waiter.wait() }
    #expect(busy.order.all == ["A", "caused", "first", "B", "other", "C", "again", "D"])
  }

  // MARK: The end

  @Test(arguments: [false, true])
  func whatWasBroughtBeforeTheEndIsDoneAndWhatComesLaterIsRefused(isShared: Bool) async throws {
    let gate = Gate("A")
    let store = try Counting(initial: 0, reducer: gated(gate) { _ in })
    let keeper = Notes<Int>()
    if isShared { store.setKeeper { keeper } }
    let caller = onThread { store.dispatch(.named("A")) }
    gate.awaitEntry()
    for _ in 0..<10 { store.dispatch(.inc) }
    let closer = onThread { _ = store.close {} }
    gate.open()
    caller.wait()
    closer.wait()
    #expect(store.state == 11)
    for result in [store.dispatch(.inc), store.turn { store.dispatch(.inc) }, await store.dispatchAndWait(.inc)] {
      guard case .stopped(.closed) = result.outcome else {
        Issue.record("a closed store took an action")
        return
      }
    }
    #expect(store.state == 11)
    #expect(store.close {})
    withExtendedLifetime(keeper) {}
  }
}

extension StoreOwnership {
  /// How many entries nobody has taken yet.
  fileprivate var waitingCount: Int {
    var (count, next) = (0, incoming.load(ordering: .sequentiallyConsistent) & ~Self.isShut)
    while let pointer = UnsafeRawPointer(bitPattern: next) {
      next = Unmanaged<IncomingNode<Action>>.fromOpaque(pointer).takeUnretainedValue().older
      count += 1
    }
    return count
  }
}
