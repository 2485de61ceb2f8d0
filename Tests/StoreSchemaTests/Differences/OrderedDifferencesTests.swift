import StoreCore
import StoreSchema
import Testing

/// Lists whose ids are in order are compared without a look at what they share; arrays are compared by a look at each element.
@Suite struct OrderedDifferencesTests {
  private static func changes<List: Schematic>(_ old: List, _ new: List) -> [Change] {
    withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { List.schema.changes(from: UnsafeRawPointer(old), to: UnsafeRawPointer($0)) }
    }
  }

  /// Removes, changes and adds elements here and there, where their ids keep the order.
  private static func edit(_ list: inout PersistentList<Garden.Bed>, by generator: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let index = Int.random(in: 0..<max(list.count, 1), using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0 where list.count > 0: list.remove(at: index)
      case 1 where list.count > 0: list[index].depth = Int.random(in: 0..<1000, using: &generator)
      case 2 where index + 1 < list.count:
        let (before, after) = (list[index].id, list[index + 1].id)
        if abs(after - before) > 1 { list.insert(Garden.Bed(id: (before + after) / 2), at: index + 1) }
      default:
        let step = list.count > 1 && list[1].id < list[0].id ? -10 : 10
        list.append(Garden.Bed(id: (list.last?.id ?? 0) + step))
      }
    }
  }

  @Test(arguments: [10, -10], 1...6 as ClosedRange<UInt64>)
  func whatIsSharedMakesNoDifference(step: Int, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var list = PersistentList<Garden.Bed>((1...400).map { Garden.Bed(id: $0 * step) })
    for _ in 0..<60 {
      let before = list
      Self.edit(&list, by: &generator)
      #expect(Self.changes(before, list) == Self.changes(Array(before), Array(list)))
      #expect(Self.changes(list, before) == Self.changes(Array(list), Array(before)))
    }
  }

  /// The time does not follow the length: of a look at each of a hundred thousand elements a thousand changes would take minutes.
  @Test func whatLiesBetweenIsNotLookedAt() {
    var list = PersistentList<Garden.Bed>((1...100_000).map { Garden.Bed(id: $0) })
    for number in 1...1000 {
      let before = list
      list[number].depth = number + 5
      list.append(Garden.Bed(id: 100_000 + number))
      #expect(Self.changes(before, list).count == 2)
    }
  }
}
