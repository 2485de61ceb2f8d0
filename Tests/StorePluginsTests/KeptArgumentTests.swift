import PluginSupport
import StoreCore
import StoreSchema
import Testing

@testable import StorePlugins

/// What the host leaves in a plugin's Lua from one call to the next is never seen where it does not belong.
@Suite("What stays in Lua between calls")
struct KeptArgumentTests {
  private static let long = String(repeating: "a text that Lua keeps for itself ", count: 3)

  /// Every call sees its own arguments, whatever the call before had, left in its table or failed with.
  @Test func eachCallSeesItsArguments() throws {
    let bench = try Bench()
    try bench.load(
      PluginFolder(
        "p",
        lua: """
          local arguments = {
            field("t", text()), field("n", int()), field("b", bool()), field("o", optional(text())), field("fails", bool()) }
          local function joined(a) return tostring(a.t) .. "," .. tostring(a.n) .. "," .. tostring(a.b) .. "," .. tostring(a.o) end
          return plugin {
            state = { field("reads", text()), field("all", text()), field("seen", text()) },
            actions = { { name = "go", args = arguments }, { name = "all", args = arguments }, { name = "see", args = { field("t", text()) } } },
            reducers = {
              see = function(s, a) s.seen = a.t end,
              -- Reads fields alone.
              go = function(s, a)
                if a.fails then refuse("as asked") end
                s.reads = tostring(a.t) .. "," .. tostring(a.n) .. "," .. tostring(a.b) .. "," .. tostring(a.o)
              end,
              -- Gives the table away, and changes it.
              all = function(s, a) if a.fails then refuse("as asked") end s.all = joined(a) a.t = "changed" a.more = 1 end,
            },
            middleware = {
              { name = "m", on = { "go" },
                before = function(action) if action.args.n == 4 then error("in before") end return action.args.t end,
                after = function(action, ctx, was)
                  ctx:dispatch("see", { t = tostring(was) .. "," .. action.args.t .. "," .. action.args.n })
                end } },
          }
          """))
    let texts = ["a", "a", Self.long, Self.long, "b", "b", "é", "", "sixteen bytes 16"]
    var random = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      let (t, n) = (texts[Int.random(in: 0..<texts.count, using: &random)], Int.random(in: 1...4, using: &random))
      let (b, o) = (Bool.random(using: &random), Bool.random(using: &random) ? "o" : nil)
      let isFailing = Int.random(in: 0..<5, using: &random) == 0
      let before = bench.state("p")
      let arguments: [(String, Value)] = [
        ("t", .string(t)), ("n", .int(n)), ("b", .bool(b)), ("o", o.map { .string($0) } ?? .none),
        ("fails", .bool(isFailing)),
      ]
      let errors = ["p.all", "p.go"].map { action in fault { try bench.dispatch(action, arguments) } }
      guard !isFailing else {
        #expect(errors.allSatisfy { $0 != nil } && bench.state("p") == before)
        continue
      }
      let read = "\(t),\(n),\(b),\(o ?? "nil")"
      let state = bench.state("p")
      #expect(state.hasPrefix(#"{"reads":"\#(read)","all":"\#(read)""#), "\(state)")
      if n != 4 { #expect(state.hasSuffix(#""seen":"\#(t),\#(t),\#(n)"}"#), "\(state)") }
    }
  }

  /// The result of `before` is that of the same action, whatever its kind and that of the one before.
  @Test func eachEndSeesItsResult() throws {
    let bench = try Bench()
    try bench.load(
      PluginFolder(
        "p",
        lua: """
          local results = { function() end, function() return "short" end, function() return ("long"):rep(20) end,
            function() return { n = 7 } end, function() return 3 end, function() return false end, function() error("no result") end }
          return plugin {
            state = { field("seen", text()) },
            actions = { { name = "go", args = { field("n", int()) } }, { name = "see", args = { field("t", text()) } } },
            reducers = { see = function(s, a) s.seen = a.t end, go = function(s) s.seen = "" end },
            middleware = { { name = "m", on = { "go" }, before = function(action) return results[action.args.n]() end,
              after = function(_, ctx, was) ctx:dispatch("see", { t = type(was) == "table" and "t" .. was.n or tostring(was) }) end } },
          }
          """))
    let expected = ["nil", "short", String(repeating: "long", count: 20), "t7", "3", "false", ""]
    var random = SeededGenerator(seed: 4)
    for _ in 0..<200 {
      let number = Int.random(in: 0..<expected.count, using: &random)
      try bench.dispatch("p.go", [("n", .int(number + 1))])
      #expect(bench.state("p") == #"{"seen":"\#(expected[number])"}"#)
    }
  }

  /// Keys that are not kept in place are known again by all of their bytes.
  @Test func longKeysAreToldApart() throws {
    let bench = try Bench()
    try bench.load(
      PluginFolder(
        "p",
        lua: """
          return plugin {
            state = { field("m", map(int())), field("k", map(map(int()))) },
            actions = { { name = "go", args = { field("t", text()) } } },
            reducers = { go = function(s, a)
              s.m[a.t] = (s.m[a.t] or 0) + 1
              if not s.k[a.t] then s.k[a.t] = {} end
              s.k[a.t][a.t .. "x"] = s.m[a.t]
            end },
          }
          """))
    // Of one end, and of bytes that spell one character in two ways.
    let texts = (0..<12).map { "\($0) of the same end" } + ["the end of an e\u{301} here", "the end of an \u{E9} here"]
    var counts: [Int] = texts.map { _ in 0 }
    var random = SeededGenerator(seed: 5)
    for _ in 0..<300 {
      let index = Int.random(in: 0..<texts.count, using: &random)
      counts[index] += 1
      try bench.dispatch("p.go", [("t", .string(texts[index]))])
      let state = bench.state("p")
      #expect(state.contains(#""\#(texts[index])":\#(counts[index])"#), "\(state)")
      #expect(state.contains(#""\#(texts[index])x":\#(counts[index])"#), "\(state)")
    }
  }
}
