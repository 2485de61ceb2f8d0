import StoreSchema
import Testing

/// Structs with `@Schema`.
@Suite struct RecordMacroTests {
  private func record<Subject: Schematic>(_ type: Subject.Type) throws -> RecordSchema {
    guard case .record(let record) = type.schema.kind else { throw MacroMismatch() }
    return record
  }

  @Test func fieldsAreTheStoredPropertiesInDeclaredOrder() throws {
    let record = try record(MacroTask.self)
    #expect(record.name == "MacroTask")
    #expect(
      record.fields.map(\.name) == ["id", "title", "done", "due", "weight", "height", "tags", "owner"])
    #expect(
      record.fields.map(\.schema.typeName) == [
        "Int", "String", "Bool", "Int?", "Double", "Int", "[String]", "MacroOwner",
      ])
  }

  @Test func initialValuesAreDefaults() throws {
    let record = try record(MacroTask.self)
    #expect(
      record.fields.map(\.defaultValue) == [
        nil, nil, .bool(false), nil, .double(1.5), .int(-2), .list([.string("new")]), .string("none"),
      ])
    #expect(record.fields.map(\.isRequired) == [true, true, false, false, false, false, false, false])
    let task = try MacroTask(schemaValue: .map([.string("id"): .int(4), .string("title"): .string("x")]))
    #expect(task == MacroTask(id: 4, title: "x", due: nil))
    #expect(task.owner == MacroOwner.none)
  }

  @Test func documentationIsTheFirstParagraphInOneLine() throws {
    let record = try record(MacroTask.self)
    #expect(record.fields[0].documentation == "The task's number, unique in its list.")
    #expect(record.fields[1].documentation == #"What to do, in "plain" words \ text."#)
    #expect(record.fields[6].documentation == "")
  }

  @Test func valuesSurviveTheRoundTrip() throws {
    let task = MacroTask(id: 1, title: "a", done: true, due: 5, weight: 2, height: 3, tags: [], owner: .team)
    var board = MacroBoard(items: [task], queue: [task, task], byName: ["b": task], selected: task)
    board.last = .increment(by: 3)
    board.action = .list(items: [task])
    #expect(try MacroBoard(schemaValue: board.schemaValue) == board)
    #expect(try MacroEmpty(schemaValue: MacroEmpty().schemaValue) == MacroEmpty())
    #expect(board.schemaValue == (try MacroBoard.schema.check(board.schemaValue)))
  }

  @Test func keywordsAreNamesLikeOthers() throws {
    #expect(
      try record(MacroKeywords.self).fields.map(\.name) == [
        "default", "class", "forced", "unset", "fields", "schemaFields",
      ])
    var value = MacroKeywords(default: 7, class: "c")
    #expect(try MacroKeywords(schemaValue: value.schemaValue) == value)
    value.unset = value.forced
    value.forced = 5
    #expect(try MacroKeywords(schemaValue: value.schemaValue) == value)
  }

  @Test func genericStructsDescribeTheirArguments() throws {
    let record = try record(MacroPair<Int, String>.self)
    #expect(record.name == "MacroPair<Int, String>")
    #expect(record.fields.map(\.schema.typeName) == ["Int", "String?"])
    let value = MacroPair(first: MacroPair(first: 1, second: "x"), second: [true])
    #expect(try MacroPair(schemaValue: value.schemaValue) == value)
  }

  @Test func nestedTypesSeeTheNamesAroundThem() throws {
    let value = MacroSpace.Inner(kind: .small, kinds: [.big, .small])
    #expect(try MacroSpace.Inner(schemaValue: value.schemaValue) == value)
    #expect(try MacroSpace.Inner(schemaValue: .list([])) == MacroSpace.Inner())
    #expect(MacroSpace.Inner.schema.typeName == "Inner")
  }

  @Test func accessFollowsTheType() throws {
    let point = try MacroPublicSpace.Point(schemaValue: .map([.string("x"): .int(2)]))
    #expect(point == MacroPublicSpace.Point(x: 2))
    guard case .record(let record) = MacroPrivateProbe.value else { throw MacroMismatch() }
    #expect(record.layout.fields == ["secret", "state"])
    #expect(record["secret"] == .int(3))
  }

  @Test(arguments: [
    (Value.map([.string("id"): .string("x"), .string("title"): .string("t")]), "'id' must be Int, got string \"x\""),
    (.map([.string("title"): .string("t")]), "'id' (Int) is missing"),
    (
      .map([.string("id"): .int(1), .string("title"): .string("t"), .string("Done"): .bool(true)]),
      "MacroTask has no field 'Done' (did you mean 'done'?)"
    ),
  ])
  func misfitsSayWhere(value: Value, message: String) throws {
    let error = #expect(throws: SchemaError.self) { try MacroTask(schemaValue: value) }
    #expect(error?.message == message)
  }

  @Test func refusalsBeyondTheSchemaKeepTheirPath() throws {
    let outer = #expect(throws: SchemaError.self) { try MacroPicky(schemaValue: .map([.string("even"): .int(3)])) }
    #expect(outer?.path == Path([.field("even")]))
    let half = Value.map([.string("half"): .map([.string("of"): .int(5)])])
    let inner = #expect(throws: SchemaError.self) {
      try MacroPicky(schemaValue: .map([.string("even"): .int(2), .string("inner"): half]))
    }
    #expect(inner?.path == Path([.field("inner"), .field("of")]))
  }
}

struct MacroMismatch: Error {}
