import StoreCore
import Testing
import TraceSupport

/// R17, rows 51, 53, 79, 96: a reducer of one element on a collection.
@Suite struct ElementLiftTests {
  typealias TableReducer = Reducer<TableAct, Table>

  static let rows = [Row(id: 1, slug: "a", count: 1), Row(id: 2, slug: "b", count: 5), Row(id: 1, slug: "a", count: 9)]

  /// All ways of reaching a row, of a reducer that may fail or not.
  static func table(_ row: Reducer<RowAct, Row>) -> TableReducer {
    .compose(
      row.lift(action: { $0.row }, element: .of(\.rows)),
      row.lift(action: { $0.slug }, element: .of(\.rows, by: \.slug)),
      row.lift(action: { $0.at }, element: .at(\.rows)),
      row.lift(action: { $0.key }, element: .of(\.named)),
      row.lift(action: { $0.all }, each: .of(\.rows)),
      row.lift(action: { $0.all }, each: .of(\.named)))
  }

  /// What an action does to a table, and in which steps; the short way must do the same.
  static func run(_ action: TableAct, on initial: Table, _ reducer: TableReducer = table(rowReducer)) throws -> (
    table: Table, steps: [String]
  ) {
    let store = try Store(initial: initial, reducer: reducer)
    let trace = TraceLines("RCUF")
    trace.listen(to: store)
    store.dispatch(action)
    let silent = try Store(initial: initial, reducer: reducer)
    silent.dispatch(action)
    #expect(silent.state == store.state, "the short way does the same as the traced one")
    return (store.state, trace.lines)
  }

  @Test(arguments: [
    (TableAct.row(2, .inc), [1, 6, 9]), (.row(1, .inc), [2, 5, 9]), (.slug("b", .double), [1, 10, 9]),
    (.slug("a", .double), [2, 5, 9]), (.at(0, .inc), [2, 5, 9]), (.at(2, .inc), [1, 5, 10]),
    (.all(.inc), [2, 6, 10]),
  ])
  func theFirstMatchIsReduced(action: TableAct, counts: [Int]) throws {
    for row in [rowReducer, plainRow] {
      let result = try Self.run(action, on: Table(rows: Self.rows), Self.table(row))
      #expect(result.table.rows.map(\.count) == counts)
    }
  }

  @Test func onlyTheElementIsSeenAndTraced() throws {
    let result = try Self.run(.row(1, .double), on: Table(rows: Self.rows))
    #expect(result.steps == scenario("R 1 row 1:1→1:2 · C 1 [\"1:1\", \"2:5\", \"1:9\"]→[\"1:2\", \"2:5\", \"1:9\"]"))
  }

  @Test(arguments: [
    TableAct.row(7, .inc), .slug("", .inc), .slug("z", .fail), .at(-1, .inc), .at(3, .inc), .at(.max, .inc),
    .at(.min, .fail), .key("q", .inc), .key("q", .fail), .noop,
  ])
  func noSuchElementNothingHappens(action: TableAct) throws {
    for initial in [Table(rows: Self.rows, named: ["a": Row(id: 1)]), Table()] {
      for row in [rowReducer, plainRow] {
        let result = try Self.run(action, on: initial, Self.table(row))
        #expect(result.table == initial)
        #expect(result.steps == ["U 1"], "no reducer line, no failure")
      }
    }
  }

  @Test func broadcastOverNothingDoesNothing() throws {
    #expect(try Self.run(.all(.fail), on: Table()).steps == ["U 1"])
  }

  @Test func broadcastReachesElementsInOrderAndEntriesByKey() throws {
    let named = Dictionary(uniqueKeysWithValues: (10..<40).map { ("k\($0)", Row(id: $0)) })
    let result = try Self.run(.all(.inc), on: Table(rows: Self.rows, named: named))
    let expected =
      ["R 1 row 1:1→1:2", "R 1 row 2:5→2:6", "R 1 row 1:9→1:10"] + (10..<40).map { "R 1 row \($0):0→\($0):1" }
    #expect(result.steps.filter { $0.hasPrefix("R") } == expected)
    let plain = try Self.run(.all(.inc), on: Table(rows: Self.rows, named: named), Self.table(plainRow))
    #expect(plain.table == result.table)
  }

  @Test func anEntryIsReachedByItsKey() throws {
    let initial = Table(named: ["a": Row(id: 1, count: 3), "b": Row(id: 2, count: 4)])
    let result = try Self.run(.key("b", .double), on: initial)
    #expect(result.table.named == ["a": Row(id: 1, count: 3), "b": Row(id: 2, count: 8)])
    #expect(result.steps.first == "R 1 row 2:4→2:8")
  }

  @Test func aFailureInTheMiddleOfABroadcastUndoesAllOfIt() throws {
    let initial = Table(rows: Self.rows, named: ["x": Row(id: 3)])
    let result = try Self.run(.all(.fail), on: initial)
    #expect(result.table == initial)
    #expect(result.steps == ["R 1 row 1:1→1:1000", "F 1 row 2"])
    var alone = initial
    #expect(throws: Refused(description: "row 2")) { try Self.table(rowReducer).reduce(.all(.fail), &alone) }
    #expect(alone == initial)
  }

  @Test(arguments: [TableAct.row(2, .fail), .slug("b", .fail), .at(1, .fail), .key("two", .fail)])
  func aFailureInOneElementUndoesWhatEarlierReducersDid(action: TableAct) throws {
    let bump = TableReducer("bump") { $1.rows[0].count += 1 }
    let initial = Table(rows: Self.rows, named: ["two": Row(id: 2)])
    let result = try Self.run(action, on: initial, bump.appending(Self.table(rowReducer)))
    #expect(result.table == initial)
    #expect(result.steps.last == "F 1 row 2")
  }

  @Test func anElementThatAnEarlierReducerRemovedIsGone() throws {
    let removing = TableReducer("removing") { action, table in
      if case .row(let id, _) = action { table.rows.removeAll { $0.id == id } }
      if case .at(let index, _) = action { table.rows.remove(at: index) }
      if case .key(let key, _) = action { table.named[key] = nil }
      if case .all = action { table.rows.removeFirst() }
    }
    let reducer = removing.appending(Self.table(rowReducer))
    let initial = Table(rows: Self.rows, named: ["k": Row(id: 2)])
    #expect(try Self.run(.row(1, .inc), on: initial, reducer).table.rows.map(\.count) == [5])
    #expect(try Self.run(.at(2, .inc), on: initial, reducer).table.rows.map(\.count) == [1, 5])
    #expect(try Self.run(.key("k", .fail), on: initial, reducer).table.named.isEmpty)
    #expect(try Self.run(.all(.inc), on: initial, reducer).table.rows.map(\.count) == [6, 10])
  }

  @Test func anElementThatAnEarlierReducerAddedIsThere() throws {
    let adding = TableReducer("adding") { action, table in
      if case .row(let id, _) = action { table.rows.insert(Row(id: id, count: 40), at: 0) }
    }
    let result = try Self.run(.row(2, .inc), on: Table(rows: Self.rows), adding.appending(Self.table(rowReducer)))
    #expect(result.table.rows.map(\.count) == [41, 1, 5, 9])
  }

  @Test func aReducerThatChangesTheIdOfItsElementWorksOnThatElement() throws {
    struct Tag: Identifiable, Equatable, Sendable { var id: Int }
    let rename = Reducer<Int, Tag>("rename") { $1.id = $0 }
    let reducer = rename.lift(action: { (pair: [Int]) in (pair[0], pair[1]) }, element: .of(\[Tag].self))
    var tags = [Tag(id: 1), Tag(id: 2)]
    try reducer.appending(reducer).reduce([1, 2], &tags)
    #expect(tags == [Tag(id: 2), Tag(id: 2)])
  }

  @Test func pairsServeAsWellAsElementActions() throws {
    let reducer = TableReducer.compose(
      rowReducer.lift(action: { $0.rowPair }, element: .of(\.rows)),
      rowReducer.lift(action: { $0.slug.map { ($0.id, $0.action) } }, element: .of(\.rows, by: \.slug)),
      rowReducer.lift(action: { $0.atPair }, element: .at(\.rows)),
      rowReducer.lift(action: { $0.keyPair }, element: .of(\.named)))
    let initial = Table(rows: Self.rows, named: ["k": Row(id: 2, count: 2)])
    for action in [TableAct.row(2, .inc), .slug("b", .inc), .at(1, .inc), .key("k", .double), .row(2, .fail)] {
      let (pairs, wrapped) = (try Self.run(action, on: initial, reducer), try Self.run(action, on: initial))
      #expect(pairs.table == wrapped.table)
      #expect(pairs.steps == wrapped.steps)
    }
  }

  @Test func aStateThatIsNotStoredIsReachedToo() throws {
    let reducer = rowReducer.lift(action: { (action: TableAct) in action.row }, element: .of(\Table.visible))
    let result = try Self.run(.row(2, .inc), on: Table(rows: Self.rows), reducer)
    #expect(result.table.rows.map(\.count) == [1, 6, 9])
    #expect(try Self.run(.row(2, .fail), on: Table(rows: Self.rows), reducer).steps == ["F 1 row 2"])
  }

  @Test func anIndexIsOneOfTheCollectionsOwn() throws {
    let reducer = plainRow.lift(action: { (action: TableAct) in action.at }, element: .at(\ArraySlice<Row>.self))
    var slice = Self.rows[1...]
    try reducer.reduce(.at(0, .inc), &slice)
    #expect(slice.map(\.count) == [5, 9])
    try reducer.reduce(.at(1, .inc), &slice)
    #expect(slice.map(\.count) == [6, 9])
  }

  @Test func elementsInElements() throws {
    struct Board: Identifiable, Equatable, Sendable {
      let id: Int
      var rows: [Row]
    }
    let board = plainRow.lift(action: { (act: ElementAction<Int, RowAct>) in act }, element: .of(\Board.rows))
    let boards = board.lift(
      action: { (act: ElementAction<Int, ElementAction<Int, RowAct>>) in act }, element: .of(\[Board].self))
    var state = [Board(id: 1, rows: Self.rows), Board(id: 2, rows: Self.rows)]
    try boards.reduce(ElementAction(id: 2, action: ElementAction(id: 2, action: .double)), &state)
    try boards.reduce(ElementAction(id: 3, action: ElementAction(id: 2, action: .double)), &state)
    #expect(state.map { $0.rows.map(\.count) } == [[1, 5, 9], [1, 10, 9]])
  }

  /// No copy of the collection: its storage stays where it is, with the state held by nobody else.
  @Test(arguments: [TableAct.row(2, .inc), .slug("b", .inc), .at(1, .inc), .all(.inc)])
  func elementsChangeInPlace(action: TableAct) throws {
    for row in [rowReducer, plainRow] {
      let store = try Store(
        initial: Table(rows: (0..<1_000).map { Row(id: $0, slug: $0 == 2 ? "b" : "") }), reducer: Self.table(row))
      func address() -> UnsafeRawPointer? { store.withState { $0.rows.withUnsafeBytes { $0.baseAddress } } }
      let before = address()
      store.dispatch(action)
      #expect(address() == before)
      #expect(store.withState { $0.rows.count { $0.count == 1 } } > 0)
    }
  }

  @Test func entriesAndOptionalsChangeInPlace() throws {
    struct Holder: Sendable {
      var map = ["a": Array(repeating: 0, count: 100), "b": [1]]
      var maybe: [Int]? = Array(repeating: 0, count: 100)
    }
    let bump = Reducer<Int, [Int]>("bump") { $1[0] += $0 }
    let lifts: [Reducer<Int, Holder>] = [
      bump.lift(action: { ("a", $0) }, element: .of(\.map)), bump.lift(action: { $0 }, each: .of(\.map)),
      bump.liftOptional(action: { $0 }, state: \.maybe),
    ]
    // One change a store: a second copy may well lie where the first value lay.
    for reducer in lifts {
      let store = try Store(initial: Holder(), reducer: reducer, emission: .never)
      func addresses() -> [UnsafeRawPointer?] {
        store.withState { state in
          [state.map["a"], state.maybe].map { $0?.withUnsafeBytes { $0.baseAddress } }
        }
      }
      let before = addresses()
      store.dispatch(1)
      #expect(addresses() == before)
      #expect([store.state.map["a"]?[0], store.state.maybe?[0]].count { $0 == 1 } == 1)
    }
  }

  /// A collection whose `indices` hold the collection itself, as those of most types do.
  struct Shelf: MutableCollection, Sendable {
    var rows: [Row]
    var startIndex: Int { 0 }
    var endIndex: Int { rows.count }
    func index(after index: Int) -> Int { index + 1 }
    subscript(position: Int) -> Row {
      get { rows[position] }
      _modify { yield &rows[position] }
    }
  }

  @Test(arguments: 0..<3)
  func aCollectionOfOnesOwnChangesInPlace(way: Int) throws {
    let lifts: [Reducer<Int, Shelf>] = [
      plainRow.lift(action: { ($0, .inc) }, element: .of(\.self)),
      plainRow.lift(action: { ($0, .inc) }, element: .at(\.self)),
      plainRow.lift(action: { _ in .inc }, each: .of(\.self)),
    ]
    let store = try Store(
      initial: Shelf(rows: (0..<100).map { Row(id: $0) }), reducer: lifts[way], emission: .never)
    func address() -> UnsafeRawPointer? { store.withState { $0.rows.withUnsafeBytes { $0.baseAddress } } }
    let before = address()
    store.dispatch(3)
    #expect(address() == before)
    #expect(store.state.rows[3].count == 1)
  }
}
