import StoreCore
import StoreTesting
import StoreUnits
import Testing

/// Test stores with ready-made units (R21, R22).
@Suite struct UnitsTests {
  private let collected = Collected()

  @Test func aLoggerLogsWhatIsReceivedWithItsOwnBeforeAndAfter() throws {
    let logged = Lock<[String]>([])
    let logger = Middleware<DeskAction, Never, Desk>.logger { entry in
      logged.withLock { $0.append("\(entry.context.number) \(entry.action) \(entry.changes.map { "\($0.path)" })") }
    }
    let store = try DeskStore(collected, also: logger.lift(input: { $0 }, to: DeskAction.self, state: { $0 }))
    store.send(.load) { $0.isLoading = true }
    #expect(logged.withLock { $0 } == ["1 load [\"isLoading\"]"])
    store.receive(.loaded(3)) {
      $0.isLoading = false
      $0.value = 3
    }
    #expect(logged.withLock { $0.last } == "2 loaded(3) [\"value\", \"isLoading\"]")
    store.finish()
    #expect(collected.texts() == [])
  }

  @Test func aGateDropsOutputWhenItIsEmittedNotWhenItIsReceived() throws {
    let gate = Gate()
    let output = Lock<ActionHandler<DeskAction>?>(nil)
    let sender = DeskMiddleware("sender") { action, _, _ in
      action == .increment ? IO { handler in output.withLock { $0 = handler } } : .none
    }
    let gated = sender.gated(
      by: gate, control: { if case .setTicking(let isOn) = $0 { isOn } else { nil } }, on: true, off: false)
    let store = try DeskStore(collected, also: gated)
    let send: (DeskAction) -> Void = { action in output.withLock { $0 }?.dispatch(action) }
    store.send(.increment) { $0.value = 1 }
    store.perform { send(.loaded(1)) }
    store.send(.setTicking(false), .unchanged)
    store.perform { send(.loaded(2)) }
    #expect(collected.texts().map { $0.hasPrefix("setTicking(false) is sent while 1 action waits") } == [true])
    #expect(gate.dropped == 1)
    store.receive(.loaded(1))
    store.finish()
    #expect(collected.texts() == [])
  }

  private enum Walk: Sendable, CustomStringConvertible {
    case step(Int)
    case thunk(Thunk<Walk, Int>)

    var thunk: Thunk<Walk, Int>? { if case .thunk(let thunk) = self { thunk } else { nil } }

    var description: String {
      switch self {
      case .step(let length): "step(\(length))"
      case .thunk(let thunk): "\(thunk)"
      }
    }
  }

  @Test func aThunkThatWaitsForItsActionWaitsUntilItIsReceived() throws {
    let seen = Lock<[Int]>([])
    let walk = Thunk<Walk, Int>("walk") { context in
      context.dispatch(.step(1))
      await context.dispatchAndWait(.step(2))
      seen.withLock { $0.append(context.state()) }
      try? await context.sleep(for: .seconds(1))
      await context.dispatchAndWait(.step(context.state()))
      seen.withLock { $0.append(context.state()) }
    }
    var store: TestStore<Walk, Int>? = try TestStore(
      initial: 0,
      reducer: Reducer("walk") { action, place in if case .step(let length) = action { place += length } },
      interceptors: [.thunks { $0.thunk }], report: collected.note)
    let isStep: (Int) -> (Walk) -> Bool = { length in
      { if case .step(length) = $0 { true } else { false } }
    }
    store?.send(.thunk(walk), .dropped(by: "thunk"))
    #expect(store?.waiting.map(\.action.description) == ["step(1)", "step(2)"])
    #expect(store?.waiting.map(\.dispatched.source.cause) == [1, 1])
    store?.receive(where: isStep(1), .changing { $0 = 1 })
    #expect(seen.withLock { $0 } == [])
    store?.receive(where: isStep(2), .changing { $0 = 3 })
    #expect(seen.withLock { $0 } == [3])
    store?.receive(where: isStep(3), .changing { $0 = 6 }, within: .seconds(1))
    #expect(seen.withLock { $0 } == [3, 6])
    store?.finish()
    #expect(collected.texts() == [])
    // One that still waits when the test ends does not wait for ever.
    store?.send(.thunk(walk), .dropped(by: "thunk"))
    #expect(collected.texts() == [])
    store = nil
    #expect(collected.texts().count == 2)
    // The rest of it runs once the store is gone, on another thread.
    #expect(seen.withLock { Array($0.prefix(3)) } == [3, 6, 6])
  }

  @Test func aProjectionAndAWatcherSeeOneActionAStep() throws {
    let store = try DeskStore(collected)
    let seen = Lock<[Int]>([])
    let watch = store.store.watch("value", { $0.value }) { notification in seen.withLock { $0.append(notification.new) }
    }
    store.send(.load) { $0.isLoading = true }
    #expect(seen.withLock { $0 } == [0])
    store.receive(.loaded(3)) {
      $0.isLoading = false
      $0.value = 3
    }
    withExtendedLifetime(watch) {}
    #expect(seen.withLock { $0 } == [0, 3])
    store.finish()
    #expect(collected.texts() == [])
  }
}
