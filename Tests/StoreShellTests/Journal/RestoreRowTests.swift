import StoreCore
import StoreHistory
import Testing

@testable import StoreShell

/// An undo or a redo that changes nothing but what its entry tells takes a row and no state in a store's file, and what was so
/// can be seen as well.
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

  @Test(arguments: 0..<12) func eachPointIsAsItWas(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed) &* 77 &+ 5)
    func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    let shell = try Shell { $0.isQuiet = true }
    var (path, current, former) = ("\(shell.folder)/0.db", shell, [Shell]())
    #expect(shell.openStore(path) == .init())
    _ = current.run("set journal.limit 8")
    var states: [Int: String] = [:]
    for sitting in 1...3 {
      for _ in 0..<40 {
        let head = current.session.store.live.head
        let command =
          switch below(12) {
          case 0...2: "dispatch tasks.add t\(below(99))"
          case 3: "dispatch tasks.complete \(1 + below(12))"
          case 4: "dispatch counter.increment"
          case 5: "undo"
          case 6: "redo"
          case 7: "undo \(1 + below(3))"
          case 8: "undo #\(1 + below(head))"
          case 9: "undo --to \(1 + below(head))"
          case 10: "middleware \(below(2) == 0 ? "off" : "on") logger"
          default: "set emit \(below(2) == 0 ? "always" : "whenDifferent")"
          }
        _ = current.run(command)
        states[current.session.store.live.head] = current.run("show --as json").output
      }
      let looks = [
        "show shell.middleware --as json", "log --all", "why counter.value", "show shell.settings --as json",
      ]
      func look() -> [String] {
        looks.map { current.run($0).output.replacing(#/"(seen|held|dropped|tasks)":\d+|"origin":"[^"]*"/#, with: "") }
      }
      let seen = look()
      if below(2) == 0 {
        path = try current.killedCopy(of: path, as: "\(sitting).db")
      } else {
        #expect(current.outcome { current.session.endJournal() } == .init())
        if below(2) == 0 { #expect(current.run("compact \(path)").errors == "") }
      }
      former.append(current)
      current = try Shell { $0.isQuiet = true }
      #expect(current.openStore(path).status == 0)
      #expect(look() == seen)
      for (number, state) in states {
        #expect(current.run("show --at \(number) --as json").output == state, "#\(number)")
      }
    }
  }
}
