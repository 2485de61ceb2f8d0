import StoreCore
import Testing

private struct Pair: Equatable, Sendable {
  var number = 0
  var steps = 0
}

/// States as sequences of whatever shows them.
@Suite struct HandleStreamTests {
  private func pairs(_ emission: EmissionPolicy<Pair> = .whenDifferent) throws -> Store<Int, Pair> {
    try Store(
      initial: Pair(),
      reducer: Reducer("adding") { number, pair in
        pair.number += number
        pair.steps += number == 100 ? 0 : 1
      }, emission: emission)
  }

  @Test func aStoreAViewAndAPartAreSequences() async throws {
    let store = try pairs()
    let view = store.projection(state: \.number)
    var all = store.states(buffering: .unbounded).makeAsyncIterator()
    var viewed = view.states(buffering: .unbounded).makeAsyncIterator()
    var numbers = store.states(of: \.number, buffering: .unbounded).makeAsyncIterator()
    store.dispatch(2)
    store.dispatch(0)
    store.dispatch(3)
    for expected in [Pair(), Pair(number: 2, steps: 1), Pair(number: 2, steps: 2), Pair(number: 5, steps: 3)] {
      #expect(await all.next() == expected)
    }
    for expected in [0, 2, 5] {
      #expect(await viewed.next() == expected)
      #expect(await numbers.next() == expected)
    }
  }

  @Test func anyHandleGivesThem() async throws {
    func sum(_ handle: some StoreHandle<Int, Int>) async -> Int {
      var states = handle.states().makeAsyncIterator()
      return await states.next() ?? -1
    }
    let store = try pairs()
    store.dispatch(4)
    #expect(await sum(store.projection(state: \.number)) == 4)
  }

  @Test func statesComeWithTheActionsThatLedToThem() async throws {
    let store = try pairs()
    var states = store.statesWithActions().makeAsyncIterator()
    store.dispatch(1)
    store.dispatch(2)
    let first = await states.next()
    #expect(first?.state == Pair() && first?.action == nil)
    let second = await states.next()
    #expect(second?.state.number == 1 && second?.action == 1)
    let third = await states.next()
    #expect(third?.state.number == 3 && third?.action == 2)
  }

  @Test func theyEndWithTheStore() async throws {
    var store: Store<Int, Pair>? = try pairs()
    let (states, committed) = try (#require(store?.states()), #require(store?.statesWithActions()))
    store = nil
    for await _ in states { Issue.record("the store is gone") }
    for await _ in committed { Issue.record("the store is gone") }
  }
}
