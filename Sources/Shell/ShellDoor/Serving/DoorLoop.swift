import CEvents
import Platform
import ShellLanguage
import StoreCore
import StoreHost
import StoreSchema
import StoreShell
import Synchronization

/// The threads of a door. A free thread takes the next event and does what follows from it. A limit bounds the statements that run
/// at a time; further ones wait in a queue. A statement that waits has no place among them, and its thread is counted apart. So there
/// is always a thread for interruptions and looks.
final class DoorLoop: @unchecked Sendable {
  // Safe: the descriptors stay the same; all that changes has a lock or is atomic.
  let host: DoorHost
  let token: String?
  let limits: DoorLimits
  /// True if the number of conversations is what the system lets the process have open.
  private let isBoundByFiles: Bool
  /// Counts the bytes of requests that wait.
  let budget: DoorBudget
  /// Counts the bytes of answers that wait for their readers.
  let answers: DoorBudget
  let timer: DoorTimer
  private let socket: DoorSocket
  private let poll: Int32
  private let wakeUp: Int32
  private let stop: Int32
  /// Readable once a second, for a socket in the file system; -1: there is none to look after.
  private let pulse: Int32
  /// A descriptor in reserve, by which a client is refused when the process has no other; -1: none.
  private let reserve = Lock(DoorLoop.reserved())
  private let state = Lock(State())
  static let firstID = Mark.first
  private let idle = Atomic<Int>(0)
  /// The number of statements that run and do not wait.
  private let statements = Atomic<Int>(0)
  /// The number of statements that wait for a reader and have given their places away.
  private let slow = Atomic<Int>(0)
  /// The time from which on it is looked again for clients that do not read.
  private let nextLook = Lock(ContinuousClock.now)
  /// True if there was so much to do that memory is given back behind it.
  private let hasStrained = Atomic<Bool>(false)
  /// Whether conversations wait for a place to run a statement; written with the state's lock held.
  let hasParked = Atomic<Bool>(false)
  private let isOpen = Atomic<Bool>(false)
  private let isClosing = Atomic<Bool>(false)
  private let isClosed = Atomic<Bool>(false)
  /// Signalled when a conversation or a thread ends while the door closes.
  private let hasLeft = CountedSignal()
  /// Whether any conversation waits to be looked at; written with the state's lock held.
  private let hasReady = Atomic<Bool>(false)

  private struct State {
    var conversations: [UInt64: Conversation] = [:]
    var ready: [Conversation] = []
    /// The conversations that wait for a place to run a statement.
    var parked = ParkedQueue<Conversation>()
    /// Those that wait no longer, with whether they have a place.
    var resumed: [(conversation: Conversation, hasPlace: Bool)] = []
    var nextReady = 0
    var nextID = Mark.first
    var threads = 0
    /// The number of threads whose statements wait.
    var waiting = 0
    var isStopped = false
    /// Why nobody comes in any more; nil: they do.
    var ending: String?
  }

  /// The events that belong to no conversation.
  private enum Mark {
    static let socket: UInt64 = 0
    static let wakeUp: UInt64 = 1
    static let timer: UInt64 = 2
    static let stop: UInt64 = 3
    static let pulse: UInt64 = 4
    static let first: UInt64 = 16
  }

  init(_ host: DoorHost, at socket: DoorSocket, token: String?, limits: DoorLimits) throws(ShellError) {
    self.host = host
    self.socket = socket
    self.token = token
    self.limits = limits.fitting
    isBoundByFiles = self.limits.conversations < limits.conversations
    budget = DoorBudget(limit: limits.allBytes)
    answers = DoorBudget(limit: limits.allAnswerBytes)
    poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    (wakeUp, stop) = (eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)), eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
    timer = DoorTimer()
    if case .unix = socket.address { pulse = Self.makePulse() } else { pulse = -1 }
    guard poll >= 0, wakeUp >= 0, stop >= 0, timer.descriptor >= 0 else {
      let code = errno
      for descriptor in [poll, wakeUp, stop, pulse] where descriptor >= 0 { Platform.close(descriptor) }
      throw ShellError(FileError(path: socket.address.text, code: code, .writing))
    }
    let edges = EPOLLIN.rawValue | EPOLLET.rawValue
    add(wakeUp, edges, Mark.wakeUp)
    add(timer.descriptor, edges, Mark.timer)
    add(stop, EPOLLIN.rawValue, Mark.stop)
    if pulse >= 0 { add(pulse, edges, Mark.pulse) }
    for _ in 0..<2 { if let reason = startThread() { throw ShellError(code: .failed, message: reason, status: 2) } }
  }

  deinit {
    for descriptor in [poll, wakeUp, stop, pulse, reserve.withLock { $0 }] where descriptor >= 0 {
      Platform.close(descriptor)
    }
  }

  private static func reserved() -> Int32 { Platform.open("/dev/null", O_RDONLY | O_CLOEXEC) }

  private static func makePulse() -> Int32 {
    let descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    let second = timespec(tv_sec: 1, tv_nsec: 0)
    var setting = itimerspec(it_interval: second, it_value: second)
    timerfd_settime(descriptor, 0, &setting, nil)
    return descriptor
  }

  /// Lets in all who wait.
  func open() {
    guard !isOpen.exchange(true, ordering: .acquiringAndReleasing) else { return }
    watchSocket()
  }

  private func watchSocket() { add(socket.descriptor, EPOLLIN.rawValue | EPOLLET.rawValue, Mark.socket) }

  /// Makes the socket again where other programs have removed it, and tells all sessions.
  private func keepSocket() {
    // A timer that is not read stands.
    var count: UInt64 = 0
    _ = read(pulse, &count, 8)
    guard isOpen.load(ordering: .acquiring), !isClosing.load(ordering: .relaxed) else { return }
    let removed = "the socket at \(SafeText.line(socket.address.text)) was removed"
    switch socket.restore(emptying: accept) {
    case .made:
      watchSocket()
      host.live.tell(note: "\(removed); the door has made it again")
    case .refused(let reason): host.live.tell(note: "\(removed) and cannot be made again: \(SafeText.line(reason))")
    case nil: return
    }
  }

  private func add(_ descriptor: Int32, _ events: UInt32, _ mark: UInt64) {
    var event = epoll_event(events: events, data: epoll_data_t(u64: mark))
    epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event)
  }

  // MARK: Threads

  /// The number of threads beside those of statements: they look, and hear interruptions. They stay when there is nothing to do.
  static let spare = 4

  /// Starts a thread if there may be another one.
  ///
  /// - Returns: why the system gives none; nil: it does, or there are enough.
  @discardableResult
  private func startThread() -> String? {
    let isWanted = state.withLock { state in
      guard state.threads - state.waiting < limits.threads + Self.spare, !state.isStopped else { return false }
      state.threads += 1
      if state.threads > 4 * Self.spare { hasStrained.store(true, ordering: .relaxed) }
      return true
    }
    guard isWanted else { return nil }
    idle.wrappingAdd(1, ordering: .relaxed)
    do throws(WorkerThread.Refusal) {
      try WorkerThread { self.work() }.detach()
      return nil
    } catch {
      idle.wrappingSubtract(1, ordering: .relaxed)
      state.withLock { $0.threads -= 1 }
      return error.reason
    }
  }

  private func work() {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    var isCounted = true
    defer {
      block.deallocate()
      if isCounted { state.withLock { $0.threads -= 1 } }
      noteLeaving()
    }
    var event = epoll_event()
    while true {
      let count = epoll_wait(poll, &event, 1, isRestless ? 1000 : -1)
      guard count > 0 else {
        if count < 0, errno != EINTR { return }
        guard count == 0 else { continue }
        giveMemoryBack()
        guard !endsIdle() else {
          isCounted = false
          return
        }
        continue
      }
      if event.data.u64 == Mark.stop { return }
      if idle.wrappingSubtract(1, ordering: .relaxed).newValue == 0 { startThread() }
      take(event.events, of: event.data.u64, block)
      if answers.held > limits.allAnswerBytes / 8 { hasStrained.store(true, ordering: .relaxed) }
      // Events go to their followers without a look at the room there is.
      if answers.isSpent { endUnread() }
      guard !isSurplus() else {
        isCounted = false
        return
      }
      idle.wrappingAdd(1, ordering: .relaxed)
    }
  }

  /// Takes a thread out of the count if there are more than are needed, as after many waits.
  private func isSurplus() -> Bool {
    state.withLock { state in
      guard state.threads - state.waiting > limits.threads + Self.spare else { return false }
      state.threads -= 1
      return true
    }
  }

  /// True if a thread that has nothing to do for a second has something to do then.
  private var isRestless: Bool {
    idle.load(ordering: .relaxed) > Self.spare || hasStrained.load(ordering: .relaxed)
  }

  /// Takes a thread out of the count that had nothing to do, if enough others have not, either.
  private func endsIdle() -> Bool {
    guard idle.wrappingSubtract(1, ordering: .relaxed).newValue >= Self.spare else {
      idle.wrappingAdd(1, ordering: .relaxed)
      return false
    }
    state.withLock { $0.threads -= 1 }
    return true
  }

  /// Gives the allocator's free memory back to the system, once behind much work.
  private func giveMemoryBack() {
    guard hasStrained.load(ordering: .relaxed), answers.held <= limits.allAnswerBytes / 8 else { return }
    let busy = state.withLock { $0.threads - $0.waiting } - idle.load(ordering: .relaxed)
    guard busy <= Self.spare, hasStrained.exchange(false, ordering: .relaxed) else { return }
    malloc_trim(0)
  }

  var threads: Int { state.withLock { $0.threads } }
  var waiting: Int { state.withLock { $0.waiting } }

  // MARK: Statements

  /// The most statements that run at a time.
  private var places: Int { max(1, limits.threads - 1) }

  /// Takes a place for a statement; false: there is none, and the conversation is to be parked.
  func takesPlace() -> Bool { statements.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue <= places }

  /// Queues a conversation that got no place; a thread resumes it once there is one, perhaps before this returns.
  ///
  /// - Parameter isBehind: true if its client has sent more than that, and so goes behind those that wait for one answer.
  func park(_ conversation: Conversation, behindOthers isBehind: Bool) {
    state.withLock { state in
      state.parked.append(conversation, behindOthers: isBehind)
      hasParked.store(true, ordering: .sequentiallyConsistent)
    }
    endStatement()
  }

  /// Gives a place back: the first conversation of the queue gets it.
  func endStatement() {
    statements.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    guard hasParked.load(ordering: .sequentiallyConsistent) else { return }
    let hasResumed = state.withLock { state in
      var hasResumed = false
      while statements.load(ordering: .sequentiallyConsistent) < places, let next = state.parked.takeFirst() {
        statements.wrappingAdd(1, ordering: .sequentiallyConsistent)
        state.resumed.append((next, true))
        hasResumed = true
      }
      hasParked.store(!state.parked.isEmpty, ordering: .sequentiallyConsistent)
      return hasResumed
    }
    if hasResumed { signal(wakeUp) }
  }

  /// Resumes a conversation that is queued, although no place is free: its statement is to end before it begins.
  func hurry(_ conversation: Conversation) {
    guard hasParked.load(ordering: .sequentiallyConsistent) else { return }
    let isParked = state.withLock { state in
      guard state.parked.remove(conversation) else { return false }
      state.resumed.append((conversation, false))
      hasParked.store(!state.parked.isEmpty, ordering: .sequentiallyConsistent)
      return true
    }
    if isParked { signal(wakeUp) }
  }

  /// Gives the place of a statement away while it waits. Another thread is there for others then.
  ///
  /// - Returns: why it may not wait; nil: it may.
  func beginWait() -> String? {
    let isFull = state.withLock { state in
      guard state.waiting < limits.waits else { return true }
      state.waiting += 1
      return false
    }
    if isFull { return "\(limits.waits) statements wait at this door already, and no more may" }
    if idle.load(ordering: .relaxed) == 0, let reason = startThread() {
      state.withLock { $0.waiting -= 1 }
      return reason
    }
    endStatement()
    return nil
  }

  /// Takes a place again; there may be one more then than usual.
  func endWait() {
    statements.wrappingAdd(1, ordering: .sequentiallyConsistent)
    state.withLock { $0.waiting -= 1 }
  }

  /// Tells that a statement waits for a reader.
  ///
  /// - Returns: false: so many do that this one keeps its place.
  func beginSlowWait() -> Bool {
    guard slow.wrappingAdd(1, ordering: .relaxed).newValue > limits.slowReaders else { return true }
    endSlowWait()
    return false
  }

  func endSlowWait() { slow.wrappingSubtract(1, ordering: .relaxed) }

  /// The time for which a reader is waited for that takes nothing. Where too much waits to be read, those who do not read are ended.
  func patienceWithReaders() -> Duration {
    if answers.isSpent {
      endUnread()
    } else if slow.load(ordering: .relaxed) < limits.slowReaders {
      return limits.patience
    }
    return min(limits.patience, limits.shortPatience)
  }

  private func endUnread() {
    let isDue = nextLook.withLock { next in
      guard next <= .now else { return false }
      next = .now + .milliseconds(100)
      return true
    }
    guard isDue else { return }
    for conversation in state.withLock({ Array($0.conversations.values) }) where answers.isSpent {
      conversation.endIfUnread()
    }
  }

  private func take(_ events: UInt32, of mark: UInt64, _ block: UnsafeMutableRawBufferPointer) {
    switch mark {
    case Mark.socket: accept()
    case Mark.wakeUp: takeReady(block)
    case Mark.timer:
      timer.take { $0.timeIsOver() }
      // Where the system had no descriptor left, it may have one now.
      accept()
    case Mark.pulse: keepSocket()
    default:
      let conversation = state.withLock { $0.conversations[mark] }
      conversation?.arrived(
        isGone: events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0, hasEnded: events & EPOLLRDHUP.rawValue != 0,
        block)
    }
  }

  // MARK: Conversations

  private func accept() {
    while isOpen.load(ordering: .acquiring), !isClosing.load(ordering: .relaxed) {
      let descriptor = Platform.accept(socket.descriptor, nil, nil)
      guard descriptor >= 0 else {
        if errno == EINTR || errno == ECONNABORTED { continue }
        if errno == EMFILE || errno == ENFILE, refuseOne() { continue }
        if errno != EAGAIN, errno != EWOULDBLOCK { timer.look(in: .milliseconds(100)) }
        return
      }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let peer = DoorPeer(descriptor, at: socket.address)
      guard let (user, rights) = host.admission(of: peer) else {
        refuse(descriptor, host.admitsOthers ? "this door gives you no rights" : "this door is for another user")
        continue
      }
      endUnproven()
      let (conversation, refusal) = state.withLock { state -> (Conversation?, String?) in
        if let ending = state.ending { return (nil, ending) }
        guard state.conversations.count < limits.conversations else { return (nil, nil) }
        let conversation = Conversation(state.nextID, descriptor, with: user, rights, on: self)
        state.conversations[state.nextID] = conversation
        state.nextID += 1
        return (conversation, nil)
      }
      guard let conversation else {
        let bound = isBoundByFiles ? "its process may open files for (\(DoorLimits.ofFiles))" : "it may"
        refuse(descriptor, refusal ?? "this door has as many connections as \(bound); try again later")
        continue
      }
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      add(descriptor, EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue, conversation.id)
      conversation.begin()
    }
  }

  /// The most connections at a time that have not given the token of the door.
  private static let mostUnproven = 64

  /// Ends the oldest connection without the token where there are too many, so that they take no place from others.
  private func endUnproven() {
    guard token != nil else { return }
    let all = state.withLock { state in
      state.conversations.values.filter { !$0.isTrusted.load(ordering: .relaxed) }
    }
    guard all.count >= Self.mostUnproven else { return }
    let unproven = all.filter { !$0.isEnding }
    guard unproven.count >= Self.mostUnproven else { return }
    unproven.min { $0.id < $1.id }?.end(because: "too many others have not given the token of this door, either")
  }

  /// Refuses a client for which the system has no descriptor left.
  ///
  /// - Returns: false: none waits, or not even that can be done.
  private func refuseOne() -> Bool {
    reserve.withLock { reserve in
      if reserve < 0 { reserve = Self.reserved() }
      guard reserve >= 0 else { return false }
      Platform.close(reserve)
      let descriptor = Platform.accept(socket.descriptor, nil, nil)
      if descriptor >= 0 {
        refuse(
          descriptor, "the process of this door has all files open that it may (\(DoorLimits.ofFiles)); try again later"
        )
      }
      reserve = Self.reserved()
      return descriptor >= 0
    }
  }

  private func refuse(_ descriptor: Int32, _ reason: String) {
    let line = Array("\(JSONReport.message("end", reason))\n".utf8)
    _ = send(descriptor, line, line.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    Platform.close(descriptor)
  }

  /// Has a conversation run when its client has read some of what waits, or no longer.
  func await(room isAwaited: Bool, _ conversation: Conversation) {
    let room = isAwaited ? EPOLLOUT.rawValue : 0
    var event = epoll_event(
      events: EPOLLIN.rawValue | room | EPOLLRDHUP.rawValue | EPOLLET.rawValue, data: epoll_data_t(u64: conversation.id)
    )
    epoll_ctl(poll, EPOLL_CTL_MOD, conversation.descriptor, &event)
  }

  /// Takes away one that has ended.
  func remove(_ conversation: Conversation) {
    let removed = state.withLock { $0.conversations.removeValue(forKey: conversation.id) }
    // The descriptor may be another one's once it is closed.
    if removed != nil { Platform.close(conversation.descriptor) }
    noteLeaving()
  }

  /// Has a thread look at a conversation.
  func ready(_ conversation: Conversation) {
    let wasEmpty = state.withLock { state in
      state.ready.append(conversation)
      hasReady.store(true, ordering: .relaxed)
      return state.ready.count - state.nextReady == 1
    }
    if wasEmpty { signal(wakeUp) }
  }

  /// Runs those that have something to look at, one after the other: of many few threads are woken.
  private func takeReady(_ block: UnsafeMutableRawBufferPointer) {
    while true {
      if let (conversation, hasPlace) = nextResumed() {
        conversation.resume(hasPlace: hasPlace, block)
      } else if let conversation = nextReady() {
        conversation.woken(block)
      } else {
        return
      }
    }
  }

  private func nextResumed() -> (conversation: Conversation, hasPlace: Bool)? {
    let (next, hasMore) = state.withLock { state in
      (state.resumed.isEmpty ? nil : state.resumed.removeFirst(), !state.resumed.isEmpty)
    }
    // Its statement may be long.
    if hasMore { signal(wakeUp) }
    return next
  }

  private func nextReady() -> Conversation? {
    state.withLock { state in
      guard state.nextReady < state.ready.count else { return nil }
      let next = state.ready[state.nextReady]
      state.nextReady += 1
      if state.nextReady == state.ready.count {
        (state.ready, state.nextReady) = ([], 0)
        hasReady.store(false, ordering: .relaxed)
      }
      return next
    }
  }

  /// Has another thread go on with those that have something to look at, where there are any, since this one may be long.
  func passOn() { if hasReady.load(ordering: .relaxed) { signal(wakeUp) } }

  private func signal(_ descriptor: Int32) {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  // MARK: The end

  /// Ends listening, and stops the statements of all conversations; again: nothing.
  func beginClosing(because reason: String) {
    guard !isClosing.exchange(true, ordering: .acquiringAndReleasing) else { return }
    socket.close()
    let open = state.withLock { state in
      state.ending = reason
      return Array(state.conversations.values)
    }
    for conversation in open { conversation.beginEnd(because: reason) }
  }

  /// Ends listening and all conversations; again: nothing.
  func close(because reason: String) {
    beginClosing(because: reason)
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    for conversation in state.withLock({ Array($0.conversations.values) }) { conversation.end(because: reason) }
    wait { $0.conversations.isEmpty }
    state.withLock { $0.isStopped = true }
    signal(stop)
    wait { $0.threads == 0 }
  }

  private func noteLeaving() { if isClosing.load(ordering: .acquiring) { hasLeft.signal() } }

  /// Waits until conversations and threads have ended, for two seconds at most.
  private func wait(_ isDone: (State) -> Bool) {
    let limit = ContinuousClock.now + .seconds(2)
    while !state.withLock({ isDone($0) }) { guard hasLeft.wait(atMost: limit - .now) else { return } }
  }
}

/// The conversations that wait for a place. Clients that wait for one answer do not stand behind clients with many requests: the two
/// kinds take places in turn.
struct ParkedQueue<Conversation: AnyObject> {
  private var first: [Conversation] = []
  private var behind: [Conversation] = []
  private var isTurnOfBehind = false

  var isEmpty: Bool { first.isEmpty && behind.isEmpty }

  mutating func append(_ conversation: Conversation, behindOthers isBehind: Bool) {
    if isBehind { behind.append(conversation) } else { first.append(conversation) }
  }

  /// Takes the one that gets the next place.
  mutating func takeFirst() -> Conversation? {
    let takesBehind = first.isEmpty || (isTurnOfBehind && !behind.isEmpty)
    isTurnOfBehind = !takesBehind
    if takesBehind { return behind.isEmpty ? nil : behind.removeFirst() }
    return first.removeFirst()
  }

  /// Takes one, whose turn it is not.
  mutating func remove(_ conversation: Conversation) -> Bool {
    for part in [\Self.first, \.behind] {
      guard let index = self[keyPath: part].firstIndex(where: { $0 === conversation }) else { continue }
      self[keyPath: part].remove(at: index)
      return true
    }
    return false
  }
}

extension DoorLimits {
  /// The number of files that the system lets the process have open; nil: it does not say.
  private static var mostFiles: Int? {
    var open = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &open) == 0 else { return nil }
    return Int(clamping: open.rlim_cur)
  }

  /// The limits with no more conversations than the system lets the process have open, less some for its own work.
  fileprivate var fitting: DoorLimits {
    var limits = self
    guard let most = Self.mostFiles else { return limits }
    limits.conversations = max(1, min(conversations, most - min(128, most / 2)))
    return limits
  }

  /// The limit of files, as a shell sets it.
  fileprivate static var ofFiles: String { "ulimit -n" + (mostFiles.map { " \($0)" } ?? "") }
}

/// The times at which conversations are to be looked at.
final class DoorTimer: Sendable {
  let descriptor: Int32
  private let due = Lock<[(time: ContinuousClock.Instant, conversation: Weak)]>([])

  private struct Weak {
    weak var conversation: Conversation?
  }

  init() { descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK)) }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func schedule(_ conversation: Conversation, in time: Duration) {
    let first = due.withLock { due in
      due.append((.now + time, Weak(conversation: conversation)))
      return due.min { $0.time < $1.time }?.time
    }
    if let first { look(in: first - .now) }
  }

  /// Looks again after some time.
  func look(in time: Duration) {
    let (seconds, attoseconds) = max(time, .microseconds(1)).components
    var setting = itimerspec()
    setting.it_value = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    timerfd_settime(descriptor, 0, &setting, nil)
  }

  /// Takes those that are due.
  func take(_ tell: (Conversation) -> Void) {
    let now = ContinuousClock.now
    // They are let go of behind the lock: a conversation that ends waits for the turn, whose holder may wait for the lock.
    let (present, next) = due.withLock { due in
      let present = due.map { (isOver: $0.time <= now, conversation: $0.conversation.conversation) }
      due = zip(due, present).filter { !$1.isOver && $1.conversation != nil }.map(\.0)
      return (present, due.min { $0.time < $1.time }?.time)
    }
    if let next { look(in: next - now) }
    for (isOver, conversation) in present where isOver { if let conversation { tell(conversation) } }
  }
}
