import Dispatch
import StoreCore
import Synchronization
import Testing

/// An object that is replaced again and again while others look at it.
@Suite struct SeenObjectTests {
  private final class Counted: Sendable {
    static let alive = Atomic<Int>(0)
    let number: Int

    init(_ number: Int) {
      self.number = number
      Self.alive.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { Self.alive.wrappingSubtract(1, ordering: .relaxed) }
  }

  private final class Place: Sendable {
    let seen = SeenObject()
    let isDone = Atomic<Bool>(false)
  }

  /// Four threads look while another shows 20,000: each sees one that is there, and none older than the one before.
  @Test func whoLooksSeesAnObjectThatIsThere() {
    let before = Counted.alive.load(ordering: .relaxed)
    do {
      let place = Place()
      place.seen.show(Counted(0))
      let group = DispatchGroup()
      for _ in 0..<4 {
        DispatchQueue.global().async(group: group) {
          var last = 0
          while !place.isDone.load(ordering: .acquiring) {
            guard let object = place.seen.object as? Counted else {
              Issue.record("there is always one")
              break
            }
            if object.number < last { Issue.record("an older one came back") }
            last = object.number
          }
        }
      }
      for number in 1...20_000 { place.seen.show(Counted(number)) }
      place.isDone.store(true, ordering: .releasing)
      group.wait()
      #expect((place.seen.object as? Counted)?.number == 20_000)
      place.seen.hide()
      #expect(place.seen.object == nil)
      #expect(Counted.alive.load(ordering: .relaxed) == before)
      place.seen.show(Counted(1))
    }
    #expect(Counted.alive.load(ordering: .relaxed) == before)
  }
}
