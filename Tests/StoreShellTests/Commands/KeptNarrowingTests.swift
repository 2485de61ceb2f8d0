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
      #expect(isKept || !areOrdered)
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

  private static let lines = [
    "dispatch tasks.add a", "dispatch tasks.add b", "dispatch tasks.complete 2", "dispatch counter.increment",
    "dispatch tasks.add c", "dispatch tasks.remove 1", "undo", "undo", "redo", "let want = 3",
    "dispatch tasks.complete 3",
    "lua for i = 1, 90 do dispatch('tasks.add', { title = 'x' .. i }) end", "undo --to 4", "dispatch p.put 1 a",
    "dispatch p.put 5 b", "dispatch p.put 3 c", "dispatch p.put 3 d", "dispatch p.drop 1", "dispatch p.turn", "undo",
    "lua for i = 1, 90 do dispatch('p.put', { id = i, title = 'x' .. i }) end", "dispatch p.turn", "undo --to 2",
    "dispatch tasks.add d", "goto 3", "goto head", "dispatch p.put 9 e", "dispatch counter.increment",
  ]

  /// Each watch says what `show` says, whatever happened.
  @Test func watchesSayWhatShowSays() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin {
        state = {
          field("items", list(record("Item", { field("id", int()), field("title", text()) }))),
          field("names", map(record("Name", { field("id", int()) }))),
        },
        actions = {
          { name = "put", args = { field("id", int()), field("title", text()) } },
          { name = "drop", args = { field("id", int()) } }, { name = "turn" },
        },
        reducers = {
          put = function(s, a)
            s.names[a.title] = { id = a.id }
            for _, item in ipairs(s.items) do if item.id == a.id then item.title = a.title return end end
            s.items[#s.items + 1] = { id = a.id, title = a.title }
          end,
          drop = function(s, a)
            for i, item in ipairs(s.items) do if item.id == a.id then table.remove(s.items, i) return end end
          end,
          turn = function(s) if #s.items > 1 then table.insert(s.items, 1, table.remove(s.items)) end end,
        },
      }
      """)
    #expect(try shell.type("plugin load \(folder)").status == 0)
    _ = try shell.type("dispatch tasks.add first", "dispatch p.put 0 first", "let want = 2")
    let places = [
      "tasks.items where not done", "tasks.items where title:find('x') or id == 2", "tasks.items where id == want",
      "tasks.items where id > state.counter.value", "tasks.items", "p.items where id > 2", "p.items where title ~= 'a'",
      "p.items", "p.names where id > 2", "p.names where key ~= 'a'", "p.names",
    ]
    for place in places { #expect(try shell.type("watch --as csv \(place)").status == 0, "\(place)") }
    func show(_ place: String) throws -> String {
      try shell.type("show --as csv \(place)").output.replacing("\r\n", with: "\n")
    }
    var last = try places.map(show)
    for line in Self.lines {
      let told = try shell.type(line).errors.replacing("\r\n", with: "\n")
      // A watch is of the present, and hears of actions alone.
      guard line != "goto 3", !line.hasPrefix("let") else { continue }
      for (index, place) in places.enumerated() {
        let now = try show(place)
        let parts = told.split(separator: "[watch \(index + 1)] ").dropFirst(
          told.hasPrefix("[watch \(index + 1)] ") ? 0 : 1)
        #expect((now != last[index]) == !parts.isEmpty || line.hasPrefix("lua"), "\(place) by \(line)")
        // Behind the line that names the action, and before the next one.
        if let part = parts.last {
          let rows = part.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
          let value = rows.prefix { !$0.hasPrefix("[watch ") && !$0.isEmpty }.map { $0 + "\n" }.joined()
          #expect(value == now, "\(place) by \(line)")
        }
        last[index] = now
      }
    }
  }
}
