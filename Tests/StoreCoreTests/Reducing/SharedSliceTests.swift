import StoreCore
import Testing
import TraceSupport

/// Row 55, R7: a slice behind a class reference is refused, however deep the lift is hidden.
@Suite struct SharedSliceTests {
  final class Cell: @unchecked Sendable {
    // Safe: used by one test, on one thread.
    var count = 1
    var rows: [Row] = []
    var maybe: Int? = 1
  }

  struct Box: Sendable {
    var cell = Cell()
    var plain = 0
    var visible: Int {
      get { plain }
      set { plain = newValue }
    }
  }

  private static let behind: WritableKeyPath<Box, Int> & Sendable = \Box.cell.count
  private static let rows: WritableKeyPath<Box, [Row]> & Sendable = \Box.cell.rows
  private static let maybe: WritableKeyPath<Box, Int?> & Sendable = \Box.cell.maybe

  static let refused: [(String, Reducer<Act, Box>, [String])] = [
    ("lift", count.lift(state: behind), ["count"]),
    ("map", count.lift(action: { (act: Act) in act }, state: behind), ["count"]),
    (
      "several", CountReducer.compose(count, on(.inc, "other") { $0 += 1 }).lift(state: behind).liftedByIdentity(),
      ["count", "other"]
    ),
    (
      "composed", .compose(count.lift(state: \Box.plain), .identity, on(.inc, "bad") { $0 += 1 }.lift(state: behind)),
      ["bad"]
    ),
    ("wrapped", count.lift(state: behind).wrapped { _, box, _, reduce in try reduce(&box) }, ["count"]),
    (
      "elements",
      Reducer<Act, Row>("row") { $1.count += 1 }.lift(action: { (act: Act) in (1, act) }, element: .of(rows)), ["row"]
    ),
    ("optional", count.liftOptional(action: { (act: Act) in act }, state: maybe), ["count"]),
    (
      "handler", Handler(reducer: count).lift(state: behind).reducer, ["count"]
    ),
  ]

  @Test(arguments: refused.indices)
  func noStoreIsMadeOfIt(index: Int) throws {
    let (_, reducer, names) = Self.refused[index]
    func check(_ error: StoreError?) {
      guard case .sharedSlice(let reducers, _) = error else {
        Issue.record("\(Self.refused[index].0): \(String(describing: error))")
        return
      }
      #expect(reducers == names)
      for name in names { #expect(error?.message.contains("'\(name)'") == true) }
    }
    check(#expect(throws: StoreError.self) { try Store(initial: Box(), reducer: reducer, emission: .always) })
    check(
      #expect(throws: StoreError.self) {
        try StoreBlueprint(initial: Box(), reducer: reducer, emission: .always).makeStore()
      })
    let store = try Store(initial: Box(), reducer: count.lift(state: \Box.plain), emission: .always)
    check(#expect(throws: StoreError.self) { try store.replaceReducer(reducer) })
    store.dispatch(.inc)
    #expect(store.state.plain == 1, "the store stays usable, with the reducers that it had")
    #expect(store.state.cell.count == 1)
  }

  @Test func otherPathsAreTaken() throws {
    let object = CountReducer("object") { $1 += 1 }.lift(
      action: { (act: Act) in act }, get: { (box: Box) in box.cell.count },
      set: { box, count in
        let cell = Cell()
        cell.count = count
        box.cell = cell
      })
    let reducer = Reducer<Act, Box>.compose(
      count.lift(state: \.plain), count.lift(state: \.visible), CountReducer.identity.lift(state: Self.behind), object)
    let store = try Store(initial: Box(), reducer: reducer, emission: .always)
    let before = store.state
    store.dispatch(.inc)
    #expect(store.state.plain == 2)
    #expect(store.state.cell.count == 2)
    #expect(before.cell.count == 1)
    try store.replaceReducer(.identity)
  }
}
