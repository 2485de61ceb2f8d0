import Platform
import StoreCore
import StoreHost
import Synchronization

/// The messages that others cause for a session: lines of watches, of the logger and of plugins. A message from the
/// session's own thread is told at once. A message from another thread waits until the session looks, and wakes it
/// (R35).
final class SessionInbox: Sendable {
  /// The number of messages that may wait.
  private static let limit = 1000

  /// The thread that used the session last; 0: none did.
  private let thread = Atomic<UInt>(0)
  private let isEmpty = Atomic<Bool>(true)
  private let content = Lock<(waiting: [@Sendable () -> Void], leftOut: Int)>(([], 0))
  private let wake: @Sendable () -> Void

  /// - Parameter wake: has the session look soon; called on the thread of whoever brings something.
  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  private static var currentThread: UInt { UInt(pthread_self()) }

  /// True if this thread is the session's own.
  var isOwnThread: Bool { thread.load(ordering: .relaxed) == Self.currentThread }

  /// Makes this thread the session's own, and tells what waited for it.
  ///
  /// - Returns: the number of messages left out, because more came than may wait.
  func take() -> Int {
    if !isOwnThread { thread.store(Self.currentThread, ordering: .relaxed) }
    guard !isEmpty.load(ordering: .acquiring) else { return 0 }
    let (waiting, leftOut) = content.withLock { content in
      defer { content = ([], 0) }
      isEmpty.store(true, ordering: .relaxed)
      return content
    }
    for tell in waiting { tell() }
    return leftOut
  }

  /// Set once the store that the session speaks to is closed.
  private let isStoreClosed = SharedFlag()

  /// Takes note that the store is closed.
  func closeStore() {
    _ = isStoreClosed.set(true)
    bring {}
  }

  /// True once, if the store was closed.
  func takeClosing() -> Bool { isStoreClosed.isSet && isStoreClosed.set(false) }

  /// Has something told, at once or when the session looks.
  func bring(_ tell: @escaping @Sendable () -> Void) {
    if isOwnThread { return tell() }
    content.withLock { content in
      if content.waiting.count < Self.limit { content.waiting.append(tell) } else { content.leftOut += 1 }
      isEmpty.store(false, ordering: .releasing)
    }
    wake()
  }
}

extension Session {
  /// Tells what others caused since the session looked last.
  func tellOthers() {
    let leftOut = inbox.take()
    if inbox.takeClosing() {
      console.writeError("the store was closed by the program that owns it\n")
      outcome.hasQuit = true
    }
    if leftOut > 0, !options.isJSON { console.writeError("… \(leftOut) \(leftOut == 1 ? "line" : "lines") left out\n") }
  }
}
