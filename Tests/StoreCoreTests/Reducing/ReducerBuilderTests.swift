import StoreCore
import Testing

/// Rows 91–94: reducers on their own, composed variadically and by the builder.
@Suite struct ReducerBuilderTests {
  static func adding(_ addend: Int) -> CountReducer { CountReducer("+\(addend)") { $1 += addend } }
  static let doubling = CountReducer("×2") { $1 *= 2 }

  static func result(_ reducer: CountReducer, from initial: Int = 1) throws -> Int {
    var state = initial
    try reducer.reduce(.inc, &state)
    return state
  }

  @Test func theyRunFromTopToBottom() throws {
    let built = CountReducer.compose {
      Self.adding(1)
      Self.doubling
      Self.adding(3)
    }
    #expect(try Self.result(built) == 7)
    #expect(built.names == ["+1", "×2", "+3"])
    #expect(try Self.result(.compose(Self.adding(1), Self.doubling, Self.adding(3))) == 7)
  }

  @Test func nothingIsIdentity() throws {
    #expect(CountReducer.compose {}.names.isEmpty)
    #expect(CountReducer.compose().names.isEmpty)
    #expect(try Self.result([Self.adding(1), Self.doubling].reduce(.identity) { $0.appending($1) }) == 4)
  }

  @Test func reducersMayBeWrittenInPlace() throws {
    let built = CountReducer.compose {
      CountReducer { action, state in if action == .inc { state += 1 } }
      CountReducer("named") { $1 *= 10 }
      CountReducer.throwing("throwing") { _, state, _ in state -= 1 }
    }
    #expect(built.names == ["reducer", "named", "throwing"])
    #expect(try Self.result(built) == 19)
  }

  @Test(arguments: [(true, 0, 4), (true, 3, 7), (false, 0, 20), (false, 2, 22)])
  func controlFlowChoosesReducers(isDoubling: Bool, count: Int, expected: Int) throws {
    let absent: CountReducer? = nil
    let built = CountReducer.compose {
      Self.adding(1)
      if isDoubling {
        Self.doubling
      } else {
        CountReducer("×10") { $1 *= 10 }
      }
      for _ in 0..<count { Self.adding(1) }
      if count > 100 { Self.doubling }
      switch count {
      case 0: CountReducer.identity
      default: Self.adding(0)
      }
      absent
      if #available(macOS 99, *) { CountReducer.identity }
      [Self.adding(5), Self.adding(-5)]
    }
    #expect(try Self.result(built) == expected)
  }

  @Test func aReducerOnItsOwnLeavesTheStateAsItWasWhereItFails() {
    var state = 1
    let failing = CountReducer.throwing("failing") { _, _, _ in throw Refused(description: "no") }
    #expect(throws: Refused(description: "no")) {
      try CountReducer.compose(Self.adding(1), failing).reduce(.inc, &state)
    }
    #expect(state == 1)
  }

  @Test func aReducerOnItsOwnGetsTheContextItIsGiven() throws {
    let contexts = Notes<ActionContext>()
    let noting = CountReducer.throwing("noting") { _, _, context in contexts.note(context) }
    var state = 0
    let source = ActionSource(file: "f", function: "g", line: 3)
    try noting.reduce(
      .inc, &state, context: ActionContext(number: 7, source: source, time: .seconds(2), root: 5))
    try noting.reduce(.inc, &state, source: source)
    #expect(contexts.all.map(\.number) == [7, 0])
    #expect(contexts.all.map(\.root) == [5, 0])
    #expect(contexts.all.map(\.source) == [source, source])
    #expect(contexts.all.map(\.time) == [.seconds(2), .zero])
  }

  @Test func wrappingKeepsNamesAndFailure() throws {
    let wrapped = Self.adding(1).wrapped { action, state, _, reduce in
      guard action != .noop else { return }
      try reduce(&state)
      state *= 2
    }
    #expect(wrapped.names == ["+1"])
    var state = 1
    for action in [Act.inc, .noop, .inc] { try wrapped.reduce(action, &state) }
    #expect(state == 10)
    #expect(
      try Self.result(
        CountReducer.identity.wrapped {
          $1 = 5; try $3(&$1); _ = ($0, $2)
        }) == 1)
    let store = try Counting(
      initial: 7,
      reducer: FailureTests.failing.wrapped {
        try $3(&$1); _ = ($0, $2)
      })
    store.dispatch(.fail("no"))
    #expect(store.state == 7)
  }
}
