import StoreCore
import StoreSchema
import StoreUnits
import Testing
import TraceSupport

@Schema
enum Letter: Equatable, Sendable {
  case a, b, c, d, e
  case set(to: Int)
  case gate(isOn: Bool)
}

typealias Letters = Middleware<Letter, Letter, Int>

/// S-23's reducer: a and b add one.
let lettersReducer = Reducer<Letter, Int>("count") { action, count in
  switch action {
  case .a, .b: count += 1
  case .set(let value): count = value
  case .c, .d, .e, .gate: break
  }
}

/// Keeps what a store recorded.
final class Records: Sendable {
  private let collected = Lock<[(action: Letter, context: ActionContext)]>([])

  var sources: [ActionSource] { collected.withLock { $0.map(\.context.source) } }
  var actions: [Letter] { collected.withLock { $0.map(\.action) } }

  init(_ store: Store<Letter, Int>) {
    store.setRecorder { [self] record in collected.withLock { $0.append((record.action, record.context)) } }
  }
}

/// A dispatch from line 4 of a script.
private func typed(_ info: String? = nil) -> ActionSource {
  ActionSource(file: "s23.cmds", function: "dispatch", line: 4, info: info, kind: .batch)
}

/// R25, rows 81 and 160 to 168.
@Suite struct BridgeTests {
  private static var s23: [BridgeRule<Letter, Letter, Int>] {
    [
      .on(action: .a, when: { $0 >= 1 }, dispatch: .b, file: "bridges.lua", line: 3),
      .on(action: .a, dispatch: .c, file: "bridges.lua", line: 4),
      .on(action: .a, when: { $0 >= 2 }, dispatch: .d, file: "bridges.lua", line: 5),
      .on(action: .b, dispatch: .e, file: "bridges.lua", line: 6),
    ]
  }

  private func run(
    _ middleware: Letters, _ actions: [(Letter, String?)], kinds: String, initial: Int = 0
  ) throws -> (lines: [String], records: Records) {
    let store = try Store(initial: initial, reducer: lettersReducer, middleware: middleware)
    let (trace, records) = (TraceLines(kinds), Records(store))
    trace.listen(to: store)
    for (action, info) in actions { store.dispatch(action, source: typed(info)) }
    return (trace.lines, records)
  }

  @Test func s23Bridge() throws {
    let bridge = Letters.bridge("bridge", Self.s23)
    for (shape, bridge) in [
      ("plain", bridge), ("composed", .compose(.identity, .compose(bridge, .identity))),
      ("lifted twice", bridge.lift(input: { $0 }).lift(state: { $0 })),
    ] {
      let (lines, records) = try run(bridge, [(.a, nil)], kinds: "QHCUID")
      #expect(
        lines
          == scenario(
            """
            Q 1 a · H 1 bridge s=0 · C 1 0→1 · I 1 bridge s=1 · Q 2 b <1 · Q 3 c <1 · D 1
            H 2 bridge s=1 · C 2 1→2 · I 2 bridge s=2 · Q 4 e <2 · D 2
            U 3 · D 3
            U 4 · D 4
            """), "\(shape)")
      let sources = records.sources
      #expect(records.actions == [.a, .b, .c, .e], "\(shape)")
      #expect(sources.map(\.kind) == [ActionSource.Kind.batch, .bridge, .bridge, .bridge], "\(shape)")
      #expect(sources.map(\.cause) == [nil, 1, 1, 2] as [Int?], "\(shape)")
      #expect(sources.allSatisfy { $0.file == "s23.cmds" && $0.function == "dispatch" && $0.line == 4 }, "\(shape)")
      #expect(
        sources.map(\.info) == [
          nil, "bridged from a by bridges.lua:3", "bridged from a by bridges.lua:4",
          "bridged from a by bridges.lua:3\nbridged from b by bridges.lua:6",
        ], "\(shape)")
    }
  }

  @Test func anInfoGivenByHandStaysTheFirstLine() throws {
    let (_, records) = try run(.bridge("bridge", Self.s23), [(.a, "x")], kinds: "")
    #expect(
      records.sources.map(\.info) == [
        "x", "x\nbridged from a by bridges.lua:3", "x\nbridged from a by bridges.lua:4",
        "x\nbridged from a by bridges.lua:3\nbridged from b by bridges.lua:6",
      ])
  }

  @Test func allConditionsThenAllMapsThenAllDispatches() throws {
    let steps = Lock<[String]>([])
    let note: @Sendable (String) -> Void = { step in steps.withLock { $0.append(step) } }
    let rules = (1...3).map { index in
      BridgeRule<Letter, Letter, Int>.on(
        { $0 == .a ? () : nil },
        when: { count in
          note("test \(index) \(count)")
          return index != 2
        },
        dispatch: { (_: Void, count: Int) -> Letter? in
          note("map \(index) \(count)")
          return .set(to: index)
        })
    }
    let store = try Store(initial: 0, reducer: lettersReducer, middleware: .bridge("bridge", rules))
    store.setTrace { event in
      if case .enqueued(_, let action, _) = event { note("queue \(action)") }
    }
    store.dispatch(.a)
    #expect(
      steps.withLock { $0 } == [
        "queue a", "test 1 1", "test 2 1", "test 3 1", "map 1 1", "map 3 1", "queue set(to: 1)", "queue set(to: 3)",
      ])
  }

  @Test func aPayloadIsCarriedOverAndAMapMayDecline() throws {
    let bridge = Letters.bridge(
      "bridge",
      [
        .on(\.set, dispatch: { value in value > 5 ? nil : .set(to: value + 2) }),
        .on(\.set, dispatch: { value, state in value == state ? .gate(isOn: value > 5) : nil }),
        .on(\.gate, when: { $0 > 5 }, dispatch: .b),
      ])
    let (lines, _) = try run(bridge, [(.set(to: 2), nil)], kinds: "Q")
    #expect(
      lines
        == scenario(
          """
          Q 1 set(to: 2) · Q 2 set(to: 4) <1 · Q 3 gate(isOn: false) <1 · Q 4 set(to: 6) <2 · Q 5 gate(isOn: false) <2
          Q 6 gate(isOn: true) <4 · Q 7 b <5 · Q 8 b <6
          """))
  }

  /// Row 81.
  @Test func aGuardSeesTheStateBeforeAndWhenTheStateAfter() throws {
    let bridge = Letters.bridge(
      "bridge",
      [
        .on(action: .a, guard: { $0 == 1 }, dispatch: .c), .on(action: .a, when: { $0 == 1 }, dispatch: .d),
        .on(action: .a, guard: { $0 == 2 }, when: { $0 == 3 }, dispatch: .e),
      ])
    let (lines, _) = try run(bridge, [(.a, nil), (.a, nil), (.a, nil), (.a, nil)], kinds: "Q")
    #expect(lines == scenario("Q 1 a · Q 2 d <1 · Q 3 a · Q 4 c <3 · Q 5 a · Q 6 e <5 · Q 7 a"))
  }

  @Test func whereEveryGuardRefusesThereIsNoIO() throws {
    let bridge = Letters.bridge("bridge", [.on(action: .a, guard: { $0 == 1 }, dispatch: .c)])
    let (lines, _) = try run(bridge, [(.a, nil), (.b, nil)], kinds: "HI")
    #expect(lines == ["H 1 bridge s=0"])
  }

  /// Row 81: the half that changes the state.
  @Test func aReducerOnOneActionChangesTheStateWhereItsGuardHolds() throws {
    let reducer = Reducer<Letter, Int>.on(\.number, name: "on", guard: { $0 < 3 }, change: { $0 += $1 })
    let store = try Store(initial: 0, reducer: reducer)
    for action in [Letter.set(to: 2), .a, .set(to: 5), .set(to: 1)] { store.dispatch(action) }
    #expect(store.state == 7)
  }

  @Test func aBridgeThatIsShutHoldsItsActionsBack() throws {
    let gate = Gate()
    let bridge = Letters.bridge("bridge", [.on(action: .a, dispatch: .c)]).gated(
      by: gate, control: { if case .gate(let isOn) = $0 { isOn } else { nil } }, on: true, off: false)
    let (lines, _) = try run(
      bridge, [(.a, nil), (.gate(isOn: false), nil), (.a, nil), (.b, nil), (.gate(isOn: true), nil), (.a, nil)],
      kinds: "HQ")
    #expect(
      lines
        == scenario(
          """
          Q 1 a · H 1 bridge s=0 · Q 2 c <1 · Q 3 gate(isOn: false) · Q 4 a · Q 5 b · Q 6 gate(isOn: true)
          Q 7 a · H 7 bridge s=3 · Q 8 c <7
          """))
  }

  @Test func anActionThatFailsIsNotBridged() throws {
    struct Refused: Error {}
    let failing = Reducer<Letter, Int>.throwing("failing") { action, _, _ in if action == .b { throw Refused() } }
    let store = try Store(
      initial: 0, reducer: .compose(lettersReducer, failing),
      middleware: .bridge("bridge", [.on(action: .b, dispatch: .c), .on(action: .a, dispatch: .c)]))
    let records = Records(store)
    #expect(throws: Refused.self) { try store.dispatch(.b).get() }
    store.dispatch(.a)
    #expect(records.actions == [.b, .a, .c])
  }

  @Test func aBridgeWithoutRulesIsNeverAsked() throws {
    let (lines, _) = try run(.bridge("bridge", []), [(.a, nil)], kinds: "HIQ")
    #expect(lines == ["Q 1 a"])
  }

  @Test func theOriginalIsNamedByItsCasesOrAsTheBridgeIsTold() throws {
    let custom = Letters.bridge("bridge", [.on(\.set, dispatch: .c, file: "f", line: 1)], naming: { "<\($0)>" })
    #expect(
      try run(custom, [(.set(to: 1), nil)], kinds: "").records.sources[1].info == "bridged from <set(to: 1)> by f:1")
    let standard = Letters.bridge("bridge", [.on(\.set, dispatch: .c, file: "f", line: 1)])
    #expect(try run(standard, [(.set(to: 1), nil)], kinds: "").records.sources[1].info == "bridged from set by f:1")
  }

  @Test func aRuleKnowsWhereItIsWritten() throws {
    let line = #line + 2
    let rules: [BridgeRule<Letter, Letter, Int>] = [
      .on(action: .a, dispatch: .c), .on(\.set, dispatch: { .set(to: $0) }),
    ]
    let info = try run(.bridge("bridge", rules), [(.a, nil)], kinds: "").records.sources[1].info
    #expect(info == "bridged from a by StoreUnitsTests/BridgeTests.swift:\(line)")
  }

  @Test func theUsersRunawayGuardStopsABridgeInACircle() throws {
    let store = try Store(
      initial: 0, reducer: lettersReducer,
      middleware: .bridge([.on(action: .a, dispatch: .b), .on(action: .b, dispatch: .a)]),
      runawayLimit: 10)
    #expect(throws: StoreError.self) { try store.dispatch(.a).get() }
    #expect(store.state == 11)
  }
}

extension Letter {
  fileprivate var number: Int? { if case .set(let value) = self { value } else { nil } }
}

/// Names of actions.
@Suite struct ActionNameTests {
  private enum Branch { case leaf, fruit(Int), nested(Inner), pair(Int, Int), named(inner: Inner), maybe(Inner?) }
  private enum Inner { case one, two(String) }
  private struct Wrapped: CustomStringConvertible { let description: String }

  @Test func namesAreCasesWithoutPayload() {
    #expect(ActionName.of(Branch.leaf) == "leaf")
    #expect(ActionName.of(Branch.fruit(3)) == "fruit")
    #expect(ActionName.of(Branch.nested(.one)) == "nested.one")
    #expect(ActionName.of(Branch.nested(.two("secret"))) == "nested.two")
    #expect(ActionName.of(Branch.pair(1, 2)) == "pair")
    #expect(ActionName.of(Branch.named(inner: .one)) == "named")
    #expect(ActionName.of(Branch.maybe(.one)) == "maybe")
    #expect(ActionName.of(Wrapped(description: "w")) == "w")
    #expect(ActionName.of(7) == "7")
  }
}
