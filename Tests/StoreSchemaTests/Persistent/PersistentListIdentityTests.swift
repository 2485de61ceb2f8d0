import StoreCore
import Testing

@testable import StoreSchema

/// A list finds an element by its id as a walk from its start does, whatever was done to it.
@Suite struct PersistentListIdentityTests {
  @Schema
  struct Row: Equatable, Identifiable {
    var id: Int
    var title = "row"

    mutating func become(_ id: Int) { (self.id, title) = (id, "found") }
  }

  @Schema
  struct Page: Equatable {
    var key: String
    var rows: PersistentList<Row> = []
  }

  /// Elements whose ids repeat, in any order.
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func theFirstOfAnIDIsFound(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var list = PersistentList<Row>()
    var array: [Row] = []
    var snapshots: [(PersistentList<Row>, [Row])] = []
    let schema = PersistentList<Row>.schema
    guard case .list(let access) = schema.access.parts else {
      Issue.record("no list")
      return
    }
    for step in 0..<3_000 {
      // Mostly ascending, as where each new element gets the next number.
      let isNext = Int.random(in: 0..<4, using: &random) > 0
      let id = isNext ? step : Int.random(in: 0...step, using: &random)
      switch Int.random(in: 0..<(step < 1_500 ? 9 : 13), using: &random) {
      case 0..<5:
        let index = isNext ? array.count : Int.random(in: 0...array.count, using: &random)
        list.insert(Row(id: id), at: index)
        array.insert(Row(id: id), at: index)
      case 5 where !array.isEmpty:
        let index = Int.random(in: 0..<array.count, using: &random)
        list[index].title += "!"
        array[index].title += "!"
      case 6 where !array.isEmpty:
        let index = Int.random(in: 0..<array.count, using: &random)
        list[index].id = id
        array[index].id = id
      case 7:
        // Sometimes it becomes another one.
        let next = step.isMultiple(of: 5) ? step : id
        list[id: id]?.become(next)
        if let index = array.firstIndex(where: { $0.id == id }) { array[index].become(next) }
      case 8 where !array.isEmpty:
        // As a reducer in Lua writes: at the address that it found.
        let index = Int.random(in: 0..<array.count, using: &random)
        withUnsafeMutablePointer(to: &list) { list in
          let found = access.find(UnsafeMutableRawPointer(list), index)
          let address =
            found.flatMap { $0.isOwn ? $0.address : nil } ?? access.mutableAddress(UnsafeMutableRawPointer(list), index)
          address.assumingMemoryBound(to: Row.self).pointee.id = id
        }
        array[index].id = id
      case 9...11 where !array.isEmpty:
        let index = Int.random(in: 0..<array.count, using: &random)
        #expect(list.remove(at: index) == array.remove(at: index))
      default:
        list[id: id] = nil
        if let index = array.firstIndex(where: { $0.id == id }) { array.remove(at: index) }
      }
      let wanted = Int.random(in: -1...(step + 1), using: &random)
      let position = array.firstIndex { $0.id == wanted }
      #expect(list.firstIndex(id: wanted) == position)
      if step.isMultiple(of: 3) { #expect(list.firstIndex(withID: wanted) == position) }
      #expect(withUnsafePointer(to: list) { access.position(UnsafeRawPointer($0), .int(wanted)) } == position)
      if step.isMultiple(of: 40) {
        #expect(Array(list) == array)
        snapshots.append((list, array))
        if snapshots.count > 6 { snapshots.removeFirst() }
        for (snapshot, rows) in snapshots {
          #expect(snapshot.firstIndex(id: wanted) == rows.firstIndex { $0.id == wanted })
        }
      }
    }
  }

  /// The number of elements that are looked at to find one, in a list of so many.
  private func looks(_ list: PersistentList<Row>, _ id: Int, _ way: IDWay = .field) -> Int {
    var count = 0
    _ = list.firstIndex(ofID: .int(id), way) {
      count += 1
      return .int($0.pointee.id)
    }
    return count
  }

  @Test(arguments: [1, -1])
  func whatALookCostsDoesNotGrowWithTheList(sign: Int) {
    let counts = [4_000, 64_000].map { size in
      var list = PersistentList((0..<size).map { Row(id: sign * $0) })
      _ = looks(list, 1)
      let first = looks(list, sign * (size / 2))
      list[id: sign * 77]?.title = "other"
      list.append(Row(id: sign * size))
      list.remove(at: 1_000)
      let second = looks(list, sign * 2_000)
      #expect(first <= 32 && second <= 160, "\(size)")
      return second
    }
    #expect(counts[1] <= counts[0] + 16)
  }

  /// Numbers that do not lie evenly are not where even ones would be.
  @Test func unevenNumbersAreFound() {
    var ids = [Int.min, -7, 0, 1, 2] + (100..<400).map { $0 * $0 } + [1 << 40, .max]
    for _ in 0..<2 {
      let list = PersistentList(ids.map { Row(id: $0) })
      _ = looks(list, 0)
      for (position, id) in ids.enumerated() { #expect(list.firstIndex(id: id) == position) }
      for id in [-8, 3, 99, 10_001, (1 << 40) - 1, .max - 1] { #expect(list.firstIndex(id: id) == nil) }
      ids.reverse()
    }
  }

  /// A lift to elements reads their property, a difference their field: neither has the other look at all of them again.
  @Test func aListIsLookedThroughOnceForEachWayToReadAnID() {
    var list = PersistentList((0..<20_000).map { Row(id: $0) })
    for way in [IDWay.field, .property] { #expect(looks(list, 1, way) > 20_000) }
    for id in 100..<110 {
      list[id: id]?.title = "other"
      #expect(looks(list, id) <= 32, "its id is as it was")
      for way in [IDWay.property, .field] { #expect(looks(list, id, way) <= 160) }
    }
  }

  /// Where the ids stand in no order each run of some hundred elements is looked up, not each element.
  @Test func idsInNoOrderAreNotReadAgain() {
    var random = SeededGenerator(seed: 3)
    var list = PersistentList((0..<20_000).map { Row(id: $0) }.shuffled(using: &random))
    // All runs are looked through for the last.
    _ = looks(list, list[list.count - 1].id)
    #expect(looks(list, 7) == 0)
    list[id: 77]?.title = "other"
    #expect(looks(list, 77) <= 2_100)
    #expect(list[list.firstIndex(id: 19_999) ?? 0].id == 19_999)
  }

  @Test func anElementIsSetAddedAndTakenAwayByItsID() {
    var rows: PersistentList<Row> = [Row(id: 3), Row(id: 5), Row(id: 3, title: "second")]
    #expect(rows[id: 3]?.title == "row")
    #expect(rows[id: 4] == nil)
    rows[id: 3] = nil
    #expect(rows[id: 3]?.title == "second")
    rows[id: 4] = Row(id: 4)
    rows[id: 9]?.title = "nobody"
    #expect(rows == [Row(id: 5), Row(id: 3, title: "second"), Row(id: 4)])
  }

  @Test func textsThatOnlyLookAlikeAreTwoIDs() throws {
    let pages: [Value] = ["b", "a", "e\u{301}", "\u{E9}"].enumerated().map { index, id in
      .record(Record(RecordLayout(name: "P", fields: ["id", "n"]), [.string(id), .int(index)]))
    }
    let type = RecordSchema(
      name: "P", fields: [Field("id", .dynamic(.string)), Field("n", .dynamic(.int(minimum: nil, maximum: nil)))])
    let schema = Schema.dynamic(.list(.dynamic(.record(type))))
    let found = try withUnsafePointer(to: Value.list(PersistentList(pages))) { list in
      try ["a", "e\u{301}", "\u{E9}"].map { id in
        try schema.read(
          [.match(field: "id", .string(id)), .field("n")], in: UnsafeRawPointer(list), from: Path([.field("l")])
        ).value
      }
    }
    #expect(found == [.int(1), .int(2), .int(3)])
  }
}
