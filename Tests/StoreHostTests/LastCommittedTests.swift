import Dispatch
import StoreCore
import StoreHost
import StoreSchema
import StoreShell
import Testing

@Schema
private enum StuckAction: Sendable {
  case add
  case hang
  case fail
}

@Schema
private enum RoomAction: Sendable { case tally(StuckAction) }

private struct Refusal: Error {}

/// What threads read, and what they wait for.
@Suite struct LastCommittedTests {
  /// A host whose reducer hangs until it is told to go on.
  private func makeHost() throws -> (
    host: StoreHost<RoomAction, Shop>, hangs: DispatchSemaphore, goesOn: DispatchSemaphore
  ) {
    let (hangs, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let reducer = Reducer<StuckAction, Tally>.throwing("tally") { action, tally, _ in
      switch action {
      case .add: break
      case .fail:
        tally.count = 99
        throw Refusal()
      case .hang:
        hangs.signal()
        goesOn.wait()
      }
      tally.count += 1
    }
    return (
      try StoreHost(Application(initial: Shop(), reducer: reducer.lift(action: \.tally, state: \.tally))), hangs, goesOn
    )
  }

  @Test func itIsReadWhileAReducerIsStuck() throws {
    let (host, hangs, goesOn) = try makeHost()
    #expect(host.store.lastCommitted.tally.count == 0)
    host.store.dispatch(.tally(.add))
    host.store.dispatch(.tally(.fail))
    #expect(host.store.lastCommitted.tally.count == 1)
    let isOver = DispatchGroup()
    DispatchQueue(label: "stuck").async(group: isOver) { host.store.dispatch(.tally(.hang)) }
    hangs.wait()
    #expect(host.store.lastCommitted.tally.count == 1, "the action in progress is not committed")
    goesOn.signal()
    isOver.wait()
    #expect(host.store.lastCommitted.tally.count == 2)
    try host.close()
    #expect(host.store.lastCommitted.tally.count == 2)
  }

  @Test func itFollowsWhatSessionsBringBack() throws {
    let (host, _, _) = try makeHost()
    let session = try Conversation(with: host)
    session.say("dispatch tally.add", "dispatch tally.add", "undo")
    #expect(host.store.lastCommitted.tally.count == 1)
    session.say("redo")
    #expect(host.store.lastCommitted.tally.count == 2)
    session.say("goto 0")
    #expect(host.store.lastCommitted.tally.count == 2, "a look at the past is the session's own")
    try host.close()
  }

  /// R2: readers wait for the action in progress, and not for those that are queued.
  @Test func readersWaitForTheActionInProgressAlone() throws {
    let (host, hangs, goesOn) = try makeHost()
    let parties = DispatchGroup()
    DispatchQueue(label: "dispatching").async(group: parties) { host.store.dispatch(.tally(.hang)) }
    hangs.wait()
    for _ in 0..<2 { host.store.dispatch(.tally(.hang)) }
    let isRead = DispatchSemaphore(value: 0)
    let seen = Lock<[Int]>([])
    DispatchQueue(label: "reading").async(group: parties) {
      let count = host.store.state.tally.count
      seen.withLock { $0.append(count) }
      isRead.signal()
    }
    #expect(isRead.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
    goesOn.signal()
    #expect(isRead.wait(timeout: .now() + .seconds(60)) == .success, "the others are still queued")
    #expect(seen.withLock { $0 } == [1])
    for _ in 0..<2 { goesOn.signal() }
    parties.wait()
    host.store.dispatchAndBlock(.tally(.add))
    #expect(host.store.state.tally.count == 4)
    try host.close()
  }

  @Test func aThreadWaitsForItsActionAndIsToldOfTheEnd() throws {
    let (host, _, _) = try makeHost()
    let threads = DispatchGroup()
    let done = Lock(0)
    for _ in 0..<4 {
      DispatchQueue(label: "thread").async(group: threads) {
        for _ in 0..<50 {
          if case .done = host.store.dispatchAndBlock(.tally(.add)).outcome { done.withLock { $0 += 1 } }
        }
      }
    }
    threads.wait()
    #expect(done.withLock { $0 } == 200)
    #expect(host.store.state.tally.count == 200)
    #expect(throws: Refusal.self) { try host.store.dispatchAndBlock(.tally(.fail)).get() }
    try host.close()
    #expect(throws: StoreError.closed) { try host.store.dispatchAndBlock(.tally(.add)).get() }
  }
}
