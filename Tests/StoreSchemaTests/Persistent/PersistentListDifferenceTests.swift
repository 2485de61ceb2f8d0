import StoreCore
import StoreSchema
import Testing

@Suite("PersistentList.difference")
struct PersistentListDifferenceTests {
  struct Row: Identifiable, Equatable {
    var id: Int
    var note = 0
  }

  typealias List = PersistentList<Row>

  struct Change: Equatable {
    let id: Int
    let old: Row?
    let new: Row?
  }

  private func changes(_ old: List, _ new: List) -> (changes: [Change], visits: Int) {
    var changes: [Change] = []
    var visits = 0
    List.difference(old, new) { id, old, new in
      visits += 1
      if old?.pointee != new?.pointee { changes.append(Change(id: id, old: old?.pointee, new: new?.pointee)) }
    }
    return (changes.sorted { $0.id < $1.id }, visits)
  }

  private func naive(_ old: List, _ new: List) -> [Change] {
    let old = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0) })
    let new = Dictionary(uniqueKeysWithValues: new.map { ($0.id, $0) })
    return Set(old.keys).union(new.keys).sorted().map { Change(id: $0, old: old[$0], new: new[$0]) }
      .filter { $0.old != $0.new }
  }

  @Test(arguments: [41, 42, 43, 44] as [UInt64])
  func agreesWithTheNaiveComparison(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<60 {
      var ids = Array(0..<Int.random(in: 0..<700, using: &random))
      if round % 3 == 1 { ids.reverse() }
      if round % 3 == 2 { ids.shuffle(using: &random) }
      let old = List(ids.map { Row(id: $0) })
      var new = old
      for step in 0..<Int.random(in: 0..<6, using: &random) {
        let index = Int.random(in: 0...new.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: if index < new.count { new[index].note += 1 }
        case 1: if index < new.count { new.remove(at: index) }
        case 2: new.insert(Row(id: 1000 + step), at: index)
        default: new.append(Row(id: 2000 + step))
        }
      }
      #expect(changes(old, new).changes == naive(old, new))
      #expect(changes(new, old).changes == naive(new, old))
    }
  }

  /// A change of one element is the only visit, wherever it stands and however many bytes it has.
  @Test func oneChangeIsOneVisit() {
    struct Twelve: Identifiable { var (id, left, right): (Int32, Int32, Int32) }
    struct Padded: Identifiable {
      var id: Int64
      var isOn = false
    }
    func expectOneVisit<Element: Identifiable>(
      _ old: PersistentList<Element>, _ change: (inout Element) -> Void
    ) where Element.ID: FixedWidthInteger {
      for index in old.indices {
        var new = old
        change(&new[index])
        var visited: [Int] = []
        PersistentList<Element>.difference(old, new) { id, old, new in
          if old != nil, new != nil { visited.append(Int(id)) }
        }
        #expect(visited == [index])
        new[index] = old[index]
        PersistentList<Element>.difference(old, new) { _, _, _ in Issue.record("nothing differs") }
      }
    }
    for count in [1, 2, 3, 40, 85, 300, 3000] {
      expectOneVisit(PersistentList((0..<Int32(count)).map { Twelve(id: $0, left: 1, right: 2) })) { $0.right += 1 }
      expectOneVisit(PersistentList((0..<Int32(count)).map { Twelve(id: $0, left: 1, right: 2) })) { $0.left += 1 }
      expectOneVisit(PersistentList((0..<Int64(count)).map { Padded(id: $0) })) { $0.isOn.toggle() }
    }
  }

  @Test func looksOnlyAtWhatIsNotShared() {
    let old = List((0..<100_000).map { Row(id: $0) })
    var new = old
    new[50_000].note = 1
    #expect(changes(old, new).visits == 1)
    // A queue: the first goes, another comes.
    new = old
    new.remove(at: 0)
    new.append(Row(id: 100_000))
    #expect(changes(old, new).changes.map(\.id) == [0, 100_000])
    #expect(changes(old, new).visits == 2)
  }
}
