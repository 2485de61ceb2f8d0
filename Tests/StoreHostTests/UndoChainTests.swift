import StandardModules
import StoreCore
import StoreHost
import Testing

/// Chains of `undo` and `redo`, one behind the other, among others.
@Suite struct UndoChainTests {
  /// A chain among others gives what its steps give: the states on the way down are those on the way up, others' work stays.
  @Test(arguments: 0..<40) func aChainAmongOthersIsRight(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let host = try StoreHost<StandardAction, StandardState>(
      Application(initial: StandardState(), reducer: StandardState.reducer), clock: VirtualClock(), program: "stsh")
    let (ann, bob) = (try Conversation(with: host, who: "ann"), try Conversation(with: host, who: "bob"))
    // Ann's own: how much each of her actions adds, those in effect first.
    var (inEffect, undone): ([Int], [Int]) = ([], [])
    var others = 0
    for _ in 0..<120 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1:
        let step = Int.random(in: 1...9, using: &random)
        #expect(ann.say("dispatch counter.increment by=\(step) --quiet").errors == "")
        inEffect.append(step)
        undone = []
      case 2, 3, 4:
        let outcome = ann.say("undo --quiet")
        #expect(outcome.errors.isEmpty == !inEffect.isEmpty, "\(outcome)")
        if let last = inEffect.popLast() { undone.append(last) }
      case 5, 6:
        let outcome = ann.say("redo --quiet")
        #expect(outcome.errors.isEmpty == !undone.isEmpty, "\(outcome)")
        if let last = undone.popLast() { inEffect.append(last) }
      default:
        guard Int.random(in: 0..<3, using: &random) == 0 else { break }
        #expect(bob.say("dispatch counter.increment by=100 --quiet").errors == "")
        others += 100
      }
      #expect(host.store.withState { $0.counter.value } == inEffect.reduce(0, +) + others)
    }
  }
}
