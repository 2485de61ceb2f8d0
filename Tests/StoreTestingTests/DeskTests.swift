import StoreCore
import StoreTesting
import Testing

/// Tests of a small application as its author would write them: whatever is wrong is an issue of the test itself.
@Suite struct DeskTests {
  private func makeStore(_ library: Library = Library()) throws -> DeskStore {
    try TestStore(initial: Desk(), reducer: Desk.reducer, middleware: Desk.middleware(library))
  }

  @Test func loadingShowsThatItLoadsAndThenWhatCame() throws {
    let store = try makeStore(Library(value: { 42 }))
    store.send(.increment) { $0.value = 1 }
    store.send(.load) { $0.isLoading = true }
    store.receive(.loaded(42)) {
      $0.isLoading = false
      $0.value = 42
    }
    store.finish()
  }

  @Test func anAnswerThatComesLaterIsGivenByTheTest() throws {
    let answer = Lock<CheckedContinuation<Int, Never>?>(nil)
    let store = try makeStore(
      Library(value: { await withCheckedContinuation { continuation in answer.withLock { $0 = continuation } } }))
    store.send(.load) { $0.isLoading = true }
    #expect(store.waiting.isEmpty)
    store.perform { answer.withLock { $0 }?.resume(returning: 7) }
    let value = store.receive(\.loaded) {
      $0.isLoading = false
      $0.value = 7
    }
    #expect(value == 7)
    store.finish()
  }

  @Test func onlyTheLastOfSeveralQueriesIsSearched() throws {
    let searched = Lock<[String]>([])
    let store = try makeStore(
      Library(search: { query in
        searched.withLock { $0.append(query) }
        return [Book(id: 1, title: query)]
      }))
    store.send(.search("du")) { $0.query = "du" }
    store.advance(by: .milliseconds(299))
    store.send(.search("dune")) { $0.query = "dune" }
    store.advance(by: .milliseconds(299))
    #expect(store.waiting.isEmpty)
    store.advance(by: .milliseconds(1))
    store.receive(.found([Book(id: 1, title: "dune")])) { $0.found = [Book(id: 1, title: "dune")] }
    #expect(searched.withLock { $0 } == ["dune"])
    store.finish()
  }

  @Test func theClockMayBeMovedUntilTheResultIsThere() throws {
    let store = try makeStore()
    store.send(.search("dune")) { $0.query = "dune" }
    store.receive(\.found, within: .seconds(1)) { $0.found = [Book(id: 1, title: "dune")] }
    store.finish()
  }

  @Test func theTimerTicksWhileTheStateSaysSo() throws {
    try withTestStore(makeStore()) { store in
      store.send(.setTicking(true)) { $0.isTicking = true }
      store.advance(by: .seconds(2))
      store.receive(.tick) { $0.value = 1 }
      store.receive(.tick) { $0.value = 2 }
      store.send(.setTicking(false)) { $0.isTicking = false }
      store.advance(by: .seconds(10))
    }
  }

  @Test func spendingMoreThanThereIsFails() throws {
    let store = try makeStore()
    store.send(.increment) { $0.value = 1 }
    store.send(.spend(3), .throwing(Overdrawn(by: 2)))
    store.send(.spend(3), .throwing(Overdrawn.self))
    store.send(.spend(1)) { $0.value = 0 }
    store.finish()
  }

  @Test func aTestThatCaresForTheResultOnly() throws {
    let store = try makeStore()
    store.exhaustivity = .off
    store.send(.setTicking(true))
    store.send(.load)
    store.advance(by: .seconds(3))
    store.send(.search("dune"))
    store.receive(\.found, within: .seconds(1)) { $0.found = [Book(id: 1, title: "dune")] }
    #expect(store.state.value == 6)
    store.finish()
  }

  @Test @MainActor func aTestOnTheMainActorWithABodyThatWaits() async throws {
    try await withTestStore(makeStore()) { store in
      await Task.yield()
      store.send(.increment) { $0.value = 1 }
    }
  }
}
