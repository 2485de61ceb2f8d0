import PluginSupport
import StoreCore
import StoreHost
import Testing

@Suite("Scenarios: phases")
struct PhaseScenarios {
  private static let r1 = CountReducer("r1") { action, state in if action == .inc { state.count += 1 } }
  private static let r2 = CountReducer("r2") { action, state in if action == .inc { state.count *= 2 } }

  // MARK: S-01

  private let allPhases = """
    watch counter.count
    watch counter.count
    trace on --stable
    dispatch counter.inc
    """

  /// What S-01 shows.
  private func expected(reducers: String) -> [String] {
    scenario(
      """
      Q 1 inc
      H 1 m1 s=0
      H 1 m2 s=0
      \(reducers)
      C 1 0→2
      N 1 w1 2
      N 1 w2 2
      I 1 m2 s=2
      I 1 m1 s=2
      D 1
      """)
  }

  private let reducers = "R 1 r1 0→1 · R 1 r2 1→2"
  /// The two steps as one reducer of the Lua module that holds the count.
  private let luaReducer = "R 1 counter 0→2"

  private func luaMiddleware(_ names: String...) -> String {
    "middleware = { " + names.map { "{ name = \"\($0)\", after = function() end }, " }.joined() + "}"
  }

  @Test func s01InSwift() throws {
    for _ in 1...2 {
      let application = Fixture.application(
        .compose(Self.r1, Self.r2), .compose(Fixture.observer("m1"), Fixture.observer("m2")))
      #expect(try Recording(allPhases, application).trace() == expected(reducers: reducers))
    }
  }

  @Test func s01InLua() throws {
    for _ in 1...2 {
      let counter = try Fixture.luaCounter(
        inc: "s.count = s.count + 1; s.count = s.count * 2", middleware: luaMiddleware("m1", "m2"))
      let recording = try Recording(allPhases, .empty, plugins: [counter])
      #expect(recording.trace() == expected(reducers: luaReducer))
    }
  }

  @Test func s01InLuaWithAReducerEach() throws {
    for _ in 1...2 {
      let reducers = [
        try Fixture.luaReducer("r1", "s.count = s.count + 1"), try Fixture.luaReducer("r2", "s.count = s.count * 2"),
      ]
      let middlewares = [try Fixture.luaObserver("m1"), try Fixture.luaObserver("m2")]
      let recording = try Recording(allPhases, Fixture.application(.identity), plugins: reducers + middlewares)
      #expect(recording.trace() == expected(reducers: self.reducers))
    }
  }

  @Test func s01WithReducersOfBothKinds() throws {
    for _ in 1...2 {
      let plugins = [try Fixture.luaReducer("r2", "s.count = s.count * 2"), try Fixture.luaObserver("m2")]
      let application = Fixture.application(Self.r1, Fixture.observer("m1"))
      #expect(try Recording(allPhases, application, plugins: plugins).trace() == expected(reducers: reducers))
    }
  }

  @Test func s01WithUnitsOfBothKinds() throws {
    for _ in 1...2 {
      let m1 = Fixture.application(.compose(Self.r1, Self.r2), Fixture.observer("m1"))
      let m2 = try Fixture.luaObserver("m2")
      #expect(try Recording(allPhases, m1, plugins: [m2]).trace() == expected(reducers: reducers))
      let both = [try Fixture.luaObserver("m1"), m2]
      let application = Fixture.application(.compose(Self.r1, Self.r2))
      #expect(try Recording(allPhases, application, plugins: both).trace() == expected(reducers: reducers))
    }
  }

  @Test func s01WatchersAreToldAtOnce() throws {
    let script = "trace on --stable\nwatch counter.count\nwatch counter.count\n"
    let expected = scenario("N 0 w1 0 · N 0 w2 0")
    #expect(try Recording(script, Fixture.application()).trace() == expected)
    #expect(try Recording(script, .empty, plugins: [try Fixture.luaCounter()]).trace() == expected)
  }

  @Test func s01NobodySeesTheStepBetween() throws {
    let application = Fixture.application(
      .compose(Self.r1, Self.r2), .compose(Fixture.observer("m1"), Fixture.observer("m2")))
    #expect(!(try Recording(allPhases, application).trace("HNI").contains { $0.hasSuffix("=1") || $0.hasSuffix(" 1") }))
  }

  // MARK: S-04

  private static let steps: [Character: (swift: CountReducer, lua: String)] = [
    "p": (CountReducer("p") { _, state in state.count += 1 }, "s.count = s.count + 1"),
    "d": (CountReducer("d") { _, state in state.count *= 2 }, "s.count = s.count * 2"),
    "k": (CountReducer("k") { _, state in state.count -= 3 }, "s.count = s.count - 3"),
    "n": (CountReducer("n") { _, state in state.count -= 1 }, "s.count = s.count - 1"),
    "e": (.identity, ""),
  ]

  /// The state before and after one action through a composition of reducers, and the commit's line.
  private func swift(_ groups: String..., from start: Int) throws -> [String] {
    let reducer = groups.reduce(CountReducer.identity) { all, group in
      all.appending(group.reduce(CountReducer.identity) { $0.appending(Self.steps[$1]!.swift) })
    }
    var application = Fixture.application(reducer)
    application = Application(
      initial: CountState(counter: Count(count: start)), reducer: application.reducer)
    return try Recording("trace on --stable\ndispatch counter.inc\n", application).trace("CU")
  }

  private func lua(_ groups: String..., from start: Int) throws -> [String] {
    let body = groups.joined().map { Self.steps[$0]!.lua }.joined(separator: "; ")
    let plugin = try Fixture.luaCounter(start: start, inc: body)
    return try Recording("trace on --stable\ndispatch counter.inc\n", .empty, plugins: [plugin]).trace("CU")
  }

  @Test func s04ReducersAreAMonoid() throws {
    for _ in 1...2 {
      #expect(try swift("p", "d", from: 0) == ["C 1 0→2"])
      #expect(try swift("d", "p", from: 0) == ["C 1 0→1"])
      #expect(try swift("pd", "k", from: 1) == ["U 1"])
      #expect(try swift("p", "dk", from: 1) == ["U 1"])
      #expect(try swift("pd", "k", from: 2) == ["C 1 2→3"])
      #expect(try swift("p", "dk", from: 2) == ["C 1 2→3"])
      for order in ["epd", "ped", "pde", "epede"] { #expect(try swift(order, from: 0) == ["C 1 0→2"]) }
      #expect(try swift("p", "n", from: 5) == ["U 1"])
    }
  }

  @Test func s04TheIdentityPrintsNoLine() throws {
    let reducer = CountReducer.compose(.identity, Self.r1, .identity)
    let recording = try Recording("trace on --stable\ndispatch counter.inc\n", Fixture.application(reducer))
    #expect(recording.trace() == scenario("Q 1 inc · R 1 r1 0→1 · C 1 0→1 · D 1"))
  }

  /// Each step a Lua reducer of its own, lifted over the Swift module; `swiftSteps` come first, in Swift.
  private func lifted(_ steps: String, after swiftSteps: String = "", from start: Int) throws -> [String] {
    let reducer = swiftSteps.reduce(CountReducer.identity) { $0.appending(Self.steps[$1]!.swift) }
    let application = Application(
      initial: CountState(counter: Count(count: start)), reducer: Fixture.application(reducer).reducer)
    var plugins: [PluginFolder] = []
    for (index, step) in steps.enumerated() {
      plugins.append(try Fixture.luaReducer("r\(index)", Self.steps[step]!.lua))
    }
    return try Recording("trace on --stable\ndispatch counter.inc\n", application, plugins: plugins).trace("CU")
  }

  @Test func s04InLuaWithAReducerEach() throws {
    for _ in 1...2 {
      #expect(try lifted("pd", from: 0) == ["C 1 0→2"])
      #expect(try lifted("dp", from: 0) == ["C 1 0→1"])
      #expect(try lifted("pdk", from: 1) == ["U 1"])
      #expect(try lifted("epede", from: 0) == ["C 1 0→2"])
      #expect(try lifted("pn", from: 5) == ["U 1"])
    }
  }

  @Test func s04WithLuaReducersLiftedBehindSwiftOnes() throws {
    for _ in 1...2 {
      #expect(try lifted("d", after: "p", from: 0) == ["C 1 0→2"])
      #expect(try lifted("p", after: "d", from: 0) == ["C 1 0→1"])
      #expect(try lifted("k", after: "pd", from: 1) == ["U 1"])
      #expect(try lifted("dk", after: "p", from: 1) == ["U 1"])
    }
  }

  /// The steps as one reducer of the Lua module that holds the count.
  @Test func s04InLua() throws {
    for _ in 1...2 {
      #expect(try lua("pd", from: 0) == ["C 1 0→2"])
      #expect(try lua("dp", from: 0) == ["C 1 0→1"])
      #expect(try lua("pdk", from: 1) == ["U 1"])
      #expect(try lua("epede", from: 0) == ["C 1 0→2"])
      #expect(try lua("pn", from: 5) == ["U 1"])
    }
  }

  /// A Lua reducer that answers the Swift module's action stands behind the Swift ones, over its own slice.
  @Test func s04WithReducersOfBothKinds() throws {
    let follower = try PluginFolder(
      "follower", permissions: ["read:counter"],
      lua: """
        return plugin { state = { field("seen", int()) },
          reducers = { ["counter.inc"] = function(s) s.seen = s.seen + 1 end } }
        """)
    for _ in 1...2 {
      let recording = try Recording(
        "trace on --stable\ndispatch counter.inc\n", Fixture.application(.compose(Self.r1, Self.r2)),
        plugins: [follower])
      #expect(
        recording.trace()
          == scenario(
            """
            Q 1 inc · R 1 r1 0→1 · R 1 r2 1→2 · R 1 follower 0→1
            C 1 {"counter":{"count":0},"follower":{"seen":0}}→{"counter":{"count":2},"follower":{"seen":1}}
            D 1
            """))
    }
  }

  // MARK: S-06

  private let nothingChanges = """
    trace on --stable
    watch counter.count
    dispatch counter.noop
    set emit always
    dispatch counter.noop
    trace off
    log
    """

  private func expectS06(_ recording: Recording, reducer: String = "count") {
    #expect(
      recording.trace(without: [2])
        == scenario(
          """
          N 0 w1 0
          Q 1 noop · H 1 m s=0 · R 1 \(reducer) 0→0 · U 1 · I 1 m s=0 · D 1
          Q 3 noop · H 3 m s=0 · R 3 \(reducer) 0→0 · U 3 · N 3 w1 0 · I 3 m s=0 · D 3
          """))
    let listed = recording.output.split(separator: "\n").filter { $0.contains("counter.noop ") && $0.hasSuffix(" -") }
    #expect(listed.count == 2, "\(recording.output)")
  }

  @Test func s06AnActionThatChangesNothing() throws {
    for _ in 1...2 {
      expectS06(try Recording(nothingChanges, Fixture.application(Fixture.count, Fixture.observer("m"))))
      expectS06(
        try Recording(nothingChanges, .empty, plugins: [try Fixture.luaCounter(middleware: luaMiddleware("m"))]),
        reducer: "counter")
      expectS06(
        try Recording(nothingChanges, Fixture.application(), plugins: [try Fixture.luaObserver("m")]))
    }
  }
}
