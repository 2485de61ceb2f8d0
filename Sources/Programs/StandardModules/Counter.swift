import StoreCore
import StoreSchema

// @Schema, by scripts/expand.
/// The module `counter`: a value that steps up and down.
package struct Counter: Hashable, Sendable {
  /// The value.
  package var value = 0
  /// How far a step goes that does not say so itself.
  package var step = 1

  /// Stands at zero, with steps of one.
  package init() {}
}

// @Schema, by scripts/expand.
/// The actions of the counter.
package enum CounterAction: Hashable, Sendable {
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

extension CounterAction {
  fileprivate var isStep: Bool {
    switch self {
    case .increment, .decrement: true
    case .setStep, .reset: false
    }
  }
}

extension Counter {
  /// The counter's reducer. A step past the ends of Int is an error.
  package static let reducer = Reducer<CounterAction, Counter>.throwing("counter", canFail: \.isStep) {
    action, counter, _ in
    switch action {
    case .increment(let distance): try counter.value +!= distance ?? counter.step
    case .decrement(let distance): try counter.value -!= distance ?? counter.step
    case .setStep(let step): counter.step = step
    case .reset: counter.value = 0
    }
  }
}
