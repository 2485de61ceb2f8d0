import StoreCore
import Testing

/// R10, R11, R26: emission and watchers.
@Suite struct WatchTests {
  @Test func anEmissionPolicyGatesNotificationOnly() throws {
    let policies: [(EmissionPolicy<Int>, [Int])] = [
      (.always, [0, 1, 1, 2]), (.whenDifferent, [0, 1, 2]), (.never, [0]), (.when { $1 > $0 && $1 > 1 }, [0, 2]),
    ]
    for (policy, expected) in policies {
      let ran = Notes<Act>()
      let store = try Counting(
        initial: 0, reducer: count, middleware: unit("m") { action, _, _ in ran.note(action) }, emission: policy)
      let recorded = Notes<Act>()
      store.setRecorder { recorded.note($0.action) }
      let told = Notes<Int>()
      let watch = store.watch { told.note($0.new) }
      for action in [Act.inc, .noop, .inc] { store.dispatch(action) }
      withExtendedLifetime(watch) {}
      #expect(told.all == expected, "\(policy.name)")
      #expect(store.state == 2, "\(policy.name)")
      #expect(ran.all == [.inc, .noop, .inc], "\(policy.name)")
      #expect(recorded.all == [.inc, .noop, .inc], "\(policy.name)")
    }
  }

  @Test func anEmissionPolicyChangesWhileTheStoreRuns() throws {
    let store = try Counting(initial: 0, reducer: count)
    let told = Notes<Int>()
    let watch = store.watch { told.note($0.new) }
    store.setEmission(.never)
    store.dispatch(.inc)
    store.setEmission(.whenDifferent)
    store.dispatch(.noop)
    store.dispatch(.inc)
    withExtendedLifetime(watch) {}
    #expect(told.all == [0, 2])
  }

  @Test func aNotificationHoldsOldNewAndContext() throws {
    let store = try Counting(initial: 5, reducer: count)
    let told = Notes<String>()
    let watch = store.watch { told.note("\($0.old.map(String.init) ?? "-") \($0.new) \($0.context?.number ?? 0)") }
    store.dispatch(.inc)
    store.dispatch(.noop)
    store.dispatch(.inc)
    withExtendedLifetime(watch) {}
    #expect(told.all == ["- 5 0", "5 6 1", "6 7 3"])
  }

  @Test func watchersAreToldInOrderOfRegistrationAfterCommitAndBeforeIO() throws {
    let order = Notes<String>()
    let store = try Counting(initial: 0, reducer: count, middleware: unit("m") { _, _, _ in order.note("io") })
    let watches = (1...3).map { name in store.watch { if $0.old != nil { order.note("w\(name)") } } }
    store.dispatch(.inc)
    withExtendedLifetime(watches) {}
    #expect(order.all == ["w1", "w2", "w3", "io"])
  }

  @Test func aWatcherMayCancelItselfAndOthersWhileItIsTold() throws {
    let store = try Counting(initial: 0, reducer: count)
    let (order, kept) = (Notes<String>(), Kept())
    kept.keep(store.watch { if $0.old != nil { order.note("a") } })
    kept.keep(
      store.watch {
        guard $0.old != nil else { return }
        order.note("b")
        for index in [0, 1, 2] { kept.cancel(index) }
      })
    kept.keep(store.watch { if $0.old != nil { order.note("c") } })
    kept.keep(store.watch { if $0.old != nil { order.note("d") } })
    store.dispatch(.inc)
    #expect(order.all == ["a", "b", "d"])
    store.dispatch(.inc)
    #expect(order.all == ["a", "b", "d", "d"])
    kept.cancel(1)
    kept.cancel(3)
    store.dispatch(.inc)
    #expect(order.all == ["a", "b", "d", "d"])
  }

  @Test func aWatcherRegisteredWhileOthersAreToldGetsTheValueOnceAndAtOnce() throws {
    let store = try Counting(initial: 0, reducer: count)
    let (told, kept) = (Notes<String>(), Kept())
    kept.keep(
      store.watch { [weak store] in
        guard $0.new == 1, let store else { return }
        kept.keep(store.watch { told.note("new \($0.new) \($0.old ?? -1)") })
        told.note("registered")
      })
    store.dispatch(.inc)
    #expect(told.all == ["new 1 -1", "registered"])
    store.dispatch(.inc)
    #expect(told.all == ["new 1 -1", "registered", "new 2 1"])
  }

  @Test func aDroppedSubscriptionEndsTheWatch() throws {
    let store = try Counting(initial: 0, reducer: count)
    let told = Notes<Int>()
    var watch: Subscription? = store.watch { told.note($0.new) }
    store.dispatch(.inc)
    withExtendedLifetime(watch) {}
    watch = nil
    store.dispatch(.inc)
    #expect(told.all == [0, 1])
  }

  @Test func aSubscriptionMayOutliveItsStore() throws {
    var store: Counting? = try Counting(initial: 0, reducer: count)
    let watch = store?.watch { _ in }
    weak let gone = store
    store = nil
    #expect(gone == nil, "a watch does not keep its store alive")
    watch?.cancel()
  }

  @Test func aWatcherOfAPartIsToldOfItsPartOnly() throws {
    struct Pair: Equatable, Sendable {
      var left = 0
      var right = 0
    }
    let store = try Store(
      initial: Pair(), reducer: Reducer<String, Pair> { $0 == "left" ? ($1.left += 1) : ($1.right += 1) },
      emission: .always)
    let told = Notes<[Int]>()
    let watch = store.watch(\.left) { told.note([$0.old ?? -1, $0.new]) }
    let every = Notes<Int>()
    let whole = store.watch("every", { $0.left }, isDifferent: nil) { every.note($0.new) }
    for action in ["left", "right", "left"] { store.dispatch(action) }
    withExtendedLifetime((watch, whole)) {}
    #expect(told.all == [[-1, 0], [0, 1], [1, 2]])
    #expect(every.all == [0, 1, 1, 2])
  }

  @Test func watchersOfPartsAreToldOfWhatDiffersOnly() throws {
    let store = try Store(
      initial: ["a": 1, "b": 2], reducer: Reducer<(String, Int?), [String: Int]> { $1[$0.0] = $0.1 })
    let parts = store.watchParts(
      differing: { before, now in Set(before.keys).union(now.keys).sorted().filter { before[$0] != now[$0] } },
      part: { $0[$1] })
    let told = Notes<String>()
    @Sendable func note(_ name: String, _ notification: StoreCore.Notification<Int?>) {
      let old = notification.old.map { $0.map(String.init) ?? "nil" } ?? "-"
      told.note("\(name) \(old)→\(notification.new.map(String.init) ?? "nil")")
    }
    let a = parts.watch("a") { note("a", $0) }
    let b = parts.watch("b") { note("b", $0) }
    let c = parts.watch("c") { note("c", $0) }
    store.dispatch(("a", 5))
    store.dispatch(("c", 1))
    b.cancel()
    store.dispatch(("b", 7))
    store.dispatch(("a", nil))
    withExtendedLifetime((a, c)) {}
    #expect(told.all == ["a -→1", "b -→2", "c -→nil", "a 1→5", "c nil→1", "a 5→nil"])
  }

  @Test func aProjectionOfAProjectionDispatchesOnlyWhatMapsToSomething() throws {
    let store = try Counting(initial: 1, reducer: count)
    let outer = store.projection(action: { (local: Int) in local > 0 ? Act.set(local) : nil }, state: { "\($0)" })
    let inner = outer.projection(action: { (local: String) in Int(local) }, state: { $0 + "!" })
    #expect(inner.dispatch("x") == nil)
    #expect(inner.dispatch("-3") == nil)
    #expect(inner.dispatch("8")?.number == 1)
    #expect(inner.state == "8!")
    let told = Notes<String>()
    let watch = inner.watch { told.note($0.new) }
    store.dispatch(.noop)
    store.dispatch(.inc)
    withExtendedLifetime(watch) {}
    #expect(told.all == ["8!", "9!"])
  }
}
