import PluginSupport
import StoreCore
import StoreModules
import StorePlugins
import StoreSchema
import Testing

/// R7: what a reducer did before it failed is taken back, in place and whatever it was.
@Suite("Failing reducers")
struct UndoTests {
  private static let fields = """
    field("count", int()), field("ratio", number()), field("on", bool()), field("name", text()),
    field("phase", enum { "idle", "work" }), field("maybe", optional(Place)), field("list", list(int())),
    field("by", map(int())), field("places", list(Place)), field("named", map(Place)),
    """

  private static let filling = """
    s.count, s.ratio, s.on, s.name, s.phase = 1, 1.5, true, 'a', 'work'
    s.list = { 1, 2, 3 }; s.by = { a = 1, b = 2 }
    s.places = { { x = 1, tags = { 'p' } }, { x = 2, tags = {} } }
    s.named = { here = { x = 3, tags = { 'q', 'r' } } }; s.maybe = { x = 4, tags = {} }
    """

  private func plugin(_ body: String) throws -> (Plugin, PluginFolder) {
    let folder = try PluginFolder(
      "d",
      lua: """
        local Place = record("Place", { field("x", int()), field("tags", list(text())) })
        return plugin {
          state = { \(Self.fields) }, actions = { { name = "fill" }, { name = "go" }, { name = "more" } },
          reducers = {
            fill = function(s) \(Self.filling) end,
            go = function(s) \(body); error("no") end,
            more = function(s) s.count = s.count + 1; s.places[1].x = s.places[1].x + 1 end,
          },
        }
        """)
    let surroundings = Plugin.Surroundings(action: { _ in nil }, moduleNames: [])
    return (try Plugin(loading: try folder.source(), into: surroundings), folder)
  }

  private func run(_ plugin: Plugin, _ name: String, _ slice: inout Value) throws {
    let type = try #require(plugin.module.actions.first { $0.name == name })
    try plugin.reducers.reduce(
      ActionCall(type, []), context: .first,
      slice: &slice)
  }

  @Test(arguments: [
    "s.count, s.ratio, s.on, s.name, s.phase = 2, 2, false, 'b', 'idle'", "s.count = 2; s.count = 3; s.count = 4",
    "s.list[1] = 9; s.list[#s.list + 1] = 4; s.list[#s.list] = nil; s.list[#s.list] = nil; s.list[#s.list + 1] = 7",
    "s.list = {}", "s.list = { 7 }; s.list[2] = 8; s.list[1] = 1",
    "table.insert(s.list, 1, 0); table.remove(s.list, 2)",
    "table.insert(s.places, 1, { x = 0, tags = {} }); s.places[2].x = 5; s.places[3].tags[1] = 'q'",
    "local p = s.places[2]; p.x = 3; local q = table.remove(s.places, 1); pcall(function() p.x, q.x = 8, 9 end); s.places[1].x = 7; table.insert(s.places, 1, q)",
    "s.by.a = 5; s.by.c = 6; s.by.b = nil; s.by.c = nil; s.by.b = 9", "s.by = { z = 1 }; s.by.y = 2",
    "s.places[1].x = 9; s.places[1].tags[2] = 't'; s.places[2] = s.places[1]; s.places[2].x = 8",
    "s.places[1], s.places[2] = s.places[2], s.places[1]; s.places[1].x = 7",
    "local p = s.places[1]; s.places = {}; p.x = 5; s.places[1] = p; s.places[1].x = 6",
    "local p = s.named.here; p.tags[1] = 'w'; s.named.here = nil; p.tags[2] = 'v'; s.named.here = p; s.named.there = p",
    "s.maybe.x = 5; s.maybe = nil; s.maybe = { x = 1, tags = { 'z' } }; s.maybe.tags[1] = 'y'",
    "table.sort(s.places, function(a, b) return a.x > b.x end); s.places[1].tags[1] = 'n'",
    "pcall(function() s.count = 5; s.count = 'x' end); s.name = 'c'",
  ])
  func whateverAReducerDid(_ body: String) throws {
    let (plugin, folder) = try plugin(body)
    for isShared in [false, true] {
      var slice = plugin.initialState
      try run(plugin, "fill", &slice)
      let before = JSON.text(of: slice)
      let snapshot = isShared ? slice : .none
      let error = fault { try run(plugin, "go", &slice) }
      #expect(error?.message.hasSuffix(": no") == true, "\(error?.message ?? "no error")")
      #expect(JSON.text(of: slice) == before, "\(body)")
      // What is back in its place can be changed like anything else.
      try run(plugin, "more", &slice)
      #expect(slice != plugin.initialState)
      #expect(!isShared || JSON.text(of: snapshot) == before, "the snapshot changed: \(body)")
    }
    withExtendedLifetime(folder) {}
  }

  @Test func aReducerThatReturnsAValue() throws {
    let (plugin, folder) = try plugin("s.count = 5; do return 1 end")
    var slice = plugin.initialState
    #expect(fault { try run(plugin, "go", &slice) }?.message.contains("returned a value") == true)
    #expect(slice == plugin.initialState)
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [
    "s.nextId = 9", "s.items[1].title = 'z'; s.items[1].done = true",
    "s.items[2] = nil; s.items[2] = { id = 5, title = 'n' }",
    "s.items = {}; s.items[1] = { id = 5, title = 'n' }",
    "s.items[1] = { id = 5, title = 'n' }; s.items[1].title = 'm'",
    "s.items[3] = { id = 6, title = 'o' }; s.items[3].title = 'p'; s.items[2].id = 4; s.items[3] = nil",
  ])
  func liftedReducers(_ body: String) throws {
    let folder = try PluginFolder(
      "l", permissions: ["reduce:tasks"],
      lua: """
        return plugin { lifted = {
          { at = "tasks", on = "tasks.go", args = {}, reduce = function(s) \(body); error("no") end } } }
        """)
    let plugin = try Plugin(
      loading: try folder.source(),
      into: Plugin.Surroundings(action: { _ in nil }, moduleNames: ["tasks"], slice: { _ in Tasks.schema }))
    let type = try #require(plugin.addedActions.first)
    let items = [TaskItem(id: 1, title: "a"), TaskItem(id: 2, title: "b")]
    var tasks = Tasks(items: items, nextId: 3)
    let error = fault {
      try withUnsafeMutablePointer(to: &tasks) { slice in
        try plugin.reducers.reduce(
          lifted: 0, ActionCall(type, []), context: .first, schema: Tasks.schema,
          slice: UnsafeMutableRawPointer(slice))
      }
    }
    #expect(error?.message.hasSuffix(": no") == true, "\(error?.message ?? "no error")")
    #expect(tasks == Tasks(items: items, nextId: 3), "\(body)")
  }

  /// A Swift slice with parts that have no addresses: entries of a dictionary, what an optional holds.
  @Schema
  struct Shelf: Equatable {
    var named: [String: TaskItem] = ["a": TaskItem(id: 1, title: "one"), "b": TaskItem(id: 2, title: "two")]
    var best: TaskItem?
    var rows: [TaskItem] = [TaskItem(id: 3, title: "three")]
    var lists: PersistentList<PersistentList<Int>> = [[1, 2], [3]]
  }

  private func reduceShelf(_ body: String, _ shelf: inout Shelf) throws {
    let folder = try PluginFolder(
      "l", permissions: ["reduce:shelf"],
      lua: """
        return plugin { lifted = {
          { at = "shelf", on = "shelf.go", args = {}, reduce = function(s) \(body) end } } }
        """)
    let plugin = try Plugin(
      loading: try folder.source(),
      into: Plugin.Surroundings(action: { _ in nil }, moduleNames: ["shelf"], slice: { _ in Shelf.schema }))
    let type = try #require(plugin.addedActions.first)
    try withUnsafeMutablePointer(to: &shelf) { slice in
      try plugin.reducers.reduce(
        lifted: 0, ActionCall(type, []), context: .first, schema: Shelf.schema,
        slice: UnsafeMutableRawPointer(slice))
    }
  }

  @Test func partsWithoutAddresses() throws {
    let body = """
      local a, b = s.named.a, s.named.b
      a.title = a.title .. b.title; b.id = b.id + a.id; a.done = true
      s.named.c = { id = 9, title = a.title }; s.named.c.id = s.named.c.id + 1; s.named.b = nil
      s.best = { id = 5, title = "five" }; local best = s.best; best.id = best.id + 1; best.title = best.title .. a.title
      for k, v in pairs(s.named) do v.done = not v.done end
      local row = s.rows[1]; row.title = "r"; s.rows[2] = row; s.rows[2].id = 7; row.id = row.id + 1
      local list = s.lists[1]; list[3] = 3; list[1] = list[1] + list[3]; s.lists[2][1] = list[1]
      """
    var expected = Shelf()
    expected.named = [
      "a": TaskItem(id: 1, title: "onetwo", done: false), "c": TaskItem(id: 10, title: "onetwo", done: true),
    ]
    expected.best = TaskItem(id: 6, title: "fiveonetwo")
    expected.rows = [TaskItem(id: 4, title: "r"), TaskItem(id: 7, title: "r")]
    expected.lists = [[4, 2, 3], [4]]
    var shelf = Shelf()
    let before = shelf
    try reduceShelf(body, &shelf)
    #expect(shelf == expected)
    #expect(before == Shelf())
    var kept = expected
    #expect(throws: PluginError.self) {
      try reduceShelf("s.best.title = 'x'; s.best = nil; \(body) error('no')", &kept)
    }
    #expect(kept == expected)
    #expect(throws: PluginError.self) {
      try reduceShelf("s.named.a.title = 'y'; s.named.a = nil; s.named.z = { id = 1, title = 'z' }; error('no')", &kept)
    }
    #expect(kept == expected)
  }

  @Test func aStoreWithoutSnapshots() throws {
    let (plugin, folder) = try plugin("s.count = s.count + 1; s.places[1].x = 9; s.by = {}")
    let store = try Store<ActionCall, Value>(
      initial: plugin.initialState,
      reducer: .undoing("d") { call, slice, context in
        try plugin.reducers.reduce(
          call, context: context, slice: &slice)
      })
    let calls = plugin.module.actions.map { ActionCall($0, []) }
    try store.dispatch(calls[0]).get()
    let filled = store.state
    #expect(throws: PluginError.self) { try store.dispatch(calls[1]).get() }
    #expect(store.state == filled)
    try store.dispatch(calls[2]).get()
    #expect(store.state != filled)
    withExtendedLifetime(folder) {}
  }
}
