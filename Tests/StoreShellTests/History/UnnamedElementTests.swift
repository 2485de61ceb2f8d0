import StoreCore
import TerminalSupport
import Testing

@testable import StoreShell

/// An element without an id has a place alone, which others change that come or go before it. `why` names the action that set
/// a value of it, or says that this cannot be told, and never another action.
@Suite struct UnnamedElementTests {
  private static let queue = """
    local items = field("items", list(record("Item", { field("name", text()), field("done", bool()) })))
    return plugin {
      state = { items },
      actions = { { name = "put", args = { items } } },
      reducers = { put = function(s, a) s.items = a.items end },
    }
    """

  /// An element, with the numbers of the actions that set its values.
  private struct Item {
    var name: String
    var done: Bool
    var named: Int
    var marked: Int

    var lua: String { "{name=\"\(name)\",done=\(done)}" }
  }

  /// A list that actions change at random.
  private struct Model {
    var items: [Item] = []
    var random: SeededGenerator
    var used = 0

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private mutating func edit(_ number: Int) {
      let place = items.isEmpty ? 0 : below(items.count)
      switch below(7) {
      case _ where items.count < 4, 0, 1:
        used += 1
        items.insert(
          Item(name: "n\(used)", done: below(2) == 0, named: number, marked: number), at: below(items.count + 1))
      case 2, 3: items.remove(at: place)
      case 4:
        used += 1
        (items[place].name, items[place].named) = ("n\(used)", number)
      case 5: items.swapAt(place, below(items.count))
      default:
        items[place].done.toggle()
        items[place].marked = number
      }
    }

    /// Changes the list by the action of a number.
    mutating func act(_ number: Int, edits: Int) { for _ in 0..<edits { edit(number) } }
  }

  private static func shell() throws -> Shell {
    let shell = try Shell { $0.grants = ["queue"] }
    let folder = try shell.plugin("queue", queue)
    #expect(shell.run("plugin load \(folder)").errors == "")
    return shell
  }

  private static func put(_ items: [Item], in shell: Shell) {
    #expect(
      shell.run("lua dispatch('queue.put', { items = {\(items.map(\.lua).joined(separator: ","))} })").errors == "")
  }

  /// The first action that `why` names, or nil where it says that it cannot tell.
  private static func cause(of path: String, _ shell: Shell) -> Int? {
    let outcome = shell.run("why \(path)")
    if let number = Int(outcome.output.dropFirst().prefix { $0.isNumber }) { return number }
    #expect(outcome.errors.contains("cannot tell what set queue.items["), "\(path): \(outcome)")
    return nil
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>, [1, 3])
  func theActionIsRightOrNotTold(seed: UInt64, edits: Int) throws {
    let shell = try Self.shell()
    var model = Model(random: SeededGenerator(seed: seed))
    var number = shell.session.store.live.head
    var told = 0
    for _ in 0..<30 {
      number += 1
      model.act(number, edits: edits == 1 ? 1 : model.below(edits) + 1)
      Self.put(model.items, in: shell)
    }
    for (index, item) in model.items.enumerated() {
      for (path, expected) in [("[\(index + 1)].name", item.named), ("[\(index + 1)].done", item.marked)] {
        guard let cause = Self.cause(of: "queue.items\(path)", shell) else { continue }
        #expect(cause == expected, "\(path)")
        told += 1
      }
    }
    #expect(told > 0)
  }

  @Test func anElementIsFollowedWhereOthersGo() throws {
    let shell = try Self.shell()
    var items = ["a", "b", "c"].map { Item(name: $0, done: false, named: 0, marked: 0) }
    Self.put(items, in: shell)
    items[2].done = true
    Self.put(items, in: shell)
    items.remove(at: 0)
    Self.put(items, in: shell)
    items.insert(Item(name: "d", done: true, named: 0, marked: 0), at: 0)
    Self.put(items, in: shell)
    items.remove(at: 1)
    Self.put(items, in: shell)
    for path in ["queue.items[2].done", "queue.items[-1].done"] {
      let output = shell.run("why \(path)").output
      #expect(output.hasPrefix("#3 queue.put"), "\(path)")
      #expect(output.hasSuffix("  queue.items[3].done  false -> true\n"))
    }
    #expect(Self.cause(of: "queue.items[2].name", shell) == 2)
    #expect(Self.cause(of: "queue.items[1].name", shell) == 5)
    // What came or went before a place changed what stands there.
    #expect(
      shell.run("log --changed queue.items[2] --json").output.matches(of: /"id":(\d+)/).map(\.1) == [
        "2", "4", "5", "6",
      ])
    _ = shell.run("undo", "undo")
    #expect(Self.cause(of: "queue.items[2].done", shell) == 3)
  }

  @Test func ofSeveralThatChangedAtOnceNoneIsNamed() throws {
    let shell = try Self.shell()
    let items = ["a", "b"].map { Item(name: $0, done: false, named: 0, marked: 0) }
    Self.put(items, in: shell)
    Self.put([items[1], Item(name: "c", done: false, named: 0, marked: 0)], in: shell)
    // It stood second before, as a whole.
    #expect(Self.cause(of: "queue.items[1].done", shell) == 2)
    #expect(Self.cause(of: "queue.items[2].name", shell) == 3)
    let outcome = shell.run("why queue.items[2].done", "why queue.items[2].done --json")
    #expect(outcome.output == "[]\n")
    #expect(
      outcome.errors.hasPrefix(
        "note: cannot tell what set queue.items[2].done before #3 queue.put: the elements of that list have no ids\n"))
  }
}
