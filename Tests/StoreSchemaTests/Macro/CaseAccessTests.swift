import StoreSchema
import Testing

/// The properties and case paths that `@Schema` writes for an enum's cases.
@Suite struct CaseAccessTests {
  @Test func optionalPropertiesReadThePayload() {
    #expect(MacroAction.counter(.reset).counter == .reset)
    #expect(MacroAction.counter(.reset).move == nil)
    let rename = MacroAction.rename(id: 3, title: "x").rename
    #expect(rename?.id == 3)
    #expect(rename?.title == "x")
    let move = MacroAction.move(1, to: 2, true).move
    #expect(move?.0 == 1)
    #expect(move?.to == 2)
    // The inner optional is the payload, the outer one says whether it is the case.
    #expect(MacroCounterAction.increment(by: nil).increment == .some(.none))
    #expect(MacroCounterAction.reset.increment == nil)
  }

  @Test func settersWorkOnTheSameCaseOnly() {
    var action = MacroAction.counter(.set(1))
    action.counter?.set = 5
    #expect(action == .counter(.set(5)))
    action.counter?.increment = 5
    action.rename = (id: 1, title: "x")
    action.counter = nil
    #expect(action == .counter(.set(5)))
    action = .rename(id: 1, title: "x")
    action.rename?.title += "y"
    #expect(action == .rename(id: 1, title: "xy"))
    action.rename = (id: 2, title: "z")
    #expect(action == .rename(id: 2, title: "z"))
  }

  @Test func testsTellCasesApart() {
    #expect(MacroCounterAction.reset.isReset)
    #expect(!MacroCounterAction.reset.isSet)
    #expect(MacroCounterAction.set(1).isSet)
    #expect(MacroKeywordCases.default.isDefault)
    #expect(MacroOwner.me.isMe)
  }

  @Test func ownMembersStay() {
    #expect(MacroOwnMembers.counter(1).counter == "mine")
    #expect(MacroOwnMembers.other(1).isOther == "mine")
    #expect(MacroOwnMembers.other(1).other == 1)
    #expect(MacroOwnMembers.counter(1).isCounter)
    #expect(MacroOwnCases.cases == 5)
    #expect(MacroOwnCases.one(2).one == 2)
  }

  @Test func casePathsGoBothWays() {
    let cases = MacroAction.cases
    #expect(cases.counter.caseName == "counter")
    #expect(cases.counter.embed(.reset) == .counter(.reset))
    #expect(cases.counter.extract(.counter(.set(1))) == .set(1))
    #expect(cases.counter.extract(.rename(id: 1, title: "")) == nil)
    #expect(cases.move.embed((1, to: 2, true)) == .move(1, to: 2, true))
    #expect(cases.rename.extract(.rename(id: 4, title: "t"))?.id == 4)
    #expect(MacroCounterAction.cases.reset.embed(()) == .reset)
    #expect(MacroCounterAction.cases.reset.extract(.reset) != nil)
    #expect(MacroCounterAction.cases.reset.extract(.set(1)) == nil)
    #expect(MacroKeywordCases.cases.default.caseName == "default")
    #expect(MacroResult<Int>.cases.success.extract(.success(3)) == 3)
  }

  @Test func aCaseIsNamedByKeyPath() {
    func lift<Action: CasePathable, Local>(
      _ path: KeyPath<Action.Cases, CasePath<Action, Local>>, _ local: Local
    ) -> Action { Action.cases[keyPath: path].embed(local) }
    #expect(lift(\.counter, .set(3)) == MacroAction.counter(.set(3)))
    #expect(lift(\.point, .init(x: 3)) == MacroPublicSpace.Action.point(.init(x: 3)))
  }
}
