import StandardModules
import StoreHost
import StoreSchema
import Testing

@testable import StoreShell

/// A store file with a plugin whose name has become a command's.
@Suite struct VerbNamedPluginTests {
  private static let code = """
    return plugin {
      state = { field("n", int()) }, actions = { { name = "add" } },
      reducers = { add = function(s) s.n = s.n + 1 end },
      commands = { { name = "twice", summary = "adds two", run = function() return "two" end } },
    }
    """

  /// A program that has a command of that name.
  private func later() throws -> Shell {
    try Shell {
      $0.grants = ["greet"]
    } over: { options, console in
      let application = Application<StandardAction, StandardState>(
        initial: StandardState(), reducer: StandardState.reducer,
        commands: [ApplicationCommand("greet", summary: "greets") { _ in "hello" }])
      return try Session(application, options: options, console: console)
    }
  }

  @Test func theFileOpensAndTheCommandWins() throws {
    let writer = try Shell { $0.grants = ["greet"] }
    let folder = try writer.plugin("greet", Self.code)
    let store = "\(writer.folder)/a.db"
    #expect(writer.openStore(store) == .init())
    #expect(writer.run("plugin load \(folder)", "dispatch greet.add", "greet twice").errors == "")
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let shell = try later()
    let opened = shell.openStore(store)
    #expect(
      opened
        == .init(
          errors:
            "note: greet is a command of the shell: commands of the plugin greet cannot be given, its actions can\n"))
    #expect(shell.run("greet", "show greet.n") == .init(output: "hello\n1\n"))
    #expect(shell.run("dispatch greet.add --quiet", "show greet.n", "why greet.n").output.hasPrefix("2\n#"))
    #expect(shell.outcome { shell.session.endJournal() } == .init())
  }

  @Test func aNewPluginIsRefusedTheName() throws {
    let shell = try later()
    let folder = try shell.plugin("greet", Self.code)
    let outcome = shell.run("plugin load \(folder)")
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains("greet: that is the name of a command of the shell\n"), "\(outcome.errors)")
  }
}
