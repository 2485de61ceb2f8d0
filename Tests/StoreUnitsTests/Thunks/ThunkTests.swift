import StoreCore
import StoreUnits
import Testing
import TraceSupport

private enum Act: Sendable, CustomStringConvertible {
  case inc, dec
  case thunk(Thunk<Act, Int>)

  var description: String {
    switch self {
    case .inc: "inc"
    case .dec: "dec"
    case .thunk(let thunk): "\(thunk)"
    }
  }

  var thunk: Thunk<Act, Int>? {
    if case .thunk(let thunk) = self { return thunk }
    return nil
  }
}

private let counting = Reducer<Act, Int>("count") { action, count in
  switch action {
  case .inc: count += 1
  case .dec: count -= 1
  case .thunk: break
  }
}

private let logging = Interceptor<Act, Int>("log") { action, _, _, next in next(action) }

private final class ThunkNotes: Sendable {
  private let notes = Lock<[String]>([])
  var all: [String] { notes.withLock { $0 } }
  func note(_ text: String) { notes.withLock { $0.append(text) } }
}

@Suite struct ThunkTests {
  @Test func s20AThunkPassesTheInterceptorsAndNeverTheReducers() throws {
    let store = try Store(initial: 0, reducer: counting, interceptors: [logging, .thunks { $0.thunk }])
    let trace = TraceLines("QBXRCAD")
    trace.listen(to: store)
    let demo = Thunk<Act, Int>("demo") { thunk in
      await thunk.dispatchAndWait(.inc)
      trace.note("note \(thunk.state())")
      await thunk.dispatchAndWait(.dec)
      trace.note("note \(thunk.state())")
    }
    store.dispatch(.thunk(demo))
    #expect(
      trace.lines
        == scenario(
          """
          Q 1 thunk:demo
          B 1 log s=0 · B 1 thunk s=0 · Q 2 inc <1 · X 1 taken by thunk · A 1 thunk s=0 · A 1 log s=0 · D 1
          B 2 log s=0 · B 2 thunk s=0 · R 2 count 0→1 · C 2 0→1 · A 2 thunk s=1 · A 2 log s=1 · D 2
          note 1
          Q 3 dec <1
          B 3 log s=1 · B 3 thunk s=1 · R 3 count 1→0 · C 3 1→0 · A 3 thunk s=0 · A 3 log s=0 · D 3
          note 0
          """))
    #expect(store.effects.isEmpty)
  }

  @Test func anInterceptorInsideTheThunksSeesOnlyWhatTheyDispatch() throws {
    let store = try Store(initial: 0, reducer: counting, interceptors: [.thunks { $0.thunk }, logging])
    let trace = TraceLines("B")
    trace.listen(to: store)
    store.dispatch(
      .thunk(
        Thunk("demo") { thunk in
          thunk.dispatch(.inc)
          await thunk.dispatchAndWait(.dec)
        }))
    #expect(
      trace.lines == scenario("B 1 thunk s=0 · B 2 thunk s=0 · B 2 log s=0 · B 3 thunk s=1 · B 3 log s=1"))
  }

  /// The sample of the article on bindable stores: read, compare, dispatch or not.
  @Test(arguments: [(0, 3, 1), (3, 3, 3), (5, 3, 4)])
  func aThunkDispatchesByCondition(count: Int, limit: Int, expected: Int) throws {
    let store = try Store(initial: count, reducer: counting, interceptors: [.thunks { $0.thunk }])
    let update = Thunk<Act, Int>("update") { thunk in
      let count = thunk.state()
      if count < limit { thunk.dispatch(.inc) }
      if count > limit { thunk.dispatch(.dec) }
    }
    store.dispatch(.thunk(update))
    #expect(store.state == expected)
  }

  @Test func whatAThunkDispatchesCarriesItsLineAndCause() throws {
    let store = try Store(initial: 0, reducer: counting, interceptors: [.thunks { $0.thunk }])
    let sources = Lock<[ActionSource]>([])
    store.setRecorder { record in sources.withLock { $0.append(record.context.source) } }
    let line = Lock(0)
    store.dispatch(
      .thunk(
        Thunk("demo") { thunk in
          await thunk.dispatchAndWait(.inc)
          line.withLock { $0 = #line + 1 }
          await thunk.dispatchAndWait(.inc, info: "second")
        }))
    let last = try #require(sources.withLock { $0.last })
    #expect(last.file == #fileID)
    #expect(last.line == line.withLock { $0 })
    #expect(last.cause == 1)
    #expect(last.info == "second")
  }

  @Test func aThunkSleepsOnTheStoresClockAndEndsWithItsInterceptor() throws {
    let clock = VirtualClock()
    let store = try Store(initial: 0, reducer: counting, interceptors: [.thunks { $0.thunk }], clock: clock)
    let notes = ThunkNotes()
    let slow = Thunk<Act, Int>("slow") { thunk in
      do {
        try await thunk.sleep(for: .seconds(2))
        thunk.dispatch(.inc)
        try await thunk.sleep(for: .seconds(2))
        thunk.dispatch(.inc)
      } catch {
        notes.note("cancelled \(thunk.isCancelled)")
        thunk.dispatch(.dec)
        guard case .stopped(.cancelled) = await thunk.dispatchAndWait(.dec).outcome else { return }
        notes.note("refused")
      }
    }
    store.dispatch(.thunk(slow))
    #expect(store.effects.map(\.unit) == ["thunk"])
    clock.advance(by: .seconds(3))
    #expect(store.state == 1)
    try store.replaceInterceptors([logging])
    #expect(store.effects.isEmpty)
    clock.advance(by: .seconds(9))
    #expect(store.state == 1)
    #expect(notes.all == ["cancelled true", "refused"])
  }

  @Test func aThunkThatDispatchesWithoutEndIsStopped() async throws {
    let store = try Store(initial: 0, reducer: counting, interceptors: [.thunks { $0.thunk }])
    let endless = Thunk<Act, Int>("endless") { thunk in
      while !thunk.isCancelled { await thunk.dispatchAndWait(.inc) }
    }
    guard case .stopped(.runaway(limit: 1000, _, _, _)) = store.dispatch(.thunk(endless)).outcome else {
      Issue.record("the drain was not stopped")
      return
    }
    #expect(store.state == 1000)
    #expect(store.effects.isEmpty)
    // The thunk's own thread may be asking whether it is cancelled.
    try await store.dispatchAndWait(.inc).get()
    #expect(store.state == 1001)
  }

  @Test func theResultOfWhatIsWaitedForReachesTheThunk() throws {
    struct Refused: Error {}
    let refusing = Reducer<Act, Int>.throwing("refuse") { action, _, _ in
      if case .dec = action { throw Refused() }
    }
    let store = try Store(
      initial: 0, reducer: counting.appending(refusing), interceptors: [.thunks { $0.thunk }])
    let notes = ThunkNotes()
    store.setErrorHandler { _ in notes.note("late error") }
    store.dispatch(
      .thunk(
        Thunk("demo") { thunk in
          if case .failed(is Refused) = await thunk.dispatchAndWait(.dec).outcome { notes.note("failed") }
          if case .done = await thunk.dispatchAndWait(.inc).outcome { notes.note("done") }
        }))
    #expect(notes.all == ["failed", "done"])
    #expect(store.state == 1)
  }

  @Test func aThunkThatWaitsWithoutEndAfterASleepIsStoppedToo() throws {
    let clock = VirtualClock()
    let store = try Store(
      initial: 0, reducer: counting, interceptors: [.thunks { $0.thunk }], clock: clock, runawayLimit: 50)
    store.setErrorHandler { _ in }
    let endless = Thunk<Act, Int>("endless") { thunk in
      try? await thunk.sleep(for: .seconds(1))
      while !thunk.isCancelled {
        guard case .done = await thunk.dispatchAndWait(.inc).outcome else { return }
      }
    }
    store.dispatch(.thunk(endless))
    clock.advance(by: .seconds(2))
    #expect(store.state <= 52)
    try store.dispatch(.dec).get()
  }
}
