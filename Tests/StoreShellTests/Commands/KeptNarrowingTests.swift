import StoreCore
import StoreSchema
import Testing

@testable import StoreShell

/// A watch with `where` looks at what has come or changed alone, and chooses what a look at all would.
@Suite struct KeptNarrowingTests {
  private static let layout = RecordLayout(name: "Row", fields: ["id", "n"])
  private static let integer = Schema.dynamic(.int(minimum: nil, maximum: nil))
  private static let schema = Schema.dynamic(
    .list(.dynamic(.record(RecordSchema(name: "Row", fields: [Field("id", integer), Field("n", integer)])))))

  private static func row(_ id: Int, _ n: Int) -> Value { .record(Record(layout, [.int(id), .int(n)])) }

  private static func holds(_ value: Value) -> Bool {
    switch value {
    case .record(let record):
      record["n"].map { if case .int(let n) = $0 { n.isMultiple(of: 3) } else { false } } ?? false
    case .int(let n): n.isMultiple(of: 3)
    default: false
    }
  }

  private static func kept(
    _ list: PersistentList<Value>, names: Set<String> = [], asked: @escaping () -> Void = {}
  ) -> KeptNarrowing? {
    KeptNarrowing(
      of: .list(list), chosen: .list(PersistentList(list.filter(holds))),
      ElementChoice(otherNames: names, isChosen: list.map(holds)) { value, _ in
        asked()
        return holds(value)
      })
  }

  /// Elements come, go, change and move, with ids in order and without.
  @Test(arguments: 1...12 as ClosedRange<UInt64>, [true, false])
  func itChoosesWhatALookAtAllDoes(seed: UInt64, areOrdered: Bool) throws {
    var random = SeededGenerator(seed: seed)
    func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    var list = PersistentList((0..<below(200)).map { Self.row($0, below(9)) } + [Self.row(500, 3)])
    var kept = try #require(Self.kept(list))
    var next = 1_000
    for step in 0..<300 {
      for _ in 0...below(step.isMultiple(of: 10) ? 40 : 3) {
        next += 1
        let id = areOrdered ? next : below(1_000)
        switch below(5) {
        case 0, 1: list.insert(Self.row(id, below(9)), at: areOrdered ? list.count : below(list.count + 1))
        case 2 where list.count > 1: list.remove(at: below(list.count))
        case 3 where !areOrdered && list.count > 1: list.append(list.remove(at: below(list.count)))
        default:
          let index = below(list.count)
          guard case .record(let record) = list[index], case .int(let id)? = record["id"] else { continue }
          list[index] = Self.row(id, below(9))
        }
      }
      let isKept = try kept.follow(Reading(value: .list(list), schema: Self.schema))
      if isKept {
        #expect(kept.chosen == .list(PersistentList(list.filter(Self.holds))), "step \(step)")
      } else {
        kept = try #require(Self.kept(list))
      }
      #expect(isKept || !areOrdered || list.count < 400)
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>) func mapsAreFollowed(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var map: PersistentMap<MapKey, Value> = [.string("first"): .int(3)]
    func chosen() -> Value { .map(PersistentMap(map.filter { Self.holds($0.value) }.map { ($0.key, $0.value) })) }
    var kept = try #require(
      KeptNarrowing(
        of: .map(map), chosen: chosen(),
        ElementChoice(otherNames: [], isChosen: [true]) { value, _ in Self.holds(value) }))
    for _ in 0..<200 {
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        let key = MapKey.string("\(Int.random(in: 0..<50, using: &random))")
        map[key] = Bool.random(using: &random) ? .int(Int.random(in: 0..<9, using: &random)) : nil
      }
      #expect(try kept.follow(Reading(value: .map(map), schema: .dynamic(.map(key: .string, .dynamic(.any))))))
      #expect(kept.chosen == chosen())
    }
  }

  @Test func theConditionIsAskedOfWhatChangedAlone() throws {
    var list = PersistentList((0..<20_000).map { Self.row($0, $0) })
    var asked = 0
    var kept = try #require(Self.kept(list) { asked += 1 })
    let changes: [(inout PersistentList<Value>) -> Void] = [
      { $0.append(Self.row(20_000, 3)) }, { $0[10_000] = Self.row(10_000, 3) }, { $0.remove(at: 9_999) },
      {
        $0[0] = Self.row(0, 1)
        $0[$0.count - 1] = Self.row(20_000, 1)
      },
    ]
    for change in changes {
      change(&list)
      #expect(try kept.follow(Reading(value: .list(list), schema: Self.schema)))
    }
    #expect(asked == 4)
    #expect(kept.chosen == .list(PersistentList(list.filter(Self.holds))))
  }

  /// What reads more than an element, or elements of several kinds, is looked at as a whole.
  @Test func othersAreNotKept() throws {
    let list: PersistentList<Value> = [Self.row(1, 3)]
    #expect(Self.kept(list, names: ["string", "tonumber"]) != nil)
    #expect(Self.kept(list, names: ["state"]) == nil)
    #expect(Self.kept([]) == nil)
    #expect(Self.kept([Self.row(1, 3), .int(3)]) == nil)
    var kept = try #require(Self.kept(list))
    #expect(try !kept.follow(Reading(value: .list([Self.row(1, 3), .int(3)]), schema: Self.schema)))
  }
}
