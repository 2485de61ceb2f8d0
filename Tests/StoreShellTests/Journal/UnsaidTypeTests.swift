import Platform
import StoreHistory
import StorePlugins
import Testing

@testable import StoreShell

/// A store's file of an earlier version of the program, which does not say which type the state of a plugin has.
@Suite struct UnsaidTypeTests {
  private let writer: Shell
  private let store: String

  private static func code(_ state: String = "field('n', int())", migrate: String = "") -> String {
    """
    return plugin {
      state = { \(state) }, actions = { { name = 'add', args = { field('by', int()) } } }, \(migrate)
      reducers = { add = function(s, a) s.n = s.n + a.by end },
    }
    """
  }

  init() throws {
    writer = try Shell { $0.isQuiet = true }
    let file = "\(writer.folder)/new.db"
    store = "\(writer.folder)/a.db"
    let folder = try writer.plugin("v", Self.code())
    #expect(writer.openStore(file) == .init())
    #expect(writer.run("plugin load \(folder)", "dispatch v.add by=3", "dispatch v.add by=4") == .init())
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    try Self.write(try JournalArchive(file), to: store)
  }

  /// Writes a file again as an earlier version wrote it.
  private static func write(_ archive: JournalArchive, to path: String) throws {
    defer { archive.close() }
    let plugins = try archive.plugins(upTo: archive.contents.last)
    let journal = try Journal(path, header: archive.contents.header)
    func slices(after number: Int) throws -> [StateSlice]? {
      try archive.reader.snapshot(upTo: number).flatMap { snapshot in
        guard snapshot.number == number else { return nil }
        return snapshot.slices.map { slice in
          let state = slice.state.replacing(/,"type":"[0-9a-f]*"/, with: "")
          return StateSlice(module: slice.module, isWhole: true) { $0 += Array(state.utf8) }
        }
      }
    }
    journal.append(stateAfter: 0, try slices(after: 0) ?? [])
    let reader = EntryReader(EntryTypes(action: { _ in nil }, slice: { _ in nil }))
    try archive.reader.visit(1...archive.contents.last) { row in
      journal.append(
        try row.entry(reader), plugin: plugins.first { $0.number == row.number }, state: try slices(after: row.number))
    }
    try journal.end(number: archive.contents.last)
  }

  private func opened() throws -> Shell {
    let shell = try Shell()
    // That the code was edited is told; nothing else is.
    let edited =
      "note: the code of v has changed since; new actions run the new code; `plugin reload v` has the file say so\n"
    #expect([.init(), .init(errors: edited)].contains(shell.openStore(store)))
    return shell
  }

  private func end(_ shell: Shell) { #expect(shell.outcome { shell.session.endJournal() } == .init()) }

  private func requireWalkable(_ shell: Shell) {
    #expect(shell.run("show v.n --at 2", "show v --at 1", "diff 1 3").output == "3\nn  0\nv.n  0 -> 7\n")
    #expect(!Files.names(in: writer.folder).contains { $0.contains("before") })
  }

  @Test func isNotedWithTheFirstActionWhereTheCodeIsWhatRan() throws {
    let shell = try opened()
    requireWalkable(shell)
    #expect(shell.run("dispatch v.add by=0 --quiet") == .init())
    end(shell)
    // Not even an edit that could not take over what was written without the type costs anything now.
    for code in ["-- a comment\n" + Self.code(), Self.code(migrate: "migrate = function(old) return { n = 1 } end,")] {
      _ = try writer.plugin("v", code)
      let shell = try opened()
      requireWalkable(shell)
      #expect(shell.run("show v.n").output == "7\n")
      end(shell)
    }
  }

  @Test(arguments: [
    "-- a comment\n" + code(), code("field('n', int { min = 4, default = 4 })"),
    code("field('n', int()), field('m', int())"), code(migrate: "migrate = function(old) return old end,"),
  ])
  func isAnotherOneWhereItMayBe(edited: String) throws {
    _ = try writer.plugin("v", edited)
    let shell = try Shell()
    #expect(
      shell.openStore(store)
        == .init(errors: "note: its state has a new type now; a copy of the file as it was is \(store).before-3\n"))
    #expect(shell.run("show v.n").output == "7\n")
  }
}
