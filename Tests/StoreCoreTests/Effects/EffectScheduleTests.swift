import StoreCore
import Testing

/// R18, rows 41, 42, 70 to 72: tokens and schedules.
@Suite struct EffectScheduleTests {
  @Test func tokensAreEqualByTypeAndValue() {
    struct Name: Hashable, Sendable { let text: String }
    let tokens: [EffectToken] = [
      EffectToken(1), EffectToken(1.0), EffectToken(true), EffectToken("1"), EffectToken(Int8(1)),
      EffectToken(Name(text: "1")), EffectToken([1]), EffectToken([1.0]),
    ]
    #expect(Set(tokens).count == tokens.count)
    for (index, token) in tokens.enumerated() {
      #expect(tokens.firstIndex(of: token) == index)
    }
    #expect(EffectToken(EffectToken(1)) == EffectToken(1), "a token of a token is that token")
    #expect(EffectToken(1).textWithType == "1 (Int)")
  }

  @Test func equalHashesDoNotMakeEqualTokens() throws {
    // D11: a registry keyed by hash values shares a slot between different tokens.
    struct Collider: Hashable, Sendable {
      let name: String
      func hash(into hasher: inout Hasher) {}
    }
    let bench = try Bench(
      effects { name in .just(.noop).after(.seconds(1)).token(Collider(name: name)) })
    bench.send(.named("a"))
    bench.send(.named("b"))
    #expect(bench.store.effects.count == 2)
    #expect(bench.advance(1).count { $0.hasPrefix("Q") } == 2)
  }

  @Test func fourTokensThatLookAlikeAreFour() throws {
    let bench = try Bench(
      effects { name in
        let effect = CountEffect.just(.noop).after(.seconds(1))
        return switch name {
        case "int": effect.token(1)
        case "double": effect.token(1.0)
        case "bool": effect.token(true)
        case "string": effect.token("1")
        default: .cancel(1)
        }
      })
    for name in ["int", "double", "bool", "string"] { bench.send(.named(name)) }
    #expect(bench.store.effects.map(\.tokenText) == ["1 (Int)", "1.0", "true", "1 (String)"])
    #expect(bench.send(.named("cancel")) == ["Q 5 cancel", "E 1 u/1 cancel"])
    #expect(bench.store.effects.map(\.tokenText) == ["1.0", "true", "1"])
    #expect(bench.advance(1).count { $0.hasPrefix("Q") } == 3)
  }

  @Test func listingsSayWhoStartedAnEffectAndWhenItGoesOn() throws {
    let u = effects { name in
      name == "sleep"
        ? .run { try? await $0.sleep(for: .seconds(10)) }
        : .just(.noop).after(.seconds(5)).token("w")
    }
    let bench = try Bench(u)
    bench.send(.inc)
    bench.send(.named("sleep"))
    bench.advance(2)
    bench.send(.named("wait"))
    bench.advance(1)
    let listed = bench.store.effects
    #expect(listed.map(\.name) == ["u/-", "u/w"])
    #expect(listed.map(\.startedBy) == [2, 3])
    #expect(listed.map(\.age) == [.seconds(3), .seconds(1)])
    #expect(listed.map(\.wakesIn) == [.seconds(7), .seconds(4)])
    #expect(bench.store.cancelEffects(unit: "u", token: "-"))
    #expect(!bench.store.cancelEffects(unit: "other"))
    #expect(bench.store.cancelEffects())
    #expect(bench.store.effects.isEmpty)
    #expect(bench.clock.nextDeadline == nil, "no timer is left behind")
  }

  @Test func aDebounceStartsItsWaitAgainWithEachArrival() throws {
    let bench = try Bench(
      effects { .just(.named("saved " + $0)).debounce("save", for: .seconds(2)) }
        .lift(input: { (action: Act) in "\(action)".hasPrefix("saved") ? nil : action }))
    bench.send(.named("a"))
    bench.advance(1.5)
    bench.send(.named("b"))
    bench.advance(1.5)
    #expect(bench.send(.named("c")) == ["Q 3 c", "E 2 u/save cancel", "E 3 u/save start"])
    #expect(bench.advance(1.9).isEmpty)
    #expect(bench.advance(0.1) == ["Q 4 saved c <3", "E 3 u/save done"])
    #expect(bench.clock.nextDeadline == nil)
  }

  @Test func aThrottleRunsTheFirstAndDropsTheRestOfItsWindow() throws {
    let bench = try Bench(
      effects { .just(.set(Int($0) ?? 0)).throttle("t", for: .seconds(2)) }, kinds: "QEX")
    #expect(bench.send(.named("1")) == ["Q 1 1", "E 1 u/t start", "Q 2 set(1) <1", "E 1 u/t done"])
    bench.advance(1.9)
    #expect(bench.send(.named("2")) == ["Q 3 2", "X u/t throttled"])
    bench.advance(0.1)
    #expect(bench.send(.named("3")).contains("Q 5 set(3) <4"))
    #expect(bench.send(.named("4")) == ["Q 6 4", "X u/t throttled"])
  }

  @Test func anExclusiveEffectKeepsNewOnesOut() throws {
    let bench = try Bench(
      effects { .just(.named("done")).after(.seconds(1)).exclusive($0 == "done" ? "other" : "x") }, kinds: "QEX")
    bench.send(.named("a"))
    #expect(bench.send(.named("b")) == ["Q 2 b", "X u/x runs already"])
    #expect(bench.advance(1).prefix(2) == ["Q 3 done <1", "E 1 u/x done"])
    #expect(bench.send(.named("c")) == ["Q 4 c", "E 4 u/x start"])
  }

  @Test func negativeWaitsCountAsZero() throws {
    let bench = try Bench(
      effects { name in
        guard name == "a" else { return .none }
        return .compose(
          .just(.set(1)).after(.seconds(-5)), .just(.set(2)).debounce("d", for: .seconds(-1)),
          .just(.set(3)).throttle("t", for: .seconds(-1)), .just(.set(4)).throttle("t", for: .seconds(-1)))
      })
    bench.send(.named("a"))
    #expect(bench.store.state == 4)
    #expect(bench.clock.nextDeadline == nil)
  }

  @Test func componentsOfOneEffectShareAToken() throws {
    let bench = try Bench(
      effects { name in
        name == "stop"
          ? .cancel("t")
          : .compose(.just(.set(1)).after(.seconds(1)), .just(.set(2)).after(.seconds(2))).token("t")
      })
    #expect(bench.send(.named("a")) == ["Q 1 a", "E 1 u/t start", "E 1 u/t start"])
    #expect(
      bench.send(.named("b")) == [
        "Q 2 b", "E 1 u/t cancel", "E 1 u/t cancel", "E 2 u/t start", "E 2 u/t start",
      ])
    bench.advance(1)
    #expect(bench.store.state == 1)
    #expect(bench.send(.named("stop")).last == "E 2 u/t cancel")
    bench.advance(9)
    #expect(bench.store.state == 2, "the named action added one; set(2) never came")
  }

  @Test func everyPartKeepsItsScheduleAndSourceWhenMapped() throws {
    let u = Middleware<Act, String, Int>.effects("u") { action, _, _ in
      guard action == .inc else { return .none }
      return Effect<Void, Int>.compose(
        .just(7), .sequence(8, 9).after(.seconds(1)).token("t"),
        .promise { _, promise in promise.fulfil(10) }, .run { $0.send(11) }
      ).map { "n\($0)" }
    }
    for (shape, middleware) in arrangements([u.lift(output: { .named($0) })]) {
      let bench = try Bench(middleware)
      let sources = Notes<ActionSource>()
      bench.store.setRecorder { sources.note($0.context.source) }
      #expect(
        bench.send(.inc) == [
          "Q 1 inc", "E 1 u/- start", "Q 2 n7 <1", "E 1 u/- done", "E 1 u/t start", "E 1 u/- start", "Q 3 n10 <1",
          "E 1 u/- done", "E 1 u/- start", "Q 4 n11 <1", "E 1 u/- done",
        ], "\(shape)")
      #expect(bench.advance(1) == ["Q 5 n8 <1", "Q 6 n9 <1", "E 1 u/t done"], "\(shape)")
      let emitted = sources.all.dropFirst()
      #expect(emitted.allSatisfy { $0.kind == .effect && $0.cause == 1 && $0.file == #fileID && $0.line > 0 })
      #expect(Set(emitted.map(\.line)).count == 2, "each has the line that emitted it")
    }
  }

  @Test func dependenciesAreGivenWhenTheUnitIsBuilt() throws {
    struct World: Sendable { let name: String }
    let unit = EffectMiddleware<World, Act, Act, Int>("u") { action, _, _ in
      guard action == .inc else { return .none }
      return .compose(
        .just { .named($0.dependencies.name) },
        Effect<String, Act>.just { .named($0.dependencies) }.contramapDependencies { $0.name + "!" },
        Effect<Void, Act>.just(.noop).ignoringDependencies())
    }
    for name in ["one", "two"] {
      let bench = try Bench(unit.inject(World(name: name)), kinds: "Q")
      #expect(bench.send(.inc) == ["Q 1 inc", "Q 2 \(name) <1", "Q 3 \(name)! <1", "Q 4 noop <1"])
    }
  }

  @Test func aThrottledEffectOfSeveralPartsRunsWhole() throws {
    let u = CountMiddleware.effects("u") { action, _, _ in
      action == .named("x") ? .compose(.just(.inc), .just(.inc)).throttle("t", for: .seconds(1)) : .none
    }
    let clock = VirtualClock()
    let store = try Counting(initial: 0, reducer: count, middleware: u, clock: clock)
    store.dispatch(.named("x"))
    #expect(store.state == 3)
    store.dispatch(.named("x"))
    #expect(store.state == 4)
    clock.advance(by: .seconds(1))
    store.dispatch(.named("x"))
    #expect(store.state == 7)
  }

  @Test func whatACancellationStartsUnderTheTokenIsReplacedToo() throws {
    let middleware = CountMiddleware("u") { action, context, _, effects in
      IO { output in
        guard action == .inc else { return }
        let inner = Effect<Void, Act>.just(.set(100)).after(.seconds(9)).token("t")
        let waiting = Effect<Void, Act>.run { running in
          await withTaskCancellationHandler {
            try? await running.sleep(for: .seconds(5))
          } onCancel: {
            effects.start(inner, context: context, output: output)
          }
        }
        effects.start(waiting.token("t"), context: context, output: output)
      }
    }
    let store = try Counting(initial: 0, reducer: count, middleware: middleware, clock: VirtualClock())
    store.dispatch(.inc)
    store.dispatch(.inc)
    #expect(store.effects.map(\.startedBy) == [2])
  }
}
