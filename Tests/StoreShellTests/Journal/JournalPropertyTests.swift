import StorePlugins
import Testing

@testable import StoreShell

/// Closing a store and opening it again, in order or after a kill, is the identity, over histories at random with Swift and
/// Lua units, gates, undo, imports, looks at the past, and plugins that are loaded, reloaded, switched off and unloaded.
@Suite struct JournalPropertyTests {
  /// What can be seen of a session.
  private struct Seen: Equatable {
    let state: String
    let middleware: String
    let plugins: String
    let settings: String
    let log: String

    init(_ shell: Shell) {
      state = shell.run("show --as json").output
      // How often a unit was asked is not kept.
      middleware = shell.run("show shell.middleware --as json").output.replacing(
        #/"(seen|held|dropped|tasks)":\d+/#, with: "")
      plugins = shell.run("plugin list").output
      settings = shell.run("show shell.settings --as json").output.replacing(#/"origin":"[^"]*"/#, with: "")
      log = shell.run("log --all").output
    }
  }

  private func shell() throws -> Shell {
    try Shell {
      $0.isQuiet = true
      $0.keepsGoing = true
      $0.grants = GeneratedCommands.grants
    }
  }

  /// Versions of the plugin `bag` whose reducers do different things and whose states have different types; each takes over the
  /// state of any other.
  private struct Bags {
    let folder: String
    private let codes: [(digest: String, code: String)]

    init(_ shell: Shell) throws {
      let end = "  },\n}"
      #expect(RecordingTests.bag.hasSuffix(end))
      func version(_ fields: String, _ tick: String, _ extra: String) -> String {
        (RecordingTests.bag.dropLast(end.count) + "  }, migrate = function(old) old.extra = \(extra) return old end }")
          .replacing("s.count = s.count + 1", with: tick)
          .replacing("field(\"stock\"", with: "\(fields)field(\"stock\"")
      }
      let versions = [
        version("", "s.count = s.count + 1", "nil"), version("", "s.count, s.mood = s.count + 2, 'busy'", "nil"),
        version("field('extra', int { default = 3 }), ", "s.extra = s.extra + s.count", "old.extra or 3"),
      ]
      var folder = ""
      codes = try versions.map { code in
        folder = try shell.plugin("bag", code)
        return (try PluginSource(folder: folder, displayedAs: "bag").digest, code)
      }
      self.folder = folder
    }

    /// Puts another version there, by a number, where a command loads one.
    func prepare(for command: String, _ number: Int, _ shell: Shell) throws {
      guard command.hasPrefix("plugin "), command.contains("load"), command.contains("bag") else { return }
      _ = try shell.plugin("bag", codes[number % codes.count].code)
    }

    /// Puts the version there that a session runs.
    func restore(_ session: Session, _ shell: Shell) throws {
      let loaded = session.store.plugin(named: "bag")?.source.digest
      if let known = codes.first(where: { $0.digest == loaded }) { _ = try shell.plugin("bag", known.code) }
    }
  }

  @Test(arguments: 0..<24)
  func closingAndOpeningIsTheIdentityWithCodeThatChanges(seed: Int) throws {
    let first = try shell()
    try GeneratedCommands.prepare(first)
    let bags = try Bags(first)
    var commands = GeneratedCommands(seed: UInt64(seed) &* 191, folder: first.folder)
    var file = "\(first.folder)/0.db"
    #expect(first.openStore(file) == .init())
    var current = first
    var former: [Shell] = []
    for sitting in 1...3 {
      for number in 0..<30 {
        let command = commands.next()
        try bags.prepare(for: command, seed + number, first)
        _ = current.run(command)
      }
      _ = current.run("goto head")
      try bags.restore(current.session, first)
      let (next, path) = try reopened(current, file, seed, sitting)
      former.append(current)
      (current, file) = (next, path)
    }
  }

  /// Ends a session, or kills it every other time, and takes up its file again: nothing may look different.
  ///
  /// - Returns: the next session, and its file.
  private func reopened(_ current: Shell, _ file: String, _ seed: Int, _ sitting: Int) throws -> (Shell, String) {
    var file = file
    let before = Seen(current)
    let isKilled = (seed + sitting) % 2 == 0
    if isKilled {
      file = try current.killedCopy(of: file, as: "\(sitting).db")
    } else {
      #expect(current.outcome { current.session.endJournal() } == .init())
    }
    let next = try shell()
    let opened = next.openStore(file)
    #expect(opened.status == 0 && !opened.errors.contains("error"), "seed \(seed), sitting \(sitting): \(opened)")
    #expect(Seen(next) == before, "seed \(seed), sitting \(sitting), killed: \(isKilled)")
    return (next, file)
  }

  @Test(arguments: 0..<24)
  func closingAndOpeningIsTheIdentity(seed: Int) throws {
    let first = try shell()
    try GeneratedCommands.prepare(first)
    var commands = GeneratedCommands(seed: UInt64(seed) &* 77, folder: first.folder)
    var file = "\(first.folder)/0.db"
    #expect(first.openStore(file) == .init())
    var current = first
    // Their folders hold the files.
    var former: [Shell] = []
    for sitting in 1...3 {
      for _ in 0..<20 { _ = current.run(commands.next()) }
      _ = current.run("goto head")
      let (next, path) = try reopened(current, file, seed, sitting)
      former.append(current)
      (current, file) = (next, path)
    }
    // The whole of it runs again to the same states.
    let run = "\(first.folder)/run.jsonl"
    #expect(current.run("export journal \(run)").errors == "")
    let outcome = try Shell().run("replay \(run) --verify")
    #expect(outcome.saysNothingBut("a replay runs the reducers of "), "seed \(seed): \(outcome)")
    #expect(outcome.output.hasSuffix(", every state matches\n"), "seed \(seed)")
  }
}
