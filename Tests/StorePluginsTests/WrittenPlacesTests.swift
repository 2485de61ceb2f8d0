import PluginSupport
import StoreCore
import StoreModules
import StorePlugins
import StoreSchema
import Testing

/// A reducer writes a slice in place, and what it says it wrote is what a comparison with the slice before finds (R22).
@Suite("Written places")
struct WrittenPlacesTests {
  private static let statements = [
    "s.count = s.count + 1", "s.count = 7", "s.count = s.count", "s.ratio = -0.0", "s.ratio = 0.0", "s.ratio = 0/0",
    "s.on = not s.on", "s.name = 'b'", "s.name = 'a text that is too long to stand in its place'", "s.name = ''",
    "s.phase = 'idle'", "s.phase = 'work'", "s.task = 4", "s.task = nil", "s.task = (s.task or 0) + 1", "s.on = true",
    "s.list[1] = 9", "s.list[#s.list + 1] = #s.list", "s.list[#s.list] = nil", "s.list = { 4, 5 }", "s.list[2] = 2",
    "table.insert(s.list, 1, 0)", "table.remove(s.list, 1)", "table.sort(s.list)", "table.insert(s.list, 8)",
    "s.by.a = 5", "s.by.b = nil", "s.by.c = (s.by.c or 0) + 1", "s.by = { z = 1 }",
    "s.by['a longer key than fifteen'] = 3",
    "s.by.d = 1; s.by.d = nil", "s.by.b = 2",
    "s.places[1] = { x = 8, tags = {} }", "if s.places[1] then s.places[1].x = s.places[1].x + 1 end",
    "s.places[#s.places + 1] = { x = #s.places, tags = { 'n' } }", "if s.places[2] then s.places[2].tags[1] = 'q' end",
    "if s.places[2] then s.places[1], s.places[2] = s.places[2], s.places[1] end", "s.places[#s.places] = nil",
    "s.places[#s.places + 1] = { x = 1, tags = {} } s.places[#s.places].x = 5",
    "table.sort(s.places, function(a, b) return a.x > b.x end)", "table.remove(s.places, 1)",
    "if s.named.here then s.named.here.x = 4 end", "s.named.here = { x = 1, tags = {} }", "s.named.here = nil",
    "s.named.there = { x = 2, tags = { 'a' } } s.named.there.x = 3 s.named.there.tags[2] = 'b'",
    "if s.named.here then s.named.here.x = 9 s.named.here = s.named.here end", "s.named.copy = s.named.here",
    "for _, place in pairs(s.named) do place.x = place.x + 1 end", "s.maybe = { x = 6, tags = {} }", "s.maybe = nil",
    "if s.maybe then s.maybe.x = s.maybe.x + 1 s.maybe.tags[#s.maybe.tags + 1] = 't' end",
    "local deep = s.deep.m if not deep then s.deep.m = {} deep = s.deep.m end deep.p = { x = 1, tags = {} } deep.p.x = 2",
    "if s.deep.m and s.deep.m.p then s.deep.m.p.x = s.deep.m.p.x + 1 end", "s.deep.m = nil", "s.deep.o = {}",
    "s.items[#s.items + 1] = { id = #s.items + 1, title = 'n' }", "if s.items[1] then s.items[1].title = 'o' end",
    "if s.items[2] then s.items[2].done = not s.items[2].done end", "if s.items[1] then s.items[1].id = 2 end",
    "if s.items[1] then s.items[1] = { id = s.items[1].id, title = 'whole' } end", "table.remove(s.items, 1)",
    "if s.items[3] then s.items[3].title = s.items[3].title .. 'x' end",
    "s.items[#s.items + 1] = { id = 3, title = 'm' }",
    "if s.items[2] then s.items[1], s.items[2] = s.items[2], s.items[1] end", "s.items = {}",
    "table.insert(s.items, 1, { id = 40, title = 'first' })", "for _, item in ipairs(s.items) do item.done = true end",
    "s.pair.left.x = s.pair.left.x + 1", "s.pair.right = s.pair.left", "s.pair.left.tags[1] = 'l'",
    "for i = 1, 60 do s.count = i end", "s.cash = s.cash + 1", "s.cash = s.cash",
    "pcall(function() s.count = 3 s.by.a = 'x' end)",
    "local p = s.places[1] s.places = {} if p then s.places[1] = p end",
    "s.list[1] = 5 table.insert(s.list, 1, 7)", "s.list[2] = s.list[1] table.insert(s.list, 2, 8)",
    "s.places[1] = { x = 5, tags = {} } table.insert(s.places, 1, { x = 6, tags = {} })",
    "if s.places[1] then s.places[1].x = 7 table.insert(s.places, 1, { x = 8, tags = {} }) end",
    "table.insert(s.list, 1, 3) s.list[1] = 4", "table.insert(s.list, 4) table.insert(s.list, #s.list, 5)",
  ]

  private static let filling = """
    s.list = { 1, 2, 3 } s.by = { a = 1, b = 2 } s.places = { { x = 1, tags = { 'p' } }, { x = 2, tags = {} } }
    s.named = { here = { x = 3, tags = { 'q', 'r' } } } s.maybe = { x = 4, tags = {} }
    s.items = { { id = 1, title = 'a' }, { id = 2, title = 'b' }, { id = 3, title = 'c' } }
    for i = 1, 40 do s.by['k' .. i] = i s.named['n' .. i] = { x = i, tags = {} } end
    """

  /// A plugin whose reducers do some of the statements each, drawn by a seed; every other one then fails where it is told to.
  private func plugin(_ seed: UInt64, _ count: Int) throws -> (Plugin, PluginFolder) {
    var random = SeededGenerator(seed: seed)
    let bodies = (0..<count).map { _ in
      (0..<Int.random(in: 1...5, using: &random)).map { _ in
        "do \(Self.statements[Int.random(in: 0..<Self.statements.count, using: &random)]) end"
      }.joined(separator: " ")
    }
    let folder = try PluginFolder(
      "d",
      lua: """
        local Place = record("Place", { field("x", int { default = 0 }), field("tags", list(text())) })
        local Item = record("Item", { field("id", int()), field("title", text()), field("done", bool { default = false }) })
        local Pair = record("Pair", { field("left", Place), field("right", Place) })
        return plugin {
          state = {
            field("count", int()), field("ratio", number()), field("on", bool()), field("name", text()),
            field("phase", enum { "idle", "work" }), field("task", optional(int())), field("list", list(int())),
            field("by", map(int())), field("places", list(Place)),
            field("named", map(Place)), field("maybe", optional(Place)), field("deep", map(map(Place))),
            field("items", list(Item)), field("pair", Pair), field("cash", decimal { scale = 2 }),
          },
          actions = { { name = "fill" }, \(bodies.indices.map { "{ name = 'go\($0)', args = { field('fails', bool()) } }" }.joined(separator: ", ")) },
          reducers = {
            fill = function(s) \(Self.filling) end,
            \(bodies.indices.map { "go\($0) = function(s, a) \(bodies[$0]) if a.fails then error('no') end end" }.joined(separator: ",\n"))
          },
        }
        """)
    let surroundings = Plugin.Surroundings(action: { _ in nil }, moduleNames: [])
    return (try Plugin(loading: try folder.source(), into: surroundings), folder)
  }

  /// The same value in memory of its own.
  private static func copy(_ value: Value) -> Value {
    switch value {
    case .list(let list): .list(PersistentList(list.map(copy)))
    case .map(let map): .map(PersistentMap(map.map { ($0.key, copy($0.value)) }))
    case .record(let record): .record(Record(record.layout, record.values.map(copy)))
    default: value
    }
  }

  @Test(arguments: 1...12) func whatIsWrittenIsWhatDiffers(_ seed: Int) throws {
    let count = 60
    let (plugin, folder) = try plugin(UInt64(seed), count)
    let schema = try #require(plugin.module.schema)
    func call(_ name: String, _ arguments: [Value] = []) throws -> ActionCall {
      ActionCall(try #require(plugin.module.actions.first { $0.name == name }), arguments)
    }
    var written = plugin.initialState
    try plugin.reducers.reduce(call("fill"), context: .first, slice: &written)
    var random = SeededGenerator(seed: UInt64(seed) &+ 1000)
    var told = 0
    for _ in 0..<400 {
      let name = "go\(Int.random(in: 0..<count, using: &random))"
      // The same where others look on, in a copy that shares nothing.
      var copied = Self.copy(written)
      let before = copied
      if Int.random(in: 0..<4, using: &random) == 0 {
        #expect(
          fault { try plugin.reducers.reduce(try call(name, [.bool(true)]), context: .first, slice: &written) } != nil)
        #expect(written == before, "\(name) of \(seed)")
        continue
      }
      var edit: SliceEdit?
      let failure = fault {
        try plugin.reducers.reduce(try call(name, [.bool(false)]), context: .first, slice: &written, edit: &edit)
      }
      let second = fault { try plugin.reducers.reduce(try call(name, [.bool(false)]), context: .first, slice: &copied) }
      #expect(failure?.message == second?.message)
      try #require(written == copied, "\(name) of \(seed)")
      let path = Path([.field("d")])
      let changes = withUnsafePointer(to: before) { before in
        withUnsafePointer(to: copied) { schema.changes(from: before, to: $0, at: path) }
      }
      switch edit {
      case nil: #expect(changes.isEmpty, "\(name) of \(seed) wrote \(changes)")
      case .former(let former): #expect(former == before, "\(name) of \(seed)")
      case .changes(let found):
        told += 1
        try #require(found == changes, "\(name) of \(seed)")
      case .scalars(let found):
        told += 1
        try #require(found.all == changes, "\(name) of \(seed)")
      }
    }
    // The most is told by the writes.
    #expect(told > 40, "\(told)")
    withExtendedLifetime(folder) {}
  }
}
