import Platform
import Testing

@testable import StoreShell

/// A long run of one quiet action is one line of the log, for which a reopened file reads no more than the line tells.
@Suite struct LongFoldTests {
  private static let code = """
    return plugin {
      state = { field('n', int()), field('items', map(int())) },
      actions = {
        { name = 'add', quiet = true, args = { field('key', text()) } }, { name = 'count', quiet = true, args = {} },
      },
      reducers = {
        add = function(s, a) s.items[a.key] = 1 end,
        count = function(s) s.n = s.n + 1 end,
      },
    }
    """

  private func shell() throws -> Shell {
    try Shell {
      $0.isQuiet = true
      $0.grants = ["v"]
    }
  }

  /// A closed file with some actions of the plugin, each dispatched by the same line.
  private func file(_ writer: Shell, _ lines: String...) throws -> String {
    let (store, folder) = ("\(writer.folder)/a.db", try writer.plugin("v", Self.code))
    #expect(writer.openStore(store) == .init())
    #expect(writer.run("plugin load \(folder)") == .init())
    for line in lines { #expect(writer.run(line) == .init()) }
    end(writer)
    return store
  }

  private func end(_ shell: Shell) { #expect(shell.outcome { shell.session.endJournal() } == .init()) }

  /// What a session prints that opens the file. What is said of the file beside is no matter of the lines.
  private func log(_ store: String, _ command: String) throws -> Shell.Outcome {
    let shell = try shell()
    defer { _ = shell.outcome { shell.session.endJournal() } }
    let opened = shell.openStore(store)
    #expect(opened.status == 0, "\(opened)")
    var outcome = shell.run(command)
    if outcome.saysNothingBut(store) { outcome.errors = "" }
    return outcome
  }

  private static let keys = "lua for i = 1, 6000 do dispatch('v.add', { key = 'k' .. i }) end"
  private static let counts = "lua for i = 1, 2000 do dispatch('v.count') end"

  /// The rows in the middle of the runs cannot be read: whatever looked at them would fail.
  @Test func theMiddleOfARunIsNotRead() throws {
    let writer = try shell()
    let store = try file(writer, Self.keys, "dispatch counter.increment", Self.counts, "dispatch counter.increment")
    let whole = try log(store, "log 4 --json")
    #expect(whole.status == 0)
    try writer.alter(
      store, "UPDATE blocks SET checksum = 0 WHERE 3000 BETWEEN first AND last OR 7000 BETWEEN first AND last")
    let folded = try log(store, "log 4")
    #expect(folded.status == 0 && folded.errors == "")
    let rows = folded.output.split(separator: "\n").map(String.init)
    try #require(rows.count == 5)
    #expect(rows[1].hasPrefix("#2-6001 ") && rows[1].contains("v.add x6000 "))
    #expect(rows[1].contains("v.items.k1, v.items.k2, "))
    #expect(rows[1].hasSuffix(", …"))
    #expect(rows[2].hasPrefix("#6002 ") && rows[4].hasPrefix("#8003 "))
    // The beginning tells all that this run changed.
    #expect(rows[3].hasPrefix("#6003-8002 ") && rows[3].contains("v.count x2000 ") && rows[3].hasSuffix(" v.n"))
    // Each action is asked for.
    #expect(try log(store, "log --all").status != 0)
  }

  /// Undo and redo of statements that asked for many actions, quiet or not, are the same whether a row names those or each is read.
  @Test func undoAndRedoAreTheSameWithoutTheIndex() throws {
    let writer = try shell()
    let add = "lua for i = 1, 2000 do dispatch('tasks.add', { title = 'x' .. i }) end"
    let store = try file(
      writer, Self.counts, add, "dispatch counter.increment", "undo", Self.counts, add, "dispatch tasks.add last", add)
    let copy = try writer.write("copy.db", try Files.read(store))
    try writer.alter(copy, "DROP TABLE folds")
    func outcomes(_ store: String) throws -> [Shell.Outcome] {
      let shell = try Shell { $0.grants = ["v"] }
      #expect(shell.openStore(store).status == 0)
      defer { end(shell) }
      return ["undo", "undo", "redo", "undo 2", "undo", "redo 3", "undo 4", "redo", "log 3", "show v"].map {
        shell.run($0)
      }
    }
    let (named, read) = (try outcomes(store), try outcomes(copy))
    #expect(named == read)
    #expect(named.allSatisfy { $0.status == 0 }, "\(named.map(\.errors))")
    #expect(named[0].output.contains("takes back lua: #"), "\(named[0])")
  }

  /// What no row names, or a row that is not as it was written, is read action by action.
  @Test func theLinesAreTheSameWithoutTheIndex() throws {
    let writer = try shell()
    let store = try file(writer, Self.counts, Self.counts, "dispatch counter.increment")
    let folded = try log(store, "log")
    #expect(folded.output.contains("v.count x4000 "))
    for damage in ["UPDATE folds SET last = last - 1", "UPDATE folds SET first = first + 7", "DROP TABLE folds"] {
      try writer.alter(store, damage)
      #expect(try log(store, "log") == folded)
    }
  }

  /// A run that another session goes on with has two rows, and one line.
  @Test func aRunOverTwoSessionsIsOneLine() throws {
    let writer = try shell()
    let store = try file(writer, Self.counts)
    let second = try shell()
    #expect(second.openStore(store) == .init())
    #expect(second.run(Self.counts) == .init())
    let open = second.run("log 1")
    #expect(open.output.contains("#2-4001 ") && open.output.contains("v.count x4000 "))
    end(second)
    #expect(try log(store, "log 1") == open)
  }

  /// A file as a killed process leaves it names the run as far as it was written.
  @Test func theEndOfARunThatAKilledProcessLeftIsReadActionByAction() throws {
    let writer = try shell()
    let store = "\(writer.folder)/a.db"
    let folder = try writer.plugin("v", Self.code)
    #expect(writer.openStore(store) == .init())
    #expect(writer.run("plugin load \(folder)") == .init())
    #expect(writer.run("lua for i = 1, 5000 do dispatch('v.add', { key = 'k' .. i }) end") == .init())
    let copy = try writer.killedCopy(of: store, as: "b.db")
    let shown = writer.run("log 1")
    end(writer)
    // Whoever opens it reads the row with the last state that was written by then, what follows, and the end of the row before.
    let row = "last < min(3000, (SELECT max(number) FROM snapshots) - 128) AND first > 300"
    try writer.alter(copy, "UPDATE blocks SET checksum = 0 WHERE first = (SELECT max(first) FROM blocks WHERE \(row))")
    #expect(shown.output.contains("#2-5001 ") && shown.output.contains("v.add x5000 "))
    let read = try log(copy, "log 1")
    #expect(read.status == 0)
    #expect(read.output.contains("#2-5001 ") && read.output.contains("v.add x5000 "))
  }
}
