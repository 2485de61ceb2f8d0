import Dispatch
import StoreCore
import StoreSchema
import StoreUnits
import Testing
import TraceSupport

/// A clock that each look moves on by one microsecond, so that every moment is told from every other.
private final class StepClock: Sendable {
  private let looks = Lock(0)

  var count: Int { looks.withLock { $0 } }
  func now() -> Duration {
    looks.withLock { looks in
      looks += 1
      return .microseconds(looks)
    }
  }
}

/// Spans as lines: `<handle 1 u` begins, `>handle 1 u` ends.
private func line(_ event: SpanEvent) -> String {
  "\(event.edge == .begin ? "<" : ">")\(event.phase) \(event.number)" + (event.unit.map { " \($0)" } ?? "")
}

private func echo(_ name: String) -> Letters {
  Letters(name) { action, _, _ in action == .a ? IO { $0.dispatch(.b) } : .none }
}

/// Rows 153 to 155, D16.
@Suite struct SpanTests {
  private func store(
    _ middleware: Letters = echo("m"), _ reducer: Reducer<Letter, Int> = lettersReducer
  ) throws -> Store<Letter, Int> {
    try Store(initial: 0, reducer: reducer, middleware: middleware)
  }

  /// The lines that a listener gets.
  private func lines(_ store: Store<Letter, Int>, _ actions: [Letter]) -> [String] {
    let clock = StepClock()
    let lines = Lock<[String]>([])
    store.setSpans(SpanListener(clock: clock.now) { event in lines.withLock { $0.append(line(event)) } })
    for action in actions { store.dispatch(action) }
    return lines.withLock { $0 }
  }

  @Test func everyPhaseIsASpanAtItsPlace() throws {
    let store = try store(.compose(echo("m"), Letters("n") { _, _, _ in .none }))
    let watching = store.watch("w") { _ in }
    let found = lines(store, [.a])
    withExtendedLifetime(watching) {}
    #expect(
      found
        == scenario(
          """
          <queue 1 · >queue 1 · <action 1
          <handle 1 m · >handle 1 m · <handle 1 n · >handle 1 n
          <reduce 1 count · >reduce 1 count
          <commit 1 · >commit 1
          <notify 1 whenDifferent · >notify 1 whenDifferent · <notify 1 w · >notify 1 w
          <io 1 m · <queue 2 · >io 1 m
          >action 1
          >queue 2 · <action 2
          <handle 2 m · >handle 2 m · <handle 2 n · >handle 2 n
          <reduce 2 count · >reduce 2 count
          <commit 2 · >commit 2
          <notify 2 whenDifferent · >notify 2 whenDifferent · <notify 2 w · >notify 2 w
          >action 2
          """))
  }

  @Test func interceptorsWrapEverythingElseOfAnAction() throws {
    let outer = Interceptor<Letter, Int>("outer") { _, _ in { next in { action in next(action) } } }
    let inner = Interceptor<Letter, Int>("inner") { _, _ in { next in { action in if action != .d { next(action) } } } }
    let store = try Store(
      initial: 0, reducer: lettersReducer, middleware: Letters("m") { _, _, _ in .none },
      interceptors: [outer, inner])
    #expect(
      lines(store, [.c, .d])
        == scenario(
          """
          <queue 1 · >queue 1 · <action 1 · <intercept 1 outer · <intercept 1 inner
          <handle 1 m · >handle 1 m · <reduce 1 count · >reduce 1 count · <commit 1 · >commit 1
          >intercept 1 inner · >intercept 1 outer · >action 1
          <queue 2 · >queue 2 · <action 2 · <intercept 2 outer · <intercept 2 inner
          >intercept 2 inner · >intercept 2 outer · >action 2
          """))
  }

  @Test func effectsAreSpansFromTheirStartToTheirEnd() throws {
    let clock = VirtualClock()
    let waiting = Letters.effects("u") { action, _, _ in
      action == .a ? .just(.b).after(.seconds(2)).token("s") : .none
    }
    let store = try Store(initial: 0, reducer: lettersReducer, middleware: waiting, clock: clock)
    let recorder = SpanRecorder(clock: { clock.now })
    store.setSpans(recorder.listener)
    store.dispatch(.a)
    clock.advance(by: .seconds(1))
    store.dispatch(.a)
    clock.advance(by: .seconds(5))
    let effects = recorder.spans.filter { $0.phase == .effect }
    #expect(effects.map(\.unit) == ["u/s", "u/s"])
    #expect(effects.map(\.number) == [1, 2])
    #expect(effects.map(\.begin) == [.zero, .seconds(1)])
    #expect(effects.map(\.end) == [.seconds(1), .seconds(3)])
    #expect(recorder.chromeTrace().contains(#""ph":"b","name":"effect u/s""#))
  }

  @Test func aUnitThatIsSkippedHasNoSpan() throws {
    let lifted = echo("m").lift(input: { (action: Letter) -> Letter? in action == .a ? action : nil })
    #expect(!lines(try store(lifted), [.c]).contains { $0.contains("handle") })
  }

  @Test func spansOfAFailedActionEndAndItIsNotCommitted() throws {
    struct Refused: Error {}
    let failing = Reducer<Letter, Int>.throwing("failing") { _, _, _ in throw Refused() }
    #expect(
      lines(try store(echo("m"), failing), [.c])
        == scenario(
          """
          <queue 1 · >queue 1 · <action 1 · <handle 1 m · >handle 1 m · <reduce 1 failing · >reduce 1 failing · >action 1
          """))
  }

  @Test func actionsThatTheGuardDropsEndTheirWait() throws {
    let circle = Letters("m") { _, _, _ in
      IO {
        $0.dispatch(.a)
        $0.dispatch(.b)
      }
    }
    let store = try Store(initial: 0, reducer: lettersReducer, middleware: circle, runawayLimit: 3)
    let found = lines(store, [.a])
    let begun = found.filter { $0.hasPrefix("<") }.map { $0.dropFirst() }
    let ended = found.filter { $0.hasPrefix(">") }.map { $0.dropFirst() }
    #expect(begun.count == ended.count)
    #expect(Set(begun) == Set(ended))
  }

  @Test func nothingIsTimedAndNoClockReadWhileNobodyListens() throws {
    let clock = StepClock()
    let store = try store()
    let recorder = SpanRecorder(clock: clock.now)
    store.dispatch(.a)
    #expect(clock.count == 0)
    store.setSpans(recorder.listener)
    store.dispatch(.a)
    let (looks, spans) = (clock.count, recorder.spans.count)
    #expect(looks > 0 && spans > 0)
    store.setSpans(nil)
    store.dispatch(.a)
    #expect(clock.count == looks)
    #expect(recorder.spans.count == spans)
  }

  @Test func spansDoNotChangeTheTraceAndNeedNone() throws {
    let plain = try store(), measured = try store()
    let (expected, found) = (TraceLines(), TraceLines())
    expected.listen(to: plain)
    found.listen(to: measured)
    let recorder = SpanRecorder(clock: StepClock().now)
    measured.setSpans(recorder.listener)
    for action in [Letter.a, .c, .set(to: 7)] {
      plain.dispatch(action)
      measured.dispatch(action)
    }
    #expect(found.lines == expected.lines)
    let spans = recorder.spans.count
    measured.setTrace(nil)
    measured.dispatch(.a)
    #expect(found.lines == expected.lines)
    #expect(recorder.spans.count > spans)
    measured.setTrace { _ in }
    measured.setSpans(nil)
    #expect(measured.state == 9)
  }

  /// Without events nobody needs the state before, so reducers change it in place.
  @Test func spansAloneDoNotAskWhetherTheStateDiffers() throws {
    let compared = Lock(0)
    let store = try Store(
      initial: 0, reducer: lettersReducer, emission: .never,
      areEqual: { left, right in
        compared.withLock { $0 += 1 }
        return left == right
      })
    store.setSpans(SpanRecorder(clock: StepClock().now).listener)
    store.dispatch(.a)
    #expect(compared.withLock { $0 } == 0)
  }

  @Test func aListenerThatComesInTheMiddleOfAnActionSeesNoHalfSpans() throws {
    let recorder = SpanRecorder(clock: StepClock().now)
    let place = Lock<Store<Letter, Int>?>(nil)
    let starter = Letters("starter") { action, _, _ in
      action == .a ? IO { _ in place.withLock { $0 }?.setSpans(recorder.listener) } : .none
    }
    let store = try store(.compose(echo("m"), starter))
    place.withLock { $0 = store }
    store.dispatch(.a)
    place.withLock { $0 = nil }
    #expect(recorder.spans.allSatisfy { $0.number == 2 || $0.unit == "m" })
    #expect(recorder.spans.filter { $0.phase == .action }.map(\.number) == [2])
  }

  @Test func theWaitOfAnActionFromAnotherThreadBeginsAtItsDispatch() throws {
    let clock = StepClock()
    let (reached, brought) = (Flag(), Flag())
    let slow = Letters("slow") { action, _, _ in
      if action == .a {
        reached.raise()
        brought.wait()
      }
      return .none
    }
    let store = try store(slow)
    let recorder = SpanRecorder(clock: clock.now)
    store.setSpans(recorder.listener)
    let done = Flag()
    DispatchQueue.global().async {
      reached.wait()
      store.dispatch(.c)
      brought.raise()
      done.raise()
    }
    store.dispatch(.a)
    done.wait()
    // It stands behind what waits in the queue.
    store.setSpans(nil)
    #expect(store.state == 1)
    let waits = recorder.spans.filter { $0.phase == .queue }
    let first = try #require(recorder.spans.first { $0.phase == .handle && $0.number == 1 })
    let second = try #require(waits.first { $0.number == 2 })
    // The first action was still being handled.
    #expect(second.begin > first.begin && second.begin < first.end)
    #expect(second.end > first.end)
  }

  @Test func totalsCountEverySpanOfAUnitAndPhase() throws {
    let recorder = SpanRecorder(clock: StepClock().now, limit: 0)
    let store = try store()
    store.setSpans(recorder.listener)
    for _ in 0..<3 { store.dispatch(.a) }
    let handled = try #require(recorder.totals.first { $0.phase == .handle })
    #expect(handled.unit == "m")
    #expect(handled.count == 6)
    #expect(handled.total == .microseconds(6))
    #expect(handled.max == .microseconds(1))
    // The IO that emits looks at the clock once more.
    let io = try #require(recorder.totals.first { $0.phase == .io })
    #expect(io.count == 3 && io.total == .microseconds(6) && io.max == .microseconds(2))
    #expect(recorder.totals.first?.phase == .action)
    #expect(recorder.spans.isEmpty)
    recorder.reset()
    #expect(recorder.totals.isEmpty)
  }

  @Test func theNewestSpansAreKept() throws {
    let recorder = SpanRecorder(clock: StepClock().now, limit: 5)
    let store = try store(.identity)
    store.setSpans(recorder.listener)
    for _ in 0..<4 { store.dispatch(.c) }
    // Five spans an action: queue, action, reduce, commit, the emission policy only where there are watchers.
    #expect(recorder.spans.count == 5)
    #expect(recorder.spans.map(\.number).max() == 4)
    #expect(recorder.dropped == 11)
    #expect(recorder.totals.map(\.count).reduce(0, +) == 16)
  }

  @Test func chromeTraceHoldsSpansAndCauseArrows() throws {
    let recorder = SpanRecorder(clock: StepClock().now)
    let store = try store()
    store.setSpans(recorder.listener)
    store.dispatch(.a)
    #expect(
      recorder.chromeTrace() == """
        {"displayTimeUnit":"ns","traceEvents":[
        {"ph":"M","name":"process_name","pid":1,"tid":1,"args":{"name":"store"}},
        {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"actions"}},
        {"ph":"b","name":"queue","cat":"queue","pid":1,"tid":1,"ts":1.000,"id":"queue 1 ","args":{"number":1}},
        {"ph":"e","name":"queue","cat":"queue","pid":1,"tid":1,"ts":2.000,"id":"queue 1 "},
        {"ph":"X","name":"a","cat":"action","pid":1,"tid":1,"ts":2.000,"dur":10.000,"args":{"number":1}},
        {"ph":"X","name":"handle m","cat":"handle","pid":1,"tid":1,"ts":3.000,"dur":1.000,"args":{"number":1}},
        {"ph":"X","name":"reduce count","cat":"reduce","pid":1,"tid":1,"ts":5.000,"dur":1.000,"args":{"number":1}},
        {"ph":"X","name":"commit","cat":"commit","pid":1,"tid":1,"ts":7.000,"dur":1.000,"args":{"number":1}},
        {"ph":"X","name":"io m","cat":"io","pid":1,"tid":1,"ts":9.000,"dur":2.000,"args":{"number":1}},
        {"ph":"b","name":"queue","cat":"queue","pid":1,"tid":1,"ts":10.000,"id":"queue 2 ","args":{"number":2,"cause":1}},
        {"ph":"e","name":"queue","cat":"queue","pid":1,"tid":1,"ts":13.000,"id":"queue 2 "},
        {"ph":"s","name":"cause","cat":"cause","pid":1,"tid":1,"ts":10.000,"id":2},
        {"ph":"f","bp":"e","name":"cause","cat":"cause","pid":1,"tid":1,"ts":13.000,"id":2},
        {"ph":"X","name":"b","cat":"action","pid":1,"tid":1,"ts":13.000,"dur":7.000,"args":{"number":2,"cause":1}},
        {"ph":"X","name":"handle m","cat":"handle","pid":1,"tid":1,"ts":14.000,"dur":1.000,"args":{"number":2,"cause":1}},
        {"ph":"X","name":"reduce count","cat":"reduce","pid":1,"tid":1,"ts":16.000,"dur":1.000,"args":{"number":2,"cause":1}},
        {"ph":"X","name":"commit","cat":"commit","pid":1,"tid":1,"ts":18.000,"dur":1.000,"args":{"number":2,"cause":1}}
        ]}

        """)
  }

  @Test func chromeTraceIsJSONWhateverUnitsAndActionsAreCalled() throws {
    let recorder = SpanRecorder(clock: StepClock().now, naming: { "\"\($0)\"\n\\" })
    let store = try store(echo("m \"\u{1}\\"))
    store.setSpans(recorder.listener)
    store.dispatch(.a)
    #expect(throws: Never.self) { try JSON.value(of: recorder.chromeTrace()) }
  }
}
