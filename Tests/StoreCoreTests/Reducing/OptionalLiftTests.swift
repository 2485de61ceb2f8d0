import StoreCore
import Testing
import TraceSupport

/// Row 78: a reducer of a value that may be absent.
@Suite struct OptionalLiftTests {
  static let reducer = rowReducer.liftOptional(action: { (action: TableAct) in action.detail }, state: \Table.detail)

  @Test func itRunsWhileThereIsAValue() throws {
    let result = try ElementLiftTests.run(.detail(.inc), on: Table(detail: Row(id: 4)), Self.reducer)
    #expect(result.table.detail == Row(id: 4, count: 1))
    #expect(result.steps == ["R 1 row 4:0→4:1", "C 1 [\"detail=0\"]→[\"detail=1\"]"])
  }

  @Test(arguments: [RowAct.inc, .fail])
  func withoutAValueItDoesNothingAtAll(act: RowAct) throws {
    let result = try ElementLiftTests.run(.detail(act), on: Table(), Self.reducer)
    #expect(result.table == Table())
    #expect(result.steps == ["U 1"])
  }

  @Test func otherActionsSkipIt() throws {
    #expect(try ElementLiftTests.run(.noop, on: Table(detail: Row(id: 4)), Self.reducer).steps == ["U 1"])
  }

  @Test func aFailureLeavesTheValueThatWasThere() throws {
    let initial = Table(detail: Row(id: 2, count: 3))
    let result = try ElementLiftTests.run(.detail(.fail), on: initial, Self.reducer)
    #expect(result.table == initial)
    #expect(result.steps == ["F 1 row 2"])
  }

  @Test func aValueThatAnEarlierReducerTookAwayIsGone() throws {
    let taking = Reducer<TableAct, Table>("taking") { $1.detail = nil }
    let result = try ElementLiftTests.run(
      .detail(.fail), on: Table(detail: Row(id: 2)), taking.appending(Self.reducer))
    #expect(result.table == Table())
  }

  @Test func anOptionalOfAnOptionalIsLiftedTwice() throws {
    let twice = count.liftOptional().liftOptional()
    var states: [Int??] = [.some(.some(1)), .some(nil), nil]
    for index in states.indices { try twice.reduce(.inc, &states[index]) }
    #expect(states == [.some(.some(2)), .some(nil), nil])
  }
}
