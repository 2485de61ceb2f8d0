import StoreCore
import TraceSupport
import Testing

/// The scenarios of effects as trace comparisons, each composition written in all arrangements.
@Suite struct EffectScenarioTests {
  @Test func s03ThreeMomentsOfGet() throws {
    let notes = Notes<String>()
    let m = CountMiddleware("m") { action, context, state, effects in
      guard action == .named("A") else { return .none }
      let before = state()
      notes.note("handle \(before)")
      return IO { output in
        notes.note("IO \(state()) after \(before)")
        effects.start(
          .run { context in
            try? await context.sleep(for: .seconds(2))
            notes.note("effect \(state())")
            context.send(.noop)
          }, context: context, output: output)
      }
    }
    for (shape, middleware) in arrangements([m]) {
      let bench = try Bench(middleware, kinds: "QHRCUIED")
      #expect(
        bench.send(.named("A"))
          == scenario("Q 1 A · H 1 m s=0 · R 1 count 0→1 · C 1 0→1 · I 1 m s=1 · E 1 m/- start · D 1"), "\(shape)")
      #expect(bench.advance(1).isEmpty)
      #expect(bench.send(.named("B")) == scenario("Q 2 B · H 2 m s=1 · R 2 count 1→2 · C 2 1→2 · D 2"), "\(shape)")
      #expect(
        bench.advance(1) == scenario("Q 3 noop <1 · E 1 m/- done · H 3 m s=2 · R 3 count 2→2 · U 3 · D 3"), "\(shape)")
    }
    #expect(notes.all.prefix(3) == ["handle 0", "IO 1 after 0", "effect 2"])
  }

  @Test func s03AnEffectMiddlewareSeesTheStateAfterAndIsGivenTheOneBefore() throws {
    let notes = Notes<String>()
    let m = CountMiddleware.effects("m") { action, _, before, state in
      notes.note("\(action) \(before) \(state())")
      guard action == .named("A") else { return .none }
      return .run { context in
        try? await context.sleep(for: .seconds(2))
        notes.note("effect \(state())")
      }
    }
    for (shape, middleware) in arrangements([m]) {
      let bench = try Bench(middleware, kinds: "HIE")
      #expect(bench.send(.named("A")) == ["H 1 m s=0", "I 1 m s=1", "E 1 m/- start"], "\(shape)")
      bench.send(.inc)
      #expect(bench.advance(2) == ["E 1 m/- done"], "\(shape)")
    }
    #expect(notes.all.prefix(3) == ["A 0 1", "inc 1 2", "effect 2"])
  }

  @Test(arguments: [true, false])
  func s15TokensReplaceCancelUnknown(waitsInside: Bool) throws {
    let u = effects { name in
      switch name {
      case "fetch":
        return CountEffect.promise { context, promise in
          context.clock.schedule(after: .seconds(3)) { promise.fulfil(.named("fetched")) }
        }.token("p")
      case "cancel s": return .cancel("s")
      case "cancel p": return .cancel("p")
      case let search where search.hasPrefix("search"):
        let found = Act.named("found" + search.dropFirst("search".count))
        guard waitsInside else { return .just(found).after(.seconds(3)).token("s") }
        return CountEffect.run { context in
          try? await context.sleep(for: .seconds(3))
          context.send(found)
        }.token("s")
      default: return .none
      }
    }
    for (shape, middleware) in arrangements([u]) {
      let bench = try Bench(middleware)
      #expect(bench.send(.named("search(a)")) == ["Q 1 search(a)", "E 1 u/s start"], "\(shape)")
      #expect(bench.advance(1).isEmpty)
      #expect(bench.send(.named("search(b)")) == ["Q 2 search(b)", "E 1 u/s cancel", "E 2 u/s start"], "\(shape)")
      #expect(bench.advance(3) == ["Q 3 found(b) <2", "E 2 u/s done"], "\(shape)")
      #expect(bench.send(.named("search(c)")) == ["Q 4 search(c)", "E 4 u/s start"], "\(shape)")
      #expect(bench.advance(1).isEmpty)
      #expect(bench.store.cancelEffects(unit: "u", token: "s"))
      #expect(!bench.store.cancelEffects(unit: "u", token: "s"))
      #expect(bench.trace.take() == ["E 4 u/s cancel"], "\(shape)")
      #expect(bench.send(.named("fetch")) == ["Q 5 fetch", "E 5 u/p start"], "\(shape)")
      #expect(bench.send(.named("cancel p")) == ["Q 6 cancel p", "E 5 u/p cancel"], "\(shape)")
      #expect(bench.send(.named("cancel s")) == ["Q 7 cancel s"], "\(shape)")
      #expect(bench.advance(20).isEmpty, "\(shape)")
      #expect(bench.store.effects.isEmpty)
    }
  }
}
