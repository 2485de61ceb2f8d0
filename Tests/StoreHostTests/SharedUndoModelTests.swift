import StandardModules
import StoreCore
import StoreSchema
import Testing

@testable import StoreHost

/// Three people who dispatch, undo and redo in any order, beside a simple model of what they may do to each other (`people.md`, rule 3):
/// the state is that of the actions in effect, in their order, and no action of another is lost or changed.
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
  }

  /// The outcome of an action: a number that became another, and an element that came or went.
  private struct Effect: Equatable {
    var numbers: [String: (from: Int, to: Int)] = [:]
    var elements: Set<String> = []
    /// True if the action was refused.
    var hasFailed = false

    var isNothing: Bool { numbers.isEmpty && elements.isEmpty }

    static func == (left: Effect, right: Effect) -> Bool {
      left.elements == right.elements && left.hasFailed == right.hasFailed
        && left.numbers.mapValues { [$0.from, $0.to] } == right.numbers.mapValues { [$0.from, $0.to] }
    }
  }

  private struct Done {
    let act: Act
    let person: Int
    /// The number of its entry.
    let number: Int
    /// The id that the sequence gave, if it asked for one.
    let id: Int
    /// True if it changed something when it was dispatched.
    var changedSomething = false
  }

  private struct Model {
    var acts: [Done] = []
    var gone: Set<Int> = []
    var undone: [[Int]] = [[], [], []]
    /// The sequence, which never falls.
    var nextID = 1

    /// Runs the acts that are in effect, each with the id that it was given.
    func run(without gone: Set<Int>) -> (state: StandardState, effects: [Int: Effect], values: [Int: [String: Int]]) {
      var state = StandardState()
      var (effects, values): ([Int: Effect], [Int: [String: Int]]) = ([:], [:])
      for (index, done) in acts.enumerated() where !gone.contains(index) {
        var effect = Effect()
        func write(_ path: String, _ keyPath: WritableKeyPath<StandardState, Int>, _ value: Int) {
          if state[keyPath: keyPath] != value { effect.numbers[path] = (state[keyPath: keyPath], value) }
          state[keyPath: keyPath] = value
        }
        switch done.act {
        case .add(let title):
          state.tasks.items.append(Tasks.Task(id: done.id, title: title, done: false))
          effect.elements = ["add \(done.id)"]
        case .complete(let id):
          effect.hasFailed = state.tasks.items[id: id] == nil
          if let item = state.tasks.items[id: id], !item.done {
            effect.numbers["done \(id)"] = (0, 1)
            state.tasks.items[id: id]?.done = true
          }
        case .remove(let id):
          effect.hasFailed = state.tasks.items[id: id] == nil
          if !effect.hasFailed { effect.elements = ["remove \(id)"] }
          state.tasks.items[id: id] = nil
        case .increment: write("counter.value", \.counter.value, state.counter.value + state.counter.step)
        case .setStep(let step): write("counter.step", \.counter.step, step)
        }
        effects[index] = effect
        values[index] = ["counter.value": state.counter.value, "counter.step": state.counter.step]
        for item in state.tasks.items { values[index]?["done \(item.id)"] = item.done ? 1 : 0 }
      }
      state.tasks.nextId = nextID
      return (state, effects, values)
    }

    var state: StandardState { run(without: gone).state }

    /// Takes an act back, or brings it back.
    ///
    /// - Returns: nil: it was done; else the first act of another that would be otherwise.
    mutating func toggle(_ index: Int, by person: Int) -> Int? {
      let after = gone.symmetricDifference([index])
      let (old, new) = (run(without: gone), run(without: after))
      let paths = (old.effects[index] ?? new.effects[index] ?? Effect()).numbers.keys
      for (other, before) in old.effects.sorted(by: { $0.key < $1.key })
      where other > index && acts[other].person != person {
        let now = new.effects[other] ?? Effect()
        if now.hasFailed != before.hasFailed { return other }
        if now.isNothing, !before.isNothing, acts[other].changedSomething { return other }
        if now.elements != before.elements { return other }
        for path in Set(before.numbers.keys).union(now.numbers.keys) {
          let left = before.numbers[path]?.to ?? old.values[other]?[path]
          let leaves = now.numbers[path]?.to ?? new.values[other]?[path]
          if left == leaves { continue }
          guard paths.contains(path), let before = before.numbers[path], let now = now.numbers[path],
            before.to - before.from == now.to - now.from
          else { return other }
        }
      }
      gone = after
      return nil
    }
  }

  @Test(arguments: 1...500)
  func nothingOfOthersIsEverChanged(seed: UInt64) throws { try act(seed, isAlone: false) }

  /// Each comes for one line and goes again: all is then their own to undo, and yet no action of another name is changed.
  @Test(arguments: 1...500)
  func nothingOfThoseWhoHaveGoneIsEverChanged(seed: UInt64) throws { try act(seed, isAlone: true) }

  private func act(_ seed: UInt64, isAlone: Bool) throws {
    var random = SeededGenerator(seed: seed)
    let host = try StoreHost<StandardAction, StandardState>(
      Application(initial: StandardState(), reducer: StandardState.reducer), clock: VirtualClock(), program: "stsh")
    let names = ["ann", "bob", "cleo"]
    let people = try isAlone ? [] : names.map { try Conversation(with: host, who: $0) }
    var model = Model()
    var told: [String] = []
    for step in 1...30 {
      let who = Int.random(in: 0...2, using: &random)
      // Where each is alone, what anyone has undone is everybody's to redo.
      let list = isAlone ? 0 : who
      if isAlone { model.nextID = host.store.state.tasks.nextId }
      var (line, expected, place) = ("", "", "")
      let before = model
      func toggle(_ index: Int) -> Bool {
        guard let other = model.toggle(index, by: who) else { return true }
        (expected, place) = ("undo-conflict", "#\(model.acts[other].number) ")
        return false
      }
      switch Int.random(in: 0...11, using: &random) {
      case 0...4:
        let id = Int.random(in: 1...4, using: &random)
        let act = try #require(
          [
            Act.add("t\(step)"), .add("t\(step)"), .complete(id), .remove(id), .increment, .setStep(id),
          ].randomElement(using: &random))
        // What cannot be done is refused.
        let isRefused =
          switch act {
          case .complete(let id), .remove(let id): model.state.tasks.items[id: id] == nil
          default: false
          }
        guard !isRefused else { continue }
        model.acts.append(Done(act: act, person: who, number: host.live.head + 1, id: model.nextID))
        if case .add = act { model.nextID += 1 }
        let effect = model.run(without: model.gone).effects[model.acts.count - 1]
        model.acts[model.acts.count - 1].changedSomething = effect?.isNothing == false
        model.undone[list] = []
        line = act.text
      case 7:
        line = "undo --any"
        if let last = model.acts.indices.last(where: { !model.gone.contains($0) }) {
          if toggle(last) { model.undone[list].append(last) }
        } else {
          expected = "nothing-to-undo"
        }
      case 5...6:
        line = "undo"
        let last = model.acts.indices.last { index in
          (isAlone || model.acts[index].person == who) && !model.gone.contains(index)
        }
        if let last {
          if toggle(last) { model.undone[list].append(last) }
        } else {
          expected = "nothing-to-undo"
        }
      case 10...11:
        guard let index = model.acts.indices.randomElement(using: &random) else { continue }
        line = "undo #\(model.acts[index].number)"
        if model.gone.contains(index) {
          expected = "nothing-to-undo"
        } else if toggle(index) {
          model.undone[list].append(index)
        }
      default:
        line = "redo"
        if let last = model.undone[list].last {
          if toggle(last) { model.undone[list].removeLast() }
        } else {
          expected = "nothing-to-redo"
        }
      }
      let outcome = try (isAlone ? Conversation(with: host, who: names[who]) : people[who]).say(line)
      // Alone, a sequence may go back.
      if isAlone { model.nextID = host.store.state.tasks.nextId }
      told.append("\(names[who]): \(line)\(expected.isEmpty ? "" : "  -- \(expected) \(place)")")
      if line == "redo", expected.isEmpty, outcome.errors.contains("a later undo went back to a point before it") {
        // That one is a return to a point, behind which nothing can be brought back alone.
        model = before
        #expect(host.store.state == model.state)
        continue
      }
      let isAsExpected =
        expected.isEmpty
        ? outcome.errors.isEmpty : outcome.errors.contains("error[\(expected)]") && outcome.errors.contains(place)
      guard isAsExpected || place.isEmpty && outcome.errors.contains("error[\(expected)]"),
        host.store.state == model.state
      else {
        Issue.record(
          "\(told.joined(separator: "\n"))\n\(outcome.output)\(outcome.errors)\n\(host.store.state)\n\(model.state)")
        return
      }
    }
  }
}
