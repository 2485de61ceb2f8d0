import Testing

@testable import StoreShell

/// Reducers for actions of a plugin that is gone while the store's file is opened.
@Suite struct ReopenedReducerTests {
  // Its folder lasts as long as it does.
  private let writer: Shell
  private let store: String
  private let base: String

  init() throws {
    writer = try Shell { $0.grants = ["base", "tiny"] }
    store = "\(writer.folder)/a.db"
    base = try writer.plugin(
      "base",
      """
      return plugin { state = { field("n", int()) }, actions = { { name = "inc", args = { field("by", int()) } } },
        reducers = { inc = function(s, a) s.n = s.n + a.by end } }
      """)
    let tiny = try writer.plugin(
      "tiny",
      """
      return plugin { state = { field("sum", int()) },
        reducers = { ["base.inc"] = function(s, a) s.sum = s.sum + a.by end } }
      """, permissions: #"["read:base"]"#)
    #expect(writer.openStore(store) == .init())
    #expect(writer.run("plugin load \(base)", "plugin load \(tiny)", "plugin unload base").status == 0)
    #expect(writer.outcome { writer.session.endJournal() } == .init())
  }

  private func reopened() throws -> Shell {
    let shell = try Shell { $0.grants = ["base", "tiny"] }
    #expect(shell.openStore(store) == .init())
    return shell
  }

  /// Exports what a session holds, and replays that.
  private func replay(_ shell: Shell) throws -> Shell.Outcome {
    let recording = "\(shell.folder)/j.jsonl"
    _ = shell.run("export journal \(recording)")
    return try Shell { $0.grants = ["base", "tiny"] }.run("replay \(recording) --verify")
  }

  @Test(arguments: [true, false])
  func theyAnswerOnceThePluginIsBack(byUndo: Bool) throws {
    let shell = try reopened()
    let outcome = shell.run(byUndo ? "undo" : "plugin load \(base)", "dispatch base.inc 3")
    #expect(outcome.errors == "")
    #expect(shell.run("show base.n", "show tiny.sum").output == "3\n3\n")
    #expect(try replay(shell).status == 0)
  }

  /// What `undo` returns to is read from the file, by the types of another time than what it leaves.
  @Test(arguments: [
    ["undo", "plugin reload tiny"], ["undo", "plugin unload tiny", "undo"],
    ["undo --to 4", "redo", "plugin reload base"], ["undo", "plugin reload base --reset"],
    ["undo", "plugin reload base", "plugin reload tiny", "undo --to 6"], ["plugin reload tiny"],
    ["plugin reload base --reset", "plugin reload tiny --reset"],
  ])
  func aRecordingVerifiesThoughAPluginWasReloadedAfterAnUndo(statements: [String]) throws {
    let first = try reopened()
    #expect(first.run("undo", "dispatch base.inc 1").status == 0)
    #expect(first.outcome { first.session.endJournal() } == .init())
    let shell = try reopened()
    #expect(shell.run("dispatch base.inc 3").status == 0)
    for statement in statements { #expect(shell.run(statement).errors == "") }
    #expect(shell.run("dispatch base.inc 2").status == 0)
    let outcome = try replay(shell)
    #expect(outcome.errors == "")
    #expect(outcome.output.hasSuffix("every state matches\n"))
  }

  @Test func aRecordingVerifiesThoughThePluginWasReloadedSince() throws {
    let shell = try reopened()
    #expect(shell.run("plugin load \(base)", "plugin reload tiny", "dispatch base.inc 3", "show tiny.sum").status == 0)
    #expect(try replay(shell) == .init(output: "replayed 6 actions, every state matches\n"))
  }
}
