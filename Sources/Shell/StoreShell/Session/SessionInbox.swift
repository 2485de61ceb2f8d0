import Platform
import ShellLanguage
import StoreCore
import StoreHost
import Synchronization

/// The messages that actions cause for a session: lines of watches, of the logger and of plugins. They wait until the session
/// looks, which never holds the store's turn while it does: behind each of its own actions and, where it is idle, when it is woken
/// (R34, R35).
final class SessionInbox: Sendable {
  /// The number of messages that may wait for an idle session.
  static let limit = 1000
  /// About so many bytes of them may wait.
  private static let byteLimit = 1 << 20

  /// The thread that used the session last; 0: none did.
  private let thread = Atomic<UInt>(0)
  private let isEmpty = Atomic<Bool>(true)
  private let content = Lock<(waiting: [@Sendable () -> Void], bytes: Int, leftOut: Int)>(([], 0, 0))
  /// Set while messages are told: telling writes, and looks again before it does.
  private let isTelling = SharedFlag()
  private let wake: @Sendable () -> Void
  /// Whether a statement runs, which looks soon: nothing is lost meanwhile.
  let isBusy = SharedFlag()

  /// - Parameter wake: has the session look soon; called on the thread of whoever brings something,
  ///   unless a statement of the session's own looks behind it.
  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  private static var currentThread: UInt { UInt(pthread_self()) }

  /// True if this thread is the session's own.
  var isOwnThread: Bool { thread.load(ordering: .relaxed) == Self.currentThread }

  /// True if this thread uses the session already, and nothing waits for it.
  var hasNothingNew: Bool { isOwnThread && !hasMessages && !isStoreClosed.isSet }

  /// True if something waits to be told.
  var hasMessages: Bool { !isEmpty.load(ordering: .acquiring) }

  /// Makes this thread the session's own, and tells what waited for it. Messages that come meanwhile are told behind these,
  /// when the session looks again.
  ///
  /// - Returns: the number of messages left out, because more came than may wait.
  func take() -> Int {
    if !isOwnThread { thread.store(Self.currentThread, ordering: .relaxed) }
    guard hasMessages, !isTelling.set(true) else { return 0 }
    defer { _ = isTelling.set(false) }
    let (waiting, _, leftOut) = content.withLock { content in
      defer { content = ([], 0, 0) }
      isEmpty.store(true, ordering: .relaxed)
      return content
    }
    for tell in waiting { tell() }
    return leftOut
  }

  /// Leaves the session to whichever thread uses it next.
  func rest() { thread.store(0, ordering: .relaxed) }

  /// Set once the store that the session speaks to is closed.
  private let isStoreClosed = SharedFlag()

  /// Takes note that the store is closed.
  func closeStore() {
    _ = isStoreClosed.set(true)
    wake()
  }

  /// True once, if the store was closed.
  func takeClosing() -> Bool { isStoreClosed.isSet && isStoreClosed.set(false) }

  /// Takes note that the store has something to tell, beside messages: whoever uses the session asks behind what it does.
  func noteWords() { if !isOwnThread { wake() } }

  /// Has something told when the session looks.
  ///
  /// - Parameter size: about how many bytes it keeps until then.
  /// - Returns: false where too much waits already: it is counted, and not told.
  @discardableResult
  func bring(_ size: @autoclosure () -> Int = 64, _ tell: @escaping @Sendable () -> Void) -> Bool {
    let isTaken = content.withLock { content in
      isEmpty.store(false, ordering: .releasing)
      if isBusy.isSet || (content.waiting.count < Self.limit && content.bytes < Self.byteLimit) {
        content.waiting.append(tell)
        if !isBusy.isSet { content.bytes += size() }
        return true
      }
      content.leftOut += 1
      return false
    }
    // The session that tells looks no more by itself.
    if !isOwnThread || isTelling.isSet { wake() }
    return isTaken
  }
}

extension Session {
  /// Tells what was caused since the session looked last; not within the turn, in which nobody waits for a reader.
  func tellOthers() {
    if inbox.hasNothingNew || store.isInTurn { return }
    let leftOut = inbox.take()
    if inbox.takeClosing() {
      console.writeError("the store was closed by the program that owns it\n")
      outcome.hasQuit = true
    }
    guard leftOut > 0 else { return }
    let text =
      "\(DisplayText.shown("…", isUTF8: options.isUTF8)) \(leftOut) \(leftOut == 1 ? "line" : "lines") left out"
    if options.isJSON { console.writeEvent(JSONReport.printed(text)) } else { console.writeError(text + "\n") }
  }
}
