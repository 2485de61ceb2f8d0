import Platform
import ShellLanguage
import StoreCore
import StoreHost
import Synchronization

/// The messages that actions cause for a session: lines of watches, of the logger and of plugins. They wait until the session
/// looks, which never holds the store's turn while it does: behind each of its own actions and, where it is idle, when it is woken
/// (R34, R35). For an idle session they are bounded; of a watch the newest is among those that are told, whatever is left out.
final class SessionInbox: Sendable {
  /// The number of messages that may wait for an idle session.
  static let limit = 1000
  /// About so many bytes of them may wait.
  static let byteLimit = 1 << 20

  /// Something to be told.
  private struct Message {
    /// The action that caused it; nil: it stands where it came.
    let number: Int?
    /// The watch that it is of; nil: of none.
    let watch: Int?
    let bytes: Int
    let tell: @Sendable () -> Void
  }

  private struct Content {
    /// The first of them, in the order in which they came.
    var waiting: [Message] = []
    /// The newest of each watch, where more came than may wait.
    var newest: [Int: Message] = [:]
    var bytes = 0
    /// True once there was no room for a message; what is newest then stays behind the others until the session has looked.
    var isFull = false
    var leftOut = 0
    /// Has the session look at what it watches itself.
    var look: (@Sendable () -> Void)?

    var hasRoom: Bool { waiting.count < limit && bytes < byteLimit }

    mutating func append(_ message: Message) {
      waiting.append(message)
      bytes += message.bytes
    }

    /// Takes a message for which there is no room, in the place of an earlier one of its watch; others are counted.
    mutating func squeeze(_ message: Message) {
      isFull = true
      guard let watch = message.watch else { return leftOut += 1 }
      if newest.updateValue(message, forKey: watch) != nil {
        leftOut += 1
      } else if let last = waiting.lastIndex(where: { $0.watch == watch }) {
        bytes -= waiting.remove(at: last).bytes
        leftOut += 1
      }
    }
  }

  /// The thread that used the session last; 0: none did.
  private let thread = Atomic<UInt>(0)
  private let isEmpty = Atomic<Bool>(true)
  private let content = Lock(Content())
  /// Set while messages are told: telling writes, and looks again before it does.
  private let isTelling = SharedFlag()
  /// Set while the session looks at what it watches itself, which says how much that is.
  private let isLooking = SharedFlag()
  private let wake: @Sendable () -> Void
  /// Tells whether a statement runs, which looks soon: nothing is lost meanwhile.
  private let activity: ClientActivity

  /// - Parameters:
  ///   - activity: what the session does.
  ///   - wake: has the session look soon; called on the thread of whoever brings something, unless a statement of the session's
  ///     own looks behind it.
  init(of activity: ClientActivity = ClientActivity(), wake: @escaping @Sendable () -> Void) {
    self.activity = activity
    self.wake = wake
  }

  private static var currentThread: UInt { UInt(pthread_self()) }

  /// True if this thread is the session's own.
  var isOwnThread: Bool { thread.load(ordering: .relaxed) == Self.currentThread }

  /// True if this thread uses the session already, and nothing waits for it.
  var hasNothingNew: Bool { isOwnThread && !hasMessages && !isStoreClosed.isSet }

  /// True if something waits to be told.
  var hasMessages: Bool { !isEmpty.load(ordering: .acquiring) }

  /// Makes this thread the session's own, and tells what waited for it, in the order of the actions. Messages that come meanwhile
  /// are told behind these, when the session looks again.
  ///
  /// - Parameter tellLeftOut: tells the number of messages left out, because more came than may wait.
  func take(_ tellLeftOut: @escaping (Int) -> Void) {
    if !isOwnThread { thread.store(Self.currentThread, ordering: .relaxed) }
    guard hasMessages, !isTelling.set(true) else { return }
    defer { _ = isTelling.set(false) }
    let look = takeLook()
    let messages = takeMessages()
    if look == nil, messages.newest.isEmpty, messages.leftOut == 0 {
      for message in messages.waiting { message.tell() }
      return
    }
    var steps = Self.steps(of: messages, tellLeftOut)
    if let look {
      _ = isLooking.set(true)
      look()
      _ = isLooking.set(false)
      steps = Self.inOrder(steps + Self.steps(of: takeMessages(), tellLeftOut))
    }
    for step in steps { step.tell() }
  }

  /// True if the session is to look at what it watches itself, which may take long.
  var hasLook: Bool { hasMessages && content.withLock { $0.look != nil } }

  private func takeLook() -> (@Sendable () -> Void)? {
    content.withLock { content in
      defer { content.look = nil }
      return content.look
    }
  }

  /// Takes the messages alone: a look that somebody asks for meanwhile is for the next time.
  private func takeMessages() -> Content {
    content.withLock { content in
      let taken = content
      content = Content(look: content.look)
      isEmpty.store(content.look == nil, ordering: .relaxed)
      return taken
    }
  }

  /// A message, or what stands for those that are left out.
  private typealias Step = (number: Int?, tell: () -> Void)

  private static func steps(of content: Content, _ tellLeftOut: @escaping (Int) -> Void) -> [Step] {
    var steps: [Step] = content.waiting.map { ($0.number, $0.tell) }
    if content.leftOut > 0 { steps.append((nil, { tellLeftOut(content.leftOut) })) }
    return steps + inOrder(content.newest.values.map { ($0.number, $0.tell) })
  }

  /// Puts them in the order of the actions that caused them; what none did stays behind what came before it.
  private static func inOrder(_ steps: [Step]) -> [Step] {
    guard steps.count > 1 else { return steps }
    var last = 0
    let keyed = steps.map { step in
      last = max(last, step.number ?? 0)
      return (number: step.number ?? last, step: step)
    }
    // The sort of the standard library is stable.
    return keyed.sorted { $0.number < $1.number }.map(\.step)
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
  /// - Parameters:
  ///   - size: about how many bytes it keeps until then.
  ///   - number: the action that caused it; nil: none did.
  ///   - watch: the watch that it is of; nil: of none.
  func bring(
    _ size: @autoclosure () -> Int = 64, by number: Int? = nil, of watch: Int? = nil,
    _ tell: @escaping @Sendable () -> Void
  ) {
    let isOwn = isOwnThread
    let isLook = isOwn && isLooking.isSet
    let isBounded = !isLook && !activity.isRunning
    let message = Message(number: number, watch: watch, bytes: isBounded ? size() : 0, tell: tell)
    content.withLock { content in
      isEmpty.store(false, ordering: .releasing)
      if isLook || !content.isFull && (!isBounded || content.hasRoom) {
        content.append(message)
      } else {
        content.squeeze(message)
      }
    }
    // The session that tells looks no more by itself.
    if !isOwn || (isTelling.isSet && !isLook) { wake() }
  }

  /// Has the session look at what it watches itself, before it tells what waits.
  ///
  /// - Parameter look: brings what it finds.
  func lookSoon(_ look: @escaping @Sendable () -> Void) {
    content.withLock { content in
      isEmpty.store(false, ordering: .releasing)
      content.look = look
    }
    if !isOwnThread || isTelling.isSet { wake() }
  }
}

extension Session {
  /// Tells what was caused since the session looked last; not within the turn, in which nobody waits for a reader.
  @inline(__always)
  func tellOthers() { if !inbox.hasNothingNew, !store.isInTurn { tellNews() } }

  @inline(never)
  private func tellNews() {
    inbox.take { self.tell(leftOut: $0) }
    if inbox.takeClosing() {
      let text = "the store was closed by the program that owns it"
      if options.isJSON { write(note: text) } else { console.writeError(text + "\n") }
      outcome.hasQuit = true
    }
  }

  private func tell(leftOut: Int) {
    let text =
      "\(DisplayText.shown("…", isUTF8: options.isUTF8)) \(leftOut) \(leftOut == 1 ? "line" : "lines") left out"
    if options.isJSON { console.writeEvent(JSONReport.printed(text)) } else { console.writeError(text + "\n") }
  }
}
