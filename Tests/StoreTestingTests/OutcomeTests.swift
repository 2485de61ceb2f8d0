import StoreCore
import StoreTesting
import Testing

/// What a test store says of actions that fail, are dropped or are stopped (R5, R7, R30).
@Suite struct OutcomeTests {
  private let collected = Collected()

  @Test func aReducerThatFailsThoughItShouldNot() throws {
    let store = try DeskStore(collected)
    store.send(.spend(2))
    store.send(.spend(2)) { $0.value = -2 }
    #expect(
      collected.texts() == ["spend(2) failed: Overdrawn(by: 2)", "spend(2) failed: Overdrawn(by: 2)"])
    #expect(store.state == Desk())
  }

  @Test func aReducerThatFailsOtherwiseOrNotAtAll() throws {
    struct Other: Error {}
    let store = try DeskStore(collected)
    store.send(.spend(2), .throwing(Overdrawn(by: 1)))
    store.send(.spend(2), .throwing(Other.self))
    store.send(.increment, .throwing(Overdrawn(by: 1)))
    store.send(.increment, .throwing(Overdrawn.self))
    #expect(
      collected.texts() == [
        "expected spend(2) to fail with Overdrawn(by: 1), got Overdrawn(by: 2)",
        "expected spend(2) to fail with an error of type Other, got Overdrawn(by: 2)",
        "expected increment to fail with Overdrawn(by: 1), but it was committed",
        "expected increment to fail with an error of type Overdrawn, but it was committed",
      ])
  }

  @Test func aFailureOfWhatWasReceived() throws {
    let spender = DeskMiddleware("spender") { action, _, _ in
      action == .increment ? IO { $0.dispatch(.spend(5)) } : .none
    }
    let store = try DeskStore(collected, also: spender)
    store.send(.increment) { $0.value = 1 }
    store.receive(.spend(5), .throwing(Overdrawn(by: 4)))
    store.send(.increment) { $0.value = 2 }
    store.receive(.spend(5))
    store.finish()
    #expect(collected.texts() == ["spend(5) failed: Overdrawn(by: 3)"])
  }

  private static let dropping = Interceptor<DeskAction, Desk>("guard") { action, _, attachment, next in
    switch action {
    case .increment: return
    case .tick: next(.load)
    case .load where attachment.state().isLoading: attachment.output.dispatch(.loaded(9))
    default: next(action)
    }
  }

  @Test func anInterceptorThatDropsAnAction() throws {
    let store = try DeskStore(collected, interceptors: [OutcomeTests.dropping])
    store.send(.increment, .dropped(by: "guard"))
    #expect(collected.texts() == [])
    store.send(.increment)
    store.send(.increment) { $0.value = 1 }
    store.send(.increment, .dropped(by: "door"))
    store.send(.increment, .throwing(Overdrawn.self))
    store.send(.setTicking(false), .dropped(by: "guard"))
    #expect(
      collected.texts() == [
        "increment was dropped by interceptor 'guard'",
        "increment was dropped by interceptor 'guard'",
        "expected increment to be dropped by 'door', but 'guard' dropped it",
        "increment was dropped by interceptor 'guard'",
        "expected setTicking(false) to be dropped by 'guard', but it was committed",
      ])
  }

  @Test func anInterceptorThatPassesOnAnotherActionAndOneThatDispatches() throws {
    let store = try DeskStore(collected, interceptors: [OutcomeTests.dropping])
    store.send(.tick) { $0.isLoading = true }
    #expect(store.waiting.map(\.unit) == ["load"])
    store.send(.load, .dropped(by: "guard"))
    #expect(store.waiting.map(\.unit) == ["load", "guard"])
    #expect(store.waiting.map(\.dispatched.source.cause) == [1, 2])
    #expect(collected.texts().count == 1)
    store.receive(.loaded(3)) {
      $0.isLoading = false
      $0.value = 3
    }
    store.receive(.loaded(9)) { $0.value = 9 }
    store.finish()
    #expect(collected.texts() == [])
  }

  @Test func anInterceptorThatDispatchesTooEarlyIsRefusedAsInAnyStore() {
    let early = Interceptor<DeskAction, Desk>("early") { output, _ in
      output.dispatch(.load)
      return { next in next }
    }
    #expect(throws: StoreError.dispatchWhileBuilding(interceptor: "early")) {
      try DeskStore(collected, interceptors: [early])
    }
    #expect(throws: StoreError.duplicateUnit(name: "load")) {
      try DeskStore(collected, also: DeskMiddleware("load") { _, _, _ in .none })
    }
  }

  @Test func anActionThatTheStoreStops() throws {
    let twice = Interceptor<DeskAction, Desk>("twice") { action, _, _, next in
      next(action)
      next(action)
    }
    let store = try DeskStore(collected, interceptors: [twice])
    store.send(.increment) { $0.value = 1 }
    #expect(
      collected.texts() == [
        "increment was stopped: interceptor 'twice' calls next out of turn; call it once, before its function returns"
      ])
  }

  @Test func anErrorThatReachesNobody() throws {
    let store = try DeskStore(collected)
    let watch = store.store.watch { [weak inner = store.store] notification in
      if notification.new.value == 1 { inner?.dispatch(.spend(5)) }
    }
    let line = #line + 1
    store.send(.increment) { $0.value = 1 }
    withExtendedLifetime(watch) {}
    let failures = collected.take()
    #expect(failures.map(\.text) == ["an error that reached no dispatch: Overdrawn(by: 4)"])
    #expect(failures.map(\.location.line) == [line])
  }

  @Test func aStepWithinAStep() throws {
    let store = try DeskStore(collected)
    // A watcher of a test runs on its thread.
    nonisolated(unsafe) let inner = store
    let watch = store.store.watch { notification in
      if notification.new.value == 1, !notification.new.isLoading { inner.send(.load) }
    }
    store.send(.increment) { $0.value = 1 }
    withExtendedLifetime(watch) {}
    #expect(
      collected.texts().filter { $0.hasPrefix("load") } == [
        "load was only enqueued: a step was taken while the store is busy"
      ])
  }
}
