import Observation
import StoreCore
import Synchronization
import Testing

private struct Counter: Equatable, Sendable {
  var count = 0
  var name = "a"
}

private enum CounterAction: Equatable, Sendable { case add(Int), rename(String) }

/// Stores as the main actor sees them.
@MainActor
@Suite struct ObservingTests {
  private let store: Store<CounterAction, Counter>

  init() throws {
    store = try Store(
      initial: Counter(),
      reducer: Reducer("counter") { action, counter in
        switch action {
        case .add(let number): counter.count += number
        case .rename(let name): counter.name = name
        }
      })
  }

  /// Lets the main actor do what it was asked to, until something holds.
  private func turn(until isDone: () -> Bool) async throws {
    for _ in 0..<10_000 where !isDone() { try await Task.sleep(for: .milliseconds(1)) }
    #expect(isDone())
  }

  @Test func aWatcherIsToldAtOnceAndThenOfTheNewest() async throws {
    var told: [Int] = []
    let watching = store.watchOnMain("count", \.count) { told.append($0) }
    #expect(told == [0])
    for _ in 0..<3 { store.dispatch(.add(1)) }
    store.dispatch(.rename("b"))
    #expect(told == [0], "the main actor is busy here")
    try await turn { told.count > 1 }
    #expect(told == [0, 3])
    await Task.detached { [store] in _ = store.dispatch(.add(4)) }.value
    try await turn { told.count > 2 }
    #expect(told == [0, 3, 7])
    watching.cancel()
    store.dispatch(.add(1))
    try await Task.sleep(for: .milliseconds(5))
    #expect(told == [0, 3, 7])
  }

  @Test func aWatcherThatIsCancelledIsNotToldOfWhatWaits() async throws {
    var told: [Int] = []
    let watching = store.watchOnMain("count", \.count) { told.append($0) }
    store.dispatch(.add(1))
    watching.cancel()
    try await Task.sleep(for: .milliseconds(5))
    #expect(told == [0])
  }

  @Test func whatItDispatchesIsShownAtOnce() throws {
    let counter = store.observable()
    #expect(counter.count == 0)
    counter.dispatch(.add(2))
    #expect(counter.state == Counter(count: 2))
    #expect(counter.count == 2)
  }

  @Test func observersAreToldOfEachChangeThatTheyRead() async throws {
    let counter = store.observable()
    let changes = Atomic(0)
    func observe() {
      withObservationTracking {
        _ = counter.name
      } onChange: {
        changes.add(1, ordering: .relaxed)
      }
    }
    observe()
    counter.dispatch(.rename("b"))
    #expect(changes.load(ordering: .relaxed) == 1)
    observe()
    counter.dispatch(.rename("b"))
    #expect(changes.load(ordering: .relaxed) == 1, "the state is the same")
    await Task.detached { [store] in _ = store.dispatch(.rename("c")) }.value
    try await turn { changes.load(ordering: .relaxed) == 2 }
    #expect(counter.name == "c")
  }

  @Test func aViewIsObservedByWhatItShows() throws {
    let view = store.projection(action: { .add($0) }, state: \.count).observable()
    let changes = Atomic(0)
    withObservationTracking {
      _ = view.state
    } onChange: {
      changes.add(1, ordering: .relaxed)
    }
    store.dispatch(.rename("b"))
    view.dispatch(0)
    #expect(changes.load(ordering: .relaxed) == 0)
    view.dispatch(5)
    #expect(changes.load(ordering: .relaxed) == 1)
    #expect(view.state == 5)
  }

  @Test func anActionThatTheViewsMapDropsChangesNothing() throws {
    let view = store.projection(action: { $0 > 0 ? .add($0) : nil }, state: \.count).observable()
    #expect(view.dispatch(-1) == nil)
    #expect(view.dispatch(1)?.outcome.isDone == true)
  }

  @Test func whatAnObserverDispatchesIsShownInTheEnd() throws {
    let counter = store.observable()
    withObservationTracking {
      _ = counter.count
    } onChange: {
      MainActor.assumeIsolated { _ = counter.dispatch(.add(10)) }
    }
    counter.dispatch(.add(1))
    #expect(store.state.count == 11)
    #expect(counter.state == store.state)
  }

  @Test func itGoesWhenNobodyHoldsIt() throws {
    var counter: ObservableProjection<CounterAction, Counter>? = store.observable()
    weak let gone = counter
    counter?.dispatch(.add(1))
    counter = nil
    #expect(gone == nil)
    store.dispatch(.add(1))
  }
}

extension DispatchResult.Outcome {
  fileprivate var isDone: Bool { if case .done = self { true } else { false } }
}
