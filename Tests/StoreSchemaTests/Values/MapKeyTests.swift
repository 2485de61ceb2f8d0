import StoreSchema
import Testing

/// Rule R31: numbers, then texts by bytes.
@Suite struct MapKeyTests {
  @Test func numbersComeFirstThenTextsByBytes() {
    let sorted: [MapKey] = [
      .int(.min), .int(-1), .int(2), .int(10), .string(""), .string("10"), .string("B"), .string("a"), .string("ab"),
      .string("e\u{301}"), .string("z"), .string("é"), .string("\u{FFFF}"), .string("😀"),
    ]
    #expect(sorted.reversed().sorted() == sorted)
    for (position, key) in sorted.enumerated() {
      for (other, otherKey) in sorted.enumerated() { #expect((key < otherKey) == (position < other)) }
    }
  }

  @Test func twoSpellingsOfACharacterAreTwoKeys() {
    let (composed, decomposed) = (MapKey.string("é"), MapKey.string("e\u{301}"))
    #expect(composed != decomposed)
    let map: PersistentMap<MapKey, Value> = [composed: .int(1), decomposed: .int(2)]
    #expect(map.count == 2)
    #expect(map[composed] == .int(1))
    #expect(map[decomposed] == .int(2))
    #expect(Set([composed, decomposed]).count == 2)
  }

  @Test func valuesBecomeKeysAndBack() {
    for key in [MapKey.int(3), .string("x")] { #expect(MapKey(key.value) == key) }
    for value in [Value.none, .bool(true), .double(1), .list([])] { #expect(MapKey(value) == nil) }
  }
}
