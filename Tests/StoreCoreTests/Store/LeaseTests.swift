import Dispatch
import StoreCore
import Synchronization
import Testing

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What may outlive a store reaches it as long as it is there, and keeps nothing of it.
@Suite struct LeaseTests {
  private final class Object: Sendable {
    let lease = Lease<Object>()
    let number = Atomic<Int>(1)

    init() { lease.begin(self) }

    deinit {
      lease.end()
      number.store(0, ordering: .relaxed)
    }
  }

  @Test func aLeaseKeepsNothingAndLeadsNowhereOnceItsObjectIsGone() {
    var object: Object? = Object()
    let lease = object?.lease
    #expect(lease?.object === object)
    object = nil
    #expect(lease?.object == nil)
  }

  @Test func anObjectThatIsTakenFromALeaseIsWholeAsLongAsItIsHeld() {
    for _ in 0..<1000 {
      var object: Object? = Object()
      guard let lease = object?.lease else { return }
      let group = DispatchGroup()
      for _ in 0..<2 {
        DispatchQueue.global().async(group: group) {
          while let object = lease.object {
            if object.number.load(ordering: .relaxed) != 1 { Issue.record("an object that had gone was taken") }
          }
        }
      }
      object = nil
      group.wait()
    }
  }

  /// The last reference goes while four threads emit: what is left of the store is nothing, each time.
  @Test func aStoreGoesWhileFourThreadsEmit() throws {
    let threads = (0..<4).map { DispatchQueue(label: "emitting \($0)") }
    for round in 0..<10_000 {
      let group = DispatchGroup()
      let present = Present()
      let connection = try emitting(on: threads, group, present, alsoHere: round % 2 == 0)
      group.wait()
      // The store's own thread may be at the end of what was handed to it.
      var looks = 0
      while looks < 10_000, connection.isOpen() || present.count.load(ordering: .relaxed) != 0 {
        looks += 1
        usleep(100)
      }
      guard !connection.isOpen(), connection.dispatch(DispatchedAction(1, source: .here())) == nil,
        present.count.load(ordering: .relaxed) == 0
      else {
        Issue.record("the store is still there in round \(round)")
        return
      }
    }
  }

  /// Counts those of a store's parts that are there.
  private final class Present: Sendable {
    let count = Atomic<Int>(0)
  }

  /// A part that a store's reducer holds.
  private final class Part: Sendable {
    let present: Present

    init(_ present: Present) {
      self.present = present
      present.count.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { present.count.wrappingSubtract(1, ordering: .relaxed) }
  }

  /// Has threads emit into a store, of which nothing is kept.
  private func emitting(
    on threads: [DispatchQueue], _ group: DispatchGroup, _ present: Present, alsoHere: Bool
  ) throws -> StoreConnection<Int, Int> {
    let outputs = Lock<[ActionHandler<Int>]>([])
    let part = Part(present)
    let store = try Store<Int, Int>(
      initial: 0, reducer: .init { action, state in withExtendedLifetime(part) { state += action } },
      middleware: .init("emitting") { _, _, _ in IO { output in outputs.withLock { $0.append(output) } } },
      emission: .always)
    store.dispatch(0)
    let output = try #require(outputs.withLock { $0.first })
    let connection = store.connection
    for thread in threads {
      thread.async(group: group) {
        for step in 0..<4 {
          output.dispatch(step)
          _ = connection.dispatch(DispatchedAction(step, source: .here()))
        }
      }
    }
    if alsoHere { store.dispatch(2) }
    return connection
  }
}
