import StoreCore
import StoreSchema
import Testing

/// Lists that grow while what they were is kept: the last leaf hangs from the root until it is full.
@Suite("Tails of lists")
struct TailTests {
  private struct Row: Identifiable, Equatable, Sendable {
    let id: Int
    var text = "a text that is not short"
    var number = 0
  }

  @Test func eachStateStaysWhileElementsAreAppended() {
    var list: PersistentList<Row> = []
    var states: [PersistentList<Row>] = []
    for number in 0..<2_000 {
      states.append(list)
      list.append(Row(id: number))
      #expect(list.firstIndex(withID: number) == number)
    }
    for (count, state) in states.enumerated() where count % 37 == 0 {
      #expect(state.map(\.id) == Array(0..<count))
      #expect(state.firstIndex(withID: count) == nil)
      let (prefix, suffix) = PersistentList.commonEnds(state, list) { $0.pointee == $1.pointee }
      #expect(prefix == count && suffix == 0)
    }
  }

  /// Edits of a list that has a tail, with and without others that share it.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func editsAreThoseOfAnArray(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (list, array): (PersistentList<Row>, [Row]) = ([], [])
    var next = 0
    for _ in 0..<400 {
      let before = (list, array)
      for _ in 0..<Int.random(in: 2...30, using: &random) {
        let kept = Bool.random(using: &random) ? list : []
        list.append(Row(id: next))
        array.append(Row(id: next))
        next += 1
        withExtendedLifetime(kept) {}
      }
      switch Int.random(in: 0..<8, using: &random) {
      case 0: #expect(list.removeFirst() == array.removeFirst())
      case 1: #expect(list.removeLast() == array.removeLast())
      case 2:
        let place = Int.random(in: 0..<array.count, using: &random)
        list.insert(Row(id: -next), at: place)
        array.insert(Row(id: -next), at: place)
      case 3:
        list[array.count - 1].number += 1
        array[array.count - 1].number += 1
      default: break
      }
      #expect(list.count == array.count)
      let place = Int.random(in: 0..<array.count, using: &random)
      #expect(list.firstIndex(withID: array[place].id) == place)
      var state = Dictionary(uniqueKeysWithValues: before.1.map { ($0.id, $0) })
      PersistentList<Row>.difference(before.0, list) { state[$0] = $2?.pointee }
      #expect(state == Dictionary(uniqueKeysWithValues: array.map { ($0.id, $0) }))
    }
    #expect(Array(list) == array)
  }
}
