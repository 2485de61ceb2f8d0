import ShellLanguage
import StoreSchema
import Testing

@Suite struct ChangeFormatterTests {
  private let changes = [
    Change(Path([.field("tasks"), .field("nextId")]), .replace(from: .int(1), to: .int(2))),
    Change(
      Path([.field("tasks"), .field("items"), .match(field: "id", .int(1))]), .add(FormatterTests.task(1, "Buy milk"))),
    Change(Path([.field("pomodoro"), .field("phase")]), .replace(from: .string("idle"), to: .string("work"))),
    Change(Path([.field("pomodoro"), .field("rounds"), .index(1)]), .remove(.int(1))),
  ]

  @Test func lines() {
    #expect(
      ChangeFormatter.lines(changes) == """
          tasks.nextId  1 -> 2
          tasks.items[id=1]  + { id = 1, title = "Buy milk", done = false }
          pomodoro.phase  "idle" -> "work"
          pomodoro.rounds[1]  - 1

        """)
    #expect(ChangeFormatter.text(of: changes[0]) == "tasks.nextId  1 -> 2")
  }

  @Test func json() {
    #expect(
      ChangeFormatter.json([changes[0], changes[3], changes[1]]) == """
        [{"op":"replace","path":"tasks.nextId","from":1,"to":2},\
        {"op":"remove","path":"pomodoro.rounds[1]","from":1},\
        {"op":"add","path":"tasks.items[id=1]","to":{"id":1,"title":"Buy milk","done":false}}]
        """)
    let change = Change(Path([.field("counter"), .field("value")]), .replace(from: .int(0), to: .int(1)))
    let data = JSONReport.dispatch(id: 1, action: "counter.increment", changes: [change])
    #expect(
      JSONReport.success(line: 1, data: data) == """
        {"ok":true,"line":1,"data":{"id":1,"action":"counter.increment",\
        "changes":[{"op":"replace","path":"counter.value","from":0,"to":1}]}}
        """)
    #expect(JSONReport.success(line: 3, data: nil) == #"{"ok":true,"line":3,"data":null}"#)
    #expect(
      JSONReport.watch(id: 1, path: "a[\"x\"]", from: .none, to: .int(1), action: 6)
        == #"{"event":"watch","id":1,"path":"a[\"x\"]","from":null,"to":1,"action":6}"#)
  }

  @Test func actions() {
    func action(_ by: Value) -> String {
      ActionText.text("counter.increment", arguments: Record(RecordLayout(name: "", fields: ["by"]), [by]))
    }
    let none = Record(RecordLayout(name: "", fields: []), [])
    #expect(ActionText.text("counter.reset", arguments: none) == "counter.reset")
    #expect(action(.int(5)) == "counter.increment by=5")
    #expect(action(.none) == "counter.increment")
  }

  @Test(arguments: [
    Value.string("Buy \"milk\"\n\t\\ \u{1B}\u{7F}é"), .int(.min), .double(-1.5e-7), .double(1e300), .bool(true), .none,
    .list([.int(1), .list([]), .string("")]), .map([.string("x y"): .int(1), .string("end"): .list([.none])]),
  ])
  func readsBack(_ value: Value) throws {
    let record = Record(RecordLayout(name: "", fields: ["x"]), [value])
    let read = try statement("dispatch \(ActionText.text("a.b", arguments: record))")
    guard value != .none else {
      #expect(read.words.count == 2)
      return
    }
    guard case .named("x", let literal) = read.words[2].kind else { throw Failure(reason: read.text) }
    #expect(try literal.value { _ in .none } == value)
    let lua = try Formatter(.lua).text(of: value, .dynamic(.any))
    if value == .int(.min) { return }
    guard case .value(let literal) = try statement("a \(lua)").words[1].kind else { throw Failure(reason: lua) }
    let isEmptyList = lua.contains("{}")
    #expect(try isEmptyList || literal.value { _ in .none } == value)
  }
}
