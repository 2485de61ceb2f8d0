import StoreCore
import Testing
import TraceSupport

private func recorded(_ actions: [Act], from first: Int = 1) -> [ReplayedAction<Act>] {
  actions.enumerated().map { index, action in
    ReplayedAction(
      action, context: ActionContext(number: first + index, source: .here(), time: .zero, root: first + index))
  }
}

@Suite struct ReplayTests {
  @Test func replayRunsReducersOnlyAndTellsWatchersOnce() throws {
    let store = try Counting(initial: 0, reducer: count, middleware: unit("m"), interceptors: [passing("i")])
    let records = Notes<Int>()
    store.setRecorder { records.note($0.context.number) }
    let seen = Notes<Int>()
    let watch = store.watch("w") { seen.note($0.new) }
    let trace = TraceLines("BHI")
    trace.listen(to: store)
    try store.replay(recorded([.inc, .inc, .set(7), .inc]))
    withExtendedLifetime(watch) {}
    #expect(store.state == 8)
    #expect(seen.all == [0, 8])
    #expect(trace.lines.isEmpty)
    #expect(records.all.isEmpty)
    #expect(store.dispatch(.inc).number == 5)
  }

  @Test func replayOfWhatWasRecordedIsTheIdentity() throws {
    var random = SeededGenerator(seed: 27)
    for _ in 0..<50 {
      let store = try Counting(initial: 0, reducer: count)
      let history = Notes<ReplayedAction<Act>>()
      store.setRecorder { history.note(ReplayedAction($0.action, context: $0.context)) }
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        let choices: [Act] = [.inc, .dec, .noop, .set(Int.random(in: -9...9, using: &random)), .named("A")]
        store.dispatch(choices.randomElement(using: &random) ?? .noop)
      }
      #expect(try count.replay(history.all, from: 0) == store.state)
      let other = try Counting(initial: 99, reducer: count)
      try other.replay(history.all, from: 0)
      #expect(other.state == store.state)
    }
  }

  @Test func replayIsAllOrNothing() throws {
    let reducer = CountReducer.compose(
      count,
      .throwing("refuse") { action, _, _ in if case .fail(let why) = action { throw Refused(description: why) } })
    let store = try Counting(initial: 3, reducer: reducer)
    let error = #expect(throws: ReplayError.self) { try store.replay(recorded([.inc, .fail("no"), .inc])) }
    #expect(error?.number == 2)
    #expect(error?.cause as? Refused == Refused(description: "no"))
    #expect(store.state == 3)
    #expect(store.dispatch(.inc).number == 1)
  }

  @Test func supervisedEffectsFollowTheStateThatAReplayLeadsTo() throws {
    let clock = VirtualClock()
    let ticking = MiddlewareUnit<Act, Act, Int>(name: "clock") { attachment in
      attachment.supervise {
        guard attachment.state() >= 10 else { return [] }
        return [
          Supervised("ticks") { context in
            while (try? await context.sleep(for: .seconds(1))) != nil { context.send(.inc) }
          }
        ]
      }
      return { _, _ in nil }
    }
    let store = try Counting(initial: 0, reducer: count, middleware: CountMiddleware(units: [ticking]), clock: clock)
    try store.replay(recorded([.set(10)]))
    #expect(store.effects.map(\.name) == ["clock/ticks"])
    clock.advance(by: .seconds(1))
    #expect(store.state == 11)
    try store.replay(recorded([.set(3)]))
    #expect(store.effects.isEmpty)
    clock.advance(by: .seconds(5))
    #expect(store.state == 3)
  }

  @Test func aReplayWithinAnActionIsRefused() throws {
    let store = try Counting(initial: 0, reducer: count)
    let errors = Notes<StoreError>()
    let seen = Notes<Int>()
    let first = store.watch { [weak store] notification in
      guard notification.new == 5 else { return }
      do { try store?.replay([], from: 1) } catch { if let error = error as? StoreError { errors.note(error) } }
    }
    let second = store.watch { seen.note($0.new) }
    store.dispatch(.set(5))
    withExtendedLifetime((first, second)) {}
    #expect(errors.all == [.busy])
    #expect(seen.all == [0, 5])
    #expect(store.state == 5)
  }
}
