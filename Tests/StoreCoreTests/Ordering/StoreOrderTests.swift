import Dispatch
import StoreCore
import Testing

/// Orders that are chosen, recorded and run again (R39).
@Suite struct StoreOrderTests {
  /// Three effects that end at the same moment.
  private func ends(by order: (any StoreOrder)?) throws -> [String] {
    let clock = VirtualClock(order: order)
    let seen = Notes<String>()
    for name in ["a", "b", "c"] { clock.schedule(at: .seconds(1)) { seen.note(name) } }
    clock.schedule(at: .seconds(2)) { seen.note("late") }
    clock.run()
    return seen.all
  }

  @Test func timersOfOneMomentComeInEachOrder() throws {
    #expect(try ends(by: nil) == ["a", "b", "c", "late"])
    #expect(try ends(by: RecordedOrder(repeating: [2, 1])) == ["c", "b", "a", "late"])
    var met = Set<[String]>()
    for seed in 0..<60 {
      let order = RecordedOrder(seed: UInt64(seed))
      let seen = try ends(by: order)
      #expect(seen.last == "late")
      #expect(order.choices.count == 2)
      #expect(try ends(by: RecordedOrder(repeating: order.choices)) == seen)
      met.insert(seen)
    }
    #expect(met.count == 6)
  }

  @Test func oneThatIsCancelledIsNotChosen() {
    let clock = VirtualClock(order: RecordedOrder(repeating: [1]))
    let seen = Notes<String>()
    let timers = ["a", "b", "c"].map { name in clock.schedule(at: .seconds(1)) { seen.note(name) } }
    timers[1].cancel()
    clock.run()
    #expect(seen.all == ["c", "a"])
  }

  @Test func choicesBeyondWhatThereIsAreTakenForTheLast() throws {
    #expect(try ends(by: RecordedOrder(repeating: [9, -1])) == ["c", "a", "b", "late"])
    for choice in [Int.max, Int.min] {
      _ = try ends(by: Fixed(choice: choice))
      #expect(try arrivals(by: Fixed(choice: choice)).count == 6)
    }
  }

  private struct Fixed: StoreOrder {
    let choice: Int

    func choose(among count: Int) -> Int { choice }
  }

  /// Threads that dispatch twice each while the store is busy.
  private func arrivals(by order: (any StoreOrder)?) throws -> [String] {
    let seen = Notes<String>()
    let store = try Counting(
      initial: 0,
      reducer: Reducer { action, count in if case .named(let name) = action { seen.note(name) } else { count += 1 } },
      order: order)
    let watch = store.watch("busy", { $0 }, isDifferent: nil) { [weak store] notification in
      guard notification.context?.number == 1 else { return }
      // Threads that stay until all have dispatched, so that they are three.
      let (done, stay) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      for thread in ["a", "b", "c"] {
        DispatchQueue(label: thread).async { [weak store] in
          for number in 1...2 { store?.dispatch(.named("\(thread)\(number)")) }
          done.signal()
          stay.wait()
        }
        done.wait()
      }
      for _ in 1...3 { stay.signal() }
    }
    store.dispatch(.inc)
    // The rest was handed on.
    while seen.all.count < 6 { _ = store.state }
    withExtendedLifetime(watch) {}
    return seen.all
  }

  @Test func whatThreadsBroughtComesInEachOrderOfTheThreads() throws {
    #expect(try arrivals(by: nil) == ["a1", "a2", "b1", "b2", "c1", "c2"])
    #expect(try arrivals(by: RecordedOrder(repeating: [2, 1, 0])) == ["c1", "b1", "a1", "a2", "b2", "c2"])
    for seed in 0..<20 {
      let order = RecordedOrder(seed: UInt64(seed))
      let seen = try arrivals(by: order)
      // Each thread's own order stays.
      for thread in ["a", "b", "c"] { #expect(seen.filter { $0.hasPrefix(thread) } == ["\(thread)1", "\(thread)2"]) }
      #expect(try arrivals(by: RecordedOrder(repeating: order.choices)) == seen)
    }
  }
}
