import HashTreeCollections
import StoreCore
import StoreSchema
import StoreUnits
import Testing
import TraceSupport

@Schema
private struct Row: Identifiable, Equatable, Sendable {
  var id: Int
  var slug = ""
  var count = 0
}

@Schema
private enum RowAction: Equatable, Sendable {
  case bump(by: Int)
  case fail
}

@Schema
private enum Screen: Equatable, Sendable {
  case none
  case detail(Row)
  case numbers(list: [Int])
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
  case at(ElementAction<Int, RowAction>)
  case atPair(Int, RowAction)
  case key(ElementAction<String, RowAction>)
  case keyPair(String, RowAction)
  case slugPair(String, RowAction)
  case all(RowAction)
  case screen(RowAction)
  case numbers(Int)
  case selected(RowAction)
}

private struct Failed: Error, Equatable {}

private let row = Reducer<RowAction, Row>.throwing("row", canFail: { $0 == .fail }) { action, row, _ in
  switch action {
  case .bump(let by): row.count += by
  case .fail:
    row.count = -1
    throw Failed()
  }
}

private typealias TableReducer = Reducer<TableAction, Table>

private let reducer = TableReducer.compose {
  row.lift(action: \.row, element: .of(\.list))
  row.lift(action: \.pair, element: .of(\.list))
  row.lift(action: \.slug, element: .of(\.list, by: \.slug))
  row.lift(action: \.slugPair, element: .of(\.list, by: \.slug))
  row.lift(action: \.at, element: .at(\.list))
  row.lift(action: \.atPair, element: .at(\.list))
  row.lift(action: \.key, element: .of(\.map))
  row.lift(action: \.key, element: .of(\.tree))
  row.lift(action: \.keyPair, element: .of(\.map))
  row.lift(action: \.keyPair, element: .of(\.tree))
  row.lift(action: \.all, each: .of(\.list))
  row.lift(action: \.all, each: .of(\.map))
  row.lift(action: \.all, each: .of(\.tree))
  row.liftCase(action: \.screen, state: \.detail).lift(state: \.screen)
  row.liftOptional(action: \.selected, state: \.selected)
}

/// R17, rows 51, 78, 79, 96 by case paths, over persistent collections and enums.
@Suite struct PersistentElementLiftTests {
  private static let initial = Table(
    list: [Row(id: 1, slug: "a"), Row(id: 2, slug: "b"), Row(id: 1, slug: "b")],
    map: ["x": Row(id: 7), "y": Row(id: 8)], tree: ["x": Row(id: 7), "y": Row(id: 8)],
    screen: .detail(Row(id: 5)), selected: Row(id: 6))

  private func counts(_ table: Table) -> [Int] {
    table.list.map(\.count) + table.map.values.map(\.count)
      + table.tree.keys.sorted().map { table.tree[$0]?.count ?? 0 }
  }

  @Test(arguments: [
    (TableAction.row(.init(id: 1, action: .bump(by: 2))), [2, 0, 0, 0, 0, 0, 0]),
    (.pair(2, .bump(by: 2)), [0, 2, 0, 0, 0, 0, 0]),
    (.slug(.init(id: "b", action: .bump(by: 3))), [0, 3, 0, 0, 0, 0, 0]),
    (.slugPair("a", .bump(by: 3)), [3, 0, 0, 0, 0, 0, 0]),
    (.at(.init(id: 2, action: .bump(by: 4))), [0, 0, 4, 0, 0, 0, 0]),
    (.atPair(0, .bump(by: 4)), [4, 0, 0, 0, 0, 0, 0]),
    (.key(.init(id: "y", action: .bump(by: 5))), [0, 0, 0, 0, 5, 0, 5]),
    (.keyPair("x", .bump(by: 5)), [0, 0, 0, 5, 0, 5, 0]),
    (.all(.bump(by: 1)), [1, 1, 1, 1, 1, 1, 1]),
    (.row(.init(id: 9, action: .fail)), [0, 0, 0, 0, 0, 0, 0]),
    (.at(.init(id: -1, action: .fail)), [0, 0, 0, 0, 0, 0, 0]),
    (.at(.init(id: .max, action: .fail)), [0, 0, 0, 0, 0, 0, 0]),
    (.atPair(3, .fail), [0, 0, 0, 0, 0, 0, 0]),
    (.keyPair("z", .fail), [0, 0, 0, 0, 0, 0, 0]),
    (.slugPair("", .fail), [0, 0, 0, 0, 0, 0, 0]),
  ])
  fileprivate func elementsAreReachedByCasePath(action: TableAction, expected: [Int]) throws {
    let store = try Store(initial: Self.initial, reducer: reducer)
    try store.dispatch(action).get()
    #expect(counts(store.state) == expected)
  }

  @Test(arguments: [
    TableAction.pair(2, .fail), .slugPair("b", .fail), .atPair(1, .fail), .keyPair("y", .fail), .all(.fail),
    .screen(.fail), .selected(.fail),
  ])
  fileprivate func aFailureLeavesEverythingAsItWas(action: TableAction) throws {
    let store = try Store(initial: Self.initial, reducer: reducer)
    #expect(throws: Failed()) { try store.dispatch(action).get() }
    #expect(store.state == Self.initial)
  }

  @Test func aSnapshotIsNotTouched() throws {
    let store = try Store(initial: Self.initial, reducer: reducer)
    let before = store.state
    store.dispatch(.all(.bump(by: 1)))
    #expect(before == Self.initial)
  }

  @Test func aCaseIsReducedWhileTheStateIsThatCase() throws {
    let store = try Store(initial: Self.initial, reducer: reducer)
    store.dispatch(.screen(.bump(by: 3)))
    #expect(store.state.screen == .detail(Row(id: 5, count: 3)))
    store.dispatch(.selected(.bump(by: 4)))
    #expect(store.state.selected == Row(id: 6, count: 4))
  }

  @Test(arguments: [Screen.none, .numbers(list: [1])])
  fileprivate func anotherCaseIsLeftAlone(screen: Screen) throws {
    let store = try Store(initial: Table(screen: screen), reducer: reducer)
    let trace = TraceLines("RUF")
    trace.listen(to: store)
    store.dispatch(.screen(.fail))
    store.dispatch(.selected(.fail))
    #expect(trace.lines == ["U 1", "U 2"])
    #expect(store.state.screen == screen)
  }

  @Test func aPayloadChangesInPlace() throws {
    let bump = Reducer<Int, [Int]>("bump") { $1[0] += $0 }
    let lifted: Reducer<Int, Screen> = bump.liftCase(action: { $0 }, state: \.numbers)
    let store = try Store(initial: Screen.numbers(list: Array(repeating: 0, count: 100)), reducer: lifted)
    func address() -> UnsafeRawPointer? {
      store.withState { screen in
        guard case .numbers(let list) = screen else { return nil }
        return list.withUnsafeBytes { $0.baseAddress }
      }
    }
    let before = address()
    #expect(before != nil)
    store.dispatch(3)
    #expect(address() == before)
    #expect(store.state.numbers?.first == 3)
  }

  @Test func valuesOfPersistentMapsChangeInPlace() throws {
    struct Maps: Sendable {
      var map: PersistentMap<String, [Int]> = ["a": Array(repeating: 0, count: 100)]
      var tree: TreeDictionary<String, [Int]> = ["a": Array(repeating: 0, count: 100)]
      var list: PersistentList<[Int]> = [Array(repeating: 0, count: 100)]
    }
    let bump = Reducer<Int, [Int]>("bump") { $1[0] += $0 }
    let lifts: [Reducer<Int, Maps>] = [
      bump.lift(action: { ("a", $0) }, element: .of(\.map)), bump.lift(action: { ("a", $0) }, element: .of(\.tree)),
      bump.lift(action: { (0, $0) }, element: .at(\.list)), bump.lift(action: { $0 }, each: .of(\.map)),
      bump.lift(action: { $0 }, each: .of(\.tree)), bump.lift(action: { $0 }, each: .at(\.list)),
    ]
    // One change a store: a second copy may well lie where the first value lay.
    for reducer in lifts {
      let store = try Store(initial: Maps(), reducer: reducer, emission: .never)
      func addresses() -> [UnsafeRawPointer?] {
        store.withState { state in
          [state.map["a"], state.tree["a"], state.list[0]].map { $0?.withUnsafeBytes { $0.baseAddress } }
        }
      }
      let before = addresses()
      store.dispatch(1)
      #expect(addresses() == before)
      let firsts = [store.state.map["a"]?[0], store.state.tree["a"]?[0], store.state.list[0][0]]
      #expect(firsts.count { $0 == 1 } == 1)
    }
  }

  @Test func anElementActionIsARecordToTheShell() throws {
    let action = TableAction.row(ElementAction(id: 2, action: .bump(by: 3)))
    let text = JSON.text(of: action.schemaValue)
    #expect(text == #"{"row":{"value":{"id":2,"action":{"bump":{"by":3}}}}}"#)
    #expect(try TableAction(schemaValue: JSON.value(of: text)) == action)
    #expect(throws: SchemaError.self) {
      try ElementAction<Int, RowAction>(schemaValue: .map([.string("id"): .string("two")]))
    }
  }
}
