import StoreCore
import Testing
import TraceSupport

/// R17, D18, rows 50, 52, 79: middlewares lifted to elements.
@Suite struct MiddlewareElementTests {
  @Test func anElementSeesItselfAndIsAnswered() throws {
    let notes = Notes<String>()
    let lifted: [ListMiddleware] = [
      rowUnit("u", notes).onRows(),
      rowUnit("u", notes).lift(input: \.element, output: { .row($0, $1) }, element: .of(\[Row].self)),
      rowUnit("u", notes).lift(input: \.row, output: { .row($0, $1) }, element: .of(\[Row].self, by: \.id)),
      rowUnit("u", notes).lift(input: \.element, output: { .row($0, $1) }, element: .of(\[Row].self, by: \.id)),
    ]
    for (index, middleware) in lifted.enumerated() {
      let bench = try ListBench(middleware, kinds: "QHI")
      #expect(
        bench.send(.row(2, .inc))
          == scenario(
            """
            Q 1 row(2,inc) · H 1 u s=2:0 · I 1 u s=2:1 · Q 2 row(2,noop) <1
            H 2 u s=2:1 · I 2 u s=2:1
            """), "\(index)")
      #expect(bench.send(.row(9, .inc)) == ["Q 3 row(9,inc)"], "absent: the middleware is not called")
      #expect(bench.send(.add(9)) == ["Q 4 add(9)"], "no element's action")
    }
  }

  @Test func byIndexThePlaceIsTheElement() throws {
    let notes = Notes<String>()
    let lifted: [ListMiddleware] = [
      rowUnit("u", notes).lift(input: \.row, output: ListAct.row, element: .at(\[Row].self)),
      rowUnit("u", notes).lift(input: \.element, output: ListAct.row, element: .at(\[Row].self)),
    ]
    for middleware in lifted {
      let bench = try ListBench(middleware, kinds: "HQ", ids: [7, 8])
      #expect(bench.send(.row(1, .inc)).prefix(2) == ["Q 1 row(1,inc)", "H 1 u s=8:0"])
      bench.send(.reverse)
      #expect(bench.send(.row(1, .noop)) == ["Q 4 row(1,noop)", "H 4 u s=7:0"])
      for index in [-1, 2, Int.max, Int.min] {
        #expect(bench.send(.row(index, .inc)).count == 1)
      }
    }
  }

  @Test func dictionariesByKey() throws {
    typealias Entries = [String: Row]
    let reducer = Reducer<ElementAction<String, Act>, Entries>("r") { action, entries in
      if action.action == .dec { entries[action.id] = nil } else { entries[action.id]?.count += 1 }
    }
    let notes = Notes<String>()
    for middleware in [
      rowUnit("u", notes).lift(
        input: { (action: ElementAction<String, Act>) in action }, output: { ElementAction(id: $0, action: $1) },
        element: .of(\Entries.self)),
      rowUnit("u", notes).lift(
        input: { (action: ElementAction<String, Act>) in (action.id, action.action) },
        output: { ElementAction(id: $0, action: $1) }, element: .of(\Entries.self)),
    ] {
      let store = try Store(initial: ["a": Row(id: 1), "b": Row(id: 2)], reducer: reducer, middleware: middleware)
      let trace = TraceLines("HI")
      trace.listen(to: store)
      store.dispatch(ElementAction(id: "b", action: .dec))
      #expect(trace.take() == ["H 1 u s=2:0", "I 1 u s=2:0"], "the last value of one that went")
      store.dispatch(ElementAction(id: "b", action: .dec))
      store.dispatch(ElementAction(id: "c", action: .dec))
      #expect(trace.take() == [])
    }
  }

  @Test func anElementThatGoesByThisActionIsSeenAsItWas() throws {
    let notes = Notes<String>()
    let bench = try ListBench(rowUnit("u", notes).onRows(), kinds: "")
    bench.send(.row(2, .set(5)))
    bench.send(.row(2, .named("go")))
    #expect(notes.all == ["H u 2:0", "I u 2:5", "H u 2:5", "I u 2:5"])
    bench.send(.add(2))
    bench.send(.row(2, .named("go")))
    #expect(notes.all.suffix(2) == ["H u 2:0", "I u 2:0"], "one that comes later starts afresh")
  }

  @Test func tokensArePrivateToTheElement() throws {
    let bench = try ListBench(delayed.onRows())
    #expect(bench.send(.row(2, .inc)) == ["Q 1 row(2,inc)", "E 1 u[2]/w start"])
    #expect(bench.send(.row(3, .inc)) == ["Q 2 row(3,inc)", "E 2 u[3]/w start"])
    #expect(bench.send(.row(3, .inc)) == ["Q 3 row(3,inc)", "E 2 u[3]/w cancel", "E 3 u[3]/w start"])
    #expect(bench.send(.reverse) == ["Q 4 reverse"], "the order of the elements does not matter")
    #expect(
      bench.advance(1)
        == scenario(
          """
          Q 5 row(2,set(7)) <1 · E 1 u[2]/w done · Q 6 row(3,set(7)) <3 · E 3 u[3]/w done
          """))
    #expect(bench.store.state.map(\.count) == [7, 7, 0])
  }

  @Test func effectsEndWithTheirElement() throws {
    let untold = RowMiddleware.effects("v") { action, _, _ in
      action == .inc ? .just(.set(9)).after(.seconds(1)) : .none
    }
    let bench = try ListBench(.compose(delayed.onRows(), untold.onRows()))
    bench.send(.row(2, .inc))
    bench.send(.row(3, .inc))
    #expect(
      bench.send(.remove(2)) == ["Q 3 remove(2)", "E 1 u[2]/w cancel", "E 1 v[2]/- cancel"],
      "whoever removed it")
    #expect(bench.send(.add(2)) == ["Q 4 add(2)"])
    #expect(
      bench.advance(1).filter { $0.hasPrefix("Q") }.map { $0.dropFirst(4) } == ["row(3,set(9)) <2", "row(3,set(7)) <2"])
    #expect(bench.store.state.first { $0.id == 2 }?.count == 0)
  }

  @Test func whatAnElementStartsAsItGoesIsCancelledAtOnceButWhatItEmitsAtOnceIsNot() throws {
    let last = RowMiddleware.effects("u") { action, _, row in
      action == .named("go")
        ? .just(.set(1)).appending(.just(.set(2)).after(.seconds(1)).token("late")) : .none
    }
    let bench = try ListBench(last.onRows())
    #expect(
      bench.send(.row(1, .named("go")))
        == scenario(
          """
          Q 1 row(1,go) · E 1 u[1]/- start · Q 2 row(1,set(1)) <1 · E 1 u[1]/- done · E 1 u[1]/late start
          E 1 u[1]/late cancel
          """))
    #expect(bench.clock.nextDeadline == nil)
  }

  @Test func oneThatWentAndCameBackWithinOneActionHasNeverBeenGone() throws {
    let bench = try ListBench(delayed.onRows())
    bench.send(.row(1, .inc))
    #expect(bench.send(.replace(1)) == ["Q 2 replace(1)"])
    #expect(bench.effects == ["u[1]/w"])
    bench.advance(1)
    #expect(bench.store.state.last == Row(id: 1, count: 7))
  }

  @Test func aThrottledTokenOfOneThatWentIsForgotten() throws {
    let throttled = RowMiddleware.effects("u") { action, _, _ in
      action == .inc ? .just(.set(7)).throttle("t", for: .seconds(60)) : .none
    }
    let bench = try ListBench(throttled.onRows(), kinds: "E")
    #expect(bench.send(.row(1, .inc)).count == 2)
    #expect(bench.send(.row(1, .inc)) == [])
    bench.send(.remove(1))
    bench.send(.add(1))
    #expect(bench.send(.row(1, .inc)).count == 2)
  }

  @Test func longLivedEffectsRunForAllElementsThatAreThere() throws {
    let bench = try ListBench(ticking.onRows(), kinds: "E")
    #expect(bench.send(.row(2, .inc)) == ["E 1 u[2]/tick start"])
    #expect(bench.send(.all(.inc)) == ["E 2 u[1]/tick start", "E 2 u[3]/tick start"])
    #expect(bench.send(.row(2, .set(0))) == ["E 1 u[2]/tick cancel"])
    #expect(bench.send(.add(4)) == [])
    #expect(bench.send(.remove(3)) == ["E 2 u[3]/tick cancel"])
    #expect(bench.send(.reverse) == [])
    bench.trace.listen(to: bench.store)
    bench.advance(1)
    #expect(bench.store.state.map(\.description) == ["4:0", "2:0", "1:2"])
    #expect(bench.effects == ["u[1]/tick"])
  }

  @Test func longLivedEffectsOfTheFirstStateRunFromTheStart() throws {
    let store = try Store(
      initial: [Row(id: 1, count: 1), Row(id: 2), Row(id: 1, count: 5)], reducer: list, middleware: ticking.onRows(),
      clock: VirtualClock())
    #expect(store.effects.map(\.name) == ["u[1]/tick"], "of two with one id the first stands for both")
    store.dispatch(.remove(1))
    #expect(store.effects.isEmpty)
  }

  @Test func broadcastsGoFromElementToElementWithinEachUnit() throws {
    let notes = Notes<String>()
    let units = RowMiddleware.compose(rowUnit("a", notes), rowUnit("b", notes))
    let lifted: [ListMiddleware] = [
      units.lift(input: \.all, output: ListAct.row, each: .of(\[Row].self)),
      units.lift(input: \.all, output: ListAct.row, each: .of(\[Row].self, by: \.id)),
      units.lift(input: \.all, output: { .row($0 + 1, $1) }, each: .at(\[Row].self)),
      ListMiddleware.compose(
        rowUnit("a", notes).lift(input: \.all, output: ListAct.row, each: .of(\[Row].self)), .identity,
        rowUnit("b", notes).lift(input: \.all, output: ListAct.row, each: .of(\[Row].self)).liftedByIdentity()),
    ]
    for (index, middleware) in lifted.enumerated() {
      #expect(middleware.units.map(\.name) == ["a", "b"])
      let bench = try ListBench(middleware, kinds: "HIQ", ids: [1, 2])
      #expect(
        bench.send(.all(.inc))
          == scenario(
            """
            Q 1 all(inc) · H 1 a s=1:0 · H 1 a s=2:0 · H 1 b s=1:0 · H 1 b s=2:0
            I 1 b s=2:1 · Q 2 row(2,noop) <1 · I 1 b s=1:1 · Q 3 row(1,noop) <1
            I 1 a s=2:1 · Q 4 row(2,noop) <1 · I 1 a s=1:1 · Q 5 row(1,noop) <1
            """), "\(index)")
    }
    let before = notes.all.count
    let bench = try ListBench(lifted[0], kinds: "", ids: [1, 2])
    bench.send(.all(.named("go")))
    #expect(
      notes.all.dropFirst(before)
        == ["H a 1:0", "H a 2:0", "H b 1:0", "H b 2:0", "I b 2:0", "I b 1:0", "I a 2:0", "I a 1:0"],
      "all went by this very action")
    bench.send(.all(.inc))
    #expect(notes.all.count == before + 8, "nobody is there")
  }

  @Test func broadcastsToDictionariesGoByKey() throws {
    let middleware = rowUnit("u", Notes()).lift(
      input: { (action: Act) in action }, output: { _, action in action }, each: .of(\[String: Row].self))
    let store = try Store(
      initial: ["c": Row(id: 3), "a": Row(id: 1), "b": Row(id: 2)], reducer: .identity, middleware: middleware)
    let trace = TraceLines("HI")
    trace.listen(to: store)
    store.dispatch(.dec)
    #expect(
      trace.lines
        == scenario("H 1 u s=1:0 · H 1 u s=2:0 · H 1 u s=3:0 · I 1 u s=3:0 · I 1 u s=2:0 · I 1 u s=1:0"))
  }

  @Test func liftingTheIdentityIsTheIdentityAndNamesStay() {
    #expect(RowMiddleware.identity.onRows().units.isEmpty)
    let notes = Notes<String>()
    let units = RowMiddleware.compose(rowUnit("a", notes), .identity, rowUnit("b", notes))
    #expect(units.onRows().units.map(\.name) == ["a", "b"])
  }
}
