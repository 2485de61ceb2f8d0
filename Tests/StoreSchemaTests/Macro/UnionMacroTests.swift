import StoreSchema
import Testing

/// Enums with `@Schema`: description and round trip.
@Suite struct UnionMacroTests {
  private func cases<Subject: Schematic>(_ type: Subject.Type) throws -> [UnionSchema.Case] {
    guard case .union(let union) = type.schema.kind else { throw MacroMismatch() }
    return union.cases
  }

  @Test func casesWithoutPayloadsAreAChoice() throws {
    guard case .choice(let name, let cases) = MacroOwner.schema.kind else { throw MacroMismatch() }
    #expect(name == "MacroOwner")
    #expect(cases == ["none", "me", "team"])
    for owner in MacroOwner.allCases { #expect(try MacroOwner(schemaValue: .string(owner.rawValue)) == owner) }
  }

  @Test func payloadsAreNamedAfterTheirLabels() throws {
    let cases = try cases(MacroAction.self)
    #expect(cases.map(\.name) == ["counter", "move", "rename", "list"])
    #expect(
      cases.map { $0.fields.map(\.name) } == [["value"], ["value1", "to", "value2"], ["id", "title"], ["items"]])
    #expect(cases[0].branch?.typeName == "MacroCounterAction")
    #expect(cases[3].branch == nil)
    let own = try self.cases(MacroOwnMembers.self)
    #expect(own[2].fields.map(\.name) == ["name"])
  }

  @Test func defaultsAndDocumentationComeAlong() throws {
    let counter = try cases(MacroCounterAction.self)
    #expect(counter.map(\.documentation) == ["Counts up.", "Sets the value.", "Back to zero."])
    #expect(counter[0].fields[0].documentation == "how far")
    #expect(counter[0].fields[0].defaultValue == nil)
    #expect(!counter[0].fields[0].isRequired)
    let action = try cases(MacroAction.self)
    #expect(action[1].fields[1].defaultValue == .int(7))
    #expect(action[2].fields[0].documentation == "Which one.")
    let move = Value.map([.string("move"): .map([.string("value1"): .int(1), .string("value2"): .bool(true)])])
    #expect(try MacroAction(schemaValue: move) == .move(1, true))
    #expect(try MacroCounterAction(schemaValue: .map([.string("increment"): .list([])])) == .increment())
  }

  @Test(arguments: [
    MacroAction.counter(.increment(by: nil)), .counter(.increment(by: 2)), .counter(.set(1)), .counter(.reset),
    .move(1, to: 2, false), .rename(id: 1, title: ""), .list(items: []),
    .list(items: [MacroTask(id: 1, title: "x", due: 3)]),
  ])
  func valuesSurviveTheRoundTrip(action: MacroAction) throws {
    #expect(try MacroAction(schemaValue: action.schemaValue) == action)
    #expect(try MacroAction.schema.check(action.schemaValue) == action.schemaValue)
  }

  @Test func keywordsAreNamesLikeOthers() throws {
    let cases = try cases(MacroKeywordCases.self)
    #expect(cases.map(\.name) == ["default", "in", "init", "switch"])
    #expect(cases[1].fields.map(\.name) == ["inout", "for"])
    for value in [MacroKeywordCases.default, .in(`inout`: 1, for: 2), .`init`(3), .switch("x")] {
      #expect(try MacroKeywordCases(schemaValue: value.schemaValue) == value)
    }
  }

  @Test func genericAndIndirectEnums() throws {
    let results: [MacroResult<[Int]>] = [.success([1, 2]), .failure(code: 3), .failure(code: 4, reason: "")]
    for result in results { #expect(try MacroResult(schemaValue: result.schemaValue) == result) }
    let task = MacroTask(id: 1, title: "x", due: nil)
    for value in [MacroIndirect.wide(first: task, second: task), .narrow(1)] {
      #expect(try MacroIndirect(schemaValue: value.schemaValue) == value)
    }
  }

  @Test func nestedTypesSeeTheNamesAroundThem() throws {
    let value = MacroSpace.Action.kind(.big, MacroSpace.Inner(kind: .small))
    #expect(try MacroSpace.Action(schemaValue: value.schemaValue) == value)
    let short = Value.map([.string("kind"): .map([.string("value1"): .string("small")])])
    #expect(try MacroSpace.Action(schemaValue: short) == .kind(.small))
  }

  @Test func aPositionWithoutCaseIsRefused() {
    #expect(throws: SchemaError.self) {
      var reader = FieldReader([])
      _ = try MacroAction(schemaCase: 4, fields: &reader)
    }
  }
}
