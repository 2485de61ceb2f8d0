import Testing

@testable import StoreShell

/// A store file that `compact` made smaller has the same log, the same present and the same past.
@Suite struct CompactionTests {
  @Test func everyPointCanStillBeReached() throws {
    let shell = try Shell()
    let path = try shell.storeFile("shop.db", sessions: 4, adding: 30)
    let looks = [
      "log 3 --json", "show tasks --as json", "show tasks.items --at 45 --as json", "why tasks.items[id=50]",
    ]
    func look() throws -> [Shell.Outcome] {
      let reader = try Shell { $0.isQuiet = true }
      #expect(reader.openStore(path) == .init())
      defer { #expect(reader.outcome { reader.session.endJournal() } == .init()) }
      return looks.map { reader.run($0) }
    }
    let before = try look()
    #expect(before.allSatisfy { $0.errors == "" && $0.output != "" }, "\(before)")
    let sizes = shell.run("compact \(path)")
    #expect(sizes.errors == "" && sizes.output.contains(" KiB -> "), "\(sizes)")
    #expect(try look() == before)
    let again = try Shell()
    #expect(again.openStore(path) == .init())
    #expect(again.run("goto 45", "show tasks.nextId", "goto head", "show tasks.nextId").output.contains("46\n"))
    #expect(again.run("undo --quiet").errors == "")
    #expect(again.outcome { again.session.endJournal() } == .init())
  }

  @Test func anOpenStoreAndOtherFilesAreRefused() throws {
    let shell = try Shell()
    let path = "\(shell.folder)/open.db"
    #expect(shell.openStore(path) == .init())
    _ = shell.run("dispatch counter.increment --quiet")
    #expect(shell.run("compact \(path)").errors.contains("error[store-in-use]: \(path) is in use by another session"))
    _ = shell.outcome { shell.session.endJournal() }
    #expect(shell.run("compact \(shell.folder)/none.db").errors.contains("none.db: No such file or directory"))
    _ = try shell.write("a.txt", "no store")
    #expect(shell.run("compact \(shell.folder)/a.txt").errors.contains("error[store-unreadable]"))
    #expect(shell.run("compact").errors.contains("compact needs a store file"))
    let checked = try Shell()
    checked.session.checkOnly()
    #expect(try checked.run(script: "compact \(shell.folder)/none.db\n").errors.contains("no-such-file"))
  }
}
