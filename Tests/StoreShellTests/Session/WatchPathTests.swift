import StoreSchema
import Testing

@testable import StoreShell

/// Watches of parts of the state: each is told whenever its value changed, and of nothing else.
@Suite struct WatchPathTests {
  private static let paths = [
    "tasks", "tasks.nextId", "tasks.items", "tasks.items[id=2]", "tasks.items[id=2].done", "tasks.items[1].title",
    "tasks.items[-1].done", "tasks.items[*].title", "tasks.items[title=b].done", "tasks.open", "tasks.summary",
    "counter",
    "counter.value", "shell.middleware",
  ]

  private static let lines = [
    "dispatch tasks.add a", "dispatch tasks.add b", "dispatch counter.increment", "dispatch tasks.complete 2",
    "dispatch tasks.add b", "dispatch tasks.remove 1", "dispatch counter.increment by=0", "dispatch tasks.complete 2",
    "undo", "undo", "redo", "dispatch tasks.remove 2", "undo --to 2", "set emit whenDifferent", "dispatch tasks.add c",
    "lua for i = 1, 3 do dispatch('tasks.complete', { id = 2 }) dispatch('counter.decrement') end",
    "plugin load catalog", "dispatch tasks.remove 3", "plugin unload catalog", "undo --to 0", "dispatch tasks.add d",
  ]

  @Test func areToldOfWhatChanged() throws {
    let shell = try Shell { $0.grants = ["catalog"] }
    _ = shell.run("dispatch tasks.add first")
    for path in Self.paths.filter({ !$0.contains("id=2") && !$0.contains("[1]") && !$0.contains("title=b") }) {
      #expect(shell.run("watch \(path)").errors == "", "\(path)")
    }
    for line in ["dispatch tasks.add a", "dispatch tasks.add b"] { _ = shell.run(line) }
    for path in ["tasks.items[id=3]", "tasks.items[id=3].done", "tasks.items[1].title", "tasks.items[title=b].done"] {
      _ = shell.run("watch \(path)")
    }
    let watched = shell.session.watches.list.map { ($0.id, $0.name) }
    func values() -> [String] {
      watched.map { _, path in (try? shell.session.read(path).value).map { JSON.text(of: $0) } ?? "none" }
    }
    for line in Self.lines {
      var before = values()
      let told = shell.run(line).errors.split(separator: "\n").filter { $0.hasPrefix("[watch ") }
      let after = values()
      for (index, (id, path)) in watched.enumerated() where !path.description.hasPrefix("shell") {
        let isTold = told.contains { $0.hasPrefix("[watch \(id)] ") }
        // A chunk of Lua may change a value and change it back.
        if line.hasPrefix("lua") { before[index] = isTold ? "" : before[index] }
        #expect(isTold == (before[index] != after[index]), "\(path) by \(line): \(told)")
      }
    }
  }

  /// R10.
  @Test func areToldAfterEveryActionWhereThatIsWanted() throws {
    let shell = try Shell()
    _ = shell.run("set emit always", "watch tasks.nextId", "watch counter.value")
    let told = shell.run("dispatch counter.setStep 3").errors
    #expect(told.contains("[watch 1] tasks.nextId  1 -> 1") && told.contains("[watch 2] counter.value  0 -> 0"))
    _ = shell.run("set emit never")
    #expect(shell.run("dispatch counter.increment").errors == "")
    _ = shell.run("set emit whenDifferent")
    #expect(shell.run("dispatch tasks.add a").errors.contains("[watch 2] counter.value  0 -> 3"))
  }

  @Test func areToldNothingOnceTheyEnded() throws {
    let shell = try Shell()
    _ = shell.run("watch counter.value", "watch counter.value", "watch stop 1")
    #expect(
      shell.run("dispatch counter.increment").errors == "[watch 2] counter.value  0 -> 1  (#1 counter.increment)\n")
  }
}
