import StoreCore
import Synchronization

/// The interruption of what a conversation runs, from any thread.
final class DoorInterruption: Sendable {
  private let isRequestedFlag = Atomic<Bool>(false)
  private let hasEnded = Atomic<Bool>(false)
  private let handlers = Lock<[@Sendable () -> Void]>([])

  /// True if what runs is to stop.
  var isRequested: Bool { isRequestedFlag.load(ordering: .relaxed) || hasEnded.load(ordering: .relaxed) }

  func request() {
    isRequestedFlag.store(true, ordering: .relaxed)
    for stop in handlers.withLock({ $0 }) { stop() }
  }

  /// Stops what runs, and all that would.
  func end() {
    hasEnded.store(true, ordering: .relaxed)
    request()
  }

  /// Takes a request.
  ///
  /// - Returns: true if there was one.
  func take() -> Bool { isRequestedFlag.exchange(false, ordering: .relaxed) || hasEnded.load(ordering: .relaxed) }

  /// Sets the functions that stop the Lua that may be running.
  func set(_ handlers: [@Sendable () -> Void]) { self.handlers.withLock { $0 = handlers } }
}
