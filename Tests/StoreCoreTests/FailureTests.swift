import TraceSupport
import StoreCore
import Testing

/// R7 and R30: failing reducers and runaway chains.
@Suite struct FailureTests {
  static let failing = CountReducer.throwing("failing", canFail: { if case .fail = $0 { true } else { false } }) {
    action, state, _ in
    guard case .fail(let why) = action else { return }
    state = 1_000
    throw Refused(description: why)
  }

  static let bumping = CountReducer("bumping") { $1 += 1 }

  @Test func aFailureUndoesWhatEarlierReducersDidToo() throws {
    for (shape, reducer) in arrangements([FailureTests.bumping, FailureTests.failing, FailureTests.bumping]) {
      let store = try Counting(initial: 7, reducer: reducer, middleware: unit("m"))
      let trace = TraceLines()
      trace.listen(to: store)
      let told = Notes<Int>()
      let watch = store.watch("w") { told.note($0.new) }
      let result = store.dispatch(.fail("no"))
      withExtendedLifetime(watch) {}
      #expect(store.state == 7, "\(shape)")
      #expect(throws: Refused(description: "no")) { try result.get() }
      #expect(
        trace.lines == scenario("N 0 w 7 · Q 1 fail(no) · H 1 m s=7 · R 1 bumping 7→8 · F 1 no · D 1"), "\(shape)")
      #expect(told.all == [7])
      #expect(throws: Never.self) { try store.dispatch(.inc).get() }
      #expect(store.state == 9)
    }
  }

  @Test(arguments: [false, true])
  func aFailureIsUndoneWhetherOrNotAnybodyWatches(recorded: Bool) throws {
    let reducer = CountReducer.compose(FailureTests.bumping, FailureTests.failing)
    let store = try Counting(initial: 0, reducer: reducer)
    let records = Notes<String>()
    if recorded {
      store.setRecorder { records.note("\($0.action) \($0.before)→\($0.after) \($0.failure.map { "\($0)" } ?? "-")") }
    }
    store.dispatch(.inc)
    store.dispatch(.fail("a"))
    store.dispatch(.inc)
    #expect(store.state == 2)
    #expect(records.all == (recorded ? ["inc 0→1 -", "fail(a) 1→1 a", "inc 1→2 -"] : []))
  }

  @Test func theIOOfAFailedActionNeverRunsAndTheNextActionsDoes() throws {
    let ran = Notes<String>()
    let store = try Counting(
      initial: 0, reducer: FailureTests.failing, middleware: unit("m") { action, _, _ in ran.note("\(action)") })
    store.dispatch(.fail("no"))
    store.dispatch(.inc)
    #expect(ran.all == ["inc"])
  }

  @Test func whatHandleEnqueuedBeforeTheFailureIsStillProcessed() throws {
    let box = Lock<Counting?>(nil)
    let middleware = CountMiddleware("m") { action, _, _ in
      if case .fail = action { box.withLock { $0 }?.dispatch(.inc) }
      return .none
    }
    let store = try Counting(initial: 0, reducer: .compose(FailureTests.failing, count), middleware: middleware)
    box.withLock { $0 = store }
    defer { box.withLock { $0 = nil } }
    #expect(throws: Refused.self) { try store.dispatch(.fail("no")).get() }
    #expect(store.state == 1)
  }

  @Test func theFailureOfACausedActionGoesToTheErrorHandler() throws {
    let store = try Counting(
      initial: 0, reducer: FailureTests.failing,
      middleware: unit("m") { action, _, output in if action == .inc { output.dispatch(.fail("late")) } })
    let late = Notes<String>()
    store.setErrorHandler { late.note("\($0)") }
    #expect(throws: Never.self) { try store.dispatch(.inc).get() }
    #expect(late.all == ["late"])
  }

  @Test func aFailureInALiftedSliceUndoesTheWholeState() throws {
    struct Pair: Equatable, Sendable {
      var left = 0
      var right = 0
      var viaClosures: Int {
        get { right }
        set { right = newValue }
      }
    }
    for path in [\Pair.right, \Pair.viaClosures] as [WritableKeyPath<Pair, Int> & Sendable] {
      let reducer = Reducer<Act, Pair>.compose(
        FailureTests.bumping.lift(state: \Pair.left), FailureTests.bumping.lift(state: path),
        FailureTests.failing.lift(state: path))
      let store = try Store(initial: Pair(), reducer: reducer)
      store.dispatch(.inc)
      #expect(throws: Refused.self) { try store.dispatch(.fail("no")).get() }
      #expect(store.state == Pair(left: 1, right: 1))
    }
  }

  @Test func reducingOutsideAStoreRollsBackToo() {
    var state = 3
    #expect(throws: Refused.self) {
      try CountReducer.compose(FailureTests.bumping, FailureTests.failing).reduce(.fail("no"), &state)
    }
    #expect(state == 3)
  }

  @Test func whatADispatchCausesEndsWhereItIsInterrupted() throws {
    let interrupted = Lock(false)
    let middleware = unit("loop") { _, _, output in
      output.dispatch(.inc)
    }
    let store = try Counting(
      initial: 0,
      reducer: CountReducer("steps") {
        $1 += 1
        if $1 == 5 { interrupted.withLock { $0 = true } }
      }, middleware: middleware)
    store.setInterruption { interrupted.withLock { $0 } }
    guard case .stopped(.interrupted(let next, let source)) = store.dispatch(.noop).outcome else {
      Issue.record("not interrupted")
      return
    }
    #expect(next == "inc")
    #expect(source.cause == 5)
    #expect(store.state == 5)
    interrupted.withLock { $0 = false }
    store.setRunawayLimit(1)
    guard case .stopped(.runaway) = store.dispatch(.noop).outcome else {
      Issue.record("the store is not usable")
      return
    }
    #expect(store.state == 7, "the rest of the queue was dropped")
  }

  @Test func whatTheRunawayGuardWouldDropTakesNoRoom() throws {
    let storm = unit("storm") { _, _, output in
      for _ in 0..<1_000 { output.dispatch(.inc) }
    }
    let store = try Counting(
      initial: 0, reducer: CountReducer("steps") { $1 += 1 }, middleware: storm, runawayLimit: 10)
    let queued = Notes<Int>()
    store.setTrace { event in
      if case .enqueued(let number, _, _) = event { queued.note(number) }
    }
    guard case .stopped(.runaway) = store.dispatch(.noop).outcome else {
      Issue.record("not stopped")
      return
    }
    #expect(store.state == 11)
    #expect(queued.all.count <= 2 * 11 + 1)
    #expect(queued.all == Array(1...queued.all.count), "numbers have no gaps")
  }

  @Test func aRunawayChainIsStoppedAndTheStoreStaysUsable() throws {
    let looping = Lock(true)
    let line = Lock(0)
    let middleware = unit("loop") { action, _, output in
      guard looping.withLock({ $0 }), action != .dec else { return }
      line.withLock { $0 = #line + 1 }
      output.dispatch(.inc)
      output.dispatch(.dec)
    }
    let store = try Counting(
      initial: 0, reducer: CountReducer("steps") { $1 += 1 }, middleware: middleware, runawayLimit: 10)
    let result = store.dispatch(.noop)
    guard case .stopped(.runaway(let limit, let next, let source, let chain)) = result.outcome else {
      Issue.record("not stopped")
      return
    }
    // inc 2 <1, dec 3 <1, inc 4 <2, dec 5 <2, ... : of the caused ones, 2 to 11 are processed, 12 is next.
    #expect(limit == 10)
    #expect(next == "inc")
    #expect(source.cause == 10)
    #expect(source.line == line.withLock { $0 })
    #expect(source.file == #fileID)
    #expect(chain == [10, 8, 6, 4, 2, 1])
    #expect(store.state == 11)
    let message = StoreError.runaway(limit: limit, next: next, source: source, chain: chain).message
    #expect(message.contains("more than 10 actions"))
    #expect(message.contains("before inc from \(#fileID):\(source.line)"))
    #expect(message.contains("#10 <- #8"))
    looping.withLock { $0 = false }
    let after = store.dispatch(.inc)
    #expect(throws: Never.self) { try after.get() }
    #expect(after.number == 12, "nothing has the numbers of what was dropped")
    #expect(store.state == 12, "the rest of the queue was dropped")
  }

  @Test func exactlyTheLimitIsAllowedAndTheCountStartsAnewWithEachDispatch() throws {
    let middleware = unit("m") { action, _, output in
      if case .set(let left) = action, left > 0 { output.dispatch(.set(left - 1)) }
    }
    let store = try Counting(initial: 0, reducer: count, middleware: middleware, runawayLimit: 10)
    for _ in 0..<3 { #expect(throws: Never.self) { try store.dispatch(.set(10)).get() } }
    #expect(throws: StoreError.self) { try store.dispatch(.set(11)).get() }
    store.setRunawayLimit(11)
    #expect(throws: Never.self) { try store.dispatch(.set(11)).get() }
  }

  @Test func aKeptHandlerCannotEscapeTheGuard() throws {
    // Each IO emits through the handler of the very first action, whose cause is long done.
    let first = Lock<ActionHandler<Act>?>(nil)
    let middleware = unit("m") { _, _, output in
      let handler = first.withLock { kept in
        if kept == nil { kept = output }
        return kept
      }
      handler?.dispatch(.inc)
    }
    let store = try Counting(initial: 0, reducer: count, middleware: middleware, runawayLimit: 100)
    #expect(throws: StoreError.self) { try store.dispatch(.inc).get() }
    #expect(store.state == 101)
  }

  @Test func theDefaultLimitIsAThousand() throws {
    let store = try Counting(initial: 0, reducer: count, middleware: unit("m") { $2.dispatch(.inc) })
    #expect(throws: StoreError.self) { try store.dispatch(.inc).get() }
    #expect(store.state == 1_001)
  }
}
