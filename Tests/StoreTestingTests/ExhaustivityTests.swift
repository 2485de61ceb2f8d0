import StoreCore
import StoreTesting
import Testing

/// Row 144 of StoreCore's `Coverage.md`: tests that declare only what they care for.
@Suite struct ExhaustivityTests {
  private let collected = Collected()

  /// Steps that leave out nearly everything.
  private func run(_ store: DeskStore) {
    store.send(.setTicking(true))
    store.send(.load)
    store.send(.increment) { $0.value = 4 }
    store.advance(by: .seconds(1))
    store.send(.load) { $0.isLoading = true }
    store.receive(.loaded(3)) { $0.value = 3 }
    store.send(.search("x"))
    store.send(.load)
    store.finish()
  }

  @Test func whatIsLeftOutIsNoFailure() throws {
    let store = try DeskStore(collected, exhaustivity: .off)
    run(store)
    #expect(collected.texts() == [])
  }

  @Test func whatIsLeftOutIsReportedOnDemand() throws {
    let store = try DeskStore(collected, exhaustivity: .off(showSkipped: true))
    run(store)
    let loaded = "unit load at StoreTestingTests/Desk.swift, caused by"
    #expect(
      collected.texts() == [
        """
        note: skipped: setTicking(true) changed the state, which was not declared
          isTicking: expected false, got true
        """,
        """
        note: skipped: load changed the state, which was not declared
          isLoading: expected false, got true
        """,
        """
        note: skipped: loaded(3), \(loaded) #2
          value: expected 0, got 3
          isLoading: expected true, got false
        """,
        """
        note: skipped: tick, unit ticker at StoreTestingTests/Desk.swift, caused by #1
          value: expected 4, got 5
        """,
        """
        note: skipped: what loaded(3) changed besides
          isLoading: expected true, got false
        """,
        """
        note: skipped: search("x") changed the state, which was not declared
          query: expected "", got "x"
        """,
        """
        note: skipped: load changed the state, which was not declared
          isLoading: expected false, got true
        """,
        """
        note: skipped: 1 action was emitted and not received
          loaded(3), \(loaded) #9
        """,
        """
        note: skipped: 1 effect is still running
          search/query, started by #8, wakes in 0.3 seconds
        """,
        """
        note: skipped: 1 long-lived effect is still open
          ticker/tick, started by #1, wakes in 1.0 seconds
        """,
      ])
  }

  @Test func whatIsDeclaredIsCheckedNevertheless() throws {
    let store = try DeskStore(collected, exhaustivity: .off(showSkipped: true))
    store.send(.increment) { $0.value = 7 }
    store.send(.spend(9), .throwing(Overdrawn(by: 9)))
    store.receive(.tick)
    store.send(.load)
    store.receive(.loaded(4))
    #expect(
      collected.texts() == [
        """
        the state after increment is not as expected
          value: expected 7, got 1
        """,
        "expected spend(9) to fail with Overdrawn(by: 9), got Overdrawn(by: 8)",
        "expected to receive tick, but nothing was emitted",
        """
        note: skipped: load changed the state, which was not declared
          isLoading: expected false, got true
        """,
        """
        note: skipped: loaded(3), unit load at StoreTestingTests/Desk.swift, caused by #3
          value: expected 1, got 3
          isLoading: expected true, got false
        """,
        "expected to receive loaded(4), but nothing was emitted",
      ])
  }

  @Test func aDeclarationThatHoldsAlreadyIsNoFailure() throws {
    let store = try DeskStore(collected, exhaustivity: .off(showSkipped: true))
    store.send(.setTicking(false)) { $0.isTicking = false }
    #expect(collected.texts() == [])
  }

  @Test func exhaustivityMayChangeFromStepToStep() throws {
    let store = try DeskStore(collected)
    store.exhaustivity = .off
    store.send(.load)
    store.skipReceivedActions()
    store.exhaustivity = .on
    store.send(.increment)
    store.finish()
    #expect(
      collected.texts() == [
        """
        increment changed the state, which was not declared
          value: expected 3, got 4
        """
      ])
  }

  @Test func actionsThatCauseEachOtherForEverAreNotSkippedForEver() throws {
    let echo = DeskMiddleware("echo") { action, _, _ in action == .increment ? IO { $0.dispatch(.increment) } : .none }
    let store = try DeskStore(collected, also: echo, exhaustivity: .off)
    store.send(.increment)
    store.send(.load)
    #expect(
      collected.texts() == ["more than 1000 actions were skipped in one step, each emitted by another"])
    #expect(store.state.value == 1001)
  }
}
