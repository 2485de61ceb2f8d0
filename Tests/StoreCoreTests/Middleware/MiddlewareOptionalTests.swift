import StoreCore
import Testing
import TraceSupport

/// Row 78: a middleware of a value that may be absent.
@Suite struct MiddlewareOptionalTests {
  typealias Panel = Middleware<Act, Act, Row?>

  private static let reducer = Reducer<Act, Row?>("panel") { action, row in
    switch action {
    case .named("open"): row = Row(id: 1)
    case .named("go"): row = nil
    case .named("swap"): row = Row(id: 2, count: 5)
    case .inc: row?.count += 1
    case .set(let value): row?.count = value
    default: break
    }
  }

  private func store(_ middleware: Panel, kinds: String) throws -> (Store<Act, Row?>, VirtualClock, TraceLines) {
    let clock = VirtualClock()
    let store = try Store(initial: Row?.none, reducer: Self.reducer, middleware: middleware, clock: clock)
    let trace = TraceLines(kinds)
    trace.listen(to: store)
    return (store, clock, trace)
  }

  @Test func itRunsWhileThereIsAValueAndSeesTheLastOne() throws {
    let (store, _, trace) = try store(rowUnit("u", Notes()).liftOptional(), kinds: "HI")
    for action in [Act.noop, .named("open"), .set(3), .named("go"), .noop] { store.dispatch(action) }
    #expect(trace.lines == ["H 3 u s=1:0", "I 3 u s=1:3", "H 4 u s=1:3", "I 4 u s=1:3"])
  }

  @Test func withoutAValueNothingRuns() throws {
    let (store, clock, trace) = try store(
      .compose(delayed.liftOptional(), .supervising("t") { $0.map { _ in [] } ?? [] }), kinds: "EQ")
    store.dispatch(.inc)
    #expect(trace.take() == ["Q 1 inc"])
    store.dispatch(.named("open"))
    store.dispatch(.inc)
    #expect(trace.take() == ["Q 2 open", "Q 3 inc", "E 3 u/w start"], "tokens need no element")
    store.dispatch(.named("swap"))
    #expect(store.effects.count == 1, "there was a value all the time")
    store.dispatch(.named("go"))
    #expect(trace.take() == ["Q 4 swap", "Q 5 go", "E 3 u/w cancel"])
    clock.advance(by: .seconds(9))
    #expect(trace.take() == [])
  }

  @Test func longLivedEffectsComeAndGoWithTheValue() throws {
    let (store, _, trace) = try store(ticking.liftOptional(), kinds: "E")
    store.dispatch(.inc)
    store.dispatch(.named("swap"))
    store.dispatch(.named("go"))
    #expect(trace.lines == ["E 2 u/tick start", "E 2 u/tick cancel"])
  }

  @Test func allAxesAtOnceAndTwice() throws {
    let lifted: Middleware<TableAct, TableAct, Table> = Middleware<RowAct, RowAct, Row>("u") { action, _, row in
      IO { output in if action == .inc { output.dispatch(row().count > 1 ? .double : .inc) } }
    }.liftOptional(input: \.detail, output: TableAct.detail, state: \.detail)
    let reducer = plainRow.liftOptional(action: { (act: TableAct) in act.detail }, state: \Table.detail)
    let store = try Store(initial: Table(detail: Row(id: 1)), reducer: reducer, middleware: lifted)
    store.dispatch(.detail(.inc))
    #expect(store.state.detail?.count == 4)
    let twice = rowUnit("u", Notes()).liftOptional().liftOptional()
    for state in [Row??.none, .some(nil), .some(Row(id: 1))] {
      let notes = Notes<String>()
      let store = try Store(
        initial: state, reducer: .identity,
        middleware: Middleware.compose(twice, rowUnit("v", notes).liftOptional().liftOptional()))
      store.dispatch(.noop)
      #expect(notes.all.count == (state == .some(Row(id: 1)) ? 2 : 0))
    }
    #expect(RowMiddleware.identity.liftOptional().units.isEmpty)
  }
}
