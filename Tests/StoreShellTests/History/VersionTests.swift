import Glibc
import Testing

@testable import StoreShell

/// Earlier versions of plugins: the history returns to each, though few are kept ready.
@Suite struct VersionTests {
  private static func lua(_ version: Int) -> String {
    """
    return plugin {
      state = { field("n", int()) }, actions = { { name = "go" } },
      reducers = { go = function(s) s.n = s.n + \(version) end },
      projections = { { name = "version", type = int(), fn = function() return \(version) end } },
      middleware = { { name = "m", supervise = function() return { x = function(task) task:sleep(1) end } end } },
    }
    """
  }

  /// Loads the versions 1 to 10 one after the other, each of which counts; the folder is gone then. Version `v` was loaded
  /// by action `2 * v - 1` and counted with the next.
  private func shell() throws -> Shell {
    let shell = try Shell { $0.grants = ["p", "q"] }
    let folder = try shell.plugin("p", Self.lua(1), permissions: "[\"timers\"]")
    _ = try shell.type("plugin load \(folder)", "dispatch p.go")
    for version in 2...10 {
      try shell.write("p/init.lua", Self.lua(version))
      let outcome = try shell.type("plugin reload p", "dispatch p.go")
      #expect(outcome.errors == "")
    }
    remove("\(folder)/init.lua")
    return shell
  }

  @Test func eachIsShown() throws {
    let shell = try shell()
    for version in [1, 10, 3, 2, 4, 5, 6, 7, 8, 9, 1, 2] {
      let outcome = try shell.type("goto \(2 * version)", "show p.version", "show p.n", "goto head", "show p.version")
      #expect(outcome.output.contains("\n\(version)\n\(version * (version + 1) / 2)\n"), "\(outcome.output)")
      #expect(outcome.output.hasSuffix("\n10\n"))
      #expect(outcome.errors == "")
    }
    #expect(try shell.type("show p.version --at 5").output == "3\n")
    #expect(try shell.type("bisect project('p.version') == 6 --first").output.hasPrefix("#11 "))
  }

  @Test func eachCanBeReturnedTo() throws {
    let shell = try shell()
    for version in [1, 7, 2, 10, 3, 1] {
      let outcome = try shell.type("undo --to \(2 * version)", "dispatch p.go --quiet", "show p.n", "effects")
      #expect(
        outcome.output.contains("\n\(version * (version + 1) / 2 + version)\n"), "\(version): \(outcome.output)")
      #expect(outcome.output.contains("p/m/x"))
      #expect(outcome.errors == "")
    }
  }

  @Test func noneComesBackWithoutBeingGranted() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin("p", Self.lua(1), permissions: "[\"timers\"]")
    #expect(try shell.type("plugin load \(folder)", "dispatch p.go", "plugin unload p").status == 0)
    shell.session.options.grants = []
    for line in ["undo", "undo --to 2"] {
      let refused = shell.run(line)
      #expect(refused.errors.contains("error[plugin-grant]: p asks for timers; not granted") && refused.status == 4)
    }
    let walk = shell.run("goto 2", "show p.n", "goto head", "effects")
    #expect(walk.output.contains("\n1\nat head (#3)\n(no effects)\n"))
    shell.session.options.grants = ["p"]
    shell.session.options.allowsPlugins = false
    #expect(shell.run("undo").errors.contains("(--no-plugins)"))
    shell.session.options.allowsPlugins = true
    #expect(shell.run("undo", "show p.n", "undo", "undo").errors == "")
  }

  @Test func oneWhoseActionsAnotherNeedsComesWithIt() throws {
    let shell = try shell()
    let folder = try shell.plugin(
      "q",
      """
      return plugin {
        state = { field("n", int()) }, reducers = { ["p.go"] = function(s) s.n = s.n + 1 end },
        projections = { { name = "twice", fn = function(state) return state.q.n * 2 end } },
      }
      """, permissions: "[\"read:p\"]")
    _ = try shell.type("plugin load \(folder)", "dispatch p.go")
    for _ in 1...10 { _ = try shell.type("plugin reload q") }
    #expect(try shell.type("plugin unload q", "plugin unload p").status == 0)
    for _ in 1...10 { _ = try shell.type("plugin load \(Shell.package)/plugins/ledger", "plugin unload ledger") }
    let outcome = try shell.type(
      "goto 22", "show q.twice", "show p.version", "goto head", "undo --to 22", "dispatch p.go")
    #expect(outcome.errors == "")
    #expect(outcome.output.contains("\n2\n10\n"), "\(outcome.output)")
    #expect(outcome.output.hasSuffix("  p.n  65 -> 75\n  q.n  1 -> 2\n"), "\(outcome.output)")
  }
}
