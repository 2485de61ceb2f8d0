import PluginSupport
import StoreSchema
import Testing

/// `list:id(ID)` in Lua: the first item of an id, to be read and changed.
@Suite("Items by id")
struct FindingTests {
  private func bench(_ body: String, type: String = "int()", show: String) throws -> String {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "d",
        lua: """
          local Row = record("Row", { field("id", \(type)), field("n", int()) })
          return plugin {
            state = { field("rows", list(Row)), field("plain", list(int())), field("seen", text()) },
            actions = { { name = "fill" }, { name = "go" } },
            reducers = {
              fill = function(s)
                for i = 1, 200 do s.rows[i] = { id = \(type == "int()" ? "i * 2" : "'k' .. i * 2"), n = i } end
              end,
              go = function(s) \(body) end,
            },
            projections = { { name = "shown", fn = function(state) local s = state.d; return \(show) end } },
          }
          """))
    try bench.dispatch("d.fill")
    try bench.dispatch("d.go")
    return try bench.project("d", "shown")
  }

  @Test(arguments: [
    ("s.rows:id(10).n = 77", "s.rows[5].n", "77"),
    ("s.rows:id(10).n = 77", "s.rows:id(10).n", "77"),
    ("s.seen = tostring(s.rows:id(11))", "s.seen", "\"nil\""),
    // What was found before goes on standing for its item, and a new id is found at once.
    ("local r = s.rows:id(10) s.rows:id(12).n = 0 r.id = 11 r.n = s.rows:id(11).n + 1", "s.rows[5].n", "6"),
    (
      "local r = s.rows[5] s.seen = tostring(s.rows:id(9)) r.id = 9 s.seen = s.seen .. s.rows:id(9).n", "s.seen",
      "\"nil5\""
    ),
    // The first of several counts, wherever it came from.
    ("table.insert(s.rows, 1, { id = 10, n = -1 }) s.rows:id(10).n = -2", "{ s.rows[1].n, s.rows[6].n }", "[-2,5]"),
    ("s.rows[9].id = 4 table.remove(s.rows, 2) s.rows:id(4).n = 99", "s.rows[8].n", "99"),
    ("for i = 1, 200 do local r = s.rows:id(i * 2) r.n = r.n + 1 end", "{ s.rows[1].n, s.rows[200].n }", "[2,201]"),
    ("s.seen = tostring(s.rows:id(4) == s.rows[2])", "s.seen", "\"true\""),
  ])
  func anItemIsFoundByItsNumber(_ body: String, _ show: String, _ expected: String) throws {
    #expect(try bench(body, show: show) == expected, "\(body)")
  }

  @Test func anItemIsFoundByItsText() throws {
    #expect(try bench("s.rows:id('k10').n = 7", type: "text()", show: "s.rows:id('k10').n + s.rows[1].n") == "8")
  }

  @Test(arguments: [
    ("s.plain:id(1)", "it has no 'id'"), ("s.rows:id(1.5)", "takes an integer or a text"),
    ("s.rows.id(3)", "is a method of lists"), ("s.rows:ids(3)", "it has no 'ids'"),
  ])
  func whatCannotBeFoundIsSaid(_ body: String, _ message: String) throws {
    do {
      _ = try bench(body, show: "1")
      Issue.record("nothing is wrong with \(body)")
    } catch {
      #expect("\(error)".contains(message), "\(error)")
    }
  }
}
