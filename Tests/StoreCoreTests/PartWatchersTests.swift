import StoreCore
import Testing

/// Watchers of parts: who is told when others come and go meanwhile, and for how long.
@Suite struct PartWatchersTests {
  private static func store() throws -> Store<(Int, Int), [Int]> {
    try Store(initial: [0, 0, 0], reducer: Reducer<(Int, Int), [Int]> { $1[$0.0] = $0.1 })
  }

  private static func parts(of store: Store<(Int, Int), [Int]>) -> PartWatchers<Int, Int> {
    store.watchParts(
      differing: { before, now in before.indices.filter { before[$0] != now[$0] } }, part: { $0[$1] })
  }

  @Test func aWatcherMayCancelItselfAndOthersOfTheSamePart() throws {
    let store = try Self.store()
    let parts = Self.parts(of: store)
    let (order, kept) = (Notes<String>(), Kept())
    kept.keep(parts.watch(1) { if $0.old != nil { order.note("a") } })
    kept.keep(
      parts.watch(1) {
        guard $0.old != nil else { return }
        order.note("b")
        for index in [0, 1, 2, 2] { kept.cancel(index) }
      })
    kept.keep(parts.watch(1) { if $0.old != nil { order.note("c") } })
    kept.keep(parts.watch(1) { if $0.old != nil { order.note("d") } })
    store.dispatch((1, 5))
    #expect(order.all == ["a", "b", "d"])
    store.dispatch((1, 6))
    #expect(order.all == ["a", "b", "d", "d"])
  }

  /// Alone, where parts are compared and the state as a whole need not be, and besides a watcher of the whole state.
  @Test(arguments: [false, true])
  func emissionPoliciesHoldForWatchersOfParts(withAnother: Bool) throws {
    let policies: [(EmissionPolicy<[Int]>, [Int])] = [
      (.always, [0, 5, 7, 8]), (.whenDifferent, [0, 5, 7, 8]), (.never, [0]),
      (.when { $1[1] > 5 && $0 != $1 }, [0, 7, 8]),
    ]
    for (policy, expected) in policies {
      let store = try Store(
        initial: [0, 0, 0], reducer: Reducer<(Int, Int), [Int]> { $1[$0.0] = $0.1 }, emission: policy)
      let (told, whole) = (Notes<Int>(), Notes<Int>())
      let watch = Self.parts(of: store).watch(1) { told.note($0.new ?? -1) }
      var another = withAnother ? store.watch { whole.note($0.new[1]) } : nil
      for action in [(1, 5), (1, 5), (0, 3), (1, 7)] { store.dispatch(action) }
      // The policy is asked anew as soon as the other one comes or goes.
      another = withAnother ? nil : store.watch { whole.note($0.new[1]) }
      for action in [(1, 8), (1, 8)] { store.dispatch(action) }
      withExtendedLifetime((watch, another)) {}
      #expect(told.all == expected, "\(policy.name)")
      if policy.name == "whenDifferent" { #expect(whole.all == (withAnother ? [0, 5, 5, 7] : [7, 8])) }
    }
  }

  @Test func aWatcherThatCancelsOneOfAnotherPartKeepsItFromBeingTold() throws {
    let store = try Store(initial: [0, 0], reducer: Reducer<Int, [Int]> { $1 = [$0, $0] })
    let parts = store.watchParts(
      differing: { before, now in before.indices.filter { before[$0] != now[$0] } }, part: { $0[$1] })
    let (order, kept) = (Notes<String>(), Kept())
    kept.keep(
      parts.watch(0) {
        guard $0.old != nil else { return }
        order.note("first")
        kept.cancel(1)
      })
    kept.keep(parts.watch(1) { if $0.old != nil { order.note("second") } })
    store.dispatch(1)
    store.dispatch(2)
    #expect(order.all == ["first", "first"])
  }

  @Test func aWatcherThatIsAddedMeanwhileGetsTheValueOnceAndAtOnce() throws {
    let store = try Self.store()
    let parts = Self.parts(of: store)
    let (told, kept) = (Notes<String>(), Kept())
    kept.keep(
      parts.watch(2) {
        guard $0.new == 5 else { return }
        kept.keep(parts.watch(2) { told.note("new \($0.new ?? -1) \($0.old.map { "\($0 ?? -1)" } ?? "-")") })
        told.note("registered")
      })
    store.dispatch((2, 5))
    #expect(told.all == ["new 5 -", "registered"])
    store.dispatch((2, 6))
    #expect(told.all == ["new 5 -", "registered", "new 6 5"])
  }

  @Test func subscriptionsKeepTheirWatchersToldAndNothingElseDoes() throws {
    let store = try Self.store()
    let told = Notes<String>()
    var parts: PartWatchers<Int, Int>? = Self.parts(of: store)
    var kept = parts?.watch(0) { if $0.old != nil { told.note("kept \($0.new ?? -1)") } }
    var dropped = parts?.watch(0) { if $0.old != nil { told.note("dropped \($0.new ?? -1)") } }
    weak let gone = parts
    parts = nil
    store.dispatch((0, 1))
    withExtendedLifetime(dropped) {}
    dropped = nil
    store.dispatch((0, 2))
    withExtendedLifetime(kept) {}
    kept = nil
    store.dispatch((0, 3))
    #expect(told.all == ["kept 1", "dropped 1", "kept 2"])
    #expect(gone == nil, "the store does not keep what nobody watches by")
  }

  @Test func aSubscriptionMayOutliveItsStore() throws {
    var store: Store<(Int, Int), [Int]>? = try Self.store()
    let watch = store.map { Self.parts(of: $0).watch(0) { _ in } }
    weak let gone = store
    store = nil
    #expect(gone == nil, "watchers of parts do not keep their store alive")
    watch?.cancel()
  }

  @Test func aWatcherOfAnotherPartThatIsAddedMeanwhileIsToldOnce() throws {
    let store = try Store<[Int: Int], [Int: Int]>(
      initial: [1: 0, 2: 0], reducer: Reducer { $1 = $0 }, emission: .always)
    let parts = store.watchParts(
      differing: { before, now in [1, 2].filter { before[$0] != now[$0] } }, part: { $0[$1] })
    let seen = Notes<Int?>()
    let kept = Kept()
    kept.keep(
      parts.watch(1) { notification in
        guard notification.context?.number == 1 else { return }
        kept.keep(parts.watch(2) { seen.note($0.new) })
      })
    store.dispatch([1: 7, 2: 8])
    #expect(seen.all == [8])
    store.dispatch([1: 7, 2: 9])
    #expect(seen.all == [8, 9])
    kept.cancelAll()
  }
}
