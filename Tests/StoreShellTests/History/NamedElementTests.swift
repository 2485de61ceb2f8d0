import StoreCore
import TerminalSupport
import Testing

@testable import StoreShell

/// An element that is named by its id is found by exactly the actions that changed it, whatever else they did to the list.
@Suite struct NamedElementTests {
  /// An element of a list.
  private struct Item: Equatable {
    var id: Int
    var title: String
    var tags: [Int] = []

    var lua: String { "{id=\(id),title=\"\(title)\",tags={\(tags.map { "{id=\($0)}" }.joined(separator: ","))}}" }
  }

  private static let shelf = """
    local items = field("items", list(record("Item", {
      field("id", int()), field("title", text()), field("tags", list(record("Tag", { field("id", int()) }))) })))
    return plugin {
      state = { items },
      actions = { { name = "put", args = { items } } },
      reducers = { put = function(s, a) s.items = a.items end },
    }
    """

  /// A list that actions change at random, and what became of each element by each action.
  private struct Model {
    var items: [Item] = []
    /// By id the numbers of the actions after which the first element of the id was another one, or came or went.
    var changed: [Int: [Int]] = [:]
    var titled: [Int: [Int]] = [:]
    var random: SeededGenerator
    let repeats: Bool

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private mutating func edit() {
      let place = items.isEmpty ? 0 : below(items.count)
      switch below(6) {
      case _ where items.count < 3, 0:
        let id = below(12)
        guard repeats || !items.contains(where: { $0.id == id }) else { return }
        items.insert(Item(id: id, title: "t\(below(3))"), at: below(items.count + 1))
      case 1: items.remove(at: place)
      case 2: items.insert(items.remove(at: place), at: below(items.count + 1))
      case 3: items[place].tags = items[place].tags.isEmpty ? [1, 2] : items[place].tags.reversed()
      case 4: items.sort { ($0.title, $0.id) < ($1.title, $1.id) }
      default: items[place].title = "t\(below(3))"
      }
    }

    /// Changes the list by the action of a number.
    mutating func act(_ number: Int) {
      let before = items
      for _ in 0...below(4) { edit() }
      for id in 0..<12 {
        let (old, new) = (before.first { $0.id == id }, items.first { $0.id == id })
        if old != new { changed[id, default: []].append(number) }
        if old?.title != new?.title { titled[id, default: []].append(number) }
      }
    }
  }

  /// The numbers of the actions that a command lists.
  private static func numbers(_ shell: Shell, _ command: String) -> [Int] {
    shell.run(command).output.split(separator: "\n").compactMap { line in
      guard line.first == "#" else { return nil }
      return Int(line.dropFirst().prefix { $0.isNumber })
    }
  }

  @Test func aChangeThatMovesAnElementIsFound() throws {
    let shell = try Shell { $0.grants = ["autosort"] }
    _ = shell.run(
      "plugin load autosort", "dispatch tasks.add apples", "dispatch tasks.add bread", "dispatch tasks.add milk")
    #expect(
      shell.run("dispatch tasks.complete 1").output
        == "#6 tasks.complete id=1\n  tasks.items[id=1].done  false -> true\n  tasks.items[id=1]  moved from 1 to 3\n")
    #expect(
      shell.run("why tasks.items[id=1]").output
        == "#6 tasks.complete id=1  <- -c:1\n  tasks.items[id=1].done  false -> true\n")
    #expect(Self.numbers(shell, "log --changed tasks.items[id=1]") == [3, 6])
    #expect(Self.numbers(shell, "log --changed tasks.items[id=2]") == [4])
    #expect(
      shell.run("diff 5 6 --json").output
        == #"[{"op":"replace","path":"tasks.items[id=1].done","from":false,"to":true},"#
        + #"{"op":"move","path":"tasks.items[id=1]","from":1,"to":3}]"# + "\n")
    #expect(shell.run("log 1").output.hasSuffix("tasks.items[id=1].done, tasks.items[id=1] moved\n"))
    #expect(
      shell.run("log 1 --json").output.contains(
        #"{"op":"move","path":"tasks.items[id=1]","from":1,"to":3}],"#))
    #expect(shell.run("undo").output.hasSuffix("  tasks.items[id=1]  moved from 3 to 1\n"))
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>, [false, true])
  func isFoundByTheActionsThatChangedIt(seed: UInt64, repeats: Bool) throws {
    let first = try Shell { $0.grants = ["shelf"] }
    let store = "\(first.folder)/a.db"
    #expect(first.openStore(store) == .init())
    let folder = try first.plugin("shelf", Self.shelf)
    #expect(first.run("plugin load \(folder)", "set journal.limit 16").errors == "")
    var model = Model(random: SeededGenerator(seed: seed), repeats: repeats)
    var number = first.session.store.live.head
    for _ in 0..<60 {
      number += 1
      model.act(number)
      let items = model.items.map(\.lua).joined(separator: ",")
      #expect(first.run("lua dispatch('shelf.put', { items = {\(items)} })").errors == "")
    }
    #expect(first.session.store.live.head == number)
    func check(_ shell: Shell) {
      for id in 0..<12 {
        for (path, expected) in [
          ("shelf.items[id=\(id)]", model.changed), ("shelf.items[id=\(id)].title", model.titled),
        ] {
          let expected = expected[id] ?? []
          // Of one that never was it is an error to ask.
          guard !expected.isEmpty else { continue }
          #expect(Self.numbers(shell, "log --changed \(path) --all") == expected, "\(path)")
          #expect(Self.numbers(shell, "why \(path)").first == expected.last, "\(path)")
        }
      }
      for (index, item) in model.items.enumerated() where !repeats {
        let expected = model.changed[item.id]?.last
        #expect(Self.numbers(shell, "why shelf.items[\(index + 1)]").first == expected, "\(index + 1)")
      }
    }
    check(first)
    #expect(first.outcome { first.session.endJournal() } == .init())
    let second = try Shell { $0.grants = ["shelf"] }
    #expect(second.openStore(store) == .init())
    check(second)
  }
}
