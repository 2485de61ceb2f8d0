import StoreCore
import StoreSchema
import Testing

/// Collections whose state before is held during each change, as a store with watchers does, and then released.
@Suite("Alternating roots")
struct AlternatingRootsTests {
  /// Random edits against an array, each with the list before it held for one to three edits or for long.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func listBehavesLikeAnArray(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var array = Array(0..<3000)
    var list = PersistentList(array)
    var held: [(list: PersistentList<Int>, array: [Int])] = []
    for step in 0..<1500 {
      if Int.random(in: 0..<10, using: &random) > 0 { held.append((list, array)) }
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: 0..<array.count, using: &random)
        switch Int.random(in: 0..<30, using: &random) {
        case 0:
          list.insert(-step, at: index)
          array.insert(-step, at: index)
        case 1:
          #expect(list.remove(at: index) == array.remove(at: index))
        case 2:
          // Changes the number of the root's children.
          let end = min(array.count - 1, index + 1200)
          list.removeSubrange(index..<end)
          array.removeSubrange(index..<end)
          list.append(contentsOf: index..<end)
          array.append(contentsOf: index..<end)
        default:
          list[index] = step
          array[index] = step
        }
      }
      while held.count > Int.random(in: 0...3, using: &random) {
        let old = held.removeFirst()
        #expect(old.list.count == old.array.count)
        #expect(old.list.elementsEqual(old.array))
      }
      if step % 50 == 0 { #expect(list.elementsEqual(array)) }
    }
    #expect(list.elementsEqual(array))
  }

  @Test(arguments: [1, 2] as [UInt64])
  func mapBehavesLikeADictionary(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var dictionary = Dictionary(uniqueKeysWithValues: (0..<1500).map { ($0, $0) })
    var map = PersistentMap(dictionary.map { ($0.key, $0.value) })
    for step in 0..<1500 {
      let before = (map: map, dictionary: dictionary)
      let key = Int.random(in: 0..<2000, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0: #expect(map.removeValue(forKey: key) == dictionary.removeValue(forKey: key))
      case 1: #expect(map.updateValue(step, forKey: key) == dictionary.updateValue(step, forKey: key))
      default:
        map.withMutableValue(forKey: key) { $0.pointee += step }
        dictionary[key]? += step
      }
      if step % 20 == 0 {
        #expect(before.map.elementsEqual(before.dictionary.sorted { $0.key < $1.key }) { $0 == $1 })
        #expect(map.elementsEqual(dictionary.sorted { $0.key < $1.key }) { $0 == $1 })
        #expect(dictionary.allSatisfy { map[$0.key] == $0.value })
      }
    }
  }

  /// Two that change copies of one list share its nodes, but never see each other's changes.
  @Test func copiesOfOneListGoTheirOwnWays() {
    var list = PersistentList(0..<2000)
    for round in 0..<200 {
      let before = list
      var other = list
      list[round * 7] = -1
      other[round * 7 + 1] = -2
      #expect(before[round * 7] == round * 7 && before[round * 7 + 1] == round * 7 + 1)
      #expect(list[round * 7] == -1 && list[round * 7 + 1] == round * 7 + 1)
      #expect(other[round * 7] == round * 7 && other[round * 7 + 1] == -2)
    }
    #expect(list.enumerated().allSatisfy { $1 == ($0 % 7 == 0 && $0 < 1400 ? -1 : $0) })
  }

  @Test func threadsMayChangeAndReadCopiesOfOneList() async {
    var list = PersistentList(0..<2000)
    for round in 0..<50 {
      let before = list
      list[round] = -round
      let shared = list
      let sums = await withTaskGroup(of: Int.self) { group in
        for task in 0..<8 {
          group.addTask {
            var copy = shared
            for step in 0..<20 {
              let held = copy
              copy[(task * 100 + step * 37) % 2000] += 1
              withExtendedLifetime(held) {}
            }
            return copy.reduce(0, +) - shared.reduce(0, +)
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(sums == Array(repeating: 20, count: 8))
      #expect(shared.elementsEqual((0..<2000).map { $0 <= round ? -$0 : $0 }))
      #expect(before[round] == round)
    }
  }

  @Test func replacedElementsGoWithTheLastSnapshot() {
    final class Tracked {}
    var list = PersistentList((0..<1000).map { _ in Tracked() })
    for index in [0, 500, 999, 500] {
      weak let replaced = list[index]
      var before: PersistentList? = list
      list[index] = Tracked()
      #expect(replaced != nil)
      #expect(before?.count == 1000)
      before = nil
      #expect(replaced == nil)
    }
  }
}
