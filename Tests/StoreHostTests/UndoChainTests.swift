import Glibc
import StandardModules
import StoreCore
import StoreHost
import Testing

/// `undo` and `redo` cost their own part, however many of them were before (`people.md`, undo 8).
@Suite(.serialized) struct UndoChainTests {
  enum Chain: CaseIterable {
    case undo
    case redo
    case inTurn

    /// Lines behind as many actions.
    func lines(_ count: Int) -> [String] {
      let (undo, redo) = ("undo --quiet", "redo --quiet")
      return switch self {
      case .undo: Array(repeating: undo, count: count)
      case .redo: Array(repeating: undo, count: count) + Array(repeating: redo, count: count)
      case .inTurn: Array(repeating: [undo, redo], count: count).flatMap(\.self)
      }
    }

    var isUndone: Bool { self == .undo }
  }

  /// The second name at the store.
  enum Company: CaseIterable {
    case none
    case present
    case gone
  }

  /// Four times as many take at most five times as long: time of this thread, as another's work is none of it.
  @Test(arguments: Chain.allCases, Company.allCases)
  func aChainCostsItsOwnPart(chain: Chain, company: Company) throws {
    var ratios: [Double] = []
    repeat {
      let few = try time(chain, 150, company)
      ratios.append(try time(chain, 600, company) / few)
    } while ratios.count < 3 && ratios.last.map { $0 > 5 } == true
    #expect(ratios.contains { $0 <= 5 }, "\(ratios)")
  }

  private func time(_ chain: Chain, _ count: Int, _ company: Company) throws -> Double {
    let host = try StoreHost<StandardAction, StandardState>(
      Application(initial: StandardState(), reducer: StandardState.reducer), clock: VirtualClock(), program: "stsh")
    var bob = company == .none ? nil : try Conversation(with: host, who: "bob")
    bob?.say("dispatch tasks.add bread --quiet")
    if company == .gone { bob = nil }
    let ann = try Conversation(with: host, who: "ann")
    ann.say(Array(repeating: "dispatch counter.increment --quiet", count: count))
    let start = clock()
    let outcome = ann.say(chain.lines(count))
    let taken = clock() - start
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(ann.say("show counter.value").output == "\(chain.isUndone ? 0 : count)\n")
    #expect(host.store.withState { $0.tasks.items.count } == (company == .none ? 0 : 1))
    withExtendedLifetime(bob) {}
    return taken
  }

  private func clock() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

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
        #expect(ann.say("dispatch counter.increment by=\(step) --quiet").status == 0)
        inEffect.append(step)
        undone = []
      case 2, 3, 4:
        let outcome = ann.say("undo --quiet")
        #expect((outcome.status == 0) == !inEffect.isEmpty, "\(outcome)")
        if let last = inEffect.popLast() { undone.append(last) }
      case 5, 6:
        let outcome = ann.say("redo --quiet")
        #expect((outcome.status == 0) == !undone.isEmpty, "\(outcome)")
        if let last = undone.popLast() { inEffect.append(last) }
      default:
        guard Int.random(in: 0..<3, using: &random) == 0 else { break }
        #expect(bob.say("dispatch counter.increment by=100 --quiet").status == 0)
        others += 100
      }
      #expect(host.store.withState { $0.counter.value } == inEffect.reduce(0, +) + others)
    }
  }
}
