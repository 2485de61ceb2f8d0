import StoreCore
import StoreSchema
import Testing

@Suite("PersistentMap")
struct PersistentMapTests {
  static func isEqual(_ map: PersistentMap<String, Payload>, _ model: [String: Int]) -> Bool {
    map.elementsEqual(model.sorted { $0.key < $1.key }) { $0.key == $1.key && $0.value.number == $1.value }
  }

  /// Random edits against a dictionary; every snapshot must still be what it was when it was taken.
  @Test(arguments: [21, 22, 23, 24, 25, 26] as [UInt64])
  func behavesLikeASortedDictionary(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var map = PersistentMap<String, Payload>()
    var model: [String: Int] = [:]
    var snapshots: [(PersistentMap<String, Payload>, [String: Int])] = []
    for step in 0..<2500 {
      let key = "key \(Int.random(in: 0..<900, using: &random))"
      let number = Int.random(in: 0..<1000, using: &random)
      let former = model[key]
      #expect(map[key]?.number == former)
      switch Int.random(in: 0..<(step < 1500 ? 12 : 16), using: &random) {
      case 0:
        map[key]?.number += 1
        model[key] = former.map { $0 + 1 }
      case 1:
        map[key, default: Payload(number)].number += 1
        model[key, default: number] += 1
      case 2:
        let result: Int? = map.withMutableValue(forKey: key) { value in
          value.pointee.number += 1
          return value.pointee.number
        }
        model[key] = former.map { $0 + 1 }
        #expect(result == model[key])
      case 3:
        map.withMutableValue(forKey: key, default: Payload(number)) { $0.pointee.number += 1 }
        model[key, default: number] += 1
      case 4:
        map[key] = nil
        model[key] = nil
      case 5:
        Self.clear(&map[key])
        model[key] = nil
      case 6:
        Self.set(&map[key], to: number)
        model[key] = number
      case 12...:
        #expect(map.removeValue(forKey: key)?.number == former)
        model[key] = nil
      default:
        #expect(map.updateValue(Payload(number), forKey: key)?.number == former)
        model[key] = number
      }
      #expect(map.count == model.count)
      if step % 100 == 0 {
        #expect(Self.isEqual(map, model))
        snapshots.append((map, model))
        if snapshots.count > 6 { snapshots.remove(at: Int.random(in: 0..<6, using: &random)) }
        for (snapshot, expected) in snapshots { #expect(Self.isEqual(snapshot, expected)) }
      }
    }
    for (key, number) in model { #expect(map.removeValue(forKey: key)?.number == number) }
    #expect(map.isEmpty)
    for (snapshot, expected) in snapshots { #expect(Self.isEqual(snapshot, expected)) }
  }

  static func clear(_ value: inout Payload?) { value = nil }
  static func set(_ value: inout Payload?, to number: Int) { value = Payload(number) }

  @Test func eachOperationHasItsEffect() {
    var map: PersistentMap = ["b": 2, "a": 1, "b": 3]
    #expect(map.description == #"["a": 1, "b": 3]"#)
    #expect(PersistentMap<String, Int>().description == "[:]")
    map["c"] = 4
    #expect(map.updateValue(5, forKey: "a") == 1)
    #expect(map.updateValue(6, forKey: "d") == nil)
    #expect(map.removeValue(forKey: "b") == 3)
    #expect(map.removeValue(forKey: "b") == nil)
    #expect(map.withMutableValue(forKey: "c") { $0.pointee += 1 } != nil)
    #expect(map.withMutableValue(forKey: "x") { $0.pointee += 1 } == nil)
    map.withMutableValue(forKey: "e", default: 10) { $0.pointee += 1 }
    map["f", default: 20] += 1
    map["f", default: 20] += 1
    map["a"]? += 100
    map["x"]? += 100
    #expect(map == ["a": 105, "c": 5, "d": 6, "e": 11, "f": 22])
    #expect(map["x", default: 9] == 9)
    #expect(map.withValue(forKey: "d") { $0.pointee } == 6)
    #expect(map.withValue(forKey: "x") { $0.pointee } == nil)
    #expect(Array(map.keys) == ["a", "c", "d", "e", "f"])
    #expect(Array(map.values) == [105, 5, 6, 11, 22])
    #expect(map.keys.contains("d") && !map.keys.contains("b"))
    #expect(map != ["a": 105, "c": 5, "d": 6, "e": 11, "g": 22])
    #expect(map != ["a": 105, "c": 5, "d": 6, "e": 11, "f": 23])
    #expect(Set([map, map, [:]]).count == 2)
    map.removeAll()
    #expect(map.isEmpty)
  }

  @Test(arguments: [true, false])
  func findsKeysAddedAtEitherEnd(ascending: Bool) {
    var map = PersistentMap<Int, Int>()
    for number in 0..<8000 { map[ascending ? number : 7999 - number] = number }
    #expect(map.keys.elementsEqual(0..<8000))
    #expect((0..<8000).allSatisfy { map[$0] == (ascending ? $0 : 7999 - $0) })
    #expect(map[-1] == nil && map[8000] == nil)
    // The first key of every node goes at some point.
    for number in 0..<8000 where number % 7 != 0 { #expect(map.removeValue(forKey: number) != nil) }
    #expect((0..<8000).allSatisfy { (map[$0] == nil) == ($0 % 7 != 0) })
    for number in 0..<8000 { map[number] = -number }
    #expect((0..<8000).allSatisfy { map[$0] == -$0 })
    #expect(map.keys.elementsEqual(0..<8000))
  }

  @Test func changesValuesInPlaceWithoutCopyingThem() {
    var map = PersistentMap((0..<2000).map { ($0, Payload($0)) })
    for key in 0..<2000 { map[key]?.number += 1 }
    for key in 0..<2000 { map[key, default: Payload(0)].number += 1 }
    for key in 0..<2000 { map.withMutableValue(forKey: key) { $0.pointee.number += 1 } }
    #expect(map.allSatisfy { $0.value.copies == 0 && $0.value.number == $0.key + 3 })
    let snapshot = map
    map[42]?.number = -1
    #expect(snapshot[42]?.number == 45)
    #expect(map.filter { $0.value.copies > 0 }.map(\.key) == [42])
  }

  @Test func survivesABodyThatThrows() {
    struct Failure: Error {}
    func fail(_ value: inout Payload?) throws {
      value = nil
      throw Failure()
    }
    var map = PersistentMap((0..<100).map { ($0, Payload($0)) })
    #expect(throws: Failure.self) { try fail(&map[50]) }
    #expect(map.keys.elementsEqual((0..<100).filter { $0 != 50 }))
    #expect(throws: Failure.self) { try map.withMutableValue(forKey: 3) { _ in throw Failure() } }
    #expect(map[3]?.number == 3)
  }

  @Test func releasesEveryKeyAndValue() {
    final class Tracked: Comparable {
      let number: Int
      init(_ number: Int) { self.number = number }
      static func < (left: Tracked, right: Tracked) -> Bool { left.number < right.number }
      static func == (left: Tracked, right: Tracked) -> Bool { left.number == right.number }
    }
    var isReleased: [() -> Bool] = []
    var map = PersistentMap<Tracked, Tracked>()
    for number in 0..<1000 {
      let (key, value) = (Tracked(number), Tracked(number))
      isReleased.append { [weak key, weak value] in key == nil && value == nil }
      map[key] = value
    }
    func clear(_ value: inout Tracked?) { value = nil }
    for number in 0..<900 where number % 2 == 0 { clear(&map[Tracked(number)]) }
    for number in 0..<900 where number % 2 == 1 { map.removeValue(forKey: Tracked(number)) }
    #expect(isReleased.prefix(900).allSatisfy { $0() })
    #expect(isReleased.suffix(100).allSatisfy { !$0() })
    map = [:]
    #expect(isReleased.allSatisfy { $0() })
  }

  @Test func resumesAfterAKey() {
    let map = PersistentMap(stride(from: 0, to: 3000, by: 3).map { ($0, "\($0)") })
    var seen: [Int] = []
    var key: Int?
    while let entry = map.firstEntry(after: key) {
      #expect(entry.value == "\(entry.key)")
      seen.append(entry.key)
      key = entry.key
    }
    #expect(seen == Array(stride(from: 0, to: 3000, by: 3)))
    for key in -5..<3000 {
      #expect(map.firstEntry(after: key)?.key == stride(from: 0, to: 3000, by: 3).first { $0 > key })
    }
    #expect(PersistentMap<Int, Int>().firstEntry(after: nil) == nil)
  }
}
