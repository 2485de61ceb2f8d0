import StoreCore
import StoreTesting
import Testing

/// Rows 88 and 144 of StoreCore's `Coverage.md`: what must not be left at the end of a test.
@Suite struct FinishTests {
  private let collected = Collected()

  private let everythingLeft = [
    """
    1 action was emitted and not received
      loaded(3), unit load at StoreTestingTests/Desk.swift, caused by #3
    """,
    """
    1 effect is still running
      search/query, started by #2, wakes in 0.3 seconds
    """,
    """
    1 long-lived effect is still open
      ticker/tick, started by #1, wakes in 1.0 seconds
    """,
  ]

  private func leave(_ store: DeskStore) {
    store.send(.setTicking(true)) { $0.isTicking = true }
    store.send(.search("x")) { $0.query = "x" }
    store.send(.load) { $0.isLoading = true }
  }

  @Test func whatIsLeftAtTheEnd() throws {
    let store = try DeskStore(collected)
    leave(store)
    let line = #line + 1
    store.finish()
    let failures = collected.take()
    #expect(failures.map(collected.text) == everythingLeft)
    #expect(failures.map(\.location.line) == [line, line, line])
  }

  @Test func aTestStoreThatIsNotFinishedFinishesItself() throws {
    var store: DeskStore? = try DeskStore(collected)
    store.map(leave)
    let line = #line + 1
    store?.perform {}
    #expect(collected.texts() == [])
    store = nil
    let failures = collected.take()
    #expect(failures.map(collected.text) == everythingLeft)
    #expect(failures.map(\.location.line) == [line, line, line])
  }

  @Test func aTestStoreThatWasFinishedSaysNothingMore() throws {
    var store: DeskStore? = try DeskStore(collected)
    store.map(leave)
    store?.finish()
    _ = collected.take()
    store = nil
    #expect(collected.texts() == [])
  }

  @Test func stepsAfterTheEndCountAgain() throws {
    var store: DeskStore? = try DeskStore(collected)
    store?.finish()
    store?.send(.load) { $0.isLoading = true }
    store = nil
    #expect(collected.texts().count == 1)
  }

  @Test func aScopeFinishesAtItsEnd() async throws {
    let line = #line + 1
    try withTestStore(DeskStore(collected)) { leave($0) }
    try await withTestStore(DeskStore(collected)) { store in
      await Task.yield()
      leave(store)
    }
    let failures = collected.take()
    #expect(failures.map(collected.text) == everythingLeft + everythingLeft)
    #expect(failures.map { $0.location.line - line } == [0, 0, 0, 1, 1, 1])
  }

  @Test func aScopeThatIsLeftByAnErrorSaysNothingOfTheRest() async throws {
    let store = try DeskStore(collected)
    #expect(throws: Overdrawn(by: 1)) {
      try withTestStore(store) { store in
        leave(store)
        throw Overdrawn(by: 1)
      }
    }
    await #expect(throws: Overdrawn(by: 1)) {
      try await withTestStore(DeskStore(collected)) { store in
        await Task.yield()
        leave(store)
        throw Overdrawn(by: 1)
      }
    }
    #expect(collected.texts() == [])
  }

  @Test func effectsThatAreNotMeantToEndAreCancelled() throws {
    let store = try DeskStore(collected)
    leave(store)
    store.skipReceivedActions()
    store.cancelEffects(unit: "search", token: "query")
    #expect(store.store.effects.map(\.name) == ["ticker/tick"])
    store.cancelEffects()
    store.finish()
    #expect(collected.texts() == [])
    #expect(store.state.value == 3)
    store.cancelEffects()
    store.skipReceivedActions()
    #expect(collected.texts() == ["no effect runs that could be cancelled", "no action waits to be received"])
  }

  @Test func severalOfEach() throws {
    let store = try DeskStore(
      collected,
      also: DeskMiddleware.effects("many") { action, _, _ in
        guard action == .increment else { return .none }
        return .compose(
          .sequence(.tick, .tick), .fireAndForget { _ in }.after(.seconds(1)).token(1),
          .open(Supervised("a") { context in try? await context.sleep(for: .seconds(5)) }),
          .fireAndForget { _ in }.after(.seconds(2)))
      })
    store.send(.setTicking(true)) { $0.isTicking = true }
    store.send(.increment) { $0.value = 1 }
    store.finish()
    let texts = collected.texts()
    #expect(texts.count == 3)
    #expect(texts[0].hasPrefix("2 actions were emitted and not received\n  tick, unit many at "))
    #expect(
      texts.dropFirst() == [
        """
        2 effects are still running
          many/1, started by #2, wakes in 1.0 seconds
          many/-, started by #2, wakes in 2.0 seconds
        """,
        """
        2 long-lived effects are still open
          ticker/tick, started by #1, wakes in 1.0 seconds
          many/a, started by #2, wakes in 5.0 seconds
        """,
      ])
  }

  @Test func anEffectThatTheFirstStateCallsFor() throws {
    let store = try DeskStore(collected, initial: Desk(isTicking: true))
    store.receive(.tick, within: .seconds(1)) { $0.value = 1 }
    store.finish()
    #expect(
      collected.texts() == [
        """
        1 long-lived effect is still open
          ticker/tick, wakes in 1.0 seconds
        """
      ])
  }
}
