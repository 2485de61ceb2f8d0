import StoreCore
import StoreTesting
import Testing

/// Rows 88, 141 and 142 of StoreCore's `Coverage.md`: what a test store says of actions that units emit.
@Suite struct ReceiveFailureTests {
  private let collected = Collected()
  private func origin(_ cause: Int) -> String {
    "unit load at StoreTestingTests/Desk.swift, caused by #\(cause)"
  }

  @Test func anotherActionThanTheExpectedOneIsProcessedNevertheless() throws {
    let store = try DeskStore(collected)
    store.send(.load) { $0.isLoading = true }
    store.receive(.loaded(4)) { $0.value = 4 }
    #expect(collected.texts() == ["expected to receive loaded(4), got loaded(3)\n  \(origin(1))"])
    #expect(store.state.value == 3)
    store.finish()
    #expect(collected.texts() == [])
  }

  @Test func anotherCaseThanTheExpectedOneAndAPredicateThatDoesNotHold() throws {
    let store = try DeskStore(collected)
    store.send(.load) { $0.isLoading = true }
    #expect(store.receive(\.found) { $0.value = 3 } == nil)
    store.send(.load) { $0.isLoading = true }
    #expect(store.receive(where: { $0 == .tick }) == nil)
    #expect(
      collected.texts() == [
        "expected to receive case found, got loaded(3)\n  \(origin(1))",
        "expected to receive an action that matches, got loaded(3)\n  \(origin(3))",
      ])
    store.send(.load) { $0.isLoading = true }
    #expect(store.receive(where: { $0 == .loaded(3) }, .changing { $0.isLoading = false }) == .loaded(3))
    #expect(collected.texts() == [])
  }

  @Test func nothingToReceive() throws {
    let store = try DeskStore(collected)
    store.receive(.tick)
    #expect(collected.texts() == ["expected to receive tick, but nothing was emitted"])
    store.send(.setTicking(true)) { $0.isTicking = true }
    store.send(.search("x")) { $0.query = "x" }
    store.advance(by: .milliseconds(100))
    store.receive(\.found)
    #expect(
      collected.texts() == [
        """
        expected to receive case found, but nothing was emitted
          still runs: search/query, started by #2, wakes in 0.2 seconds
          still runs: ticker/tick, started by #1, wakes in 0.9 seconds
        """
      ])
    // The clock stops at the deadline that is too late.
    store.receive(\.tick, within: .milliseconds(899))
    #expect(
      collected.texts() == [
        """
        expected to receive case tick, got found([StoreTestingTests.Book(id: 1, title: "x")])
          unit search at StoreTestingTests/Desk.swift, caused by #2
        """
      ])
    store.cancelEffects()
  }

  @Test func aWrongStateAfterWhatWasReceived() throws {
    let store = try DeskStore(collected)
    store.send(.load) { $0.isLoading = true }
    store.receive(.loaded(3)) { $0.value = 3 }
    store.send(.load) { $0.isLoading = true }
    store.receive(.loaded(3))
    #expect(
      collected.texts() == [
        """
        the state after loaded(3) is not as expected
          isLoading: expected true, got false
        """,
        """
        loaded(3) changed the state, which was not declared
          isLoading: expected true, got false
        """,
      ])
  }

  @Test func whatWaitsIsReceivedBeforeTheNextSend() throws {
    let store = try DeskStore(collected)
    store.send(.load) { $0.isLoading = true }
    store.send(.load)
    store.send(.increment) { $0.value = 1 }
    #expect(
      collected.texts() == [
        """
        load is sent while 1 action waits to be received
          loaded(3), \(origin(1))
        """,
        """
        increment is sent while 2 actions wait to be received
          loaded(3), \(origin(1))
          loaded(3), \(origin(2))
        """,
      ])
    store.receive(.loaded(3)) {
      $0.isLoading = false
      $0.value = 3
    }
    store.receive(.loaded(3))
    store.finish()
    #expect(collected.texts() == [])
  }

  @Test func actionsAreReceivedInTheOrderInWhichTheyWereEmittedOnWhateverThread() async throws {
    let output = Lock<ActionHandler<DeskAction>?>(nil)
    let sender = DeskMiddleware("sender") { action, _, _ in
      action == .increment ? IO { handler in output.withLock { $0 = handler } } : .none
    }
    let store = try DeskStore(collected, also: sender)
    store.send(.increment) { $0.value = 1 }
    let handler = try #require(output.withLock { $0 })
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for value in 0..<50 { handler.dispatch(.loaded(value)) }
        }
      }
    }
    #expect(store.waiting.count == 400)
    #expect(store.state.value == 1)
    #expect(store.waiting.allSatisfy { $0.unit == "sender" && $0.dispatched.source.cause == 1 })
    let waiting = store.waiting.map(\.action)
    for action in waiting {
      store.receive(where: { $0 == action }, .changing { if case .loaded(let value) = action { $0.value = value } })
    }
    #expect(collected.texts().allSatisfy { $0.hasSuffix("but nothing changed") })
    #expect(store.waiting.isEmpty)
  }
}
