import StoreModules
import StoreSchema
import Synchronization
import Testing

@testable import StoreShell

/// Tab on the ids of a long list costs the ids that are shown, not the list.
@Suite struct KnownElementsTests {
  /// A list of items that counts the looks at its elements.
  private final class CountedList: StateView, Sendable {
    private let looks = Atomic<Int>(0)
    private let list: PersistentList<Item>
    let moduleNames = ["shop"]

    init(_ ids: some Sequence<Int>) {
      list = PersistentList(ids.map { Item(id: $0, title: "item \($0)") })
    }

    func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
      let schema = PersistentList<Item>.schema
      guard case .list(let access) = schema.access.parts else { return false }
      let counted = ListAccess(
        count: access.count,
        address: { [unowned self] list, row in
          looks.add(1, ordering: .relaxed)
          return access.address(list, row)
        }, mutableAddress: access.mutableAddress, find: access.find, position: access.position,
        hasOrderedIDs: access.hasOrderedIDs, insert: access.insert, remove: access.remove,
        differing: access.differing)
      let countedSchema = Schema(
        kind: schema.kind,
        access: Access(
          copies: Access.copying(PersistentList<Item>.self), read: schema.access.read, assign: schema.access.assign,
          isEqual: schema.access.isEqual, parts: .list(counted)))
      withUnsafePointer(to: list) { body(countedSchema, UnsafeRawPointer($0)) }
      return true
    }

    /// The ids that begin with a text, and the number of looks that they took.
    func ids(_ start: String) -> (found: KnownElements.Found, looks: Int) {
      let before = looks.load(ordering: .relaxed)
      let found = KnownElements(view: self, typed: start[...]).values(of: "id", in: "shop", at: [])
      return (found, looks.load(ordering: .relaxed) - before)
    }

    func titles(_ start: String) -> (found: KnownElements.Found, looks: Int) {
      let before = looks.load(ordering: .relaxed)
      let found = KnownElements(view: self, typed: start[...]).values(of: "title", in: "shop", at: [])
      return (found, looks.load(ordering: .relaxed) - before)
    }
  }

  @Schema struct Item {
    var id: Int
    var title: String
  }

  @Test(arguments: [
    ("", 100, 99_900, "[id="), ("7", 100, 11_011, "[id=7"), ("9999", 11, 0, "[id=9999"), ("99997", 1, 0, "[id=99997"),
    ("100000", 1, 0, "[id=100000"), ("0", 0, 0, nil), ("x", 0, 0, nil), ("-", 0, 0, nil), ("007", 0, 0, nil),
  ])
  func idsInOrderAreNotWalked(start: String, proposed: Int, leftOut: Int, common: String?) {
    for list in [CountedList(1...100_000), CountedList((1...100_000).reversed())] {
      let (found, looks) = list.ids(start)
      #expect(found.values.count == proposed)
      #expect(found.leftOut == leftOut)
      #expect(found.common == common)
      #expect(looks < 1_000)
    }
  }

  @Test func theCommonStartIsThatOfAll() {
    #expect(CountedList(1000...1300).ids("").found.common == "[id=1")
    #expect(CountedList([10, 25, 1000]).ids("").found.common == "[id=")
    #expect(CountedList([2000, 2011, 20_000]).ids("2").found.common == "[id=20")
    #expect(CountedList([-31, -30, 5]).ids("-").found.common == "[id=-3")
    #expect(CountedList([.min, -7, 0, 7, .max]).ids("-7").found.values.map(\.text) == ["[id=-7]"])
    #expect(CountedList([7, .max]).ids("9").found.values.map(\.text) == ["[id=\(Int.max)]"])
  }

  @Test func ofIdsInNoOrderTheFirstThousandsAreLookedAt() {
    let list = CountedList((1...30_000).map { $0 * 7919 % 30_011 })
    let (all, looks) = list.ids("")
    #expect(all.values.count == 100 && all.leftOut == 29_900 && all.common == "[id=")
    #expect(looks <= KnownElements.lookedAt)
    // The last one, which stands behind them.
    let last = 30_000 * 7919 % 30_011
    let (found, few) = list.ids("\(last)")
    #expect(found.values.first?.text == "[id=\(last)]" && found.leftOut == nil && found.common == "[id=")
    #expect(few <= KnownElements.lookedAt + 1)
  }

  @Test func ofOtherFieldsTooTheFirstThousandsAreLookedAt() {
    let (found, looks) = CountedList(1...30_000).titles("item 99")
    #expect(found.values.prefix(2).map(\.text) == ["[title=\"item 99\"]", "[title=\"item 990\"]"])
    #expect(found.leftOut == nil && found.common == "" && looks == KnownElements.lookedAt)
    #expect(CountedList(100...400).titles("item").found.common == "[title=\"item ")
  }

  /// A map that keeps its keys in no order.
  private struct Hashed: StateView {
    let map: [String: Int]
    let moduleNames = ["shop"]

    func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
      withUnsafePointer(to: map) { body([String: Int].schema, UnsafeRawPointer($0)) }
      return true
    }

    func keys(_ start: String) -> KnownElements.Found {
      KnownElements(view: self, typed: start[...]).keys(in: "shop", at: []) { key in
        if case .string(let text) = key { text } else { nil }
      }
    }
  }

  @Test func ofVeryManyKeysInNoOrderThoseAreFoundThatBeginAsTyped() {
    let map = Hashed(map: Dictionary(uniqueKeysWithValues: (1...30_000).map { ("k\($0)", $0) }))
    let few = map.keys("k2999")
    #expect(few.values.map(\.text) == ["k2999"] + (0...9).map { "k2999\($0)" } && few.leftOut == 0)
    #expect(map.keys("k29").values.count == 100 && map.keys("k29").leftOut == 1011)
    // Too many to bring into order.
    #expect(map.keys("k").values.isEmpty && map.keys("k").leftOut == nil)
    #expect(map.keys("").values.isEmpty && map.keys("").leftOut == 30_000)
    #expect(map.keys("k2").leftOut == nil && map.keys("k2").values.map(\.text) == ["k2"])
  }
}
