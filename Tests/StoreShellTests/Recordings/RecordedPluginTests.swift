import Glibc
import Testing

@testable import StoreShell

/// Recordings of plugins, wherever their folders are and however often a name was used.
@Suite struct RecordedPluginTests {
  private let shell: Shell

  init() throws { shell = try Shell { $0.grants = ["p"] } }

  /// Verifies a recording in a session of its own.
  private func verify(_ name: String, _ flags: String = "--verify") throws -> Shell.Outcome {
    try Shell { $0.grants = ["p"] }.run("replay \(shell.folder)/\(name) \(flags)")
  }

  private static let matches = Shell.Outcome(output: "replayed 2 actions, every state matches\n")

  /// What a reducer does with an error that it caught does not depend on how the folder was written.
  @Test(arguments: ["p", "deep/down/p"]) func caughtErrorsAreTheSameWhereverThePluginIs(folder: String) throws {
    try shell.write("\(folder)/plugin.json", #"{"name":"p","version":"1","api":1}"#)
    try shell.write("\(folder)/lib/odd.lua", "error('odd')")
    try shell.write(
      "\(folder)/init.lua",
      """
      local function parse(t) return tonumber(t) or error("no number: " .. t) end
      return plugin {
        state = { field("seen", list(text())) }, actions = { { name = "go" } },
        reducers = { go = function(s)
          for i, body in ipairs({
            function() parse("x") end, function() s.none = 1 end, function() return (nil).x end,
            function() require("lib.odd") end, function() require("lib.none") end,
          }) do s.seen[i] = select(2, pcall(body)) end
        end },
      }
      """)
    let store = "\(shell.folder)/a.db"
    #expect(shell.openStore(store) == .init())
    let outcome = try shell.type(
      "plugin load \(shell.folder)/\(folder)", "dispatch p.go --quiet", "show p.seen --as raw",
      "export journal \(shell.folder)/a.jsonl")
    let seen = """
      p/init.lua:1: no number: x
      p/init.lua:6: p has no field 'none'
      p/init.lua:6: attempt to index a nil value
      p/lib/odd.lua:1: odd
      p/init.lua:7: p/lib/none.lua: No such file or directory

      """
    #expect(outcome.output.contains(seen), "\(outcome)")
    #expect(try verify("a.jsonl") == Self.matches)
    #expect(shell.outcome { shell.session.endJournal() } == .init())
    let again = try Shell { $0.grants = ["p"] }
    #expect(again.openStore(store) == .init())
    _ = try again.type("dispatch p.go --quiet")
    #expect(try again.type("show p.seen --as raw").output == seen)
  }

  /// The place that is shown to people is where the folder is.
  @Test func whatIsShownNamesTheFolderAsGiven() throws {
    let folder = try shell.plugin(
      "p",
      """
      local function rethrow(f) local ok, e = pcall(f) error(e, 0) end
      return plugin {
        state = { field("n", int()) }, actions = { { name = "go" } },
        reducers = { go = function(s) rethrow(function() s.m = 1 end) end },
      }
      """)
    #expect(
      try shell.type("plugin load \(folder)", "dispatch p.go").errors.hasPrefix(
        "error[plugin-runtime]: p: reducer 'p.go': \(folder)/init.lua:4: p has no field 'm'"))
  }

  private static func plugin(_ field: String, _ reducer: String) -> String {
    """
    return plugin {
      state = { field("a", \(field)) }, actions = { { name = "go" } }, reducers = { go = function(s) \(reducer) end },
    }
    """
  }

  private func write(_ name: String, _ field: String, _ reducer: String) throws {
    try shell.write("\(name)/p/plugin.json", #"{"name":"p","version":"1","api":1}"#)
    try shell.write("\(name)/p/init.lua", Self.plugin(field, reducer))
  }

  @Test func twoPluginsOfOneName() throws {
    try write("x", "text()", "s.a = s.a .. 'x'")
    try write("y", "int()", "s.a = s.a + 1")
    _ = try shell.type(
      "plugin load \(shell.folder)/x/p", "dispatch p.go", "plugin unload p", "plugin load \(shell.folder)/y/p",
      "dispatch p.go", "export journal \(shell.folder)/a.jsonl")
    #expect(try verify("a.jsonl") == .init(output: "replayed 5 actions, every state matches\n"))
  }

  @Test func aNameMeansTheVersionInTheFolderThatWasRecorded() throws {
    try write("x", "int()", "s.a = s.a + 1")
    _ = try shell.type(
      "plugin load \(shell.folder)/x/p", "dispatch p.go", "export journal \(shell.folder)/a.jsonl")
    try write("x", "int()", "s.a = s.a + 2")
    for outcome in [try shell.type("replay \(shell.folder)/a.jsonl --with p"), try verify("a.jsonl", "--with p")] {
      #expect(outcome.errors.contains("error[replay-diverged]: \(shell.folder)/a.jsonl: state after #2 p.go"))
      #expect(outcome.status == 1)
    }
  }

  @Test func argumentsOfThunksKeepTheirOrder() throws {
    let folder = try shell.plugin(
      "p",
      """
      return plugin { thunks = { buy = { args = { field("sku", text()), field("n", int { default = 2 }) },
        run = function() end } } }
      """)
    let store = "\(shell.folder)/a.db"
    #expect(shell.openStore(store) == .init())
    _ = try shell.type("plugin load \(folder)", "thunk p.buy tea", "export journal \(shell.folder)/a.jsonl")
    shell.session.store.live.journal?.settle()
    let text = #"thunk:p.buy sku="tea" n=2"#
    #expect(try shell.type("log").output.contains(text))
    let replayed = try Shell { $0.grants = ["p"] }
    #expect(replayed.run("replay \(shell.folder)/a.jsonl", "log").output.contains(text))
    let copy = try shell.killedCopy(of: store, as: "b.db")
    let again = try Shell { $0.grants = ["p"] }
    _ = again.openStore(copy)
    #expect(again.run("log").output.contains(text))
  }

  /// What an author writes is shown as it was written, though it begins as a file of the plugin's would.
  @Test(arguments: ["p/day is bad", "a: p/day", "p/day.lua is bad"]) func whatAnAuthorSaysIsLeftAlone(text: String)
    throws
  {
    let folder = try shell.plugin(
      "p",
      """
      return plugin { actions = { { name = "go" } }, reducers = { go = function() error("\(text)", 0) end } }
      """)
    #expect(
      try shell.type("plugin load \(folder)", "dispatch p.go").errors
        == "error[plugin-runtime]: p: reducer 'p.go': \(text)\n")
  }
}
