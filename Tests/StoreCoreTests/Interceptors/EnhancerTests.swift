import StoreCore
import Testing
import TraceSupport

private func enhancer(_ name: String, _ notes: Notes<String>) -> StoreEnhancer<Act, Int> {
  .applyMiddleware(
    CountInterceptor(name) { _, _ in
      notes.note("built \(name)")
      return { next in
        { action in
          notes.note("in \(name)")
          next(action)
          notes.note("out \(name)")
        }
      }
    })
}

@Suite struct EnhancerTests {
  @Test func theLastWrapsTheBareStoreAndTheFirstIsOutermost() throws {
    let notes = Notes<String>()
    let store = try StoreBlueprint(initial: 0, reducer: count)
      .makeStore(enhancer("A", notes), enhancer("B", notes), enhancer("C", notes))
    #expect(notes.all == ["built C", "built B", "built A"])
    store.dispatch(.inc)
    #expect(notes.all.dropFirst(3) == ["in A", "in B", "in C", "out C", "out B", "out A"])
    #expect(store.interceptors.map(\.name) == ["A", "B", "C"])
  }

  @Test func oneMayChangeTheBlueprint() throws {
    let preloading = StoreEnhancer<Act, Int> { creator in
      StoreCreator { (blueprint) throws(StoreError) in
        var blueprint = blueprint
        blueprint.initial = 41
        return try creator.create(blueprint)
      }
    }
    let store = try StoreBlueprint(initial: 0, reducer: count).makeStore(preloading, .identity)
    store.dispatch(.inc)
    #expect(store.state == 42)
  }

  @Test func twoApplyMiddlewareEnhancersShareOneChain() throws {
    // In Redux the inner one's dispatch would skip the outer one.
    let inner = CountInterceptor("inner") { action, _, attachment, next in
      next(action)
      if action == .set(5) { attachment.output.dispatch(.inc) }
    }
    let seen = Notes<Act>()
    let outer = CountInterceptor("outer") { action, _, _, next in
      seen.note(action)
      next(action)
    }
    let store = try StoreBlueprint(initial: 0, reducer: count)
      .makeStore(.applyMiddleware(outer), .applyMiddleware(inner))
    store.dispatch(.set(5))
    #expect(seen.all == [.set(5), .inc])
    #expect(store.state == 6)
  }

  @Test func aMisuseInOneOfThemMakesNoStore() {
    let early = StoreEnhancer<Act, Int>.applyMiddleware(
      CountInterceptor("early") { dispatch, _ in
        dispatch.dispatch(.inc)
        return { next in { next($0) } }
      })
    #expect(throws: StoreError.dispatchWhileBuilding(interceptor: "early")) {
      try StoreBlueprint(initial: 0, reducer: count).makeStore(.applyMiddleware(passing("a")), early)
    }
  }
}
