import StoreCore
import StoreSchema
import Testing

@Suite("PersistentMap.difference")
struct PersistentMapDifferenceTests {
  typealias Map = PersistentMap<Int, Int>

  struct Change: Equatable {
    let key: Int
    let old: Int?
    let new: Int?
  }

  /// What `difference` visits, without the pairs that are equal, and the number of all visits.
  static func changes(_ old: Map, _ new: Map) -> (changes: [Change], visits: Int) {
    var changes: [Change] = []
    var visits = 0
    Map.difference(old, new) { key, old, new in
      visits += 1
      if old?.pointee != new?.pointee { changes.append(Change(key: key, old: old?.pointee, new: new?.pointee)) }
    }
    return (changes, visits)
  }

  static func naive(_ old: Map, _ new: Map) -> [Change] {
    Set(old.keys).union(new.keys).sorted().map { Change(key: $0, old: old[$0], new: new[$0]) }
      .filter { $0.old != $0.new }
  }

  @Test(arguments: [31, 32, 33, 34] as [UInt64])
  func agreesWithTheNaiveComparison(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<40 {
      let keys = Int.random(in: 1..<1000, using: &random)
      var old = Map()
      for _ in 0..<keys { old[Int.random(in: 0..<keys, using: &random)] = 0 }
      var new = old
      for _ in 0..<Int.random(in: 0..<(round % 5 == 0 ? keys : 10), using: &random) {
        let key = Int.random(in: -5..<(keys + 5), using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: new[key] = nil
        case 1: for next in key..<(key + 30) { new[next] = nil }
        default: new[key] = Int.random(in: 0..<3, using: &random)
        }
      }
      let expected = Self.naive(old, new)
      #expect(Self.changes(old, new).changes == expected)
      #expect(Self.changes(new, old).changes == expected.map { Change(key: $0.key, old: $0.new, new: $0.old) })
      #expect((old == new) == expected.isEmpty)
    }
  }

  @Test func agreesWhenNothingIsShared() {
    let old = Map((0..<1000).map { ($0 * 2, $0) })
    let new = Map((0..<1000).map { ($0 * 3, $0) })
    #expect(Self.changes(old, new).changes == Self.naive(old, new))
    #expect(Self.changes([:], new).visits == 1000)
    #expect(Self.changes(old, [:]).visits == 1000)
    #expect(Self.changes([:], [:]).visits == 0)
  }

  struct Edit: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let changes: Int
    let apply: @Sendable (inout Map) -> Void
  }

  static let edits: [Edit] = [
    Edit(testDescription: "nothing", changes: 0) { _ in },
    Edit(testDescription: "change a value", changes: 1) { $0[123_456]? += 1 },
    Edit(testDescription: "change the first", changes: 1) { $0[0]? += 1 },
    Edit(testDescription: "change the last", changes: 1) { $0[199_998]? += 1 },
    Edit(testDescription: "insert", changes: 1) { $0[123_457] = 1 },
    Edit(testDescription: "insert in front", changes: 1) { $0[-1] = 1 },
    Edit(testDescription: "append", changes: 1) { $0[200_001] = 1 },
    Edit(testDescription: "remove", changes: 1) { $0[123_456] = nil },
    Edit(testDescription: "remove the first", changes: 1) { $0[0] = nil },
    Edit(testDescription: "change, insert and remove far apart", changes: 3) {
      $0[2] = nil
      $0[100_001] = 1
      $0[150_000]? += 1
    },
    Edit(testDescription: "remove 100", changes: 100) { for key in 50_000..<50_200 { $0[key] = nil } },
  ]

  /// The even numbers below 200,000, added in random order.
  static let large: Map = {
    var random = SeededGenerator(seed: 6)
    var map = Map()
    for number in (0..<100_000).shuffled(using: &random) { map[number * 2] = number }
    return map
  }()

  @Test(arguments: edits)
  func looksOnlyAtWhatIsNotShared(edit: Edit) {
    let old = Self.large
    var new = old
    edit.apply(&new)
    let found = Self.changes(old, new)
    #expect(found.changes.count == edit.changes)
    #expect(found.visits < 800)
  }
}
