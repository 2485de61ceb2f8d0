import Dispatch
import StoreCore
import StoreHost
import StoreSchema
import StoreUnits
import Testing

/// A host that its program lets go of while threads and effects still use the store.
@Suite struct HostLifetimeTests {
  /// Each `start` has an effect dispatch from a thread of its own.
  private func makeHost() throws -> StoreHost<ShopAction, Shop> {
    let adding = Middleware<TallyAction, TallyAction, Tally>.effects("adding") { action, _, _ in
      guard case .start = action else { return .none }
      return .run { context in
        await withCheckedContinuation { continuation in
          DispatchQueue(label: "effect").async {
            for _ in 0..<100 { context.send(.add) }
            continuation.resume()
          }
        }
      }
    }
    let reducer = Reducer<TallyAction, Tally>("tally") { action, tally in
      if case .add = action { tally.count &+= 1 }
    }
    return try StoreHost(
      Application(
        initial: Shop(), reducer: reducer.lift(action: \.tally, state: \.tally),
        middleware: adding.lift(input: \.tally, output: \.tally, state: \.tally)), clock: VirtualClock())
  }

  @Test func itLivesUntilWhatRunsIsDone() async throws {
    for _ in 0..<50 {
      let group = DispatchGroup()
      do {
        let host = try makeHost()
        host.start()
        for _ in 0..<3 { host.store.dispatch(.tally(.start)) }
        let connection = host.store.connection
        for _ in 0..<3 {
          DispatchQueue.global().async(group: group) {
            for _ in 0..<50 { _ = connection.dispatch(DispatchedAction(.tally(.add), source: .here())) }
          }
        }
      }
      await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
    }
  }

  @Test func aViewKeepsIt() throws {
    let view = try makeHost().store.projection(action: \.tally, state: \.tally)
    let seen = Lock(0)
    let watching = view.projection(state: \.count).watch { notification in seen.withLock { $0 = notification.new } }
    view.dispatch(.add)
    withExtendedLifetime(watching) {}
    #expect(seen.withLock { $0 } == 1)
    #expect(view.state.count == 1)
  }

  @Test func aConnectionDoesNotKeepIt() throws {
    let connection = try makeHost().store.connection
    #expect(!connection.isOpen())
    #expect(connection.dispatch(DispatchedAction(.tally(.add), source: .here())) == nil)
  }

  @Test func subscribersAreToldOfItsEnd() throws {
    let ended = Lock(false)
    var host: StoreHost<ShopAction, Shop>? = try makeHost()
    let subscription = host?.store.connection.subscribe({ _ in }, { ended.withLock { $0 = true } })
    #expect(!ended.withLock { $0 })
    host = nil
    #expect(ended.withLock { $0 })
    withExtendedLifetime(subscription) {}
  }

  @Test func aClosedHostTakesNothingByAnyWay() throws {
    let host = try makeHost()
    let (view, connection) = (host.store.projection(action: \.tally, state: \.tally), host.store.connection)
    host.store.dispatch(.tally(.add))
    try host.close()
    for result in [
      host.store.dispatch(.tally(.add)), view.dispatch(.add),
      connection.dispatch(DispatchedAction(.tally(.add), source: .here())),
    ] {
      guard case .stopped(.closed)? = result?.outcome else {
        Issue.record("a closed host took an action")
        return
      }
    }
    #expect(host.store.state.tally.count == 1)
  }

  @Test func whatTheOwnerDispatchedIsNobodysToTakeBack() throws {
    let host = try makeHost()
    host.store.dispatch(.tally(.add))
    let conversation = try Conversation(with: host)
    #expect(conversation.say("undo").errors.contains("nothing-to-undo"))
    conversation.say("dispatch tally.add")
    host.store.dispatch(.tally(.add))
    #expect(conversation.say("undo --any").errors.isEmpty)
    #expect(host.store.state.tally.count == 2)
    #expect(conversation.say("undo --any", "undo --any").errors.isEmpty)
    #expect(host.store.state.tally.count == 0)
  }
}
