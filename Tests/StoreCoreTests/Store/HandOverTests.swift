import Dispatch
import Testing

@testable import StoreCore

/// R2: how long a caller is held, and who goes on.
@Suite struct HandOverTests {
  @Test func aCallerReturnsWhileWhatOthersBroughtIsQueued() throws {
    let (a, b) = (Gate("A"), Gate("B"))
    let threads = Notes<UInt>()
    let store = try Counting(initial: 0, reducer: gated(a, b) { _ in threads.note(StoreThread.current) })
    let caller = Notes<UInt>()
    let results = Notes<DispatchResult>()
    let returned = onThread {
      caller.note(StoreThread.current)
      results.note(store.dispatch(.named("A")))
    }
    a.awaitEntry()
    guard case .queued = store.dispatch(.named("B")).outcome else {
      Issue.record("the store is busy")
      return
    }
    a.open()
    b.awaitEntry()
    #expect(returned.isSignalledSoon, "B is still being reduced")
    b.open()
    store.awaitQueue()
    #expect(store.state == 2)
    guard case .done? = results.all.first?.outcome else {
      Issue.record("A is done")
      return
    }
    #expect(threads.all.count == 2)
    #expect(threads.all.first == caller.all.first)
    #expect(!caller.all.contains(threads.all[1]) && threads.all[1] != StoreThread.current)
  }

  @Test func aCallerStaysForWhatItsActionCausedAndForWhatStandsBefore() throws {
    let (a, caused, c) = (Gate("A"), Gate("caused"), Gate("C"))
    let order = Notes<String>()
    let threads = Notes<UInt>()
    let store = try Counting(
      initial: 0,
      reducer: gated(a, caused, c) {
        order.note($0)
        threads.note(StoreThread.current)
      }, middleware: unit("m") { action, _, output in if action == .named("A") { output.dispatch(.named("caused")) } })
    let returned = onThread { store.dispatch(.named("A")) }
    a.awaitEntry()
    store.dispatch(.named("B"))
    a.open()
    caused.awaitEntry()
    store.dispatch(.named("C"))
    #expect(order.all == ["A", "B", "caused"])
    caused.open()
    c.awaitEntry()
    #expect(returned.isSignalledSoon, "C is still being reduced")
    c.open()
    store.awaitQueue()
    #expect(order.all == ["A", "B", "caused", "C"])
    #expect(Set(threads.all.prefix(3)).count == 1)
    #expect(Set(threads.all).count == 2)
  }

  @Test func oneThreadServesAllThatIsHandedOn() throws {
    let threads = Notes<UInt>()
    let gate = Gate("A")
    let store = try Counting(
      initial: 0, reducer: gated(gate) { if $0 == "B" { threads.note(StoreThread.current) } })
    for _ in 0..<50 {
      let caller = onThread { store.dispatch(.named("A")) }
      gate.awaitEntry()
      store.dispatch(.named("B"))
      gate.open()
      caller.wait()
      store.awaitQueue()
    }
    #expect(store.state == 100)
    #expect(Set(threads.all).count == 1)
    #expect(!threads.all.contains(StoreThread.current))
  }

  @Test func aStateIsReadBetweenTwoActions() throws {
    let value = Notes<Int>()
    try visit { store in value.note(store.state) }
    #expect(value.all == [1], "the action in progress is done, the next one is not")
  }

  @Test func aWatcherIsAddedBetweenTwoActions() throws {
    let told = Notes<Int>()
    let kept = Kept()
    try visit { store in kept.keep(store.watch { told.note($0.new) }) }
    #expect(told.all == [1, 2])
    kept.cancelAll()
  }

  @Test func effectsAreCancelledBetweenTwoActions() throws {
    let found = Notes<Bool>()
    try visit { store in
      found.note(store.cancelEffects(unit: "waiting"))
    } whileReducing: {
      #expect(found.all == [true])
    } after: { store in
      #expect(store.effects.isEmpty)
    }
  }

  @Test func aWatcherThatIsCancelledIsLetGo() throws {
    let kept = Kept()
    try visit { _ in
      kept.cancelAll()
    } prepare: { store in
      kept.keep(store.watch { _ in })
    } after: { store in
      #expect(store.parts.watchers.isEmpty)
    }
  }

  /// Has another thread do something with a store while one action is in progress and the next one is queued.
  ///
  /// - Parameter whileReducing: runs when the other thread has come back; the next action is still being reduced.
  private func visit(
    _ body: @escaping @Sendable (Counting) -> Void, prepare: (Counting) -> Void = { _ in },
    whileReducing: () -> Void = {}, after: (Counting) -> Void = { _ in }
  ) throws {
    let (b, handling, opened) = (Gate("B"), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let waiting = effects("waiting") { $0 == "A" ? .just(.inc).after(.seconds(9)) : .none }
    let store = try Counting(
      initial: 0, reducer: gated(b),
      middleware: .compose(
        waiting,
        unit("m") { action, _, output in
          guard action == .named("A") else { return }
          output.dispatch(.named("B"))
          handling.signal()
          opened.wait()
        }), clock: VirtualClock())
    prepare(store)
    let caller = onThread { store.dispatch(.named("A")) }
    handling.wait()
    let visitor = onThread { body(store) }
    while !store.ownership.hasIncoming { StoreThread.yield() }
    opened.signal()
    #expect(visitor.isSignalledSoon, "B has not been reduced")
    whileReducing()
    b.awaitEntry()
    b.open()
    caller.wait()
    store.awaitQueue()
    #expect(store.state == 2)
    after(store)
  }

  @Test func whatIsHandedOnFailsLate() throws {
    let a = Gate("A")
    let errors = Notes<String>()
    let failing = CountReducer.throwing("failing") { action, count, _ in
      if case .fail(let why) = action {
        count = 99
        throw Refused(description: why)
      }
    }
    let store = try Counting(initial: 0, reducer: .compose(gated(a), failing))
    store.setErrorHandler { errors.note("\($0)") }
    let caller = onThread { store.dispatch(.named("A")) }
    a.awaitEntry()
    store.dispatch(.fail("late"))
    a.open()
    caller.wait()
    store.awaitQueue()
    #expect(errors.all == ["late"])
    #expect(store.state == 1)
  }

  @Test func aRunawayThatIsHandedOnIsStopped() throws {
    let a = Gate("A")
    let errors = Notes<any Error>()
    let store = try Counting(
      initial: 0, reducer: gated(a),
      middleware: unit("m") { action, _, output in if action == .named("on") { output.dispatch(.named("on")) } },
      runawayLimit: 20)
    store.setErrorHandler { errors.note($0) }
    let caller = onThread { store.dispatch(.named("A")) }
    a.awaitEntry()
    store.dispatch(.named("on"))
    a.open()
    caller.wait()
    while errors.all.isEmpty { StoreThread.yield() }
    store.awaitQueue()
    guard case .runaway(20, "on", _, let chain)? = errors.all.first as? StoreError else {
      Issue.record("it was not stopped")
      return
    }
    #expect(errors.all.count == 1)
    #expect(chain.count == 10)
    #expect(store.state == 22)
    store.dispatch(.inc)
    #expect(store.state == 23)
  }

  @Test func aStoreThatIsLetGoProcessesWhatItTookAndEndsItsThread() throws {
    let (a, b) = (Gate("A"), Gate("B"))
    let order = Notes<String>()
    let worker: Weak<DrainWorker>
    let weak: Weak<Counting>
    do {
      let store = try Counting(initial: 0, reducer: gated(a, b) { order.note($0) })
      let caller = onThread { [store] in store.dispatch(.named("A")) }
      a.awaitEntry()
      store.dispatch(.named("B"))
      store.dispatch(.named("C"))
      a.open()
      b.awaitEntry()
      caller.wait()
      weak = Weak(store)
      worker = Weak(store.worker)
    }
    b.open()
    while weak.object != nil || worker.object != nil { StoreThread.yield() }
    #expect(order.all == ["A", "B", "C"])
  }
}

/// Blocks the reducer in one action until it is opened.
final class Gate: Sendable {
  let name: String
  private let entered = DispatchSemaphore(value: 0)
  private let opened = DispatchSemaphore(value: 0)

  init(_ name: String) { self.name = name }

  func pass() {
    entered.signal()
    opened.wait()
  }
  func awaitEntry() { entered.wait() }
  func open() { opened.signal() }
}

/// A reducer that adds one for each named action, behind the gate of that name.
func gated(_ gates: Gate..., note: @escaping @Sendable (String) -> Void = { _ in }) -> CountReducer {
  gated(gates, note: note)
}

func gated(_ gates: [Gate], note: @escaping @Sendable (String) -> Void) -> CountReducer {
  CountReducer("gated") { action, count in
    guard case .named(let name) = action else {
      if action == .inc { count += 1 }
      return
    }
    note(name)
    gates.first { $0.name == name }?.pass()
    count += 1
  }
}

extension DispatchSemaphore {
  /// Whether it is signalled at all; not to be is a failure, and a minute is more than it ever takes.
  var isSignalledSoon: Bool { wait(timeout: .now() + .seconds(60)) == .success }
}

final class Weak<Object: AnyObject>: @unchecked Sendable {
  // Safe: set once; weak references may be read from any thread.
  weak var object: Object?

  init(_ object: Object?) { self.object = object }
}
