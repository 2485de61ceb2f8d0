import StoreSchema
import Testing

/// Reading and changing parts in place through a derived schema.
@Suite struct MacroAccessTests {
  /// Changes the part at a path of field names and positions, as a Lua reducer would.
  private func change<Root: Schematic>(_ root: inout Root, _ steps: [Step], to value: Value) throws {
    try withUnsafeMutablePointer(to: &root) {
      try change(UnsafeMutableRawPointer($0), Root.schema, steps[...], to: value)
    }
  }

  private enum Step {
    case field(String)
    case element(Int)
    case entry(String)
    case wrapped
    case payload(Int)
  }

  private func change(
    _ part: UnsafeMutableRawPointer, _ schema: Schema, _ steps: ArraySlice<Step>, to value: Value
  ) throws {
    guard let step = steps.first else { return try schema.access.assign(value, part) }
    let rest = steps.dropFirst()
    switch (schema.access.parts, schema.kind, step) {
    case (.record(let access), .record(let record), .field(let name)):
      let index = try #require(record.index(of: name))
      try access.modify(part, index) { try change($0, record.fields[index].schema, rest, to: value) }
    case (.list(let access), .list(let element), .element(let index)):
      try access.modify(part, index) { try change($0, element, rest, to: value) }
    case (.map(let access), .map(_, let element), .entry(let key)):
      #expect(try access.modify(part, .string(key)) { try change($0, element, rest, to: value) })
    case (.optional(let access), .optional(let wrapped), .wrapped):
      #expect(try access.modify(part) { try change($0, wrapped, rest, to: value) })
    case (.union(let access), .union(let union), .payload(let index)):
      let field = union.cases[access.caseIndex(part)].fields[index]
      try access.modify(part, index) { try change($0, field.schema, rest, to: value) }
    default: throw MacroMismatch()
    }
  }

  private static let task = MacroTask(id: 1, title: "a", due: 5)

  private static var board: MacroBoard {
    MacroBoard(
      items: [task, task], queue: [task, task], byName: ["b": task], selected: task, last: .increment(by: 1),
      action: .rename(id: 1, title: "a"))
  }

  @Test func oneFieldChangesAndNothingElse() throws {
    var board = MacroAccessTests.board
    var expected = board
    try change(&board, [.field("items"), .element(1), .field("done")], to: .bool(true))
    expected.items[1].done = true
    #expect(board == expected)
    try change(&board, [.field("queue"), .element(0), .field("title")], to: .string("z"))
    expected.queue[0].title = "z"
    #expect(board == expected)
    try change(&board, [.field("byName"), .entry("b"), .field("due"), .wrapped], to: .int(9))
    expected.byName["b"]?.due = 9
    #expect(board == expected)
    try change(&board, [.field("selected"), .wrapped, .field("height")], to: .int(0))
    expected.selected?.height = 0
    #expect(board == expected)
  }

  @Test func payloadsChangeInPlace() throws {
    var board = MacroAccessTests.board
    var expected = board
    try change(&board, [.field("last"), .payload(0), .wrapped], to: .int(8))
    expected.last = .increment(by: 8)
    #expect(board == expected)
    try change(&board, [.field("action"), .payload(1)], to: .string("z"))
    expected.action = .rename(id: 1, title: "z")
    #expect(board == expected)
    board.action = .list(items: [MacroAccessTests.task])
    try change(&board, [.field("action"), .payload(0), .element(0), .field("id")], to: .int(4))
    #expect(board.action.list?[0].id == 4)
    board.action = .counter(.set(1))
    try change(&board, [.field("action"), .payload(0), .payload(0)], to: .int(4))
    #expect(board.action == .counter(.set(4)))
    var indirect = MacroIndirect.wide(first: MacroAccessTests.task, second: MacroAccessTests.task)
    try change(&indirect, [.payload(1), .field("id")], to: .int(6))
    #expect(indirect.wide?.first.id == 1)
    #expect(indirect.wide?.second.id == 6)
  }

  @Test func payloadsHaveOneOwnerMeanwhile() throws {
    func storage(_ action: MacroAction) -> UnsafeRawPointer? {
      action.list?.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
    }
    var action = MacroAction.list(items: [MacroAccessTests.task, MacroAccessTests.task])
    let before = storage(action)
    try change(&action, [.payload(0), .element(1), .field("id")], to: .int(4))
    #expect(storage(action) == before)
    let snapshot = action
    try change(&action, [.payload(0), .element(1), .field("id")], to: .int(5))
    #expect(snapshot.list?[1].id == 4)
    #expect(action.list?[1].id == 5)
  }

  @Test func aFailedChangeKeepsTheCaseAndItsPayload() throws {
    for action in [MacroCounterAction.set(1), .increment(by: 3), .reset] {
      var current = action
      #expect(throws: MacroMismatch.self) {
        try current.modifySchemaPayload(0) { _ in throw MacroMismatch() }
        if action == .reset { throw MacroMismatch() }
      }
      #expect(current == action)
    }
    var action = MacroAction.rename(id: 1, title: "a")
    #expect(throws: SchemaError.self) { try change(&action, [.payload(0)], to: .string("no")) }
    #expect(action == .rename(id: 1, title: "a"))
    action.modifySchemaPayload(2) { _ in Issue.record("there is no third value") }
    #expect(action == .rename(id: 1, title: "a"))
  }

  @Test func snapshotsKeepTheirValues() throws {
    var board = MacroAccessTests.board
    let before = board
    try change(&board, [.field("items"), .element(0), .field("title")], to: .string("new"))
    try change(&board, [.field("last"), .payload(0)], to: .none)
    #expect(before == MacroAccessTests.board)
    #expect(board != before)
    #expect(board.last == .increment(by: nil))
  }

  @Test func genericStructsAreReachedInPlace() throws {
    var pair = MacroPair(first: [MacroAccessTests.task], second: Optional(1))
    try change(&pair, [.field("first"), .element(0), .field("owner")], to: .string("me"))
    #expect(pair.first[0].owner == .me)
    #expect(pair.second == Optional(1))
  }

  @Test func equalityLooksIntoEveryField() {
    func areEqual<Subject: Schematic>(_ left: Subject, _ right: Subject) -> Bool {
      withUnsafePointer(to: left) { left in
        withUnsafePointer(to: right) {
          Subject.schema.access.isEqual(UnsafeRawPointer(left), UnsafeRawPointer($0))
        }
      }
    }
    let board = MacroAccessTests.board
    var other = board
    #expect(areEqual(board, other))
    other.last = .increment(by: 2)
    #expect(!areEqual(board, other))
    #expect(!areEqual(MacroOwner.me, .team))
    #expect(!areEqual(MacroCounterAction.reset, .set(0)))
  }
}
