import StoreCore
import Testing
import TraceSupport

typealias CountInterceptor = Interceptor<Act, Int>

func passing(_ name: String) -> CountInterceptor {
  CountInterceptor(name) { action, _, _, next in next(action) }
}

@Suite struct InterceptorTests {
  @Test func theyWrapAllPhases() throws {
    let store = try Counting(
      initial: 0, reducer: count, middleware: unit("m"), interceptors: [passing("outer"), passing("inner")])
    let trace = TraceLines()
    trace.listen(to: store)
    let watch = store.watch("w") { _ in }
    store.dispatch(.inc)
    withExtendedLifetime(watch) {}
    #expect(
      trace.lines
        == scenario(
          """
          N 0 w 0
          Q 1 inc · B 1 outer s=0 · B 1 inner s=0 · H 1 m s=0 · R 1 count 0→1 · C 1 0→1 · N 1 w 1 · I 1 m s=1
          A 1 inner s=1 · A 1 outer s=1 · D 1
          """))
  }

  @Test func oneThatDoesNotCallNextDropsTheAction() throws {
    let taking = CountInterceptor("guard") { action, _, _, next in if action != .inc { next(action) } }
    let store = try Counting(
      initial: 0, reducer: count, middleware: unit("m"), interceptors: [passing("log"), taking, passing("inside")])
    let records = Notes<(number: Int, droppedBy: String?)>()
    store.setRecorder { records.note(($0.context.number, $0.droppedBy)) }
    let trace = TraceLines("BXHRA")
    trace.listen(to: store)
    guard case .dropped(by: "guard") = store.dispatch(.inc).outcome else {
      Issue.record("the action was not dropped")
      return
    }
    #expect(trace.lines == scenario("B 1 log s=0 · B 1 guard s=0 · X 1 taken by guard · A 1 guard s=0 · A 1 log s=0"))
    try store.dispatch(.dec).get()
    #expect(store.state == -1)
    #expect(records.all.map(\.number) == [1, 2])
    #expect(records.all.map(\.droppedBy) == ["guard", nil])
  }

  @Test func oneMayPassOnAnotherActionAndHistoryShowsBoth() throws {
    let turning = CountInterceptor("turn") { action, _, _, next in next(action == .inc ? .dec : action) }
    let store = try Counting(initial: 0, reducer: count, interceptors: [turning])
    let records = Notes<(Act, Act?, ActionSource)>()
    store.setRecorder { records.note(($0.action, $0.original, $0.context.source)) }
    let typed = ActionSource(file: "repl", function: "dispatch", line: 3, kind: .repl)
    store.dispatch(.inc, source: typed)
    store.dispatch(.noop, source: typed)
    #expect(store.state == -1)
    #expect(records.all.map(\.0) == [.dec, .noop])
    #expect(records.all.map(\.1) == [.inc, nil])
    #expect(records.all.map(\.2) == [typed, typed])
  }

  @Test func theReduxShapeIsBuiltOnceAndSeesTheStateBeforeAndAfter() throws {
    let notes = Notes<String>()
    let log = CountInterceptor("log") { _, get in
      notes.note("built")
      return { next in
        { action in
          notes.note("\(get())")
          next(action)
          notes.note("\(get())")
        }
      }
    }
    let store = try Counting(initial: 0, reducer: count, interceptors: [log])
    store.dispatch(.inc)
    store.dispatch(.inc)
    #expect(notes.all == ["built", "0", "1", "1", "2"])
  }

  @Test func whatOneDispatchesPassesTheWholeChainAfterwards() throws {
    let doubling = CountInterceptor("double") { action, _, attachment, next in
      next(action)
      if action == .set(1) { attachment.output.dispatch(.inc) }
    }
    let store = try Counting(initial: 0, reducer: count, interceptors: [passing("log"), doubling])
    let trace = TraceLines("QBAD")
    trace.listen(to: store)
    store.dispatch(.set(1))
    #expect(
      trace.lines
        == scenario(
          """
          Q 1 set(1) · B 1 log s=0 · B 1 double s=0 · Q 2 inc <1 · A 1 double s=1 · A 1 log s=1 · D 1
          B 2 log s=1 · B 2 double s=1 · A 2 double s=2 · A 2 log s=2 · D 2
          """))
  }

  @Test func aFailureOfAReducerLeavesTheWayBackAndTheErrorIntact() throws {
    let refusing = CountReducer.throwing("refuse") { action, count, _ in
      count += 10
      throw Refused(description: "no")
    }
    let store = try Counting(initial: 0, reducer: refusing, middleware: unit("m"), interceptors: [passing("log")])
    let trace = TraceLines()
    trace.listen(to: store)
    #expect(throws: Refused(description: "no")) { try store.dispatch(.inc).get() }
    #expect(trace.lines == scenario("Q 1 inc · B 1 log s=0 · H 1 m s=0 · F 1 no · A 1 log s=0 · D 1"))
  }

  @Test func dispatchingWhileTheChainIsBuiltIsAnErrorThatNamesTheInterceptor() throws {
    let early = CountInterceptor("early") { dispatch, _ in
      dispatch.dispatch(.inc)
      return { next in { next($0) } }
    }
    let earlyWithNext = CountInterceptor("late") { dispatch, _ in
      { next in
        dispatch.dispatch(.inc)
        return { next($0) }
      }
    }
    let store = try Counting(initial: 0, reducer: count, interceptors: [passing("log")])
    let records = Notes<Int>()
    store.setRecorder { records.note($0.context.number) }
    #expect(throws: StoreError.dispatchWhileBuilding(interceptor: "early")) {
      try store.replaceInterceptors([passing("a"), early])
    }
    #expect(throws: StoreError.dispatchWhileBuilding(interceptor: "late")) {
      try store.replaceInterceptors([earlyWithNext])
    }
    #expect(throws: StoreError.dispatchWhileBuilding(interceptor: "early")) {
      try Counting(initial: 0, reducer: count, interceptors: [early])
    }
    #expect(records.all.isEmpty)
    #expect(store.interceptors.map(\.name) == ["log"])
    try store.dispatch(.inc).get()
    #expect(store.state == 1)
  }

  @Test func theStoreItselfRefusesDispatchesWhileTheChainIsBuilt() throws {
    let store = try Counting(initial: 0, reducer: count)
    let outcomes = Notes<Bool>()
    let early = CountInterceptor("early") { [weak store] _, _ in
      if case .stopped(.dispatchWhileBuilding(interceptor: "early"))? = store?.dispatch(.inc).outcome {
        outcomes.note(true)
      }
      return { next in { next($0) } }
    }
    #expect(throws: StoreError.dispatchWhileBuilding(interceptor: "early")) { try store.replaceInterceptors([early]) }
    #expect(outcomes.all == [true])
    let eager = CountInterceptor("eager") { _, _ in
      { next in
        next(.inc)
        return { next($0) }
      }
    }
    #expect(throws: StoreError.nextOutOfTurn(interceptor: "eager")) { try store.replaceInterceptors([eager]) }
    #expect(store.state == 0)
    try store.dispatch(.inc).get()
    #expect(store.state == 1)
  }

  @Test func callingNextTwiceOrTooLateIsAnError() throws {
    let kept = Lock<(@Sendable () -> Void)?>(nil)
    let twice = CountInterceptor("twice") { action, _, _, next in
      next(action)
      if action == .inc { next(action) }
    }
    let late = CountInterceptor("late") { _, _ in
      { next in
        let box = UncheckedNext(next: next)
        return { action in
          next(action)
          kept.withLock { $0 = { box.next(.inc) } }
        }
      }
    }
    let store = try Counting(initial: 0, reducer: count, interceptors: [twice, late])
    let errors = Notes<String>()
    store.setErrorHandler { errors.note("\($0)") }
    #expect(throws: StoreError.nextOutOfTurn(interceptor: "twice")) { try store.dispatch(.inc).get() }
    #expect(store.state == 1)
    kept.withLock { $0 }?()
    #expect(store.state == 1)
    #expect(errors.all == ["\(StoreError.nextOutOfTurn(interceptor: "late"))"])
    try store.dispatch(.dec).get()
    #expect(store.state == 0)
  }

  @Test func oneThatStaysKeepsWhatItHolds() throws {
    let counting = CountInterceptor("counting") { _, _ in
      let seen = Lock(0)
      return { next in
        { action in
          seen.withLock { $0 += 1 }
          next(seen.withLock { $0 } == 3 ? .set(100) : action)
        }
      }
    }
    let store = try Counting(initial: 0, reducer: count, interceptors: [counting])
    store.dispatch(.inc)
    try store.replaceInterceptors([passing("new"), counting, passing("other")])
    store.dispatch(.inc)
    #expect(store.state == 2)
    try store.replaceInterceptors([counting])
    store.dispatch(.inc)
    #expect(store.state == 100)
    try store.replaceInterceptors([])
    store.dispatch(.inc)
    #expect(store.state == 101)
    #expect(throws: StoreError.duplicateUnit(name: "a")) {
      try store.replaceInterceptors([passing("a"), passing("a")])
    }
  }
}

// The tests use it on one thread only.
private struct UncheckedNext: @unchecked Sendable {
  let next: (Act) -> Void
}
