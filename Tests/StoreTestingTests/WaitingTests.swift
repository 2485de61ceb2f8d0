import StoreCore
import StoreSchema
import StoreTesting
import Testing

@Schema
private enum PartAction: Equatable, Sendable { case desk(DeskAction), rest }

/// Steps that wait for effects which leave the store's thread.
@Suite struct WaitingTests {
  private let collected = Collected()
  /// Answers from another thread, after a moment.
  private let slow = Library(value: {
    try? await Task.sleep(for: .milliseconds(20))
    return 7
  })

  @Test func anActionFromAnotherThreadIsReceived() async throws {
    let store = try DeskStore(collected, library: slow)
    store.send(.load) { $0.isLoading = true }
    await store.receive(.loaded(7), timeout: .seconds(10)) {
      $0.isLoading = false
      $0.value = 7
    }
    await store.finish(timeout: .seconds(10))
    #expect(collected.texts() == [])
  }

  @Test func itIsReceivedByItsCaseOrByAPredicate() async throws {
    let store = try DeskStore(collected, library: slow)
    store.send(.load) { $0.isLoading = true }
    let value = await store.receive(\.loaded, timeout: .seconds(10)) {
      $0.isLoading = false
      $0.value = 7
    }
    #expect(value == 7)
    store.send(.load) { $0.isLoading = true }
    let action = await store.receive(where: { $0.isLoaded }, .changing { $0.isLoading = false }, timeout: .seconds(10))
    #expect(action == .loaded(7))
    await store.finish(timeout: .seconds(10))
    #expect(collected.texts() == [])
  }

  @Test func whatDoesNotComeIsAFailureAfterTheTimeOut() async throws {
    let store = try DeskStore(collected)
    await store.receive(.tick, timeout: .milliseconds(5))
    #expect(collected.texts() == ["expected to receive tick, but nothing was emitted"])
    await store.finish(timeout: .zero)
  }

  @Test func whereTheTestIsNotExhaustiveItWaitsForTheOneThatMatches() async throws {
    let store = try DeskStore(collected, library: slow, exhaustivity: .off(showSkipped: false))
    store.send(.search("d"))
    store.send(.load)
    await store.receive(.loaded(7), timeout: .seconds(10)) { $0.value = 7 }
    store.cancelEffects()
    #expect(collected.texts() == [])
  }

  @Test func aCaseWithinACaseIsReceived() throws {
    let store = try TestStore(
      initial: 0,
      reducer: Reducer<PartAction, Int>("spending") { action, sum in sum -= action[case: \.desk.spend] ?? 0 },
      middleware: Middleware("spending") { action, _, _ in
        action == .rest ? IO { $0.dispatch(.desk(.spend(3))) } : .none
      }, report: collected.note)
    store.send(.rest)
    #expect(store.receive(\.desk.spend) { $0 = -3 } == 3)
    store.send(.rest)
    store.receive(\.desk.load, .changing { $0 = -6 })
    store.finish()
    #expect(
      collected.texts().map { $0.split(separator: "\n")[0] } == [
        "expected to receive case desk.load, got desk(StoreTestingTests.DeskAction.spend(3))"
      ])
  }
}
