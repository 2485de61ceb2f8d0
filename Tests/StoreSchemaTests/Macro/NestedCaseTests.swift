import StoreSchema
import Testing

/// Case paths that go on into an enum within an enum.
@Suite struct NestedCaseTests {
  private let path = MacroAction.cases.counter.increment

  @Test func theyGoInAndOut() {
    #expect(path.name == "counter.increment")
    #expect(path.embed(3) == .counter(.increment(by: 3)))
    #expect(path.extract(.counter(.increment(by: 3))) == 3)
    #expect(path.extract(.counter(.reset)) == nil)
    #expect(path.extract(.list(items: [])) == nil)
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
