import HashTreeCollections
import StoreCore
import StoreSchema
import StoreUnits
import Testing
import TraceSupport

@Schema
private struct Row: Identifiable, Equatable, Sendable, CustomStringConvertible {
  var id: Int
  var slug = ""
  var count = 0

  var description: String { "\(id):\(count)" }
}

@Schema
private enum RowAction: Equatable, Sendable {
  case bump(by: Int)
  case answer
  case halt(Bool)
}

@Schema
private enum Screen: Equatable, Sendable {
  case none
  case detail(Row)
}

private struct Table: Equatable, Sendable {
  var list: PersistentList<Row> = []
  var map: PersistentMap<String, Row> = [:]
  var tree: TreeDictionary<String, Row> = [:]
  var screen = Screen.none
  var selected: Row?
}

@Schema
private enum TableAction: Equatable, Sendable {
  case row(ElementAction<Int, RowAction>)
  case pair(Int, RowAction)
  case slug(ElementAction<String, RowAction>)
  case slugPair(String, RowAction)
  case at(ElementAction<Int, RowAction>)
  case atPair(Int, RowAction)
  case key(ElementAction<String, RowAction>)
  case keyPair(String, RowAction)
  case all(RowAction)
  case screen(RowAction)
  case selected(RowAction)
  case remove(Int)
  case leave
}

private typealias TableMiddleware = Middleware<TableAction, TableAction, Table>
private typealias RowMiddleware = Middleware<RowAction, RowAction, Row>

private let bump = Reducer<RowAction, Row>("row") { action, row in
  if case .bump(let by) = action { row.count += by }
}

private let changing = Reducer<TableAction, Table>("table") { action, table in
  switch action {
  case .remove(let id): table.list = PersistentList(table.list.filter { $0.id != id })
  case .leave:
    table.screen = .none
    table.selected = nil
  default: break
  }
}

private let tableReducer = Reducer<TableAction, Table>.compose {
  bump.lift(action: \.row, element: .of(\.list))
  bump.lift(action: \.all, each: .of(\.list))
  bump.liftCase(action: \.screen, state: \.detail).lift(state: \.screen)
  bump.liftOptional(action: \.selected, state: \.selected)
  changing
}

/// Answers a bump with the id and the count that it sees after it.
private func answering(_ name: String, _ seen: Seen) -> RowMiddleware {
  RowMiddleware(name) { action, _, row in
    guard case .bump = action else { return .none }
    return IO { output in
      seen.note("\(row())")
      output.dispatch(.answer)
    }
  }
}

private final class Seen: Sendable {
  private let collected = Lock<[String]>([])
  var all: [String] { collected.withLock { $0 } }
  func note(_ line: String) { collected.withLock { $0.append(line) } }
}

/// R17, rows 52, 78, 79, 134, 166 by case paths, and the units of this library lifted to elements.
@Suite struct MiddlewareElementLiftTests {
  private static let initial = Table(
    list: [Row(id: 1, slug: "a"), Row(id: 2, slug: "b"), Row(id: 1, slug: "b")],
    map: ["x": Row(id: 7), "y": Row(id: 8)], tree: ["x": Row(id: 7), "y": Row(id: 8)],
    screen: .detail(Row(id: 5)), selected: Row(id: 6))

  private func store(
    _ middleware: TableMiddleware, clock: (any StoreClock)? = nil
  ) throws -> (store: Store<TableAction, Table>, trace: TraceLines) {
    let store = try Store(initial: Self.initial, reducer: tableReducer, middleware: middleware, clock: clock)
    let trace = TraceLines("QE")
    trace.listen(to: store)
    return (store, trace)
  }

  /// What one action makes a middleware see and dispatch.
  private func run(
    _ action: TableAction, _ lift: (RowMiddleware) -> TableMiddleware
  ) throws -> (seen: [String], dispatched: [TableAction]) {
    let seen = Seen()
    let emitted = Lock<[TableAction]>([])
    let middleware = lift(answering("u", seen))
    #expect(lift(.identity).units.isEmpty)
    let noting = TableMiddleware("noting") { action, context, _ in
      if context.source.cause != nil { emitted.withLock { $0.append(action) } }
      return .none
    }
    let (store, _) = try store(middleware.appending(noting))
    store.dispatch(action)
    return (seen.all, emitted.withLock { $0 })
  }

  @Test func elementsAreNamedByTheCase() throws {
    let act = RowAction.bump(by: 3)
    var result = try run(.row(.init(id: 2, action: act))) { $0.lift(input: \.row, output: \.row, element: .of(\.list)) }
    #expect(result.seen == ["2:3"])
    #expect(result.dispatched == [.row(.init(id: 2, action: .answer))])
    result = try run(.pair(1, act)) { $0.lift(input: \.pair, output: \.pair, element: .of(\.list)) }
    #expect(result.seen == ["1:0"])
    #expect(result.dispatched == [.pair(1, .answer)])
    result = try run(.slug(.init(id: "b", action: act))) {
      $0.lift(input: \.slug, output: \.slug, element: .of(\.list, by: \.slug))
    }
    #expect(result.dispatched == [.slug(.init(id: "b", action: .answer))])
    #expect(result.seen == ["2:0"], "the first that answers to it")
    result = try run(.slugPair("a", act)) {
      $0.lift(input: \.slugPair, output: \.slugPair, element: .of(\.list, by: \.slug))
    }
    #expect(result.dispatched == [.slugPair("a", .answer)])
    result = try run(.at(.init(id: 2, action: act))) { $0.lift(input: \.at, output: \.at, element: .at(\.list)) }
    #expect(result.dispatched == [.at(.init(id: 2, action: .answer))])
    result = try run(.atPair(3, act)) { $0.lift(input: \.atPair, output: \.atPair, element: .at(\.list)) }
    #expect(result.dispatched == [])
  }

  @Test func entriesAreNamedByTheCase() throws {
    let act = RowAction.bump(by: 3)
    for path in [0, 1] {
      let result = try run(.key(.init(id: "y", action: act))) {
        path == 0
          ? $0.lift(input: \.key, output: \.key, element: .of(\.map))
          : $0.lift(input: \.key, output: \.key, element: .of(\.tree))
      }
      #expect(result.seen == ["8:0"])
      #expect(result.dispatched == [.key(.init(id: "y", action: .answer))])
    }
    let result = try run(.keyPair("z", act)) { $0.lift(input: \.keyPair, output: \.keyPair, element: .of(\.tree)) }
    #expect(result.dispatched == [])
  }

  @Test func broadcastsAreNamedByTheCase() throws {
    let act = RowAction.bump(by: 3)
    var result = try run(.all(act)) { $0.lift(input: \.all, output: \.row, each: .of(\.list)) }
    #expect(result.seen == ["2:3", "1:3"], "the last first; of two with one id the first")
    #expect(result.dispatched == [.row(.init(id: 2, action: .answer)), .row(.init(id: 1, action: .answer))])
    result = try run(.all(act)) { $0.lift(input: \.all, output: \.pair, each: .of(\.list)) }
    #expect(result.dispatched == [.pair(2, .answer), .pair(1, .answer)])
    result = try run(.all(act)) { $0.lift(input: \.all, output: \.key, each: .of(\.map)) }
    #expect(result.seen == ["8:0", "7:0"])
    result = try run(.all(act)) { $0.lift(input: \.all, output: \.keyPair, each: .of(\.tree)) }
    #expect(result.dispatched == [.keyPair("y", .answer), .keyPair("x", .answer)])
  }

  @Test func slicesThatMayBeAbsentAndCasesOfTheState() throws {
    let seen = Seen()
    let ticking = RowMiddleware.effects("t") { action, _, _ in .just(.bump(by: 10)).after(.seconds(1)).token("w") }
    let clock = VirtualClock()
    func onScreen(_ unit: RowMiddleware) -> TableMiddleware {
      let screen: Middleware<TableAction, TableAction, Screen> = unit.liftCase(
        input: \.screen, output: \.screen, state: \.detail)
      return screen.lift(state: { $0.screen })
    }
    let selected: TableMiddleware = answering("s", seen).liftOptional(
      input: \.selected, output: \.selected, state: \.selected)
    let (store, trace) = try store(
      .compose(selected, onScreen(answering("c", seen)), onScreen(ticking)), clock: clock)
    store.dispatch(.selected(.bump(by: 1)))
    store.dispatch(.screen(.bump(by: 2)))
    #expect(seen.all == ["6:1", "5:2"])
    #expect(store.effects.map(\.name) == ["t/w"])
    _ = trace.take()
    store.dispatch(.leave)
    #expect(trace.lines.last == "E 4 t/w cancel")
    store.dispatch(.selected(.bump(by: 1)))
    store.dispatch(.screen(.bump(by: 2)))
    #expect(seen.all.count == 2)
    #expect(store.effects.isEmpty)
  }

  @Test func handlersByCasePath() throws {
    let handler = Handler(reducer: bump, middleware: answering("h", Seen()))
    let lifts: [(Handler<TableAction, Table>, TableAction, TableAction)] = [
      (
        handler.lift(action: \.row, element: .of(\.list)), .row(.init(id: 2, action: .bump(by: 1))),
        .row(.init(id: 2, action: .answer))
      ),
      (
        handler.lift(action: \.at, element: .at(\.list)), .at(.init(id: 0, action: .bump(by: 1))),
        .at(.init(id: 0, action: .answer))
      ),
      (
        handler.lift(action: \.key, element: .of(\.map)), .key(.init(id: "y", action: .bump(by: 1))),
        .key(.init(id: "y", action: .answer))
      ),
      (handler.liftOptional(action: \.selected, state: \.selected), .selected(.bump(by: 1)), .selected(.answer)),
    ]
    for (handler, action, answer) in lifts {
      let store = try Store(initial: Self.initial) { handler }
      let trace = TraceLines("Q")
      trace.listen(to: store)
      store.dispatch(action)
      #expect(trace.lines == ["Q 1 \(action)", "Q 2 \(answer) <1"])
      #expect(store.state != Self.initial)
    }
    let screen = try Store(initial: Screen.detail(Row(id: 1))) {
      handler.liftCase(action: \TableAction.Cases.screen, state: \Screen.Cases.detail)
    }
    screen.dispatch(.screen(.bump(by: 4)))
    #expect(screen.state == .detail(Row(id: 1, count: 4)))
  }

  @Test func aBridgeOfOneElement() throws {
    let bridge = RowMiddleware.bridge(
      "bridge", [.on(\.bump, guard: { $0.count < 5 }, when: { $0.count >= 5 }, dispatch: .answer)])
    let (store, trace) = try store(bridge.lift(input: \.row, output: \.row, element: .of(\.list)))
    for by in [4, 1, 1] { store.dispatch(.row(.init(id: 2, action: .bump(by: by)))) }
    store.dispatch(.row(.init(id: 9, action: .bump(by: 9))))
    #expect(trace.lines.filter { $0.contains(" <") } == ["Q 3 \(TableAction.row(.init(id: 2, action: .answer))) <2"])
  }

  @Test func aLoggerOfOneElement() throws {
    let entries = Seen()
    let logger = Middleware<RowAction, Never, Row>.logger(write: { logged in
      entries.note("\(logged.context.number) \(logged.changes.count)")
    })
    let (store, _) = try store(
      logger.lift(to: TableAction.self).lift(input: TableAction.cases.row.extract, output: { $1 }, element: .of(\.list))
    )
    store.dispatch(.row(.init(id: 2, action: .bump(by: 4))))
    store.dispatch(.row(.init(id: 2, action: .answer)))
    store.dispatch(.row(.init(id: 9, action: .answer)))
    #expect(entries.all == ["1 1", "2 0"], "its own before and after")
  }

  @Test func aGateByStateIsEachElementsOwn() throws {
    let ticks = RowMiddleware.supervising("u") { row in
      [Supervised("t") { context in while (try? await context.sleep(for: .seconds(1))) != nil {} }]
    }
    let gate = Gate()
    let gated = RowMiddleware.compose(answering("a", Seen()), ticks).gated(by: gate, whileState: { $0.count < 5 })
    let clock = VirtualClock()
    let (store, trace) = try store(gated.lift(input: \.row, output: \.row, element: .of(\.list)), clock: clock)
    #expect(store.effects.map(\.name) == ["u[1]/t", "u[2]/t"])
    store.dispatch(.row(.init(id: 2, action: .bump(by: 5))))
    #expect(trace.lines.contains("E 0 u[2]/t cancel"))
    #expect(store.effects.map(\.name) == ["u[1]/t"])
    #expect(gate.dropped == 1, "output at the state after")
    store.dispatch(.row(.init(id: 2, action: .bump(by: 1))))
    #expect(gate.held == 2, "both units")
    store.dispatch(.row(.init(id: 1, action: .bump(by: 1))))
    #expect(gate.held == 2)
  }

  @Test func aGateByActionIsSharedByTheElements() throws {
    let seen = Seen()
    let gate = Gate()
    let gated = answering("a", seen).gated(
      by: gate, control: { if case .halt(let value) = $0 { value } else { nil } }, on: false, off: true)
    let (store, _) = try store(gated.lift(input: \.row, output: \.row, element: .of(\.list)))
    store.dispatch(.row(.init(id: 1, action: .halt(true))))
    store.dispatch(.row(.init(id: 2, action: .bump(by: 1))))
    #expect(seen.all == [])
    #expect(gate.held == 1)
    store.dispatch(.row(.init(id: 9, action: .halt(false))))
    #expect(!gate.isOpen, "an element that is not there moves no gate")
    store.dispatch(.row(.init(id: 2, action: .halt(false))))
    store.dispatch(.row(.init(id: 1, action: .bump(by: 1))))
    #expect(seen.all == ["1:1"])
  }

  @Test func aShutGateAroundElementsLetsThemGo() throws {
    let gate = Gate()
    let delayed = RowMiddleware.effects("u") { _, _, _ in .just(.bump(by: 10)).after(.seconds(1)).token("w") }
    let rows: TableMiddleware = delayed.lift(input: \.row, output: \.row, element: .of(\.list))
    let (store, trace) = try store(rows.gated(by: gate, whileState: { $0.selected != nil }), clock: VirtualClock())
    store.dispatch(.row(.init(id: 2, action: .answer)))
    store.dispatch(.leave)
    #expect(store.effects.count == 1, "a gate stops no effect")
    store.dispatch(.remove(2))
    #expect(store.effects.isEmpty)
    #expect(trace.lines.last == "E 1 u[2]/w cancel")
  }
}
