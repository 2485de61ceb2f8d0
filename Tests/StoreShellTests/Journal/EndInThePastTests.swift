import Testing

@testable import StoreShell

/// Sessions that end while an earlier point is shown: what their file ends with is the present.
@Suite struct EndInThePastTests {
  @Test(arguments: [["goto 1"], ["goto 0"], ["skip 1"], ["goto 2", "skip 1"], ["goto 1", "show nothing"]])
  func thePresentIsThereAgain(walk: [String]) throws {
    let writer = try Shell()
    let file = "\(writer.folder)/a.db"
    #expect(writer.openStore(file) == .init())
    _ = writer.run("dispatch counter.increment", "dispatch counter.increment", "dispatch counter.increment")
    for command in walk { _ = writer.run(command) }
    #expect(writer.session.store.viewed != nil)
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    try expectPresent(of: file, ["show counter.value": "3\n"])
  }

  @Test(arguments: ["goto 0", "goto 1", "skip 2"])
  func thePluginsOfThePresentAreThereAgain(walk: String) throws {
    let writer = try Shell {
      $0.isQuiet = true
      $0.grants = ["tally"]
    }
    let file = "\(writer.folder)/a.db"
    let folder = try writer.plugin(
      "tally",
      """
      return plugin {
        state = { field('n', int()) }, actions = { { name = 'add' } },
        reducers = { add = function(s) s.n = s.n + 1 end },
      }
      """)
    #expect(writer.openStore(file) == .init())
    #expect(writer.run("plugin load \(folder)", "dispatch tally.add", "dispatch tally.add") == .init())
    _ = writer.run(walk)
    #expect(writer.session.store.viewed != nil)
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    try expectPresent(of: file, ["show tally.n": "2\n", "show tally.n --at 2": "1\n"], grants: ["tally"])
  }

  /// Opens a file, reads some values, goes on from there, and replays what it holds.
  private func expectPresent(of file: String, _ values: [String: String], grants: Set<String> = []) throws {
    let shell = try Shell { $0.grants = grants }
    #expect(shell.openStore(file) == .init())
    for (command, value) in values { #expect(shell.run(command) == .init(output: value)) }
    #expect(shell.run("dispatch counter.increment --quiet").status == 0)
    let recording = "\(shell.folder)/a.jsonl"
    #expect(shell.run("export journal \(recording)").output.hasPrefix("wrote 4 actions"))
    #expect(shell.outcome { shell.session.endJournal() } == .init())
    let replay = try Shell { $0.grants = grants }.run("replay \(recording) --verify")
    #expect(replay.output.hasSuffix("4 actions, every state matches\n"), "\(replay)")
  }
}
