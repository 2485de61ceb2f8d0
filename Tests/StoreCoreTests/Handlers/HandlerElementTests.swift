import StoreCore
import Testing
import TraceSupport

/// Rows 59, 78, 79, R17: one declaration lifts a reducer and a middleware to elements and optional values.
@Suite struct HandlerElementTests {
  /// Counts, and answers every `inc` by one `double` of the same element.
  private static let row = Handler<RowAct, Row>(
    reducer: plainRow,
    middleware: Middleware("u") { act, _, _ in IO { output in if act == .inc { output.dispatch(.double) } } })

  private static let table = Table(
    rows: [Row(id: 1, slug: "a"), Row(id: 2, slug: "b")], named: ["x": Row(id: 7), "y": Row(id: 8)],
    detail: Row(id: 9))

  private static let lifts: [(Handler<TableAct, Table>, TableAct, String, [String])] = [
    (
      row.lift(action: \.row, embed: TableAct.row, element: .of(\.rows)), .row(2, .inc),
      #"["1:0", "2:2", "x=0", "y=0", "detail=0"]"#, ["row(2,double) <1"]
    ),
    (
      row.lift(action: \.slug, embed: TableAct.slug, element: .of(\.rows, by: \.slug)), .slug("b", .inc),
      #"["1:0", "2:2", "x=0", "y=0", "detail=0"]"#, ["slug(b,double) <1"]
    ),
    (
      row.lift(action: \.at, embed: TableAct.at, element: .at(\.visible)), .at(0, .inc),
      #"["1:2", "2:0", "x=0", "y=0", "detail=0"]"#, ["at(0,double) <1"]
    ),
    (
      row.lift(action: \.key, embed: TableAct.key, element: .of(\.named)), .key("y", .inc),
      #"["1:0", "2:0", "x=0", "y=2", "detail=0"]"#, ["key(y,double) <1"]
    ),
    (
      row.lift(action: { $0.all ?? $0.row?.action }, embed: TableAct.row, each: .of(\.rows)), .all(.inc),
      #"["1:4", "2:4", "x=0", "y=0", "detail=0"]"#, ["row(2,double) <1", "row(1,double) <1"]
    ),
    (
      row.lift(action: { $0.all }, embed: TableAct.key, each: .of(\.named)), .all(.inc),
      #"["1:0", "2:0", "x=1", "y=1", "detail=0"]"#, ["key(y,double) <1", "key(x,double) <1"]
    ),
    (
      row.liftOptional(action: \.detail, embed: TableAct.detail, state: \.detail), .detail(.inc),
      #"["1:0", "2:0", "x=0", "y=0", "detail=2"]"#, ["detail(double) <1"]
    ),
  ]

  @Test(arguments: lifts.indices)
  func bothHalvesMeetTheSameElement(index: Int) throws {
    let (handler, action, result, emitted) = Self.lifts[index]
    let store = try Store(initial: Self.table) { handler }
    let trace = TraceLines("Q")
    trace.listen(to: store)
    store.dispatch(action)
    #expect(store.state.description == result)
    #expect(trace.lines.dropFirst().map { $0.split(separator: " ").dropFirst(2).joined(separator: " ") } == emitted)
    let empty = try Store(initial: Table()) { handler }
    empty.dispatch(action)
    #expect(empty.state == Table())
  }

  @Test func anOptionalHandlerIsAHandler() throws {
    let store = try Store(initial: Row?.some(Row(id: 1))) { Self.row.liftOptional() }
    store.dispatch(.inc)
    #expect(store.state?.count == 2)
  }
}
