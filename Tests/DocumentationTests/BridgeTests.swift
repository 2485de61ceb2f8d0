import StoreCore
import Testing

/// The bridges that the articles show do what they say, against stand-ins for the libraries.
@Suite struct BridgeTests {
  private let adding = Reducer<Int, Int>("adding") { $1 += $0 }

  @Test func statesComeAndActionsGoByRx() throws {
    let store = try Store(initial: 1, reducer: adding)
    var seen: [Int] = []
    nonisolated(unsafe) var note: (Int) -> Void = { _ in }
    note = { seen.append($0) }
    let watching = store.connection.observable.subscribe(onNext: { note($0) })
    _ = Observable.of(2, 3).dispatch(to: store.connection)
    watching.dispose()
    store.dispatch(4)
    #expect(seen == [1, 3, 6])
    #expect(store.state == 10)
  }

  @Test func anEffectFollowsAnObservable() async throws {
    let found = Reducer<RequestAction, [Int]>("found") { action, all in
      if case .found(let number) = action { all.append(number) }
    }
    let asking = Middleware<RequestAction, RequestAction, [Int]>.effects("asking") { action, _, _ in
      action == .ask ? requesting { Observable.of(1, 2) } : .none
    }
    let store = try Store(initial: [], reducer: found, middleware: asking)
    store.dispatch(.ask)
    for await numbers in store.states() where numbers == [1, 2] { return }
  }

  @Test func statesComeAndActionsGoByReactiveSwift() throws {
    var store: Store<Int, Int>? = try Store(initial: 1, reducer: adding)
    let connection = try #require(store?.connection)
    var seen: [Int] = []
    nonisolated(unsafe) var note: (Int) -> Void = { _ in }
    note = { seen.append($0) }
    nonisolated(unsafe) var isOver = false
    _ = connection.producer.on(terminated: { isOver = true }).startWithValues { note($0) }
    SignalProducer<Int, Never>([2, 3]).dispatch(to: connection)
    #expect(seen == [1, 3, 6])
    store = nil
    #expect(isOver)
    SignalProducer<Int, Never>([2]).dispatch(to: connection)
  }

  @Test func anEffectStartsAProducer() async throws {
    let producing = Middleware<Int, Int, [Int]>.effects("producing") { number, _, _ in
      number == 0 ? .producer { SignalProducer([1, 2]) } : .none
    }
    let store = try Store(initial: [], reducer: Reducer("noting") { $1.append($0) }, middleware: producing)
    store.dispatch(0)
    for await numbers in store.states() where numbers == [0, 1, 2] { return }
  }
}
