import StoreCore
import StoreSchema
import Testing

@Suite("PersistentList")
struct PersistentListTests {
  /// Random edits against an array; every snapshot must still be what it was when it was taken.
  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func behavesLikeAnArray(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var list = PersistentList<Payload>()
    var array: [Payload] = []
    var snapshots: [(PersistentList<Payload>, [Payload])] = []
    // Growing, then wandering, then shrinking.
    for step in 0..<2000 {
      let growth = step < 1000 ? 6 : step < 1500 ? 4 : 1
      let value = Payload(Int.random(in: 0..<1_000_000, using: &random))
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<growth:
        let index = Bool.random(using: &random) ? array.count : Int.random(in: 0...array.count, using: &random)
        list.insert(value, at: index)
        array.insert(value, at: index)
      case 6..<8 where !array.isEmpty:
        let index = Int.random(in: 0..<array.count, using: &random)
        #expect(list.remove(at: index) == array.remove(at: index))
      case 8 where !array.isEmpty:
        let index = Int.random(in: 0..<array.count, using: &random)
        list[index].number += 1
        array[index] = Payload(array[index].number + 1)
      case 9 where array.count > 1:
        let bounds = [0, 1].map { _ in Int.random(in: 0...array.count, using: &random) }.sorted()
        let range = bounds[0]..<min(bounds[1], bounds[0] + 40)
        let new = (0..<Int.random(in: 0..<40, using: &random)).map { Payload($0 + step) }
        list.replaceSubrange(range, with: new)
        array.replaceSubrange(range, with: new)
      case 10 where !array.isEmpty:
        #expect(list.removeLast() == array.removeLast())
      case 11 where !array.isEmpty && growth == 1:
        #expect(list.removeFirst() == array.removeFirst())
      default:
        list.append(value)
        array.append(value)
      }
      #expect(list.count == array.count)
      if step % 50 == 0 {
        #expect(Array(list) == array)
        #expect(array.indices.allSatisfy { list[$0] == array[$0] })
        // The array gets elements of its own, so that in-place changes of the list cannot reach it.
        snapshots.append((list, array.map { Payload($0.number) }))
        if snapshots.count > 8 { snapshots.remove(at: Int.random(in: 0..<8, using: &random)) }
        for (snapshot, expected) in snapshots { #expect(Array(snapshot) == expected) }
      }
    }
    while !array.isEmpty {
      let index = Int.random(in: 0..<array.count, using: &random)
      #expect(list.remove(at: index) == array.remove(at: index))
    }
    #expect(list.isEmpty)
    for (snapshot, expected) in snapshots { #expect(Array(snapshot) == expected) }
  }

  @Test(arguments: [0, 1, 2, 15, 16, 17, 63, 64, 65, 1023, 1024, 1025, 16_384, 16_385])
  func buildsAnySize(size: Int) {
    let built = PersistentList(0..<size)
    var appended = PersistentList<Int>()
    for number in 0..<size { appended.append(number) }
    #expect(built.elementsEqual(0..<size))
    #expect(appended.elementsEqual(0..<size))
    #expect(built == appended)
    #expect(Array(built.reversed()) == Array((0..<size).reversed()))
  }

  /// Everything at one place, where a tree that splits badly would fill up with tiny nodes.
  @Test(arguments: [0, 64, 100, 1000])
  func survivesInsertionAndRemovalAtOnePlace(place: Int) {
    var list = PersistentList(0..<1000)
    var array = Array(0..<1000)
    for number in 0..<2000 {
      list.insert(-number, at: place)
      array.insert(-number, at: place)
    }
    #expect(list.elementsEqual(array))
    for _ in 0..<2900 {
      let index = min(place, array.count - 1)
      #expect(list.remove(at: index) == array.remove(at: index))
    }
    #expect(list.elementsEqual(array))
  }

  @Test func worksAsAQueue() {
    var queue = PersistentList<Int>()
    var next = 0
    for number in 0..<10_000 {
      queue.append(number)
      if number % 3 != 0 {
        #expect(queue.removeFirst() == next)
        next += 1
      }
    }
    #expect(queue.elementsEqual(next..<10_000))
  }

  @Test func changesElementsInPlaceWithoutCopyingThem() {
    var list = PersistentList((0..<5000).map(Payload.init))
    for index in list.indices { list[index].number += 1 }
    list.withMutableElement(at: 77) { $0.pointee.number += 1 }
    #expect(list.allSatisfy { $0.copies == 0 })
    #expect(list[77].number == 79)
    #expect(list.withElement(at: 78) { $0.pointee.number } == 79)

    let snapshot = list
    list[10].number = -1
    #expect(list[10].copies == 1)
    #expect(snapshot[10].number == 11)
    #expect(list.indices.filter { list[$0].copies != 0 } == [10])
  }

  @Test func keepsTheElementsWhenABodyThrows() {
    struct Failure: Error {}
    var list = PersistentList(0..<100)
    let snapshot = list
    #expect(throws: Failure.self) {
      try list.withMutableElement(at: 5) { element in
        element.pointee = 500
        throw Failure()
      }
    }
    #expect(list[5] == 500)
    #expect(snapshot.elementsEqual(0..<100))
  }

  @Test func releasesEveryElement() {
    final class Tracked {}
    var references: [() -> Bool] = []
    var list = PersistentList<Tracked>()
    for _ in 0..<1000 {
      let tracked = Tracked()
      references.append { [weak tracked] in tracked == nil }
      list.append(tracked)
    }
    var snapshot = list
    list.removeSubrange(100..<700)
    list.removeAll { _ in false }
    #expect(references.allSatisfy { !$0() })
    snapshot = []
    #expect(references.filter { $0() }.count == 600)
    list.removeAll()
    #expect(references.allSatisfy { $0() })
    #expect(snapshot.isEmpty)
  }

  @Test func iteratesOverTheListAsItWas() {
    var list = PersistentList(0..<1000)
    var seen: [Int] = []
    for element in list {
      seen.append(element)
      list.remove(at: 0)
    }
    #expect(seen == Array(0..<1000))
    #expect(list.isEmpty)
  }

  @Test func removesByPredicate() {
    for modulus in [2, 3, 500, 5000] {
      var list = PersistentList(0..<3000)
      list.removeAll { $0 % modulus == 1 }
      #expect(list.elementsEqual((0..<3000).filter { $0 % modulus != 1 }))
    }
  }

  @Test func conformsToTheUsualProtocols() {
    let list: PersistentList = [3, 1, 2]
    #expect(list.description == "[3, 1, 2]")
    #expect(list.sorted() == [1, 2, 3])
    var sorted = list
    sorted.sort()
    #expect(sorted == [1, 2, 3])
    sorted.reverse()
    #expect(sorted == [3, 2, 1])
    sorted.swapAt(0, 1)
    #expect(sorted == [2, 3, 1])
    #expect(list + [4] == [3, 1, 2, 4])
    #expect(Set([list, [3, 1, 2], [1]]).count == 2)
    #expect(list != [3, 1])
    #expect(list != [3, 1, 3])
    #expect(PersistentList<Int>() == [])
    #expect(list.filter { $0 > 1 } == [3, 2])
    #expect(list[1...].elementsEqual([1, 2]))
  }

  @Test func tellsTheSameSnapshotFromAnEqualList() {
    let list = PersistentList(0..<100)
    var other = list
    #expect(other.isIdentical(to: list))
    other[3] = 3
    #expect(!other.isIdentical(to: list))
    #expect(other == list)
  }
}
