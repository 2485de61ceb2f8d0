import PluginSupport
import StoreCore
import StoreHost
import StoreSchema
import StoreShell
import Testing

/// The actions of S-23.
@Schema
enum LetterStateAction: Equatable {
  case counter(LetterAction)
}

/// `a` and `b` add one.
@Schema
enum LetterAction: Equatable {
  case a
  case b
  case c
  case d
  case e
}

/// S-23 and R24 with rules of Lua units, over a module in Lua and one in Swift; `StoreUnitsTests` has them in Swift.
@Suite("Scenarios: rules")
struct RuleScenarios {
  private static let application = Application(
    initial: CountState(),
    reducer: Reducer<LetterAction, Count>("count") { action, state in
      if action == .a || action == .b { state.count += 1 }
    }.lift(action: LetterStateAction.cases.counter.extract, state: \CountState.counter))

  private static func counter() throws -> PluginFolder {
    try PluginFolder(
      "counter",
      lua: """
        return plugin {
          state = { field("count", int()) },
          actions = { { name = "a" }, { name = "b" }, { name = "c" }, { name = "d" }, { name = "e" } },
          reducers = { a = function(s) s.count = s.count + 1 end, b = function(s) s.count = s.count + 1 end },
        }
        """)
  }

  /// The rules stand on the lines 3 to 6 of `lib/bridges.lua`.
  private static func bridges() throws -> PluginFolder {
    try PluginFolder(
      "u", permissions: ["read:counter"] + "bcde".map { "dispatch:counter.\($0)" },
      lua: "return plugin { bridges = require(\"lib.bridges\") }",
      files: [
        "lib/bridges.lua": """
        local function atLeast(n, name) return function(s) local r = s.counter.count >= n; log.info(name, r) return r end end
        return {
          { from = "counter.a", to = "counter.b", when = atLeast(1, "b") },
          { from = "counter.a", to = "counter.c" },
          { from = "counter.a", to = "counter.d", when = atLeast(2, "d") },
          { from = "counter.b", to = "counter.e" },
        }
        """
      ])
  }

  private func record(_ script: String, _ check: (Recording) -> Void) throws {
    for isLua in [true, false, true, false] {
      let recording =
        isLua
        ? try Recording(script, .empty, plugins: [try Self.counter(), try Self.bridges()])
        : try Recording(script, Self.application, plugins: [try Self.bridges()])
      check(recording)
    }
  }

  @Test func s23InLua() throws {
    try record("# a\n# b\ntrace on --stable\ndispatch counter.a --quiet\n") { recording in
      #expect(
        recording.trace("QHCUID")
          == scenario(
            """
            Q 1 a · H 1 bridge s=0 · C 1 0→1 · I 1 bridge s=1
            Q 2 b <1 · Q 3 c <1 · D 1
            H 2 bridge s=1 · C 2 1→2 · I 2 bridge s=2 · Q 4 e <2 · D 2
            U 3 · D 3
            U 4 · D 4
            """))
      // All conditions are asked before the first dispatch.
      #expect(recording.trace("Q·") == scenario("Q 1 a · b true · d false · Q 2 b <1 · Q 3 c <1 · Q 4 e <2"))
      #expect(recording.status == 0)
    }
  }

  /// The sources of the actions behind the first one.
  private func sources(_ recording: Recording) -> [String] {
    recording.output.split(separator: "\n").filter { $0.hasPrefix("{") }.map(String.init)
  }

  @Test func s23Sources() throws {
    let show = (1...4).map { "show shell.log[-\(5 - $0)].source --json" }.joined(separator: "\n")
    for info in ["", " --info x"] {
      try record("# a\n# b\n# c\ndispatch counter.a --quiet\(info)\n\(show)\n") { recording in
        let sources = sources(recording)
        let first = info.isEmpty ? "" : "x\\n"
        #expect(sources.count == 4)
        for source in sources {
          #expect(source.contains(#""function":"dispatch","line":4,"#), "\(source)")
          #expect(source.contains("/s.stsh\""), "\(source)")
        }
        for (source, texts) in zip(
          sources.dropFirst(),
          [["bridged from counter.a by ", 3], ["bridged from counter.a by ", 4], ["bridged from counter.b by ", 6]])
        {
          #expect(source.contains("\(texts[0])"), "\(source)")
          #expect(source.contains("/lib/bridges.lua:\(texts[1])\",\"kind\":\"bridge\""), "\(source)")
          #expect(source.contains("\"info\":\"\(first)bridged from counter.a by "), "\(source)")
        }
        // The last one was bridged twice.
        if let last = sources.last { #expect(last.contains("bridges.lua:3\\nbridged from counter.b by "), "\(last)") }
      }
    }
  }

  /// R24 at the shell: once for each change that meets both ends.
  @Test func r24InLua() throws {
    let rules = {
      try PluginFolder(
        "r", permissions: ["read:counter", "dispatch:counter.c"],
        lua: """
          return plugin {
            transitions = {
              { at = "counter.count", from = 1, to = 2, dispatch = "counter.c" },
            },
          }
          """)
    }
    let script = "trace on --stable\n" + "dispatch counter.a --quiet\n" * 3
    for isLua in [true, false, true, false] {
      let recording =
        isLua
        ? try Recording(script, .empty, plugins: [try Self.counter(), try rules()])
        : try Recording(script, Self.application, plugins: [try rules()])
      #expect(
        recording.trace("QHCI").filter { !$0.hasPrefix("H 3") && !$0.hasPrefix("I 3") }
          == scenario(
            """
            Q 1 a · H 1 transitions s=0 · C 1 0→1
            Q 2 a · H 2 transitions s=1 · C 2 1→2 · I 2 transitions s=2 · Q 3 c <2
            Q 4 a · H 4 transitions s=2 · C 4 2→3
            """))
    }
  }
}

private func * (text: String, count: Int) -> String { String(repeating: text, count: count) }
