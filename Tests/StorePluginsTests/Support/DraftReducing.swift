import PluginSupport
import StorePlugins
import StoreSchema
import Testing

private let fields = """
  field("count", int { min = 0, max = 9 }), field("ratio", number()), field("on", bool()), field("name", text()),
  field("phase", enum { "idle", "work" }), field("task", optional(int { min = 1 })), field("list", list(int())),
  field("by", map(int())), field("place", Place), field("places", list(Place)), field("named", map(Place)),
  field("maybe", optional(Place)),
  """

/// Runs bodies of reducers on a slice with fields of every type.
protocol DraftReducing {}

extension DraftReducing {
  /// Runs bodies, each as one action on the same slice, and answers with the fields that they left, as JSON.
  func reduce(_ bodies: String..., show: String = "s") throws -> String {
    let bench = try bench(
      actions: bodies.indices.map { "{ name = \"do\($0)\" }" }.joined(separator: ", "),
      reducers: bodies.indices.map { "do\($0) = function(s) \(bodies[$0]) end" }.joined(separator: ", "),
      projections: "{ name = \"shown\", fn = function(state) local s = state.d; return \(show) end }")
    for index in bodies.indices { try bench.dispatch("d.do\(index)") }
    return try bench.project("d", "shown")
  }

  /// The message with which a body is refused, without the place; the slice stays as it was.
  func refuse(_ body: String, code: PluginError.Code = .schema) throws -> String {
    let bench = try bench(
      actions: "{ name = \"go\" }, { name = \"fill\" }",
      reducers: """
        fill = function(s) s.list = { 1, 2, 3 }; s.by = { a = 1 }; s.places = { { x = 1, y = 2, tags = {} } } end,
        go = function(s) s.ratio = 4; s.list[1] = 77; s.places[1].x = 77; s.by.a = 77; \(body) end
        """)
    try bench.dispatch("d.fill")
    let before = bench.state("d")
    let error = try #require(fault { try bench.dispatch("d.go") })
    #expect(bench.state("d") == before)
    #expect(error.code == code, "\(error.message)")
    return error.message.replacing("d: reducer 'd.go' left invalid state: ", with: "")
      .replacing("d: reducer 'd.go': ", with: "").replacing(#/bad\/d\/init\.lua:\d+: /#, with: "")
  }

  /// A bench with the plugin `d`, which has a field of every type.
  private func bench(actions: String, reducers: String, projections: String = "") throws -> Bench {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "d",
        lua: """
          local Place = record("Place", { field("x", int()), field("y", int { min = 0 }), field("tags", list(text())) })
          return plugin {
            state = { \(fields) },
            actions = { \(actions) },
            reducers = { \(reducers) },
            projections = { \(projections) },
          }
          """))
    return bench
  }
}
