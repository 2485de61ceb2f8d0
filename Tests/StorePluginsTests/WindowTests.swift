import PluginSupport
import StoreCore
import StoreModules
import StorePlugins
import StoreSchema
import Testing

/// Fields that Lua reads and writes in place, without the host: whatever happens to the record around them.
@Suite("Fields in place")
struct WindowTests {
  private static let fields = """
    field("n", int { min = -5, max = 5 }), field("big", int()), field("ratio", number()), field("on", bool()),
    field("name", text()), field("at", Place), field("list", list(Place)), field("by", map(Place)),
    field("maybe", optional(Place)),
    """

  private static let filling = """
    s.n, s.big, s.ratio, s.on, s.name = 1, 2, 0.5, false, 'a'; s.at = { x = 1, tag = 'p' }
    s.list = { { x = 1, tag = 'p' }, { x = 2, tag = 'q' } }; s.by = { k = { x = 3, tag = 'r' } }
    """

  /// A plugin whose action `go` does something.
  private func plugin(_ body: String) throws -> (Plugin, PluginFolder) {
    let folder = try PluginFolder(
      "w",
      lua: """
        local Place = record("Place", { field("x", int()), field("tag", text()) })
        return plugin {
          state = { \(Self.fields) }, actions = { { name = "fill" }, { name = "go" } },
          reducers = { fill = function(s) \(Self.filling) end, go = function(s) \(body) end },
        }
        """)
    return (
      try Plugin(
        loading: try folder.source(), into: Plugin.Surroundings(action: { _ in nil }, moduleNames: [])), folder
    )
  }

  private func run(_ plugin: Plugin, _ name: String, _ slice: inout Value) throws {
    let type = try #require(plugin.module.actions.first { $0.name == name })
    try plugin.reducers.reduce(
      ActionCall(type, []), context: .first,
      slice: &slice)
  }

  /// What a body leaves of what it reads: `name` at the end, with the slice shared with a snapshot, which stays as it was.
  private func name(after body: String) throws -> String {
    let (plugin, folder) = try plugin(body)
    defer { withExtendedLifetime(folder) {} }
    var names: [String] = []
    for isShared in [false, true] {
      var slice = plugin.initialState
      try run(plugin, "fill", &slice)
      let snapshot = isShared ? slice : .none
      let before = JSON.text(of: slice)
      try run(plugin, "go", &slice)
      #expect(!isShared || JSON.text(of: snapshot) == before, "the snapshot changed: \(body)")
      guard case .record(let record) = slice, case .string(let name) = record["name"] else { continue }
      names.append(name)
    }
    #expect(names.count == 2 && names[0] == names[1])
    return names.first ?? ""
  }

  @Test(arguments: [
    // Each kind, read back after it was written, twice.
    ("s.n = 5 s.n = s.n - 10 s.name = tostring(s.n)", "-5"),
    ("s.big = math.maxinteger s.big = s.big + 1 s.name = tostring(s.big == math.mininteger)", "true"),
    ("s.ratio = s.ratio * 3 s.ratio = s.ratio + 1 s.name = tostring(s.ratio)", "2.5"),
    ("s.ratio = 2 s.name = tostring(s.ratio)", "2.0"),
    ("s.on = not s.on s.name = tostring(s.on) s.on = not s.on s.name = s.name .. tostring(s.on)", "truefalse"),
    // Text that fits in place and text that does not, in both directions.
    ("s.name = 'fifteen bytes..' s.name = s.name .. #s.name", "fifteen bytes..15"),
    ("s.name = 'sixteen bytes...' s.name = 'b' s.name = s.name .. #s.name", "b1"),
    ("s.name = ('x'):rep(100) s.name = s.name:sub(1, 3)", "xxx"),
    ("s.name = 'é' s.name = s.name .. #s.name", "é2"),
    ("s.name = 'é' s.name = 'e' s.name = s.name .. 'é'", "eé"),
    ("s.name = '' s.name = s.name .. #s.name", "0"),
    ("s.name = 'a\\0b' s.name = tostring(#s.name)", "3"),
    // Records within the record, held while what is around them moves.
    ("local a = s.at a.x = 7 s.at = { x = 9, tag = 'n' } a.x = 8 s.name = s.at.x .. ' ' .. a.x", "9 8"),
    ("local e = s.list[2] e.x = 5 table.insert(s.list, 1, { x = 0, tag = '' }) s.name = tostring(s.list[3].x)", "5"),
    (
      "local e = s.list[1] e.x = 5 s.list[1] = { x = 6, tag = '' } e.x = 7 s.list[1].x = s.list[1].x + 1 "
        + "s.name = e.x .. ' ' .. s.list[1].x", "7 7"
    ),
    ("s.at.x = 4 s.list[1] = s.at s.at.x = 5 s.name = s.list[1].x .. ' ' .. s.at.x", "4 5"),
    ("s.by.k.x = 4 s.by.l = s.by.k s.by.k.x = 5 s.by.l.tag = 'z' s.name = s.by.l.x .. s.by.k.x .. s.by.k.tag", "45r"),
    (
      "local k = s.by.k k.x = 4 s.by.k = nil k.x = 9 s.by.k = k pcall(function() k.x = 10 end) s.name = s.by.k.x .. ' ' .. k.x",
      "9 9"
    ),
    (
      "s.maybe = { x = 1, tag = 't' } s.maybe.x = s.maybe.x + 1 local m = s.maybe s.maybe = nil s.name = m.x .. m.tag",
      "2t"
    ),
    (
      "for i = 1, 50 do s.list[#s.list + 1] = { x = i, tag = '' } s.list[i].x = i * 2 end s.name = s.list[50].x .. ''",
      "100"
    ),
    ("s.list[1], s.list[2] = s.list[2], s.list[1] s.list[1].x = 8 s.name = s.list[1].x .. s.list[2].x", "81"),
    (
      "table.sort(s.list, function(a, b) return a.x > b.x end) s.list[1].x = 9 s.name = s.list[1].tag .. s.list[1].x",
      "q9"
    ),
    ("pcall(function() s.n = 4 s.n = 6 end) s.name = tostring(s.n)", "4"),
    // Parts of the draft that Lua finds without asking, until they are replaced.
    (
      "local l = s.list s.list = { { x = 9, tag = 'n' } } s.name = #l .. #s.list .. l[1].x .. s.list[1].x "
        + "l[1].x = 8 s.list[1].x = s.list[1].x - 2 s.name = s.name .. l[1].x .. s.list[1].x", "211987"
    ),
    ("s.by = { z = s.by.k } s.by.z.x = 2 s.by = { y = s.by.z } s.by.y.x = 3 s.name = s.by.y.x .. s.by.y.tag", "3r"),
    ("s.name = tostring(s.list == s.list and s.at == s.at and s.at ~= s.list and s.maybe == nil)", "true"),
    (
      "local a = s.at s.at = { x = 5, tag = '' } s.name = tostring(s.at ~= a and s.at == s.at) .. s.at.x .. a.x",
      "true51"
    ),
    ("local a = s.at pcall(function() s.at = 1 end) a.x = 5 s.name = tostring(s.at == a and s.at.x)", "5"),
    ("local l, b = s.list, s.by l[1] = b.k b.k.x = 8 l[1].x = 9 s.name = s.list[1].x .. s.by.k.x", "98"),
  ])
  func whatIsWrittenIsRead(_ body: String, _ expected: String) throws {
    #expect(try name(after: body) == expected, "\(body)")
  }

  @Test(arguments: [
    ("s.n = 6", "'w.n' must be -5...5, got 6"), ("s.n = -6", "'w.n' must be -5...5, got -6"),
    ("s.n = 1.5", "'w.n' must be Int, got number 1.5"), ("s.n = '1'", "'w.n' must be Int, got string \"1\""),
    ("s.n = nil", "'w.n' must be Int, got nil"), ("s.on = 1", "'w.on' must be Bool, got number 1"),
    ("s.on = nil", "'w.on' must be Bool, got nil"), ("s.ratio = '1'", "'w.ratio' must be Double, got string \"1\""),
    ("s.ratio = true", "'w.ratio' must be Double, got bool true"),
    ("s.name = 1", "'w.name' must be String, got number 1"), ("s.name = s", "'w.name' must be String"),
    ("s.at.x = 'y'", "'w.at.x' must be Int, got string \"y\""), ("s.at.y = 1", "w.at has no field 'y'"),
    ("s.m = 1", "w has no field 'm'"), ("s[1] = 1", "w has no field '1'"), ("return s.m", "w has no field 'm'"),
  ])
  func whatIsNoValueOfTheFieldIsRefused(_ body: String, _ message: String) throws {
    let (plugin, folder) = try plugin("s.n, s.big, s.ratio, s.on, s.name = 2, 3, 1, true, 'b' s.at.x = 2 \(body)")
    var slice = plugin.initialState
    try run(plugin, "fill", &slice)
    let before = JSON.text(of: slice)
    let error = fault { try run(plugin, "go", &slice) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "no error")")
    #expect(JSON.text(of: slice) == before)
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [
    "s.n = 2 s.list[1].x = 5 s.list[#s.list + 1] = { x = 3, tag = 't' } s.list[3].x = 4 s.n = 3 s.list[1].x = 6",
    "s.name = 'b' s.name = 'a text that is longer than fifteen' s.name = 'c' s.at.tag = 'd' s.at = { x = 5, tag = 'e' }",
    "local e = s.by.k e.x = 5 s.by.k = nil e.x = 6 s.by.k = e pcall(function() e.x = 7 end) s.by.k.tag = 'u'",
    "s.list[1].x = 5 s.list[1], s.list[2] = s.list[2], s.list[1] s.list[1].x = 6 s.list[2].tag = 'v'",
    "for i = 1, 100 do s.big = i s.ratio = i s.on = not s.on s.name = tostring(i) s.at.x = i end",
    "pcall(function() s.n = 4 s.n = 6 end) pcall(function() s.at.x = 1 s.at.x = true end) s.n = 5",
  ])
  func whatWasWrittenInPlaceIsTakenBack(_ body: String) throws {
    let (plugin, folder) = try plugin("\(body) error('no')")
    for isShared in [false, true] {
      var slice = plugin.initialState
      try run(plugin, "fill", &slice)
      let before = JSON.text(of: slice)
      let snapshot = isShared ? slice : .none
      for _ in 0..<2 {
        #expect(fault { try run(plugin, "go", &slice) }?.message.hasSuffix(": no") == true)
        #expect(JSON.text(of: slice) == before, "\(body)")
      }
      #expect(!isShared || JSON.text(of: snapshot) == before)
    }
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [
    "while true do s.n = 1 s.big = s.big + s.n end", "while true do pcall(function() s.name = 'b' end) end",
  ])
  func anEndlessLoopOverFieldsEnds(_ body: String) throws {
    let (plugin, folder) = try plugin(body)
    var slice = plugin.initialState
    try run(plugin, "fill", &slice)
    let before = JSON.text(of: slice)
    let error = fault { try run(plugin, "go", &slice) }
    #expect(error?.message.contains("used more than 200_000 VM instructions") == true, "\(error?.message ?? "")")
    #expect(JSON.text(of: slice) == before)
    withExtendedLifetime(folder) {}
  }

  @Test func memoryIsBoundedWhileFieldsAreRead() throws {
    let (plugin, folder) = try plugin("local t = {} for i = 1, 1e6 do s.name = 'n' .. i % 1000 t[i] = s.name .. i end")
    var slice = plugin.initialState
    try run(plugin, "fill", &slice)
    let before = JSON.text(of: slice)
    #expect(fault { try run(plugin, "go", &slice) } != nil)
    #expect(JSON.text(of: slice) == before)
    withExtendedLifetime(folder) {}
  }

  @Test func aRecordThatWasKeptIsNoLongerThere() throws {
    let folder = try PluginFolder(
      "k",
      lua: """
        local kept = {}
        return plugin {
          state = { field("n", int()) }, actions = { { name = "keep" }, { name = "use" }, { name = "read" } },
          reducers = {
            keep = function(s) s.n = s.n + 1 kept[1] = s end,
            use = function(s) s.n = s.n + 1 kept[1].n = 100 end,
            read = function(s) s.n = kept[1].n end,
          },
        }
        """)
    let plugin = try Plugin(
      loading: try folder.source(), into: Plugin.Surroundings(action: { _ in nil }, moduleNames: []))
    plugin.purity = .off
    var slice = plugin.initialState
    try run(plugin, "keep", &slice)
    for name in ["use", "read"] {
      let error = fault { try run(plugin, name, &slice) }
      #expect(error?.message.contains("was valid only during the call that gave it") == true)
      #expect(JSON.text(of: slice) == "{\"n\":1}")
    }
    withExtendedLifetime(folder) {}
  }
}
