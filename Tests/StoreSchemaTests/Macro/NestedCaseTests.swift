import StoreSchema
import Testing

/// Case paths that go on into an enum within an enum.
@Suite struct NestedCaseTests {
  private let path = MacroAction.cases.counter.increment

  @Test func theyGoInAndOut() {
    #expect(path.caseName == "counter.increment")
    #expect(path.embed(3) == .counter(.increment(by: 3)))
    #expect(path.extract(.counter(.increment(by: 3))) == 3)
    #expect(path.extract(.counter(.reset)) == nil)
    #expect(path.extract(.list(items: [])) == nil)
  }

  @Schema
  enum Form: Equatable { case name(String), appending(Int), sent }

  @Schema
  enum Dialog: Equatable { case form(Form), other }

  @Test func casesMayBeNamedAsAnything() {
    #expect(Dialog.cases.form.appending.embed(3) == .form(.appending(3)))
    #expect(Dialog.form(.appending(3)).is(\.form.appending))
    #expect(Dialog.form(.name("x"))[case: \.form.name] == "x")
    #expect(CasePath(Dialog.cases.form, Form.cases.sent).caseName == "form.sent")
  }

  @Test func actionsAreAskedAndReadByThem() {
    let action = MacroAction.counter(.set(4))
    #expect(action.is(\.counter.set))
    #expect(action.is(\.counter))
    #expect(!action.is(\.counter.reset))
    #expect(action[case: \.counter.set] == 4)
    #expect(MacroAction.counter(.reset).is(\.counter.reset))
  }
}
