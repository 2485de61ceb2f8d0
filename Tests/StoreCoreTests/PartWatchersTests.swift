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
}
