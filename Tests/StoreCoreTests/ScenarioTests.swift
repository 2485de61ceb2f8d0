import TraceSupport
import StoreCore
import Testing

/// Scenarios as trace comparisons, each composition written in all arrangements.
@Suite struct ScenarioTests {
  @Test func s01AllPhasesOfOneAction() throws {
    for (shape, middleware) in arrangements([unit("m1"), unit("m2")]) {
      for (_, reducer) in arrangements([on(.inc, "r1") { $0 += 1 }, on(.inc, "r2") { $0 *= 2 }]) {
        let store = try Counting(initial: 0, reducer: reducer, middleware: middleware)
        let trace = TraceLines()
        trace.listen(to: store)
        let seen = Notes<Int>()
        let w1 = store.watch("w1") { seen.note($0.new) }
        let w2 = store.watch("w2") { seen.note($0.new) }
        store.dispatch(.inc)
        withExtendedLifetime((w1, w2)) {}
        #expect(
          trace.lines
            == scenario(
              """
              N 0 w1 0
              N 0 w2 0
              Q 1 inc
              H 1 m1 s=0
              H 1 m2 s=0
              R 1 r1 0→1
              R 1 r2 1→2
              C 1 0→2
              N 1 w1 2
              N 1 w2 2
              I 1 m2 s=2
              I 1 m1 s=2
              D 1
              """), "\(shape)")
        #expect(seen.all == [0, 0, 2, 2])
      }
    }
  }

  @Test(arguments: [
    (0, ["p", "d"], 2), (0, ["d", "p"], 1), (1, ["p", "d", "k"], 1), (1, ["e", "p", "e", "d", "k", "e"], 1),
  ])
  func s04ReducersAreAMonoidInOrder(initial: Int, names: [String], expected: Int) throws {
    let reducers = names.map { name in
      switch name {
      case "p": on(.inc, "p") { $0 += 1 }
      case "d": on(.inc, "d") { $0 *= 2 }
      case "k": on(.inc, "k") { $0 -= 3 }
      default: CountReducer.identity
      }
    }
    for (shape, reducer) in arrangements(reducers) {
      // Every action counts as a change unless it is equal, so `areEqual` is what tells C from U.
      let store = try Counting(initial: initial, reducer: reducer)
      let trace = TraceLines("RCU")
      trace.listen(to: store)
      store.dispatch(.inc)
      #expect(store.state == expected, "\(shape)")
      #expect(trace.lines.filter { $0.hasPrefix("R") }.count == names.count { $0 != "e" }, "\(shape)")
      #expect(trace.lines.count { $0.hasPrefix("C") } == (initial == expected ? 0 : 1), "\(shape)")
    }
  }

  @Test func s04ALaterReducerThatUndoesAnEarlierOne() throws {
    let store = try Counting(initial: 0, reducer: .compose(on(.inc, "p") { $0 += 1 }, on(.inc, "q") { $0 -= 1 }))
    let trace = TraceLines()
    trace.listen(to: store)
    store.dispatch(.inc)
    #expect(trace.lines == scenario("Q 1 inc · R 1 p 0→1 · R 1 q 1→0 · U 1 · D 1"))
  }

  @Test func s06AnActionThatChangesNothing() throws {
    for (shape, middleware) in arrangements([unit("m")]) {
      let store = try Counting(initial: 0, reducer: count, middleware: middleware)
      let trace = TraceLines()
      trace.listen(to: store)
      let watch = store.watch("w") { _ in }
      store.dispatch(.noop)
      store.setEmission(.always)
      store.dispatch(.noop)
      withExtendedLifetime(watch) {}
      #expect(
        trace.lines
          == scenario(
            """
            N 0 w 0
            Q 1 noop · H 1 m s=0 · R 1 count 0→0 · U 1 · I 1 m s=0 · D 1
            Q 2 noop · H 2 m s=0 · R 2 count 0→0 · U 2 · N 2 w 0 · I 2 m s=0 · D 2
            """), "\(shape)")
    }
  }

  @Test func s08EveryActionKnowsWhereItCameFrom() throws {
    let later = Lock<ActionHandler<Act>?>(nil)
    let ping = CountMiddleware("ping") { action, _, _ in
      guard action == .inc else { return .none }
      return IO { output in
        output.dispatch(
          DispatchedAction(
            .dec,
            source: ActionSource(file: "ping.lua", function: "on_inc", line: 12, kind: .plugin, plugin: "ping")))
        later.withLock { $0 = output }
      }
    }
    for (shape, middleware) in arrangements([ping]) {
      let store = try Counting(initial: 0, reducer: count, middleware: middleware)
      let sources = Notes<(Int, ActionSource)>()
      store.setRecorder { sources.note(($0.context.number, $0.context.source)) }
      let typed = ActionSource(file: "repl", function: "dispatch", line: 3, info: "by hand", kind: .repl)
      let script = ActionSource(file: "demo.cmds", function: "dispatch", line: 7, kind: .batch)
      let effect = ActionSource(file: "ping.lua", function: "later", line: 20, kind: .effect, plugin: "ping")
      store.dispatch(.inc, source: typed)
      // The effect ends once nothing is processed any more.
      later.withLock { $0 }?.dispatch(DispatchedAction(.noop, source: effect))
      store.dispatch(.inc, source: script)
      var caused = ActionSource(file: "ping.lua", function: "on_inc", line: 12, kind: .plugin, plugin: "ping")
      caused.cause = 1
      var emitted = effect
      emitted.cause = 1
      var last = caused
      last.cause = 4
      #expect(sources.all.map(\.0) == [1, 2, 3, 4, 5], "\(shape)")
      #expect(sources.all.map(\.1) == [typed, caused, emitted, script, last], "\(shape)")
    }
  }

  @Test func s17LiftNeverVoidAndIdentity() throws {
    let sourceLine = Lock(0)
    let cart = Middleware<Int, String, [Int]>("cart") { price, _, state in
      guard price == 5 else { return .none }
      return IO { output in
        sourceLine.withLock { $0 = #line + 1 }
        output.dispatch("added \(state())")
      }
    }
    enum Shop: Sendable, CustomStringConvertible {
      case login, add(Int), added(String)
      var description: String {
        switch self {
        case .login: "login"
        case .add(let price): "add(\(price))"
        case .added(let text): text
        }
      }
    }
    struct ShopState: Equatable, Sendable {
      var user = ""
      var cart = [1]
    }
    let sources = Notes<ActionSource>()
    let counter = Middleware<Shop, Never, Void>("log") { _, context, state in
      state()
      return IO { _ in sources.note(context.source) }
    }
    let once = cart.lift(
      input: { (shop: Shop) in if case .add(let price) = shop { price } else { nil } }, output: { Shop.added($0) },
      state: { (state: ShopState) in state.cart })
    let middleware = Middleware<Shop, Shop, ShopState>.compose(
      once.lift(input: { $0 }, output: { $0 }, state: { $0 }),
      counter.lift(ignoring: ShopState.self).lift(input: { $0 }, to: Shop.self, state: { $0 }))
    let reducer = Reducer<Int, [Int]>("cart") { $1.append($0) }.lift(
      action: { (shop: Shop) in if case .add(let price) = shop { price } else { nil } }, state: \ShopState.cart)
    let store = try Store(initial: ShopState(), reducer: reducer, middleware: middleware)
    let trace = TraceLines("QHI")
    trace.listen(to: store)
    store.dispatch(.login)
    store.dispatch(.add(5), info: "by hand")
    #expect(
      trace.lines == [
        "Q 1 login", "H 1 log s=()", "I 1 log s=()", "Q 2 add(5)", "H 2 cart s=[1]", "H 2 log s=()", "I 2 log s=()",
        "I 2 cart s=[1, 5]", "Q 3 added [1, 5] <2", "H 3 log s=()", "I 3 log s=()",
      ])
    let added = try #require(sources.all.last)
    #expect(added.file == #fileID)
    #expect(added.line == sourceLine.withLock { $0 })
    #expect(added.cause == 2)
    #expect(sources.all[1].info == "by hand")
  }

  @Test func s17EveryArrangementRunsIOInOneOrder() throws {
    for (shape, middleware) in arrangements([unit("a"), unit("b"), unit("c")]) {
      let store = try Counting(initial: 0, reducer: count, middleware: middleware)
      let trace = TraceLines("HI")
      trace.listen(to: store)
      store.dispatch(.inc)
      #expect(
        trace.lines == scenario("H 1 a s=0 · H 1 b s=0 · H 1 c s=0 · I 1 c s=1 · I 1 b s=1 · I 1 a s=1"), "\(shape)")
    }
  }

  @Test func s19ProjectionsOwnNothing() throws {
    struct Root: Equatable, Sendable {
      var count = 0
      var other = 0
    }
    let store = try Store(
      initial: Root(),
      reducer: Reducer<String, Root>("root") { action, state in
        if action == "inc" { state.count += 1 }
        if action == "touch" { state.other += 1 }
      })
    let trace = TraceLines("QNXD")
    trace.listen(to: store)
    let sources = Notes<ActionSource>()
    store.setRecorder { sources.note($0.context.source) }
    let p = store.projection(
      named: "p", action: { (local: String) in local == "up" ? "inc" : nil }, state: { $0.count * 10 })
    let p2 = p.projection(action: { (local: String) in local == "quiet" ? nil : local }, state: { $0 + 1 })
    let watches = [p.watch("p") { _ in }, p2.watch("p2") { _ in }]
    let typed = ActionSource(file: "repl", function: "dispatch", line: 1, kind: .repl)
    p.dispatch("up", source: typed)
    store.dispatch("touch")
    p2.dispatch("up", source: typed)
    #expect(p2.dispatch("hush") == nil)
    #expect(p2.dispatch("quiet") == nil)
    withExtendedLifetime(watches) {}
    #expect(
      trace.lines
        == scenario(
          """
          N 0 p 0 · N 0 p2 1
          Q 1 inc · N 1 p 10 · N 1 p2 11 · D 1
          Q 2 touch · D 2
          Q 3 inc · N 3 p 20 · N 3 p2 21 · D 3
          X hush projection p · X quiet projection
          """))
    #expect([sources.all[0], sources.all[2]] == [typed, typed])
    #expect(p.state == 20)
    #expect(p2.state == 21)
  }
}
