import StoreCore
import Testing

@testable import StoreHost

/// Three people at a list without ids and at money, beside a model in which each element is one: whatever is taken back or brought back,
/// no action of another touches another element than it did.
@Suite struct SharedListModelTests {
  private enum Act {
    case append(Int)
    case insert(Int, Int)
    case remove(Int)
    case set(Int, Int)
    case take(Int)

    var text: String {
      switch self {
      case .append(let n): "dispatch shop.append \(n)"
      case .insert(let index, let n): "dispatch shop.insert \(index) \(n)"
      case .remove(let index): "dispatch shop.remove \(index)"
      case .set(let index, let n): "dispatch shop.set \(index) \(n)"
      case .take(let sum): "dispatch shop.take \(sum).50"
      }
    }
  }

  private struct Done {
    let act: Act
    let person: Int
    let number: Int
  }

  private struct Effect: Equatable {
    var hasFailed = false
    /// The act that put the element there that is removed or set.
    var element: Int?
  }

  private struct Model {
    var acts: [Done] = []
    var gone: Set<Int> = []
    var undone: [[Int]] = [[], [], []]

    func run(without gone: Set<Int>) -> (list: [Int], halves: Int, effects: [Int: Effect]) {
      var (list, halves, effects): ([(origin: Int, n: Int)], Int, [Int: Effect]) = ([], 0, [:])
      for (index, done) in acts.enumerated() where !gone.contains(index) {
        var effect = Effect()
        switch done.act {
        case .append(let n): list.append((index, n))
        case .insert(let place, let n):
          effect.hasFailed = place > list.count + 1
          if !effect.hasFailed { list.insert((index, n), at: place - 1) }
        case .remove(let place):
          effect.hasFailed = place > list.count
          if !effect.hasFailed { effect.element = list.remove(at: place - 1).origin }
        case .set(let place, let n):
          effect.hasFailed = place > list.count
          if !effect.hasFailed {
            effect.element = list[place - 1].origin
            list[place - 1].n = n
          }
        case .take(let sum): halves += 2 * sum + 1
        }
        effects[index] = effect
      }
      return (list.map(\.n), halves, effects)
    }

    /// Takes an act back, or brings it back.
    ///
    /// - Returns: the first act of another that would touch another element, or fail, or succeed; nil: none would.
    mutating func toggle(_ index: Int, by person: Int) -> Int? {
      let after = gone.symmetricDifference([index])
      let (old, new) = (run(without: gone).effects, run(without: after).effects)
      gone = after
      return old.keys.sorted().first { $0 > index && acts[$0].person != person && old[$0] != new[$0] }
    }
  }

  @Test(arguments: 1...200)
  func noActionTouchesAnotherElement(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (place, host) = (try SharedPluginTests.Place(), try SharedStoreTests.host())
    let people = try ["ann", "bob", "cleo"].map { try place.come(host, $0) }
    people[0].say("plugin load \(place.folder)/shop")
    var model = Model()
    var told: [String] = []
    for _ in 1...30 {
      let who = Int.random(in: 0...2, using: &random)
      let before = model
      var (line, conflict): (String, Int?) = ("", nil)
      switch Int.random(in: 0...9, using: &random) {
      case 0...5:
        let count = model.run(without: model.gone).list.count
        // Each value is another: elements that are equal count as one.
        let (index, n) = (Int.random(in: 1...max(count, 1), using: &random), model.acts.count + 1)
        let all: [Act] = count == 0 ? [.append(n)] : [.append(n), .insert(index, n), .remove(index), .set(index, n)]
        let act = try #require((all + [.take(n)]).randomElement(using: &random))
        model.acts.append(Done(act: act, person: who, number: host.live.head + 1))
        model.undone[who] = []
        line = act.text
      case 6...8:
        guard let index = model.acts.indices.filter({ !model.gone.contains($0) }).randomElement(using: &random) else {
          continue
        }
        line = "undo #\(model.acts[index].number)"
        conflict = model.toggle(index, by: who)
        model.undone[who].append(index)
      default:
        guard let last = model.undone[who].popLast() else { continue }
        line = "redo"
        conflict = model.toggle(last, by: who)
      }
      let outcome = people[who].say("\(line) --quiet")
      told.append("\(who): \(line)  \(outcome.errors)")
      if line.hasPrefix("dispatch") {
        #expect(outcome.errors == "")
      } else if outcome.errors.contains("error[undo-conflict]") {
        model = before
      } else {
        #expect(conflict == nil && outcome.errors == "", "\(told.joined(separator: "\n"))")
      }
      let (list, halves, _) = model.run(without: model.gone)
      let state = people[who].say("= table.concat(state.shop.list, ' ') .. ' ' .. tostring(state.shop.cash * 2)").output
      guard state == "\"\(list.map { "\($0)" }.joined(separator: " ")) \(halves).00\"\n" else {
        Issue.record("\(told.joined(separator: "\n"))\n\(state)\(list) \(halves)")
        return
      }
    }
  }
}
