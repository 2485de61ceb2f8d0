import Testing

@testable import StoreShell

/// What is told of a plugin's state where it changes its type.
@Suite struct TypeChangeTests {
  private static let first = """
    return plugin {
      state = { field('count', int()), field('old', text()), field('box', record('Box', { field('a', int()) })) },
      actions = { { name = 'add' }, { name = 'say', args = { field('t', text()) } } },
      reducers = { add = function(s) s.count = s.count + 1 end, say = function(s, a) s.old = a.t end },
    }
    """
  private static let second = """
    return plugin {
      state = {
        field('count', int()), field('new', text()), field('list', list(int())),
        field('box', record('Box', { field('a', int()), field('b', int()) })),
      },
      migrate = function(old)
        return { count = old.count, new = old.old, list = {}, box = { a = old.box.a, b = 2 } }
      end,
      actions = { { name = 'add' } }, reducers = { add = function(s) s.count = s.count + 1 end },
    }
    """

  /// Loads the first version, which counts and says something, and goes on with the second, which counts.
  private func shell() throws -> Shell {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("v", Self.first)
    #expect(shell.run("plugin load \(folder)", "dispatch v.add", "dispatch v.say hello") == .init())
    _ = try shell.plugin("v", Self.second)
    #expect(shell.run("plugin reload v", "dispatch v.add") == .init())
    return shell
  }

  private static let changes = """
    v.count  1 -> 2
    v.new  + "hello"
    v.list  + []
    v.box.b  + 2
    v.old  - "hello"

    """

  @Test func aReloadTellsWhichFieldsCameAndWent() throws {
    let shell = try shell()
    #expect(shell.run("diff 3 5") == .init(output: Self.changes))
    let source = "shell.reloadPlugin name=\"v\" version=\"1.2.3\"  <- -c:1\n"
    #expect(shell.run("why v.new").output == "#4 \(source)  v.new  + \"hello\"\n")
    #expect(shell.run("why v.box").output == "#4 \(source)  v.box.b  + 2\n")
    #expect(shell.run("why v.count").output == "#5 v.add  <- -c:2\n  v.count  1 -> 2\n")
    #expect(shell.run("log --changed v.new").output.split(separator: "\n").count == 2)
  }

  @Test func anUndoOverAReloadTellsTheSame() throws {
    let shell = try shell()
    #expect(
      shell.run("undo 2", "diff 5 6").output.hasSuffix(
        "v.count  2 -> 1\nv.old  + \"hello\"\nv.box.b  - 2\nv.list  - []\nv.new  - \"hello\"\n"))
    #expect(
      shell.run("why v.old").output.hasSuffix(
        "  v.old  + \"hello\"\nas it was after #3:\n#3 v.say t=\"hello\"  <- -c:3\n  v.old  \"\" -> \"hello\"\n"))
  }

  @Test func aFileTellsTheSame() throws {
    let store: String
    let writer = try Shell { $0.isQuiet = true }
    store = "\(writer.folder)/a.db"
    #expect(writer.openStore(store) == .init())
    let folder = try writer.plugin("v", Self.first)
    #expect(writer.run("plugin load \(folder)", "dispatch v.add", "dispatch v.say hello") == .init())
    _ = try writer.plugin("v", Self.second)
    #expect(writer.run("plugin reload v", "dispatch v.add", "set journal.limit 1") == .init())
    #expect(writer.run("diff 3 5").output == Self.changes)
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let shell = try Shell()
    #expect(shell.openStore(store) == .init())
    #expect(shell.run("diff 3 5").output == Self.changes)
    #expect(shell.run("why v.new").output.hasSuffix("  v.new  + \"hello\"\n"))
    #expect(shell.run("show v.old --at 3", "log", "bisect state.v.count > 1").errors == "")
  }
}
