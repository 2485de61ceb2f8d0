import StoreCore
import Testing
import TraceSupport

/// R16 for lifts, rows 94 and 95: what lifting does to the monoid of reducers, on traces and states, failure included.
@Suite struct ReducerLawTests {
  typealias RowReducer = Reducer<RowAct, Row>
  typealias TableReducer = Reducer<TableAct, Table>

  /// Any reducer of one row; some fail, on some actions, in some states.
  static func reducer(_ random: inout SeededGenerator, depth: Int = 3) -> RowReducer {
    switch depth == 0 ? Int.random(in: 0..<4, using: &random) : Int.random(in: 0..<8, using: &random) {
    case 0: return .identity
    case 1:
      let addend = Int.random(in: -9...9, using: &random)
      return RowReducer("+\(addend)") { $1.count &+= addend }
    case 2: return RowReducer("×") { if $0 == .double { $1.count &*= 2 } }
    case 3:
      let limit = Int.random(in: -5...20, using: &random)
      return .throwing("<\(limit)", canFail: { $0 != .inc }) { act, row, _ in
        row.count &-= 1
        if act != .inc, row.count > limit { throw Refused(description: "\(limit)") }
      }
    case 4, 5: return reducer(&random, depth: depth - 1).liftedByIdentity()
    default: return reducer(&random, depth: depth - 1).appending(reducer(&random, depth: depth - 1))
    }
  }

  /// All lifts of a row's reducer to a table.
  static let lifts: [(name: String, lift: @Sendable (RowReducer) -> TableReducer)] = [
    ("by id", { $0.lift(action: { $0.row }, element: .of(\.rows)) }),
    ("by property", { $0.lift(action: { $0.slug }, element: .of(\.rows, by: \.slug)) }),
    ("by index", { $0.lift(action: { $0.at }, element: .at(\.rows)) }),
    ("by key", { $0.lift(action: { $0.key }, element: .of(\.named)) }),
    ("each", { $0.lift(action: { $0.all }, each: .of(\.rows)) }),
    ("each entry", { $0.lift(action: { $0.all }, each: .of(\.named)) }),
    ("optional", { $0.liftOptional(action: { $0.detail }, state: \.detail) }),
    ("not stored", { $0.lift(action: { $0.row }, element: .of(\.visible)) }),
    ("accessors", { $0.liftOptional().lift(action: { $0.detail }, get: { $0.detail }, set: { $0.detail = $1 }) }),
  ]

  /// One action for each lift; some of them reach nothing.
  static func actions(_ random: inout SeededGenerator) -> [TableAct] {
    let act = [RowAct.inc, .double, .fail].randomElement(using: &random) ?? .inc
    let number = Int.random(in: -1...4, using: &random)
    return [
      .row(number, act), .slug(["a", "b", "c"].randomElement(using: &random) ?? "", act), .at(number, act),
      .key(["x", "y", "z"].randomElement(using: &random) ?? "", act), .all(act), .detail(act), .noop,
    ]
  }

  static func table(_ random: inout SeededGenerator) -> Table {
    func row(_ id: Int) -> Row {
      Row(id: id, slug: Bool.random(using: &random) ? "a" : "b", count: Int.random(in: -9...20, using: &random))
    }
    return Table(
      rows: (0..<Int.random(in: 0...4, using: &random)).map { row($0 % 3) },
      named: Bool.random(using: &random) ? ["x": row(7), "y": row(8)] : [:],
      detail: Bool.random(using: &random) ? row(9) : nil)
  }

  /// What a reducer does to actions one after the other, traced, untraced, and outside a store.
  static func behaviour(_ reducer: TableReducer, _ actions: [TableAct], on initial: Table) throws -> [String] {
    let store = try Store(initial: initial, reducer: reducer)
    let trace = TraceLines("RCUF")
    trace.listen(to: store)
    let silent = try Store(initial: initial, reducer: reducer)
    var alone = initial
    for action in actions {
      store.dispatch(action)
      silent.dispatch(action)
      try? reducer.reduce(action, &alone)
      #expect(silent.state == store.state, "the short way does the same as the traced one")
      #expect(alone == store.state, "a reducer on its own does the same")
    }
    return trace.lines + ["\(store.state)"]
  }

  @Test(arguments: 0..<60)
  func liftsAreHomomorphisms(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let (a, b) = (Self.reducer(&random), Self.reducer(&random))
    let (initial, actions) = (Self.table(&random), Self.actions(&random))
    for (name, lift) in Self.lifts {
      func behaviour(_ reducer: TableReducer) throws -> [String] {
        try Self.behaviour(reducer, actions, on: initial)
      }
      #expect(lift(.identity).names.isEmpty, "\(name): lifting identity is identity")
      #expect(try behaviour(lift(.identity)) == behaviour(.identity), "\(name)")
      // Over several elements the two orders differ in the lines, not in the state.
      let (together, apart) = (lift(a.appending(b)), lift(a).appending(lift(b)))
      #expect(together.names == apart.names)
      if name.hasPrefix("each") {
        #expect(try behaviour(together).last == behaviour(apart).last, "\(name)")
      } else {
        #expect(try behaviour(together) == behaviour(apart), "\(name)")
      }
      let c = lift(a)
      #expect(try behaviour(c.appending(.identity)) == behaviour(c))
      #expect(try behaviour(TableReducer.identity.appending(c)) == behaviour(c))
      #expect(try behaviour(c.liftedByIdentity()) == behaviour(c))
    }
  }

  @Test(arguments: 0..<60)
  func liftedReducersAreAMonoid(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(1_000 + seed))
    let (initial, actions) = (Self.table(&random), Self.actions(&random))
    let lifted = (0..<3).map { _ in
      Self.lifts[Int.random(in: 0..<Self.lifts.count, using: &random)].lift(Self.reducer(&random))
    }
    let (a, b, c) = (lifted[0], lifted[1], lifted[2])
    let expected = try Self.behaviour(a.appending(b).appending(c), actions, on: initial)
    #expect(try Self.behaviour(a.appending(b.appending(c)), actions, on: initial) == expected)
    #expect(try Self.behaviour(.compose(.identity, a, .identity, b, c), actions, on: initial) == expected)
  }

  struct Outer: Equatable, Sendable {
    var table = Table()
    var tables: [Table] = []
  }

  @Test(arguments: 0..<60)
  func liftingTwiceIsLiftingTheComposition(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(2_000 + seed))
    let reducer = Self.reducer(&random)
    let table = Self.table(&random)
    let maybe: @Sendable (TableAct?) -> TableAct? = { $0 }
    let pairs: [(Reducer<TableAct?, Outer>, Reducer<TableAct?, Outer>)] = [
      (
        reducer.lift(action: { $0.row }, element: .of(\Table.rows)).lift(action: maybe, state: \Outer.table),
        reducer.lift(action: { maybe($0)?.row }, element: .of(\Outer.table.rows))
      ),
      (
        reducer.lift(action: { $0.slug }, element: .of(\Table.rows, by: \.slug)).lift(
          action: maybe, state: \Outer.table),
        reducer.lift(action: { maybe($0)?.slug }, element: .of(\Outer.table.rows, by: \.slug))
      ),
      (
        reducer.lift(action: { $0.at }, element: .at(\Table.rows)).lift(action: maybe, state: \Outer.table),
        reducer.lift(action: { maybe($0)?.at }, element: .at(\Outer.table.rows))
      ),
      (
        reducer.lift(action: { $0.key }, element: .of(\Table.named)).lift(action: maybe, state: \Outer.table),
        reducer.lift(action: { maybe($0)?.key }, element: .of(\Outer.table.named))
      ),
      (
        reducer.lift(action: { $0.all }, each: .of(\Table.named)).lift(action: maybe, state: \Outer.table),
        reducer.lift(action: { maybe($0)?.all }, each: .of(\Outer.table.named))
      ),
      (
        reducer.liftOptional(action: { $0.detail }, state: \Table.detail).lift(action: maybe, state: \Outer.table),
        reducer.liftOptional(action: { maybe($0)?.detail }, state: \Outer.table.detail)
      ),
    ]
    for action in Self.actions(&random) {
      for (twice, once) in pairs {
        func run(_ reducer: Reducer<TableAct?, Outer>) throws -> [String] {
          let store = try Store(initial: Outer(table: table), reducer: reducer)
          let trace = TraceLines("RUF")
          trace.listen(to: store)
          store.dispatch(action)
          store.dispatch(nil)
          return trace.lines + ["\(store.state)"]
        }
        #expect(try run(twice) == run(once))
      }
    }
  }

  /// Only what may fail makes the store keep a snapshot, so the lifts must carry `canFail`: a failure where it says none
  /// would leave the state half changed.
  @Test(arguments: 0..<60)
  func aFailureIsUndoneThroughEveryLift(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(3_000 + seed))
    let initial = Self.table(&random)
    let failing = RowReducer.throwing("failing", canFail: { $0 == .fail }) { act, row, _ in
      row.count &+= 1
      if act == .fail { throw Refused(description: "no") }
    }
    for action in Self.actions(&random) {
      for (name, lift) in Self.lifts {
        let store = try Store(initial: initial, reducer: lift(failing))
        let result = store.dispatch(action)
        if case .failed = result.outcome { #expect(store.state == initial, "\(name)") }
      }
    }
  }
}
