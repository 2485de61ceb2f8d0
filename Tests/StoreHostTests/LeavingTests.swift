import Dispatch
import StandardModules
import StoreCore
import StoreSchema
import Testing

@testable import StoreHost

/// Those who come to a store, look at it and go again.
@Suite struct LeavingTests {
  private static func host() throws -> StoreHost<StandardAction, StandardState> {
    try StoreHost(
      Application(initial: StandardState(), reducer: StandardState.reducer), clock: VirtualClock(), program: "stsh")
  }

  private final class Seat: @unchecked Sendable {
    // Safe: one thread sits there, and then one other.
    var client: StoreClient?
  }

  /// Whoever leaves looks at the others, and may be the last to have one of them.
  @Test func manyLeaveAtOnce() throws {
    let live = try Self.host().live
    for _ in 0..<50 {
      let seats = (0..<64).map { _ in Seat() }
      for seat in seats { seat.client = StoreClient(of: live) }
      DispatchQueue.concurrentPerform(iterations: 4) { part in
        for seat in seats[(part * 16)..<((part + 1) * 16)] { seat.client = nil }
      }
      #expect(live.clients.isEmpty)
    }
  }

  private final class Told: Sendable {
    let lines = Lock<[String]>([])

    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  /// A store that closes takes its last actions without telling clients of each: they hear the last value.
  @Test func watchersHearTheLastValueOfAStoreThatCloses() throws {
    let host = try Self.host()
    let (live, store) = (host.live, host.store)
    let told = Told()
    let watching = live.watch("a", at: try Path(parsing: "counter.value"), { .int(store.state.counter.value) }) {
      _, new, number in told.lines.withLock { $0.append("\(JSON.text(of: new)) #\(number ?? 0)") }
    }
    let hasBegun = SharedFlag()
    live.whenClosed {
      _ = hasBegun.set(true)
    } end: {
      #expect(store.state.counter.value == 100)
    }
    try live.turn {
      let group = DispatchGroup()
      DispatchQueue.global().async(group: group) {
        for _ in 0..<100 { store.dispatch(.counter(.increment(by: 1))) }
      }
      group.wait()
      #expect(told.take() == ["0 #0"] && !hasBegun.isSet)
      try host.close()
    }
    #expect(told.take() == ["100 #100"] && hasBegun.isSet)
    withExtendedLifetime(watching) {}
  }

  @Test func watchersAreToldInTheOrderInWhichTheyCame() throws {
    let host = try Self.host()
    let (live, store) = (host.live, host.store)
    let told = Told()
    func watch(_ name: String, at path: String?) throws -> Subscription {
      let place = try path.map { try Path(parsing: $0) }
      return live.watch(name, at: place, { store.withState { .int($0.counter.value) } }) { _, new, number in
        told.lines.withLock { $0.append("\(name) \(JSON.text(of: new)) #\(number ?? 0)") }
      }
    }
    var watching = [
      try watch("a", at: "counter.value"), try watch("b", at: nil), try watch("c", at: "tasks.items"),
      try watch("d", at: "counter"),
    ]
    #expect(told.take() == ["a 0 #0", "b 0 #0", "c 0 #0", "d 0 #0"])
    store.dispatch(.counter(.increment(by: 1)))
    // What is watched at a place is looked at where that has changed.
    #expect(told.take() == ["a 1 #1", "b 1 #1", "d 1 #1"])
    watching.remove(at: 0).cancel()
    store.dispatch(.counter(.increment(by: 1)))
    #expect(told.take() == ["b 2 #2", "d 2 #2"])
    watching = []
    store.dispatch(.counter(.increment(by: 1)))
    #expect(told.take() == [])
    watching = [try watch("e", at: "counter.value")]
    store.dispatch(.counter(.increment(by: 1)))
    #expect(told.take() == ["e 3 #0", "e 4 #4"])
  }
}
