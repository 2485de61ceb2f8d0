import StoreCore
import StoreSchema
import Testing

@Suite("PersistentList.commonEnds")
struct PersistentListCommonEndsTests {
  static func naive(_ old: [Int], _ new: [Int]) -> (prefix: Int, suffix: Int) {
    let prefix = zip(old, new).prefix { $0 == $1 }.count
    let suffix = zip(old.dropFirst(prefix).reversed(), new.dropFirst(prefix).reversed()).prefix { $0 == $1 }.count
    return (prefix, suffix)
  }

  @Test(arguments: [11, 12, 13, 14] as [UInt64])
  func agreesWithTheNaiveComparison(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      // Few different values, so that shared parts are often equal where they do not line up, too.
      let rarity = [3, 300].randomElement(using: &random) ?? 3
      let array = (0..<Int.random(in: 0..<700, using: &random)).map { _ in
        Int.random(in: 0..<rarity, using: &random) == 0 ? 1 : 0
      }
      let old = PersistentList(array)
      var new = old
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        let index = Int.random(in: 0...new.count, using: &random)
        let count = Int.random(in: 0...min(100, new.count - index), using: &random)
        let added = (0..<Int.random(in: 0..<100, using: &random)).map { _ in
          Int.random(in: 0..<rarity, using: &random) == 0 ? 1 : 0
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: new.replaceSubrange(index..<(index + count), with: added)
        case 1: for element in added { new.insert(element, at: index) }
        case 2: for _ in 0..<count { new.remove(at: index) }
        default: if index < new.count { new[index] = 7 }
        }
      }
      let expected = Self.naive(array, Array(new))
      let found = PersistentList.commonEnds(old, new) { $0.pointee == $1.pointee }
      #expect(found == expected)
      let backwards = PersistentList.commonEnds(new, old) { $0.pointee == $1.pointee }
      #expect(backwards == expected)
      #expect((old == new) == (array == Array(new)))
    }
  }

  /// An element of which few fit in a leaf, so that short lists have many levels.
  struct Wide: Equatable {
    var number: Int
    var text = "text"
    var rest = (0, 0, 0, 0)

    static func == (left: Self, right: Self) -> Bool { left.number == right.number }
  }

  @Test(arguments: [15, 16, 17] as [UInt64])
  func agreesWithTheNaiveComparisonOfDeepTrees(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var list = PersistentList((0..<5_000).map { Wide(number: $0) })
    for _ in 0..<60 {
      let old = list
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        let index = Int.random(in: 0..<list.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: list[index].number = -1
        case 1: for number in 0..<60 { list.insert(Wide(number: number), at: index) }
        case 2: for _ in 0..<min(60, list.count - index) { list.remove(at: index) }
        default: list[index] = old[min(index, old.count - 1)]
        }
      }
      let expected = Self.naive(old.map(\.number), list.map(\.number))
      #expect(PersistentList.commonEnds(old, list) { $0.pointee == $1.pointee } == expected)
      #expect(PersistentList.commonEnds(list, old) { $0.pointee == $1.pointee } == expected)
      #expect((old == list) == (old.map(\.number) == list.map(\.number)))
    }
  }

  struct Edit: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let prefix: Int
    let suffix: Int
    let apply: @Sendable (inout PersistentList<Int>) -> Void
  }

  static let edits: [Edit] = [
    Edit(testDescription: "nothing", prefix: 100_000, suffix: 0) { _ in },
    Edit(testDescription: "replace", prefix: 54_321, suffix: 45_678) { $0[54_321] = -1 },
    Edit(testDescription: "replace first", prefix: 0, suffix: 99_999) { $0[0] = -1 },
    Edit(testDescription: "replace last", prefix: 99_999, suffix: 0) { $0[99_999] = -1 },
    Edit(testDescription: "append", prefix: 100_000, suffix: 0) { $0.append(-1) },
    Edit(testDescription: "prepend", prefix: 0, suffix: 100_000) { $0.insert(-1, at: 0) },
    Edit(testDescription: "insert", prefix: 54_321, suffix: 45_679) { $0.insert(-1, at: 54_321) },
    Edit(testDescription: "remove", prefix: 54_321, suffix: 45_678) { $0.remove(at: 54_321) },
    Edit(testDescription: "remove last", prefix: 99_999, suffix: 0) { $0.removeLast() },
    Edit(testDescription: "remove 30 by predicate", prefix: 54_321, suffix: 45_649) {
      $0.removeAll { (54_321..<54_351).contains($0) }
    },
    Edit(testDescription: "insert 300", prefix: 54_321, suffix: 45_679) {
      for number in 0..<300 { $0.insert(-1 - number, at: 54_321) }
    },
  ]

  static let dense = PersistentList(0..<100_000)

  /// The same elements in nodes of all sizes.
  static let sparse: PersistentList<Int> = {
    var random = SeededGenerator(seed: 5)
    var list = dense
    for _ in 0..<20_000 {
      let index = Int.random(in: 0..<list.count, using: &random)
      list.insert(0, at: index)
      list.remove(at: index)
    }
    return list
  }()

  @Test(arguments: edits, [true, false])
  func looksOnlyAtWhatIsNotShared(edit: Edit, isDense: Bool) {
    let old = isDense ? Self.dense : Self.sparse
    var new = old
    edit.apply(&new)
    var calls = 0
    let ends = PersistentList.commonEnds(old, new) {
      calls += 1
      return $0.pointee == $1.pointee
    }
    #expect(ends == (edit.prefix, edit.suffix))
    #expect(calls < 600)
  }

  @Test func equalitySkipsWhatIsShared() {
    struct Loud: Equatable {
      nonisolated(unsafe) static var comparisons = 0  // Used by this test alone.
      var number: Int
      static func == (left: Self, right: Self) -> Bool {
        comparisons += 1
        return left.number == right.number
      }
    }
    let old = PersistentList((0..<100_000).map(Loud.init))
    var new = old
    new[500].number += 1
    new[500].number -= 1
    #expect(old == new)
    #expect(Loud.comparisons < 200)
  }
}
