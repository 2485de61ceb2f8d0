import StoreCore
import StoreHistory
import StoreSchema
import Testing

/// A look back along a path passes over what changed nothing there, and over nothing else.
@Suite struct ChangedPlacesTests {
  static func entry(_ number: Int, _ changes: [Change], action: String = "a.b") -> LoggedEntry {
    LoggedEntry(
      number: number, time: .zero, source: ActionSource(file: "f", function: "f", line: number), action: action,
      arguments: Record(RecordLayout(name: "", fields: []), []), isQuiet: false, changes: changes, failure: nil)
  }

  static func history(_ entries: [LoggedEntry]) -> History<Int> {
    var history = History<Int>(limits: HistoryLimits(entries: .max, bytes: .max), apply: { _, _, _ in })
    for entry in entries { history.append(entry, before: 0) }
    return history
  }

  /// The entries that a look back hands out, the latest first.
  static func visited(_ history: History<Int>, _ wanted: WantedEntries) throws -> [LoggedEntry] {
    var found: [LoggedEntry] = []
    var next = history.head
    while let run = try history.run(upTo: next, wanted) {
      found += run.entries.reversed()
      next = run.before - 1
    }
    return found
  }

  @Test(arguments: [4_000, 16_000])
  func oneItemIsFoundAmongMany(count: Int) throws {
    let history = Self.history(
      (1...count).map { number in
        Self.entry(
          number,
          [
            Change(try! Path(parsing: "tasks.nextId"), .replace(from: .int(number), to: .int(number + 1))),
            Change(Path([.field("tasks"), .field("items"), .match(field: "id", .int(number))]), .add(.int(0))),
          ])
      })
    let title = try Path(parsing: "tasks.items[id=77].title")
    let found = try Self.visited(history, .changing(title))
    #expect(found.contains { $0.number == 77 })
    // The block that holds it, and what has its hash by chance.
    #expect(found.count <= 1_024)
    #expect(try Self.visited(history, .changing(Path(parsing: "notes.items[id=77]"))).count <= 768)
    #expect(try Self.visited(history, .all).map(\.number) == Array((1...count).reversed()))
  }

  /// Steps by which something is named in several ways, and texts that are equal in other bytes.
  static let steps: [Path.Step] = [
    .field("a"), .field("b"), .key(.string("a")), .key(.int(1)), .key(.int(2)), .index(1), .index(2),
    .match(field: "id", .int(1)), .match(field: "id", .string("a")), .match(field: "id", .string("e\u{301}")),
    .match(field: "id", .string("\u{E9}")), .match(field: "id", .double(0.5)), .all,
  ]

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func nothingThatLiesAlongAPathIsPassedOver(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func path(_ steps: [Path.Step]) -> Path {
      Path((0..<Int.random(in: 0...4, using: &random)).compactMap { _ in steps.randomElement(using: &random) })
    }
    let entries = (1...3_000).map { number in
      Self.entry(
        number,
        (0..<Int.random(in: 0...2, using: &random)).map { _ in
          Change(path(Self.steps.dropLast()), .add(.int(number)))
        }, action: number.isMultiple(of: 500) ? "shell.set" : "a.b")
    }
    let history = Self.history(entries)
    for _ in 0..<200 {
      let wanted = path(Self.steps)
      let meeting = entries.filter { $0.changes.contains { $0.path.lies(along: wanted) } }.map(\.number)
      let found = Set(try Self.visited(history, .changing(wanted)).map(\.number))
      #expect(found.isSuperset(of: meeting), "\(wanted)")
    }
    let wholes = Set(try Self.visited(history, .changing(Path([.field("c")]), withWholes: true)).map(\.number))
    #expect(wholes.isSuperset(of: [500, 1_000, 1_500, 2_000, 2_500, 3_000]))
  }
}
