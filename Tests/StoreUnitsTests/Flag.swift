import Dispatch

/// Something that one thread waits for and another one does.
final class Flag: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func raise() { semaphore.signal() }
  func wait() { semaphore.wait() }
}
