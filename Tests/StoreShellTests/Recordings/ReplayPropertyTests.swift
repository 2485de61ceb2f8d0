import StorePlugins
import Testing

@testable import StoreShell

/// Save, load and replay are the identity, over histories at random with Swift and Lua units, gates, undo, imports and
/// plugins that are loaded, reloaded, switched off and unloaded.
@Suite struct ReplayPropertyTests {
  /// Commands at random, the same ones for the same seed.
  private struct Commands {
    private var state: UInt64
    private let folder: String

    init(seed: UInt64, folder: String) {
      state = seed
      self.folder = folder
    }

    /// SplitMix64 (Steele, Lea, Flood).
    private mutating func below(_ bound: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return Int((z ^ (z >> 31)) % UInt64(bound))
    }

    mutating func next() -> String {
      switch below(24) {
      case 0: return "plugin load \(folder)/bag"
      case 1: return "plugin load \(folder)/pomodoro"
      case 2: return "plugin unload \(["bag", "pomodoro"][below(2)])"
      case 3: return "plugin reload \(["bag", "pomodoro"][below(2)])\(below(3) == 0 ? " --reset" : "")"
      case 4: return "plugin \(["enable", "disable"][below(2)]) bag"
      case 5: return "middleware \(["on", "off"][below(2)]) \(["logger", "pomodoro.clock"][below(2)])"
      case 6: return "dispatch pomodoro.start minutes=\(below(3)) task=\(below(4))"
      case 7: return "wait \(below(900))00ms"
      case 8: return "undo \(1 + below(3))"
      case 9: return "redo"
      case 10: return "undo --to \(below(30))"
      case 11: return "set \(["emit always", "emit whenDifferent", "runaway 200"][below(3)])"
      case 12: return "export state \(folder)/s\(below(2)).json"
      case 13: return "import state \(folder)/s\(below(2)).json"
      case 14: return "dispatch counter.increment by=\(below(9))"
      case 15: return "dispatch tasks.add \(["milk", "\"a \\\"b\\\"\"", "é"][below(3)]) --info note"
      case 16: return "dispatch tasks.complete \(below(4))"
      case 17: return "dispatch tasks.remove \(below(4))"
      case 18: return "dispatch bag.tick"
      case 19: return "dispatch bag.take \(below(6))"
      default: return "dispatch bag.put \(below(6))"
      }
    }
  }

  private func lines(_ text: String?) throws -> [Substring] { try #require(text).split(separator: "\n") }

  @Test(arguments: 0..<24)
  func saveLoadAndReplayAreTheIdentity(seed: Int) throws {
    let shell = try Shell {
      $0.isQuiet = true
      $0.keepsGoing = true
      $0.grants = ["pomodoro"]
    }
    try shell.copyPlugin("pomodoro")
    _ = try shell.plugin("bag", RecordingTests.bag)
    var commands = Commands(seed: UInt64(seed), folder: shell.folder)
    for _ in 0..<60 { _ = shell.run(commands.next()) }
    let run = "\(shell.folder)/run.jsonl"
    #expect(shell.run("export journal \(run)").output.hasPrefix("wrote "))

    let other = try Shell()
    let outcome = other.run("replay \(run) --verify")
    #expect(outcome.errors == "" && outcome.output.hasSuffix(", every state matches\n"), "seed \(seed)")
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
