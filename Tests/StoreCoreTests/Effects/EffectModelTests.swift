import StoreCore
import Testing

/// R18, row 71: random starts, cancels and waits against a list that is searched from end to end.
@Suite struct EffectModelTests {
  /// What the registry ought to do.
  private struct Model {
    struct Waiting {
      let token: Int
      let due: Int
      let id: Int
    }

    var now = 0
    var waiting: [Waiting] = []
    var windows: [Int: Int] = [:]
    var emitted: [Int] = []

    mutating func start(_ id: Int, token: Int, after delay: Int, arrival: Int) {
      var due = now + max(delay, 0)
      switch arrival {
      case 1: if waiting.contains(where: { $0.token == token }) { return }
      case 2: due += 3
      case 3:
        if let end = windows[token], end > now { return }
        windows[token] = now + 4
      default: break
      }
      waiting.removeAll { $0.token == token }
      if due == now { emitted.append(id) } else { waiting.append(Waiting(token: token, due: due, id: id)) }
    }

    mutating func advance(by seconds: Int) {
      now += seconds
      let due = waiting.filter { $0.due <= now }.sorted { ($0.due, $0.id) < ($1.due, $1.id) }
      emitted += due.map(\.id)
      waiting.removeAll { $0.due <= now }
    }
  }

  @Test(arguments: 0..<50)
  func theRegistryDoesWhatASearchedListDoes(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let u = CountMiddleware.effects("u") { action, _, _ in
      // A start is written as one number: id, arrival, delay and token.
      guard case .set(let code) = action, code >= 0 else { return .none }
      let (token, delay, arrival) = (code % 10, code / 10 % 10 - 2, code / 100 % 10)
      if arrival == 9 { return .cancel(token) }
      let effect = CountEffect.just(.set(-1 - code / 1_000)).after(.seconds(delay))
      return switch arrival {
      case 1: effect.exclusive(token)
      case 2: effect.debounce(token, for: .seconds(3))
      case 3: effect.throttle(token, for: .seconds(4))
      default: effect.token(token)
      }
    }
    let bench = try Bench(u)
    let emitted = Notes<Int>()
    bench.store.setRecorder { if case .set(let value) = $0.action, value < 0 { emitted.note(-1 - value) } }
    var model = Model()
    for id in 0..<300 {
      let token = Int.random(in: 0..<4, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0:
        bench.send(.set(id * 1_000 + 900 + token))
        model.waiting.removeAll { $0.token == token }
      case 1:
        let seconds = Int.random(in: 0..<4, using: &generator)
        bench.advance(Double(seconds))
        model.advance(by: seconds)
      default:
        let (delay, arrival) = (Int.random(in: -2..<6, using: &generator), Int.random(in: 0..<4, using: &generator))
        bench.send(.set(id * 1_000 + arrival * 100 + (delay + 2) * 10 + token))
        model.start(id, token: token, after: delay, arrival: arrival)
      }
      #expect(emitted.all == model.emitted)
      #expect(bench.store.effects.count == model.waiting.count)
    }
  }
}
