import StoreCore
import TraceSupport

typealias CountEffect = Effect<Void, Act>

/// A store with a virtual clock and a trace.
struct Bench {
  let store: Counting
  let clock: VirtualClock
  let trace: TraceLines

  init(
    _ middleware: CountMiddleware, kinds: String = "QE", runawayLimit: Int = 1000, initial: Int = 0
  ) throws {
    clock = VirtualClock()
    store = try Counting(
      initial: initial, reducer: count, middleware: middleware, clock: clock, runawayLimit: runawayLimit)
    trace = TraceLines(kinds)
    trace.listen(to: store)
  }

  /// Dispatches, and gives the trace lines since the last call.
  @discardableResult
  func send(_ action: Act) -> [String] {
    store.dispatch(action)
    return trace.take()
  }

  /// Moves the clock, and gives the trace lines since the last call.
  @discardableResult
  func advance(_ seconds: Double) -> [String] {
    clock.advance(by: .milliseconds(Int((seconds * 1000).rounded())))
    return trace.take()
  }
}

/// A unit that answers named actions by effects.
func effects(
  _ name: String = "u", _ answers: @escaping @Sendable (String) -> CountEffect
) -> CountMiddleware {
  .effects(name) { action, _, _ in
    guard case .named(let name) = action else { return .none }
    return answers(name)
  }
}

import Glibc

/// Tells threads apart.
enum StoreThread {
  static var current: UInt { UInt(pthread_self()) }

  /// Lets other threads go on.
  static func yield() { sched_yield() }
}
