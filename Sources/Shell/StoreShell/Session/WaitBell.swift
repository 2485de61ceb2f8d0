import Dispatch
import StoreCore
import StoreHost

/// Ends the rests of a session that waits on a thread of a door. It is rung, from any thread, by what may end the wait: an action,
/// a message, an interruption. So a thousand waits cost nothing while nothing happens.
final class WaitBell: Sendable {
  private let rings = DispatchSemaphore(value: 0)
  private let isArmed = SharedFlag()

  func ring() { rings.signal() }

  /// Forgets the rings so far; what they told of is looked at behind this.
  func clear() { while rings.wait(timeout: .now()) == .success {} }

  /// Has the next action ring it.
  func arm(by actions: ActionSignal) {
    guard !isArmed.set(true) else { return }
    actions.next { [self] in
      _ = isArmed.set(false)
      ring()
    }
  }

  /// Waits for a ring, for some time at most.
  func wait(atMost time: Duration) {
    let (seconds, attoseconds) = max(time, .zero).components
    _ = rings.wait(timeout: .now() + .nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)))
  }
}
