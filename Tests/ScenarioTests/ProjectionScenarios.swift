import PluginSupport
import StoreCore
import StoreHost
import StoreSchema
import StoreShell
import Testing

/// The state of S-19.
@Schema
struct PairState: Equatable {
  var pair = Pair()
}

/// `{count: 0, other: 0}`.
@Schema
struct Pair: Equatable {
  var count: Int = 0
  var other: Int = 0
}

/// The actions of S-19.
@Schema
enum PairStateAction: Equatable {
  case pair(PairAction)
}

/// What the pair does.
@Schema
enum PairAction: Equatable {
  case inc
  case touch
}

/// S-19: projections own nothing.
@Suite("Scenarios: projections")
struct ProjectionScenarios {
  private static let application = Application(
    initial: PairState(),
    reducer: Reducer<PairAction, Pair>("pair") { action, state in
      switch action {
      case .inc: state.count += 1
      case .touch: state.other += 1
      }
    }.lift(action: PairStateAction.cases.pair.extract, state: \PairState.pair))

  private static func plugin() throws -> PluginFolder {
    try PluginFolder(
      "pair",
      lua: """
        return plugin {
          state = { field("count", int()), field("other", int()) }, actions = { { name = "inc" }, { name = "touch" } },
          reducers = { inc = function(s) s.count = s.count + 1 end, touch = function(s) s.other = s.other + 1 end },
          projections = { { name = "ten", type = int(), fn = function(state) return state.pair.count * 10 end } },
        }
        """)
  }

  /// A plugin with a projection of the Swift module.
  private static func reader() throws -> PluginFolder {
    try PluginFolder(
      "reader", permissions: ["read:pair"],
      lua: """
        return plugin {
          projections = { { name = "ten", type = int(), fn = function(state) return state.pair.count * 10 end } },
          middleware = { { name = "m", on = { "pair.*" }, after = function() end } },
        }
        """)
  }

  private func script(_ ten: String) -> String {
    """
    project p = \(ten) --actions {up = pair.inc, hush = nil}
    project p2 = p + 1 --actions {up = p.up, hush = p.hush}
    trace on --stable
    watch p
    watch p2
    use p
    dispatch up --quiet
    use root
    dispatch pair.touch --quiet
    use p2
    dispatch up --quiet
    dispatch hush
    trace off
    log
    """
  }

  private static let expected = scenario(
    """
    N 0 w1 0 · N 0 w2 1
    Q 1 inc · C 1 · N 1 w1 10 · N 1 w2 11 · D 1
    Q 2 touch · C 2 · D 2
    Q 3 inc · C 3 · N 3 w1 20 · N 3 w2 21 · D 3
    X hush projection p
    """)

  private func expect(_ recording: Recording, _ comment: Comment) {
    let trace = recording.trace("QCNXD").map { line in
      line.hasPrefix("C") ? line.split(separator: " ").prefix(2).joined(separator: " ") : line
    }
    #expect(trace == Self.expected, comment)
    let sources = recording.output.split(separator: "\n").suffix(3).compactMap { line in
      line.split(separator: " ")[2].split(separator: ":").last
    }
    #expect(sources == ["7", "9", "11"], comment)
  }

  @Test func s19() throws {
    for ten in ["state.pair.count * 10", "project('pair.ten')"] {
      for _ in 1...2 { expect(try Recording(script(ten), .empty, plugins: [try Self.plugin()]), "in Lua: \(ten)") }
    }
    for ten in ["state.pair.count * 10", "project('reader.ten')"] {
      for _ in 1...2 {
        expect(try Recording(script(ten), Self.application, plugins: [try Self.reader()]), "mixed: \(ten)")
      }
    }
    expect(try Recording(script("state.pair.count * 10"), Self.application), "in Swift")
  }
}
