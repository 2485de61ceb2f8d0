import StoreHistory
import Testing

@testable import StoreShell

/// An undo or a redo that changes nothing but what its entry tells takes a row in a store's file, and no state.
@Suite struct RestoreRowTests {
  private struct Sizes {
    let snapshots: Int
    let slices: Int
    let entries: Int
  }

  private func sizes(_ shell: Shell, _ path: String, as name: String) throws -> Sizes {
    let database = try DatabaseQueue(path: try shell.killedCopy(of: path, as: name))
    defer { database.close() }
    return try database.use { db in
      func number(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: sql) ?? 0 }
      return Sizes(
        snapshots: try number("SELECT count(*) FROM snapshots"),
        slices: try number("SELECT count(*) FROM slices") + number("SELECT count(*) FROM parts"),
        entries: try number("SELECT sum(length(entries)) FROM blocks"))
    }
  }

  @Test func whatAnUndoAddsDoesNotGrowWithTheState() throws {
    var added: [Int] = []
    for count in [100, 4_000] {
      let shell = try Shell { $0.isQuiet = true }
      let path = "\(shell.folder)/a.db"
      #expect(shell.openStore(path) == .init())
      _ = try shell.type("lua for i = 1, \(count) do dispatch('tasks.add', { title = 'a task' }) end")
      _ = try shell.type("dispatch counter.increment", "dispatch counter.increment")
      let before = try sizes(shell, path, as: "before.db")
      _ = try shell.type("undo", "redo", "undo #\(count + 1)", "undo --to \(count + 1)")
      let after = try sizes(shell, path, as: "after.db")
      #expect(after.snapshots == before.snapshots && after.slices == before.slices)
      added.append(after.entries - before.entries)
    }
    #expect(added[0] > 200 && added[1] < added[0] + 100, "\(added)")
  }
}
