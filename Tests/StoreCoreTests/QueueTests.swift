import Dispatch
import StoreCore
import Testing
import TraceSupport

import Glibc

/// R1, R2: one queue, never nested, from any thread.
@Suite struct QueueTests {
  @Test func dispatchesFromEveryPhaseAreEnqueuedBehindOneAnother() throws {
    let box = Lock<Counting?>(nil)
    @Sendable func dispatch(_ name: String) -> Bool {
      guard let result = box.withLock({ $0 })?.dispatch(.named(name)) else { return false }
      if case .queued = result.outcome { return result.number != nil }
      return false
    }
    let outcomes = Notes<Bool>()
    let middleware = CountMiddleware("m") { action, context, state in
      guard action == .inc else { return .none }
      outcomes.note(dispatch("handle"))
      outcomes.note(state() == 0)
      return IO { output in
        outcomes.note(dispatch("io"))
        output.dispatch(.named("handler"))
        outcomes.note(state() == 1)
      }
    }
    let store = try Counting(initial: 0, reducer: count, middleware: middleware)
    box.withLock { $0 = store }
    defer { box.withLock { $0 = nil } }
    let trace = TraceLines("QCD")
    trace.listen(to: store)
    let watch = store.watch("w") { if $0.new == 1 { outcomes.note(dispatch("watcher")) } }
    let result = store.dispatch(.inc)
    withExtendedLifetime(watch) {}
    #expect(result.number == 1)
    #expect(
      trace.lines
        == scenario(
          """
          Q 1 inc · Q 2 handle <1 · C 1 0→1 · Q 3 watcher <1 · Q 4 io <1 · Q 5 handler <1 · D 1
          C 2 1→2 · D 2 · C 3 2→3 · D 3 · C 4 3→4 · D 4 · C 5 4→5 · D 5
          """))
    #expect(!outcomes.all.contains(false))
    #expect(outcomes.all.count == 5)
  }

  @Test func whatIsCausedIsProcessedBreadthFirstBeforeDispatchReturns() throws {
    let children = ["a": ["b", "c"], "b": ["d"], "c": ["e"], "d": ["f"]]
    let middleware = unit("m") { action, _, output in
      for child in children["\(action)", default: []] { output.dispatch(.named(child)) }
    }
    let store = try Counting(initial: 0, reducer: count, middleware: middleware)
    let order = Notes<String>()
    let causes = Notes<Int?>()
    store.setRecorder {
      order.note("\($0.action)")
      causes.note($0.context.source.cause)
    }
    store.dispatch(.named("a"))
    #expect(order.all == ["a", "b", "c", "d", "e", "f"])
    #expect(causes.all == [nil, 1, 1, 2, 3, 4])
    #expect(store.state == 6)
  }

  @Test func aWatcherThatDispatchesWhenItIsRegisteredIsServedBeforeWatchReturns() throws {
    let store = try Counting(initial: 0, reducer: count)
    let watch = store.watch { [weak store] in if $0.old == nil { store?.dispatch(.inc) } }
    #expect(store.state == 1)
    withExtendedLifetime(watch) {}
  }

  @Test func aReducerThatDispatchesAgainstTheRulesIsRefused() throws {
    let box = Lock<Counting?>(nil)
    let refused = Notes<String>()
    let store = try Counting(
      initial: 0,
      reducer: CountReducer("bad") { action, state in
        state += 1
        guard action == .inc, let store = box.withLock({ $0 }) else { return }
        if case .stopped(let error) = store.dispatch(.dec).outcome { refused.note(error.message) }
      })
    box.withLock { $0 = store }
    defer { box.withLock { $0 = nil } }
    let result = store.dispatch(.inc)
    #expect(store.state == 1)
    #expect(result.number == 1)
    #expect(refused.all == [StoreError.busy.message])
    #expect(StoreError.busy.message.contains("a reducer cannot dispatch, a middleware or an effect can"))
  }

  @Test func s09DispatchFromAnotherThread() throws {
    let (opened, entered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let stateInHandle = Notes<Int>()
    let blocking = CountMiddleware("m") { action, _, state in
      if action == .named("A") {
        entered.signal()
        opened.wait()
        stateInHandle.note(state())
      }
      return IO { _ in }
    }
    for (shape, middleware) in arrangements([blocking]) {
      let store = try Counting(initial: 0, reducer: count, middleware: middleware)
      let trace = TraceLines("HRCNID")
      let threads = Notes<UInt>()
      store.setTrace { event in
        let line = TraceLines.render(event)
        if "HRCNID".contains(line.prefix(1)) {
          trace.note(line)
          threads.note(StoreThread.current)
        }
      }
      let watch = store.watch("w") { _ in }
      _ = trace.take()
      let numbers = Notes<Int?>()
      let worker = onThread {
        entered.wait()
        numbers.note(store.dispatch(.named("W1")).number)
        numbers.note(store.dispatch(.named("W2")).number)
        opened.signal()
      }
      let result = store.dispatch(.named("A"))
      worker.wait()
      store.awaitQueue()
      withExtendedLifetime(watch) {}
      #expect(result.number == 1)
      #expect(numbers.all == [nil, nil], "both calls returned while the handle was open")
      #expect(
        trace.lines
          == scenario(
            """
            H 1 m s=0 · R 1 count 0→1 · C 1 0→1 · N 1 w 1 · I 1 m s=1 · D 1
            H 2 m s=1 · R 2 count 1→2 · C 2 1→2 · N 2 w 2 · I 2 m s=2 · D 2
            H 3 m s=2 · R 3 count 2→3 · C 3 2→3 · N 3 w 3 · I 3 m s=3 · D 3
            """), "\(shape)")
      let here = StoreThread.current
      // The first of its seven lines is that of the watcher that is added.
      #expect(threads.all.prefix(7).allSatisfy { $0 == here }, "\(shape)")
      let others = Set(threads.all.dropFirst(7))
      #expect(others.count == 1 && !others.contains(here), "what others brought is handed on: \(shape)")
    }
    #expect(Set(stateInHandle.all) == [0])
  }

  struct Stamped: Sendable {
    let thread: Int
    let index: Int
  }

  struct Tally: Equatable, Sendable {
    var count = 0
    var last = Array(repeating: -1, count: 8)
    var disorder = 0
  }

  static let tally = Reducer<Stamped, Tally>("tally") { action, tally in
    tally.count += 1
    if tally.last[action.thread] >= action.index { tally.disorder += 1 }
    tally.last[action.thread] = action.index
  }

  @Test(arguments: [(1_000, false), (1_000, true), (100_000, false)])
  func s09EightThreadsLoseNothing(each: Int, watched: Bool) throws {
    let store = try Store(initial: Tally(), reducer: QueueTests.tally)
    let told = Lock(0)
    let watch = watched ? store.watch { _ in told.withLock { $0 += 1 } } : nil
    let gate = DispatchSemaphore(value: 0)
    let workers = (0..<8).map { thread in
      onThread {
        gate.wait()
        for index in 0..<each { store.dispatch(Stamped(thread: thread, index: index)) }
      }
    }
    for _ in workers { gate.signal() }
    for worker in workers { worker.wait() }
    store.awaitQueue()
    let state = store.state
    withExtendedLifetime(watch) {}
    #expect(state.count == 8 * each)
    #expect(state.disorder == 0)
    #expect(state.last == Array(repeating: each - 1, count: 8))
    if watched { #expect(told.withLock { $0 } == 8 * each + 1) }
  }

  @Test func threadsReadWatchAndReplaceWhileOthersDispatch() throws {
    let store = try Store(initial: Tally(), reducer: QueueTests.tally)
    let gate = DispatchSemaphore(value: 0)
    let wrong = Lock(0)
    let workers = (0..<4).map { thread in
      onThread {
        gate.wait()
        for index in 0..<500 {
          store.dispatch(Stamped(thread: thread, index: index))
          let state = store.state
          // A state is one that some action left behind: the tally is complete.
          if state.count != state.last.reduce(0, { $0 + $1 + 1 }) { wrong.withLock { $0 += 1 } }
          let watch = store.watch { _ in }
          if index % 50 == 0 { store.setEmission(.always) }
          watch.cancel()
        }
      }
    }
    for _ in workers { gate.signal() }
    for worker in workers { worker.wait() }
    store.awaitQueue()
    #expect(store.state.count == 2_000)
    #expect(wrong.withLock { $0 } == 0)
  }
}

/// Runs a body on a thread of its own; wait on the result for its end.
func onThread(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
  let done = DispatchSemaphore(value: 0)
  var thread = pthread_t()
  let box = Unmanaged.passRetained(
    ThreadBody {
      body(); done.signal()
    })
  let status = pthread_create(
    &thread, nil,
    { argument in
      Unmanaged<ThreadBody>.fromOpaque(argument!).takeRetainedValue().run()
      return nil
    }, box.toOpaque())
  precondition(status == 0)
  pthread_detach(thread)
  return done
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
