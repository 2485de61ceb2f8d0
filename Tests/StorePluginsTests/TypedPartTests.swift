import PluginSupport
import StoreCore
import StoreModules
import StorePlugins
import StoreSchema
import Synchronization
import Testing

/// Parts of a Swift slice that a reducer holds on to while it replaces them: they stand for the old value from then on, as
/// Lua's tables would.
@Suite("Parts of Swift slices that were replaced")
struct TypedPartTests {
  /// A slice with lists, a dictionary and optionals of records.
  @Schema
  struct Shelf: Equatable {
    var items: PersistentList<TaskItem> = []
    var rows: [TaskItem] = []
    var named: [String: TaskItem] = [:]
    var best: TaskItem?
    var lists: PersistentList<PersistentList<Int>> = []
    var said = ""
  }

  private static let (one, two, three) = (
    TaskItem(id: 1, title: "one"), TaskItem(id: 2, title: "two"), TaskItem(id: 3, title: "three")
  )

  private static var full: Shelf {
    Shelf(
      items: [three, one, two], rows: [three, one, two], named: ["a": one, "b": two], best: three,
      lists: [[3, 4], [1]])
  }

  private func reduce<Slice: Schematic>(_ body: String, _ shelf: inout Slice) throws {
    let folder = try PluginFolder(
      "l", permissions: ["reduce:shelf"],
      lua:
        "return plugin { lifted = { { at = 'shelf', on = 'shelf.go', args = {}, reduce = function(s) \(body) end } } }")
    let plugin = try Plugin(
      loading: try folder.source(),
      into: Plugin.Surroundings(action: { _ in nil }, moduleNames: ["shelf"], slice: { _ in Slice.schema }))
    let type = try #require(plugin.addedActions.first)
    try withUnsafeMutablePointer(to: &shelf) { slice in
      try plugin.reducers.reduce(
        lifted: 0, ActionCall(type, []), context: .first, schema: Slice.schema,
        slice: UnsafeMutableRawPointer(slice))
    }
  }

  private static let changes: [(body: String, change: @Sendable (inout Shelf) -> Void)] = [
    (
      "table.sort(s.items, function(a, b) return a.id < b.id end) table.sort(s.rows, function(a, b) return a.id > b.id end)",
      { shelf in
        shelf.items = [one, two, three]
        shelf.rows = [three, two, one]
      }
    ),
    ("s.items[1], s.items[3] = s.items[3], s.items[1]", { $0.items = [two, one, three] }),
    (
      "local item = table.remove(s.items, 1) item.title = item.title .. '!' table.insert(s.items, 2, item)",
      { $0.items = [one, TaskItem(id: 3, title: "three!"), two] }
    ),
    (
      """
      local held = s.rows[2] table.insert(s.rows, 1, { id = 9, title = 'new' })
      assert(not pcall(function() held.title = 'lost' end)) s.rows[3].done = true
      """,
      {
        $0.rows.insert(TaskItem(id: 9, title: "new"), at: 0)
        $0.rows[2].done = true
      }
    ),
    (
      """
      local last = s.rows[#s.rows] local first = table.remove(s.rows, 1)
      assert(not pcall(function() last.title = first.title end)) s.rows[1].id = 8
      """,
      {
        $0.rows.removeFirst()
        $0.rows[0].id = 8
      }
    ),
    (
      """
      local item = s.rows[1] s.rows[1] = s.rows[2] item.done = true s.rows[2] = item
      assert(not pcall(function() item.title = 'lost' end))
      """,
      { $0.rows = [one, TaskItem(id: 3, title: "three", done: true), two] }
    ),
    (
      """
      local list = s.lists[1] s.lists[1] = s.lists[2] list[3] = 5 s.lists[2] = list
      assert(not pcall(function() list[1] = 9 end))
      """,
      { $0.lists = [[1], [3, 4, 5]] }
    ),
    (
      "local a = s.named.a s.named.a = nil a.id = 7 s.named.c = a s.named.b = s.best",
      { $0.named = ["b": three, "c": TaskItem(id: 7, title: "one")] }
    ),
    (
      "local best = s.best s.best = nil best.title = best.title .. '?' s.said = best.title s.best = best",
      {
        $0.said = "three?"
        $0.best = TaskItem(id: 3, title: "three?")
      }
    ),
    (
      "local items = s.items s.items = { s.items[2] } items[1].title = 'x' s.said = #items .. items[1].title .. #s.items",
      {
        $0.items = [one]
        $0.said = "3x1"
      }
    ),
  ]

  /// A key that counts how often it is turned into the form in which Lua sees it.
  struct CountedKey: SchematicKey {
    static let count = Mutex(0)
    let text: String
    static var keyKind: Schema.KeyKind { .string }
    init(_ text: String) { self.text = text }
    init?(mapKey: MapKey) {
      guard case .string(let text) = mapKey else { return nil }
      self.text = text
    }
    var mapKey: MapKey {
      Self.count.withLock { $0 += 1 }
      return .string(text)
    }
    static func < (left: Self, right: Self) -> Bool { left.text < right.text }
  }

  @Schema
  struct Counts: Equatable {
    var named: [CountedKey: Int] = [:]
    var said = ""
  }

  @Test func aWalkThroughADictionaryLooksAtItsKeysOnce() throws {
    let entries = 300
    var counts = Counts(
      named: Dictionary(uniqueKeysWithValues: (0..<entries).map { (CountedKey("key\(1000 + $0)"), $0) }))
    CountedKey.count.withLock { $0 = 0 }
    try reduce(
      """
      local keys, sum = 0, 0
      for key, value in pairs(s.named) do
        keys, sum = keys + 1, sum + value
        if key == 'key1100' then s.named['key1101'], s.named.key1100 = nil, nil end
      end
      for key in pairs(s.named) do
        for other in pairs(s.named) do keys = keys + 1 break end
        if key == 'key1000' then break end
      end
      s.said = keys .. ' ' .. sum .. ' ' .. next(s.named) .. ' ' .. next(s.named, 'key1098')
        .. ' ' .. next(s.named, 'key1099') .. ' ' .. tostring((next(s.named, 'key1299')))
      """, &counts)
    #expect(counts.said == "300 44749 key1000 key1099 key1102 nil")
    #expect(CountedKey.count.withLock { $0 } < 20 * entries)
  }

  /// As in Lua, `next` knows a key that was there until this call cleared it, and no other.
  @Test(arguments: [
    ("next(s.named, 'nokey')", false), ("next(s.named, 7)", false), ("next(s.named, 'b')", true),
    ("next(s.rows, 1)", true), ("next(s.rows, 2)", true), ("next(s.rows, 3)", false), ("next(s.rows, 'x')", false),
    ("next(s, 'said')", true), ("next(s, 'other')", false), ("next(s, 1)", false),
    ("s.named.b = nil next(s.named, 'b')", true), ("s.named.b = nil next(s.named, 'c')", false),
    ("s.rows[2] = nil next(s.rows, 2)", true), ("s.rows[2] = nil next(s.rows, 3)", false),
    ("for key in next, s.named do s.named[key] = nil end", true),
    ("for key in pairs(s.named) do s.named[key] = nil end", true),
  ])
  func nextOfAnUnknownKey(_ call: String, isKnown: Bool) throws {
    var walked = Walked()
    try reduce("s.said = tostring((pcall(function() \(call) end)))", &walked)
    #expect(walked.said == "\(isKnown)", "\(call)")
  }

  @Schema
  struct Walked: Equatable {
    var named = ["a": 1, "b": 2]
    var rows = [10, 20]
    var said = ""
  }

  /// Parts that a Swift type changes together only.
  @Schema
  struct Box: Equatable {
    var tags: Set<String> = ["b", "a", "c"]
    var seats: Range<Int> = 2..<9
    var spare: ClosedRange<Int>?
    var days: [Set<Int>] = [[3, 1], []]
    var perName: [String: Set<Int>] = ["x": [5]]
    var named: Set<Label> = [Label(name: "one")]
    var bytes: [UInt8: Int] = [1: 1]
    var widths: [UInt8] = [1]
    var count: UInt = 7
    var rows: [Seat] = [Seat(id: 10), Seat(id: .max)]
    var perCount: [UInt: Int] = [78: 1, .max: 2]
    var said = ""
  }

  @Schema
  struct Seat: Equatable { var id: UInt64 }

  @Schema
  struct Label: Hashable { var name: String }

  @Test(arguments: [
    ("for i, tag in ipairs(s.tags) do s.said = s.said .. i .. tag end", "1a2b3c"),
    ("for i, tag in pairs(s.tags) do s.said = s.said .. i .. tag end", "1a2b3c"),
    ("for i = 1, #s.tags do s.said = s.said .. s.tags[i] end s.said = s.said .. tostring(s.tags[4])", "abcnil"),
    ("s.said = table.concat(s.tags, ',') .. #s.named .. s.named[1].name", "a,b,c1one"),
    ("s.said = s.seats.lowerBound .. ' ' .. s.seats.upperBound .. tostring(s.spare)", "2 9nil"),
    ("for name, bound in pairs(s.seats) do s.said = s.said .. name .. bound end", "lowerBound2upperBound9"),
    ("s.spare = { lowerBound = 1, upperBound = 4 } s.said = s.spare.upperBound .. ''", "4"),
    ("s.said = #s.days .. s.days[1][2] .. #s.days[2] .. s.perName.x[1]", "2305"),
    ("local old = s.tags s.tags = { 'z', 'y', 'z' } s.said = #old .. #s.tags .. s.tags[1] .. old[1]", "32ya"),
    ("s.days[2] = s.days[1] s.perName.y = s.days[2] s.said = #s.days[2] .. s.perName.y[1]", "21"),
    ("s.said = tostring(s.tags == s.tags)", "true"),
    ("s.count = s.count + 1 s.said = s.count .. ''", "8"),
    ("s.said = tostring(s.count < 10) .. tostring(s.count > 10)", "truefalse"),
    ("s.count = '18446744073709551615' s.said = s.count", "18446744073709551615"),
    ("s.perCount[78] = s.perCount[78] + 5 s.perCount[9] = 1 s.said = s.perCount[78] .. s.perCount[9]", "61"),
    ("s.perCount = { [5] = 1 } s.said = s.perCount[5] .. tostring(s.perCount[78])", "1nil"),
    ("s.perCount = { 4, [5] = 1, ['18446744073709551615'] = 7 } s.said = s.perCount[1] .. s.perCount[5]", "41"),
    ("s.perCount['18446744073709551615'] = 3 s.said = s.perCount['18446744073709551615'] .. ''", "3"),
    (
      "for key, value in pairs(s.perCount) do s.said = s.said .. key .. ':' .. value .. ' ' end",
      "78:1 18446744073709551615:2 "
    ),
    ("s.said = s.rows:id(10).id .. s.rows:id('18446744073709551615').id", "1018446744073709551615"),
  ])
  func setsAndRangesAreReadByTheirParts(body: String, said: String) throws {
    var box = Box()
    try reduce(body, &box)
    #expect(box.said == said)
  }

  @Test(arguments: [
    ("s.tags[1] = 'x'", "shelf.tags changes as a whole: assign a new value to it, not to its parts"),
    ("table.insert(s.tags, 'x')", "shelf.tags changes as a whole: assign a new value to it, not to its parts"),
    ("table.remove(s.tags, 1)", "shelf.tags changes as a whole: assign a new value to it, not to its parts"),
    ("s.seats.upperBound = 3", "shelf.seats changes as a whole: assign a new value to it, not to its parts"),
    ("s.named[1].name = 'x'", "shelf.named changes as a whole: assign a new value to it, not to its parts"),
    ("s.perName.x[1] = 3", "shelf.perName.x changes as a whole: assign a new value to it, not to its parts"),
    ("s.tags = { 'a', 4 }", "'shelf.tags[2]' must be String, got number 4"),
    ("s.seats = { lowerBound = 3, upperBound = 1 }", "'shelf.seats.upperBound' must be >= 3, got 1"),
    ("local x = s.seats.middle", "shelf.seats has no field 'middle'"),
    ("s.bytes[300] = 1", "'shelf.bytes' must have UInt8 keys, got number 300"),
    ("s.widths[1] = 300", "'shelf.widths[1]' must be 0...255, got 300"),
    ("s.perCount['007'] = 1", "shelf.perCount is [Int: Int]; it has no '007' (keys are Int)"),
    ("s.perCount[-1] = 1", "'shelf.perCount' must have UInt keys, got number -1"),
    ("s.perCount = { 1, x = 2 }", "'shelf.perCount' cannot be read as a value: it has both positions and names"),
    ("s.count = 1.5", "'shelf.count' must be Int, got number 1.5"),
    ("s.count = -1", "'shelf.count' must be 0...18446744073709551615, got -1"),
  ])
  func theirPartsAreNotWritten(body: String, message: String) {
    var box = Box()
    let error = fault { try reduce(body, &box) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "no error")")
    #expect(box == Box())
  }

  @Test func aLargeSetIsReadOnce() throws {
    var box = Box()
    box.tags = Set((0..<3000).map { "tag\($0)" })
    try reduce("local n = 0 for i = 1, #s.tags do n = n + #s.tags[i] end s.said = n .. ''", &box)
    #expect(box.said == "\(box.tags.reduce(0) { $0 + $1.count })")
  }

  @Test(arguments: 0..<changes.count)
  func theyStandForTheOldValue(index: Int) throws {
    let (body, change) = Self.changes[index]
    var shelf = Self.full
    let shared = shelf
    try reduce(body, &shelf)
    var expected = Self.full
    change(&expected)
    #expect(shelf == expected, "\(body)")
    #expect(shared == Self.full)
  }

  @Test(arguments: 0..<changes.count)
  func aFailureTakesAllBack(index: Int) throws {
    var shelf = Self.full
    let error = fault { try reduce("do \(Self.changes[index].body) end error('no')", &shelf) }
    #expect(error?.message.hasSuffix(": no") == true, "\(error?.message ?? "no error")")
    #expect(shelf == Self.full)
  }
}
