import StoreCore
import TraceSupport
import Testing

/// Rows 3, 21, 87: the seam for other libraries.
@Suite struct StoreConnectionTests {
  /// Lets a test drop a store from within one of its callbacks.
  final class Holder: Sendable {
    private let held: Lock<Counting?>

    init(_ store: Counting) { held = Lock(store) }

    var isEmpty: Bool { held.withLock { $0 == nil } }

    func drop() {
      let last = held.withLock { store in
        defer { store = nil }
        return store
      }
      withExtendedLifetime(last) {}
    }

    func dispatch(_ action: Act) { held.withLock { $0 }?.dispatch(action) }
    var connection: StoreConnection<Act, Int>? { held.withLock { $0?.connection } }
  }

  @Test func aSubscriberGetsTheStateAndThenEachChange() throws {
    let store = try Counting(initial: 0, reducer: count)
    let connection = store.connection
    let got = Notes<Int>()
    let subscription = connection.subscribe({ got.note($0) }, { got.note(-1) })
    let source = ActionSource(file: "f", function: "g", line: 2, kind: .remote)
    let sources = Notes<ActionSource>()
    store.setRecorder { sources.note($0.context.source) }
    #expect(connection.dispatch(DispatchedAction(.inc, source: source))?.number == 1)
    _ = connection.dispatch(DispatchedAction(.noop, source: source))
    _ = connection.dispatch(DispatchedAction(.inc, source: source))
    subscription.cancel()
    subscription.cancel()
    _ = connection.dispatch(DispatchedAction(.inc, source: source))
    #expect(got.all == [0, 1, 2])
    #expect(sources.all == Array(repeating: source, count: 4))
  }

  @Test func theStoreGoesThoughItIsSubscribedAndTheSubscriberIsToldOnce() throws {
    var store: Counting? = try Counting(initial: 0, reducer: count)
    weak let gone = store
    let connection = try #require(store?.connection)
    let projected = try #require(store?.projection(state: { $0 * 2 }).connection)
    let got = Notes<String>()
    let whole = connection.subscribe({ got.note("\($0)") }, { got.note("end") })
    let part = projected.subscribe({ got.note("p\($0)") }, { got.note("p end") })
    let cancelled = connection.subscribe({ _ in }, { got.note("never") })
    cancelled.cancel()
    var dropped: StoreCore.Subscription? = connection.subscribe({ _ in }, { got.note("never") })
    withExtendedLifetime(dropped) {}
    dropped = nil
    store?.dispatch(.inc)
    #expect(connection.isOpen() && projected.isOpen())
    store = nil
    #expect(gone == nil)
    #expect(!connection.isOpen() && !projected.isOpen())
    #expect(got.all.filter { !$0.hasSuffix("end") } == ["0", "p0", "1", "p2"])
    #expect(Set(got.all.suffix(2)) == ["end", "p end"])
    #expect(got.all.count == 6)
    #expect(connection.dispatch(DispatchedAction(.inc, source: .here())) == nil)
    let late = connection.subscribe({ _ in got.note("never") }, { got.note("late") })
    withExtendedLifetime((whole, part, late)) {}
    #expect(got.all.count == 7 && got.all.last == "late")
  }

  @Test func aSubscriberMayDispatchCancelAndDropTheStoreWhileItIsTold() throws {
    let holder = Holder(try Counting(initial: 0, reducer: count))
    let got = Notes<String>()
    let connection = try #require(holder.connection)
    let first = connection.subscribe(
      { state in
        got.note("a\(state)")
        if state < 3 { _ = connection.dispatch(DispatchedAction(.inc, source: .here())) }
        if state == 3 { holder.drop() }
        got.note("a\(state).")
      }, { got.note("a end") })
    // Three states were seen in the order of the queue, none nested in another; the store went in the third.
    withExtendedLifetime(first) {}
    #expect(got.all == ["a0", "a0.", "a1", "a1.", "a2", "a2.", "a3", "a3.", "a end"])
    #expect(holder.isEmpty)
  }

  @Test func aSubscriberThatCancelsItselfAtOnceIsNotToldAgain() throws {
    let store = try Counting(initial: 0, reducer: count)
    let (got, kept) = (Notes<Int>(), Kept())
    kept.keep(
      store.connection.subscribe(
        {
          got.note($0)
          if $0 == 1 { kept.cancel(0) }
        }, { got.note(-1) }))
    for _ in 0..<3 { store.dispatch(.inc) }
    #expect(got.all == [0, 1])
  }

  @Test func aConnectionOfAViewMapsBothWays() throws {
    let store = try Counting(initial: 1, reducer: count)
    let trace = TraceLines("X")
    trace.listen(to: store)
    let view = store.projection(named: "v", action: { (n: Int) in n > 0 ? Act.set(n) : nil }, state: { $0 / 10 })
    let (compared, every) = (Notes<Int>(), Notes<Int>())
    let one = view.connection.subscribe({ compared.note($0) }, {})
    let other = view.connection(isDifferent: nil).subscribe({ every.note($0) }, {})
    #expect(view.connection.dispatch(DispatchedAction(-4, source: .here())) == nil)
    for number in [5, 12, 15] { _ = view.connection.dispatch(DispatchedAction(number, source: .here())) }
    withExtendedLifetime((one, other)) {}
    #expect(compared.all == [0, 1])
    #expect(every.all == [0, 0, 1, 1])
    #expect(trace.lines == ["X -4 projection v"])
  }

  @Test func manySubscribersComeAndGoWhileThreadsDispatch() async throws {
    let store = try Counting(initial: 0, reducer: count)
    let connection = store.connection
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask { for _ in 0..<300 { store.dispatch(.inc) } }
      }
      group.addTask {
        for _ in 0..<100 {
          let got = Notes<Int>()
          let subscription = connection.subscribe({ got.note($0) }, { got.note(-1) })
          _ = connection.dispatch(DispatchedAction(.noop, source: .here()))
          subscription.cancel()
          let states = got.all
          #expect(states.first != nil)
          #expect(zip(states, states.dropFirst()).allSatisfy { $1 == $0 + 1 }, "no state is left out or told twice")
        }
      }
    }
    store.awaitQueue()
    #expect(store.state == 600)
  }
}
