@testable import StoreCore
@testable import StoreHost
import Testing

/// What a caller hears whose action in a shared store took long.
@Suite struct NodeFamilyTests {
  private func begun() -> NodeFamily {
    let family = NodeFamily(isAwaited: true)
    #expect(family.enter(isRoot: true, limit: .max, nil, .here()))
    return family
  }

  @Test func anActionThatComesLateIsDone() {
    let family = begun()
    family.interrupt()
    _ = family.leave(DispatchResult(number: 7, outcome: .done))
    #expect(family.doneNumber == 7)
    #expect(throws: Never.self) { try family.result.get() }
  }

  @Test func anActionWhoseConsequenceWasLeftOutSaysSo() {
    let family = begun()
    family.interrupt()
    let source = ActionSource(file: "x", function: "y", line: 3)
    #expect(!family.enter(isRoot: false, limit: .max, nil, source))
    _ = family.leave(DispatchResult(number: 7, outcome: .done))
    #expect(family.doneNumber == nil)
    guard case .stopped(.interrupted(_, let found)) = family.result.outcome else {
      Issue.record("\(family.result)")
      return
    }
    #expect(found == source)
  }
}
