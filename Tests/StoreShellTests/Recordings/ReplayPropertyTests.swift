import Testing

@testable import StoreShell

/// Save, load and replay are the identity, over histories at random with Swift and Lua units, gates, undo, imports and
/// plugins that are loaded, reloaded, switched off and unloaded.
@Suite struct ReplayPropertyTests {
  private func lines(_ text: String?) throws -> [Substring] { try #require(text).split(separator: "\n") }

  private func shellWithPlugins() throws -> Shell {
    let shell = try Shell {
      $0.isQuiet = true
      $0.keepsGoing = true
      $0.grants = GeneratedCommands.grants
    }
    try GeneratedCommands.prepare(shell)
    return shell
  }

  @Test(arguments: 0..<24)
  func whatIsKeptOfALongerHistoryRunsAgain(seed: Int) throws {
    let shell = try shellWithPlugins()
    var commands = GeneratedCommands(seed: UInt64(seed) &* 53, folder: shell.folder)
    _ = shell.run("set journal.limit \(1 + seed % 12)")
    for part in 1...4 {
      for _ in 0..<25 { _ = shell.run(commands.next()) }
      _ = shell.run("goto head")
      #expect(!shell.run("export journal \(shell.folder)/run.jsonl").errors.contains("error["))

      let other = try Shell()
      let outcome = other.run("replay \(shell.folder)/run.jsonl --verify")
      #expect(
        outcome.saysNothingBut("a replay runs the reducers of ") && outcome.status == 0, "seed \(seed), part \(part)")
      #expect(other.run("show --as json").output == shell.run("show --as json").output)
      _ = other.run("export journal \(shell.folder)/again.jsonl")
      #expect(try lines(shell.contents("again.jsonl")) == lines(shell.contents("run.jsonl")))
    }
  }

  @Test(arguments: 0..<24)
  func saveLoadAndReplayAreTheIdentity(seed: Int) throws {
    let shell = try shellWithPlugins()
    var commands = GeneratedCommands(seed: UInt64(seed), folder: shell.folder, hasLimits: false)
    for _ in 0..<60 { _ = shell.run(commands.next()) }
    _ = shell.run("goto head")
    let run = "\(shell.folder)/run.jsonl"
    #expect(shell.run("export journal \(run)").output.hasPrefix("wrote "))

    let other = try Shell()
    let outcome = other.run("replay \(run) --verify")
    #expect(outcome.saysNothingBut("a replay runs the reducers of "), "seed \(seed): \(outcome.errors)")
    #expect(outcome.output.hasSuffix(", every state matches\n"), "seed \(seed)")
    #expect(other.run("show --as json").output == shell.run("show --as json").output)
    #expect(other.run("log --all").output == shell.run("log --all").output)
    // What is written again is what was read.
    #expect(other.run("export journal \(shell.folder)/again.jsonl").errors == "")
    #expect(try lines(shell.contents("again.jsonl")) == lines(shell.contents("run.jsonl")))
    // The state alone goes the same way.
    shell.session.options.keepsGoing = false
    #expect(shell.run("export state \(shell.folder)/last.json").errors == "")
    let before = shell.run("show --as json").output
    let back = shell.run("dispatch counter.increment by=1", "import state \(shell.folder)/last.json")
    #expect(!back.errors.contains("error["), "seed \(seed): \(back.errors)")
    #expect(shell.run("show --as json").output == before)
  }
}
