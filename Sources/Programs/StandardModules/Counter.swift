import StoreCore
import StoreSchema

/// The module `counter`: a value that steps up and down.
@Schema
public struct Counter: Hashable, Sendable {
  /// The value.
  public var value = 0
  /// How far a step goes that does not say so itself.
  public var step = 1

  /// Stands at zero, with steps of one.
  public init() {}
}

/// The actions of the counter.
@Schema
public enum CounterAction: Hashable, Sendable {
  /// Steps up.
  ///
  /// - Parameter by: how far; the counter's step if left out.
  case increment(by: Int? = nil)
  /// Steps down.
  ///
  /// - Parameter by: how far; the counter's step if left out.
  case decrement(by: Int? = nil)
  /// Sets how far a step goes.
  case setStep(to: Int)
  /// Stands at zero again; the step stays.
  case reset
}

extension Counter {
  /// The counter's reducer. Values that would not fit wrap around.
  public static let reducer = Reducer<CounterAction, Counter>("counter") { action, counter in
    switch action {
    case .increment(let distance): counter.value &+= distance ?? counter.step
    case .decrement(let distance): counter.value &-= distance ?? counter.step
    case .setStep(let step): counter.step = step
    case .reset: counter.value = 0
    }
  }
}
