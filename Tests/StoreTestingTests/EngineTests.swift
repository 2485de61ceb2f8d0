import StoreCore
import StoreTesting
import Testing
import TraceSupport

/// The order of a test is that of the live store.
@Suite struct EngineTests {
  private let collected = Collected()

  /// All that is known of an action, and what it led to.
  private struct Entry: Equatable, Sendable {
    let action: DeskAction
    let source: ActionSource
    let number: Int
    let root: Int
    let time: Duration
    let after: Desk
  }

  private final class Entries: Sendable {
    let all = Lock<[Entry]>([])
  }

  private func record(_ store: Store<DeskAction, Desk>) -> @Sendable () -> [Entry] {
    let entries = Entries()
    store.setRecorder { record in
      let entry = Entry(
        action: record.action, source: record.context.source, number: record.context.number,
        root: record.context.root, time: record.context.time, after: record.after)
      entries.all.withLock { $0.append(entry) }
    }
    return { entries.all.withLock { $0 } }
  }

  private static let chain = DeskMiddleware.compose(
    DeskMiddleware("first") { action, _, _ in
      action == .increment
        ? IO {
          $0.dispatch(.load)
          $0.dispatch(.spend(1))
        } : .none
    },
    DeskMiddleware.effects("second") { action, _, _ in
      switch action {
      case .increment: .sequence(.setTicking(true), .search("a"))
      case .spend: .just(.tick).after(.milliseconds(800))
      default: .none
      }
    })

  @Test func numbersRootsCausesTimesAndStatesAreThoseOfTheLiveStore() throws {
    let clock = VirtualClock()
    let live = try Store(
      initial: Desk(), reducer: Desk.reducer, middleware: .compose(Desk.middleware(), EngineTests.chain), clock: clock)
    let liveEntries = record(live)
    let source = ActionSource(file: "script", function: "dispatch", line: 1, info: "by hand", kind: .batch)
    live.dispatch(.increment, source: source)
    clock.advance(by: .milliseconds(300))
    clock.advance(by: .milliseconds(500))
    clock.advance(by: .milliseconds(200))
    live.dispatch(.setTicking(false), source: source)

    let store = try DeskStore(collected, also: EngineTests.chain)
    store.exhaustivity = .off
    let testEntries = record(store.store)
    store.send(.increment, source: source)
    store.skipReceivedActions()
    store.advance(by: .milliseconds(300))
    store.skipReceivedActions()
    store.advance(by: .milliseconds(500))
    store.skipReceivedActions()
    store.advance(by: .milliseconds(200))
    store.skipReceivedActions()
    store.send(.setTicking(false), source: source)
    store.finish()

    #expect(liveEntries().count == 10)
    #expect(liveEntries().map(\.root).filter { $0 == 1 }.count == 6)
    for (live, test) in zip(liveEntries(), testEntries()) { #expect(live == test) }
    #expect(testEntries().count == liveEntries().count)
    #expect(store.state == live.state)
    #expect(collected.texts() == [])
  }

  @Test func thePhasesAreThoseOfTheStoreOneActionAStep() throws {
    let trace = TraceLines("QHRCUIED")
    let echo = Middleware<Int, Int, Int>.effects("echo") { number, _, _ in number > 2 ? .none : .just(number + 1) }
    let store = try TestStore(
      initial: 0, reducer: Reducer<Int, Int>("add") { $1 += $0 }, middleware: echo, report: collected.note)
    trace.listen(to: store.store)
    store.send(1) { $0 = 1 }
    #expect(
      trace.take()
        == scenario(
          "Q 1 1 · H 1 echo s=0 · R 1 add 0→1 · C 1 0→1 · I 1 echo s=1 · E 1 echo/- start · E 1 echo/- done · D 1"))
    store.receive(2) { $0 = 3 }
    #expect(
      trace.take()
        == scenario(
          "Q 2 2 <1 · H 2 echo s=1 · R 2 add 1→3 · C 2 1→3 · I 2 echo s=3 · E 2 echo/- start · E 2 echo/- done · D 2"))
    store.receive(3) { $0 = 6 }
    #expect(trace.take() == scenario("Q 3 3 <2 · H 3 echo s=3 · R 3 add 3→6 · C 3 3→6 · I 3 echo s=6 · D 3"))
    store.finish()
    #expect(collected.texts() == [])
  }

  @Test func theSourceOfASentActionIsItsLine() throws {
    let store = try DeskStore(collected)
    let entries = record(store.store)
    let line = #line + 1
    store.send(.setTicking(false))
    let source = try #require(entries().first?.source)
    #expect(source == ActionSource(file: #fileID, function: "send", line: line))
  }

  @Test func aStoreWithAnotherClockRunsOnItButCannotBeAdvanced() throws {
    let clock = RealClock()
    let store = try TestStore(
      initial: 0, reducer: Reducer<Int, Int> { $1 = $0 }, clock: clock, report: collected.note)
    store.advance(by: .seconds(1))
    #expect(collected.texts() == ["the clock of this test store is not a VirtualClock"])
  }

  @Test func aClockThatIsHandedInIsTheOneThatAdvances() throws {
    let clock = VirtualClock()
    let store = try TestStore(
      initial: 0, reducer: Reducer<Int, Int> { $1 = $0 }, clock: clock, report: collected.note)
    store.advance(by: .seconds(1))
    #expect(clock.now == .seconds(1))
    #expect(collected.texts() == [])
  }
}
