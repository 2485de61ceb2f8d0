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
    /// Brings a plugin anew, as it is: it concerns everybody.
    case reload

    var text: String {
      switch self {
      case .add(let title): "dispatch tasks.add \(title)"
      case .complete(let id): "dispatch tasks.complete \(id)"
      case .remove(let id): "dispatch tasks.remove \(id)"
      case .increment: "dispatch counter.increment"
      case .setStep(let step): "dispatch counter.setStep \(step)"
      case .reload: "plugin reload shop"
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
    /// What each person's undos took back, the last last; nil: a return to a point.
    var undone: [[Int?]] = [[], [], [], []]
    /// What was gone after each entry.
    var goneAfter: [Int: Set<Int>] = [0: []]
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
        case .reload: break
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

  /// The store is closed and opened again, as behind a restart of its server, and a fourth person reloads a plugin.
  @Test(arguments: 1...500)
  func nothingOfOthersIsEverChanged(seed: UInt64) throws {
    let place = try SharedPluginTests.Place()
    // The plugin is reloaded, and does nothing else.
    try place.write("0.1.0", #"return plugin { state = { field("n", int()) } }"#)
    try act(seed, isAlone: false, at: place)
  }

  @Test(arguments: 1...100)
  func nothingOfOthersIsEverChangedInMemory(seed: UInt64) throws { try act(seed, isAlone: false) }

  /// Each comes for one line and goes again: all is then their own to undo, and yet no action of another name is changed.
  @Test(arguments: 1...500)
  func nothingOfThoseWhoHaveGoneIsEverChanged(seed: UInt64) throws { try act(seed, isAlone: true) }

  private func act(_ seed: UInt64, isAlone: Bool, at place: SharedPluginTests.Place? = nil) throws {
    var random = SeededGenerator(seed: seed)
    var host =
      try place?.open()
      ?? StoreHost<StandardAction, StandardState>(
        Application(initial: StandardState(), reducer: StandardState.reducer), clock: VirtualClock(), program: "stsh")
    let names = ["ann", "bob", "cleo", "zed"]
    func come() throws -> [Conversation] {
      try names.map { try place?.come(host, $0) ?? Conversation(with: host, who: $0) }
    }
    var people = try isAlone ? [] : come()
    var model = Model()
    var told: [String] = []
    if let place {
      #expect(people[3].say("plugin load \(place.folder)/shop").errors == "")
      model.goneAfter[1] = []
    }
    for step in 1...30 {
      var who = Int.random(in: 0...2, using: &random)
      // Where each is alone, what anyone has undone is everybody's to redo.
      let list = isAlone ? 0 : who
      if isAlone { model.nextID = host.store.state.tasks.nextId }
      var (line, expected, named) = ("", "", "")
      func toggle(_ index: Int) -> Bool {
        guard let other = model.toggle(index, by: who) else { return true }
        (expected, named) = ("undo-conflict", "#\(model.acts[other].number) ")
        return false
      }
      switch Int.random(in: 0...(place == nil ? 12 : 15), using: &random) {
      case 12:
        let number = Int.random(in: (place == nil ? 0 : 1)...host.live.head, using: &random)
        line = "undo --to \(number)"
        let gone = (model.goneAfter[number] ?? []).union(model.acts.indices.filter { model.acts[$0].number > number })
        // What it brings back is nobody's undo any more.
        for (person, undone) in model.undone.enumerated() {
          model.undone[person] = undone.map { $0.flatMap { model.gone.contains($0) == gone.contains($0) ? $0 : nil } }
        }
        model.gone = gone
        model.undone[list].append(nil)
      case 13:
        people = []
        try host.close()
        host = try #require(try place?.open())
        people = try come()
        told.append("the store is opened again")
        continue
      case 14:
        // The last in effect is a reload; behind a gap it is refused to go back before it.
        guard let last = model.acts.indices.last(where: { !model.gone.contains($0) }),
          case .reload = model.acts[last].act
        else { continue }
        (who, line) = (3, "undo --any")
      case 15:
        who = 3
        model.acts.append(Done(act: .reload, person: who, number: host.live.head + 1, id: 0))
        line = Act.reload.text
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
          if case .reload = model.acts[last].act { continue }
          if toggle(last) { model.undone[list].append(last) }
        } else if place == nil {
          expected = "nothing-to-undo"
        } else {
          // The load of the plugin is left.
          continue
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
        if case .reload = model.acts[index].act { continue }
        line = "undo #\(model.acts[index].number)"
        if model.gone.contains(index) {
          expected = "nothing-to-undo"
        } else if toggle(index) {
          model.undone[list].append(index)
        }
      default:
        line = "redo"
        if let undone = model.undone[list].last {
          // A return to a point is not brought back here.
          guard let last = undone else { continue }
          if toggle(last) { model.undone[list].removeLast() }
        } else {
          expected = "nothing-to-redo"
        }
      }
      let before = model.gone
      if who == 3, line == "undo --any", let last = model.acts.indices.last(where: { !model.gone.contains($0) }) {
        model.gone.insert(last)
      }
      // A reload on the line of the load would be part of that.
      let lines = who == 3 ? ["echo", line] : [line]
      let outcome = try (isAlone ? Conversation(with: host, who: names[who]) : people[who]).say(lines)
      // Alone, a sequence may go back.
      if isAlone { model.nextID = host.store.state.tasks.nextId }
      if who == 3, outcome.errors.contains("concerns everybody") {
        model.gone = before
        continue
      }
      told.append("\(names[who]): \(line)\(expected.isEmpty ? "" : "  -- \(expected) \(named)")")
      let isAsExpected =
        expected.isEmpty
        ? outcome.errors.isEmpty : outcome.errors.contains("error[\(expected)]") && outcome.errors.contains(named)
      guard isAsExpected || named.isEmpty && outcome.errors.contains("error[\(expected)]"),
        host.store.state == model.state
      else {
        Issue.record(
          "\(told.joined(separator: "\n"))\n\(outcome.output)\(outcome.errors)\n\(host.store.state)\n\(model.state)")
        return
      }
      model.goneAfter[host.live.head] = model.gone
    }
  }
}
