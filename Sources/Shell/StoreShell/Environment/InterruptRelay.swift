import StoreCore

/// Passes an interruption on to whatever a command that runs has made for itself, such as the stores of tests.
final class InterruptRelay: Sendable {
  private let targets = Lock<[@Sendable () -> Void]>([])

  /// Says what is to be stopped from now on.
  func set(_ interrupts: [@Sendable () -> Void]) { targets.withLock { $0 = interrupts } }

  /// Stops it; may be called from any thread.
  var interrupt: @Sendable () -> Void {
    { [self] in targets.withLock { $0 }.forEach { $0() } }
  }
}
