import StandardModules
import StoreCore
import StoreHost
import StoreSchema
import Testing

/// Two sessions that dispatch, undo and redo in any order, beside a simple model: the state is that of the actions in effect, in
/// their order, and none of them ever does anything else than it did.
@Suite struct SharedUndoModelTests {
  /// An action: the text that dispatches it.
  private enum Act {
    case add(String)
    case complete(Int)
    case remove(Int)
    case increment
    case setStep(Int)

    var text: String {
      switch self {
      case .add(let title): "dispatch tasks.add \(title)"
      case .complete(let id): "dispatch tasks.complete \(id)"
      case .remove(let id): "dispatch tasks.remove \(id)"
      case .increment: "dispatch counter.increment"
      case .setStep(let step): "dispatch counter.setStep \(step)"
      }
    }

    /// What it does, as far as it tells it from the same action at another state.
    func run(on state: inout StandardState) -> String {
      let before = state
      switch self {
      case .add(let title):
        state.tasks.items.append(Tasks.Task(id: state.tasks.nextId, title: title, done: false))
        state.tasks.nextId += 1
        return "id \(before.tasks.nextId)"
      case .complete(let id):
        state.tasks.items[id: id]?.done = true
        return "\(before.tasks.items[id: id].map { $0.done } ?? true)"
      case .remove(let id):
        state.tasks.items[id: id] = nil
        return before.tasks.items[id: id].map { "\($0)" } ?? "none"
      case .increment:
        state.counter.value += state.counter.step
        return "\(before.counter.value) to \(state.counter.value)"
      case .setStep(let step):
        state.counter.step = step
        return "\(before.counter.step)"
      }
    }
  }

  private struct Model {
    var acts: [(act: Act, session: Int)] = []
    var gone: Set<Int> = []
    var undone: [[Int]] = [[], []]

    func run(without gone: Set<Int>) -> (state: StandardState, effects: [Int: String]) {
      var state = StandardState()
      var effects: [Int: String] = [:]
      for (index, act) in acts.enumerated() where !gone.contains(index) { effects[index] = act.act.run(on: &state) }
      return (state, effects)
    }

    var state: StandardState { run(without: gone).state }

    /// Takes an act back, or brings it back.
    ///
    /// - Returns: false where a later one would then do something else.
    mutating func toggle(_ index: Int) -> Bool {
      let after = gone.symmetricDifference([index])
      let (old, new) = (run(without: gone).effects, run(without: after).effects)
      guard old.allSatisfy({ $0.key <= index || new[$0.key] == $0.value }) else { return false }
      gone = after
      return true
    }
  }

  @Test(arguments: 1...40)
  func nothingOfOthersIsEverChanged(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let host = try StoreHost<StandardAction, StandardState>(
      Application(initial: StandardState(), reducer: StandardState.reducer), clock: VirtualClock(), program: "stsh")
    let sessions = [try Conversation(with: host), try Conversation(with: host)]
    var model = Model()
    var told: [String] = []
    for step in 1...30 {
      let who = Int.random(in: 0...1, using: &random)
      var (line, expected) = ("", "")
      let before = model
      switch Int.random(in: 0...9, using: &random) {
      case 0...4:
        let id = Int.random(in: 1...4, using: &random)
        let act = try #require(
          [
            Act.add("t\(step)"), .add("t\(step)"), .complete(id), .remove(id), .increment, .setStep(id),
          ].randomElement(using: &random))
        model.acts.append((act, who))
        model.undone[who] = []
        line = act.text
      case 5...7:
        line = "undo"
        if let last = model.acts.indices.last(where: { model.acts[$0].session == who && !model.gone.contains($0) }) {
          if model.toggle(last) { model.undone[who].append(last) } else { expected = "undo-conflict" }
        } else {
          expected = "nothing-to-undo"
        }
      default:
        line = "redo"
        if let last = model.undone[who].last {
          if model.toggle(last) { model.undone[who].removeLast() } else { expected = "undo-conflict" }
        } else {
          expected = "nothing-to-redo"
        }
      }
      let outcome = sessions[who].say(line)
      told.append("s\(who + 1): \(line)\(expected.isEmpty ? "" : "  -- \(expected)")")
      if line == "redo", expected.isEmpty, outcome.errors.contains("a later undo went back to a point before it") {
        // That one is a return to a point, behind which nothing can be brought back alone.
        model = before
        #expect(host.store.state == model.state)
        continue
      }
      let isAsExpected = expected.isEmpty ? outcome.errors.isEmpty : outcome.errors.contains("error[\(expected)]")
      guard isAsExpected, host.store.state == model.state else {
        Issue.record(
          "\(told.joined(separator: "\n"))\n\(outcome.output)\(outcome.errors)\n\(host.store.state)\n\(model.state)")
        return
      }
    }
  }
}
