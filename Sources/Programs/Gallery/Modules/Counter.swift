import StoreCore
import StoreSchema
import StoreUnits

/// The module `counter`: a value that goes up or down, as far as a limit lets it.
@Schema
struct Counter: Hashable, Sendable {
  /// The value.
  var count = 0
  /// Where `updateCount` takes it.
  var direction = Direction.up
  /// How far up it goes; down it goes to zero.
  var limit = 3

  /// The direction of a counter.
  @Schema
  enum Direction: Hashable, Sendable { case up, down }
}

/// The actions of the counter.
@Schema
enum CounterAction: Hashable, Sendable {
  /// Counts up.
  case increment
  /// Counts down.
  case decrement
  /// Sets where it goes.
  case setDirection(to: Counter.Direction)
  /// Sets how far up it goes.
  case setLimit(to: Int)
}

extension Counter {
  /// The counter's reducer. A step past the ends of Int is an error.
  static let reducer = Reducer<CounterAction, Counter>.throwing("counter") { action, counter, _ in
    switch action {
    case .increment: try counter.count +!= 1
    case .decrement: try counter.count -!= 1
    case .setDirection(let direction): counter.direction = direction
    case .setLimit(let limit): counter.limit = limit
    }
  }

  /// The argument of the thunk `updateCount`.
  @Schema
  struct Update: Sendable {
    /// How often to look.
    var times = 1
  }

  /// Looks at the counter, and counts up, down or not at all.
  static func updateCount(_ update: Update) -> Thunk<CounterAction, Counter> {
    Thunk("updateCount") { context in
      for _ in 0..<max(update.times, 0) {
        let counter = context.state()
        switch counter.direction {
        case .up where counter.count < counter.limit: await context.dispatchAndWait(.increment)
        case .down where counter.count > 0: await context.dispatchAndWait(.decrement)
        case .up, .down: return
        }
      }
    }
  }
}
