import CEvents
import Platform
import ShellLanguage
import StoreCore
import StoreSchema
import StoreShell
import Synchronization

/// A conversation of a door with one client: lines come in, are done one after the other, and are answered in that order.
///
/// Whichever thread of the door has something for it runs it, one at a time, until nothing is left to do.
final class Conversation: @unchecked Sendable {
  // Safe: the intake has a lock; all else belongs to the thread that runs the conversation, which the intake says.
  let id: UInt64
  let descriptor: Int32
  let loop: DoorLoop
  /// Who it is with, as sources of actions say.
  let peer: String
  let interruption = DoorInterruption()
  /// The marks of styles in what the session prints; text of the state cannot know them.
  let marks = StyleMarks.keyed(DoorToken.random())
  private let intake: Lock<Intake>
  private let isScheduled = Atomic<Bool>(false)

  var outbox: Outbox
  var session: Session?
  var open: StatementReader?
  var width: Int?
  var followed: FollowedLog?
  /// The answer to the request that is being done.
  var answer: Answer?
  /// False until the token was given, where one is needed.
  let isTrusted: Atomic<Bool>
  /// The number of lines in a row that were no requests.
  private var faults = 0
  /// True if nothing more is done.
  private var hasQuit = false

  init(_ id: UInt64, _ descriptor: Int32, with peer: String, on loop: DoorLoop) {
    self.id = id
    self.descriptor = descriptor
    self.peer = peer
    self.loop = loop
    isTrusted = Atomic(loop.token == nil)
    outbox = Outbox(descriptor, limits: loop.limits)
    intake = Lock(Intake(limits: loop.limits))
  }

  /// Begins it, on the thread that let it in; what has arrived meanwhile is another one's.
  func begin() {
    if isTrusted.load(ordering: .relaxed) { greet() } else { loop.timer.schedule(self, in: loop.limits.patience) }
    intake.withLock { $0.isRunning = false }
    wake()
  }

  // MARK: From any thread

  /// Takes what has arrived.
  ///
  /// - Parameters:
  ///   - isGone: true if nobody is there any more.
  ///   - hasEnded: true if nothing comes behind what has arrived.
  ///   - block: room to read into.
  func arrived(isGone: Bool, hasEnded: Bool, _ block: UnsafeMutableRawBufferPointer) {
    if isGone { interruption.end() }
    let (starts, interrupts) = intake.withLock { intake -> (Bool, Bool) in
      if isGone { intake.isGone = true }
      let interrupts = intake.receive(from: descriptor, toTheEnd: hasEnded, block, loop.budget)
      return (intake.claim(), interrupts)
    }
    if interrupts { interruption.request() }
    watchHalves()
    if starts { loop.run(self, block) }
  }

  /// Has it look at what others caused, soon.
  func wake() {
    guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    loop.ready(self)
  }

  /// Looks at what others caused.
  func woken(_ block: UnsafeMutableRawBufferPointer) {
    isScheduled.store(false, ordering: .releasing)
    let starts = intake.withLock { intake in
      intake.hasNews = true
      return intake.claim()
    }
    if starts { loop.run(self, block) }
  }

  /// Ends it from the side of the door, with a line that says why.
  func end(because reason: String) {
    intake.withLock { if $0.ending == nil { $0.ending = reason } }
    interruption.end()
    wake()
  }

  /// Ends it where its time is over: for the rest of a request, or for a token.
  func timeIsOver() {
    if intake.withLock({ $0.isOverdue }) {
      end(because: "the rest of a request did not come in time")
    } else if !isTrusted.load(ordering: .relaxed) {
      end(because: "no token came in time")
    } else {
      watchHalves()
      wake()
    }
  }

  /// Has it looked at again where part of a request is there.
  private func watchHalves() {
    if intake.withLock({ $0.beginsWatch() }) { loop.timer.schedule(self, in: loop.limits.patience + .milliseconds(1)) }
  }

  // MARK: Running

  /// Does what there is to do, on the thread that has claimed it.
  func run(_ block: UnsafeMutableRawBufferPointer) {
    if let session { session.attendIfNew() }
    while true {
      switch step(block) {
      case .request(let line): take(line)
      case .fault(let message): refuse(DoorRequest.Fault(message: message))
      case .news:
        session?.attend()
        followed?.tell(self)
      case .again: continue
      case .rest: return
      case .end: return finish()
      }
    }
  }

  enum Step {
    case request(ArraySlice<UInt8>)
    case fault(String)
    case news
    case again
    case rest
    case end
  }

  private func step(_ block: UnsafeMutableRawBufferPointer) -> Step {
    if session?.hasQuit == true { hasQuit = true }
    if hasQuit || outbox.isLost {
      outbox.flush()
      return .end
    }
    let isFull = outbox.isFull && !outbox.flush()
    let next = intake.withLock { intake -> Step? in
      intake.hasUnsaid = false
      if intake.isGone { return .end }
      if let ending = intake.ending {
        outbox.append(line: "{\"event\":\"end\",\"message\":\(ScalarText.quoted(ending))}")
        outbox.flush()
        return .end
      }
      if isFull { return nil }
      if intake.hasNews {
        intake.hasNews = false
        return .news
      }
      return intake.next(from: descriptor, block, loop.budget)
    }
    if let next { return next }
    // Only what could not be said keeps it from resting.
    let isAllSaid = outbox.flush()
    session?.rest()
    return intake.withLock { intake in
      if intake.isGone { return .end }
      if intake.hasNews || intake.ending != nil || (!isFull && intake.hasLines) {
        return isFull ? rest(&intake) : .again
      }
      if intake.hasEnded, isAllSaid { return .end }
      return rest(&intake)
    }
  }

  private func rest(_ intake: inout Intake) -> Step {
    intake.isRunning = false
    intake.hasUnsaid = !outbox.isEmpty
    if intake.hasUnsaid != intake.awaitsRoom {
      intake.awaitsRoom = intake.hasUnsaid
      loop.await(room: intake.hasUnsaid, self)
    }
    return .rest
  }

  private func finish() {
    intake.withLock { $0.close(loop.budget) }
    followed = nil
    session = nil
    open = nil
    loop.remove(self)
  }

  private func take(_ line: ArraySlice<UInt8>) {
    let request: DoorRequest
    do throws(DoorRequest.Fault) {
      request = try DoorRequest(line)
    } catch {
      return refuse(error)
    }
    faults = 0
    handle(request)
  }

  /// Answers what is no request; the third in a row ends the conversation.
  func refuse(_ fault: DoorRequest.Fault) {
    faults += 1
    var answer = Answer(id: fault.id)
    answer.fail(.badRequest, fault.message, hint: nil)
    outbox.append(answer)
    guard faults >= loop.limits.faults else { return }
    outbox.append(line: "{\"event\":\"end\",\"message\":\"\(faults) lines in a row were no requests\"}")
    hasQuit = true
  }

  /// Ends it after what was said.
  func quit() { hasQuit = true }
}

extension Session {
  /// Prints what others caused, where there is something.
  fileprivate func attendIfNew() { if hasNews { attend() } }
}

extension Conversation {
  /// What has come in and was not done yet.
  struct Intake {
    private let limits: DoorLimits
    private var partial: [UInt8] = []
    private var lines: [ArraySlice<UInt8>] = []
    private var first = 0
    /// The bytes of lines that wait.
    private var waiting = 0
    /// The bytes that the door's budget has counted.
    private var counted = 0
    private var isSkipping = false
    private var isPaused = false
    private var halfSince = ContinuousClock.now
    /// The time at which it is looked whether the rest of a line has come; nil: nobody looks.
    private var watchedUntil: ContinuousClock.Instant?
    private var isClosed = false
    /// True while a thread runs the conversation: at first the one that let it in.
    var isRunning = true
    /// True if something could not be said yet.
    var hasUnsaid = false
    /// True if the loop tells when there is room to say it.
    var awaitsRoom = false
    var hasNews = false
    /// True if the other end says nothing more.
    var hasEnded = false
    var isGone = false
    /// Why the door ends it; nil: it does not.
    var ending: String?
    /// The reason that the next lines are not there.
    private var fault: String?

    init(limits: DoorLimits) { self.limits = limits }

    var hasLines: Bool { first < lines.count || fault != nil }

    /// True if part of a line is there.
    var isHalf: Bool { !partial.isEmpty || isSkipping }

    /// True if the rest of a line has not come in time.
    var isOverdue: Bool { isHalf && ContinuousClock.now - halfSince >= limits.patience }

    /// Takes note that it is looked at again; false where it is already, or needs not be.
    mutating func beginsWatch() -> Bool {
      guard isHalf, watchedUntil.map({ $0 <= .now }) ?? true else { return false }
      watchedUntil = .now + limits.patience
      return true
    }

    /// Makes the thread that asks the one that runs the conversation, where there is something to do and nobody does it.
    mutating func claim() -> Bool {
      guard !isRunning, !isClosed, hasLines || hasNews || hasUnsaid || hasEnded || isGone || ending != nil || isPaused
      else {
        return false
      }
      isRunning = true
      return true
    }

    /// Reads what is there, but no more than may wait.
    ///
    /// - Returns: true if one of the lines interrupts what runs.
    mutating func receive(
      from descriptor: Int32, toTheEnd: Bool, _ block: UnsafeMutableRawBufferPointer, _ budget: DoorBudget
    ) -> Bool {
      guard !isClosed, !hasEnded else { return false }
      isPaused = false
      var interrupts = false
      while true {
        guard waiting < limits.waitingBytes, !budget.isSpent else {
          isPaused = true
          break
        }
        let count = recv(descriptor, block.baseAddress, block.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EINTR { continue }
        if count > 0 {
          let bytes = UnsafeRawBufferPointer(rebasing: block[..<count])
          if take(bytes) { interrupts = true }
          // What comes later is told of anew.
          if count < block.count, !toTheEnd { break }
          continue
        }
        if count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK) {
          hasEnded = true
          if !partial.isEmpty { endLine() }
        }
        break
      }
      budget.count(&counted, waiting + partial.count)
      return interrupts
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
      var rest = bytes
      var interrupts = false
      while let base = rest.baseAddress, !rest.isEmpty {
        guard let end = memchr(base, 0x0A, rest.count) else {
          if !isHalf { halfSince = .now }
          append(rest[...])
          break
        }
        let length = end - UnsafeMutableRawPointer(mutating: base)
        append(rest.prefix(length))
        if endLine() { interrupts = true }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(length + 1))
      }
      return interrupts
    }

    private mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
      guard !isSkipping else { return }
      partial.append(contentsOf: bytes)
      if partial.count > limits.lineBytes {
        isSkipping = true
        partial = []
      }
    }

    /// Puts a whole line among those that wait.
    ///
    /// - Returns: true if it interrupts what runs.
    @discardableResult
    private mutating func endLine() -> Bool {
      guard !isSkipping else {
        isSkipping = false
        fault = "a line has at most \(limits.lineBytes) bytes"
        return false
      }
      let line = partial[...]
      partial = []
      guard line.contains(where: { $0 > 0x20 }) else { return false }
      lines.append(line)
      waiting += line.count
      guard isRunning, line.count < 256, let request = try? DoorRequest(line), case .interrupt = request.kind else {
        return false
      }
      return true
    }

    /// The next thing to do; nil: none.
    mutating func next(
      from descriptor: Int32, _ block: UnsafeMutableRawBufferPointer, _ budget: DoorBudget
    ) -> Step? {
      if first == lines.count, isPaused { _ = receive(from: descriptor, toTheEnd: true, block, budget) }
      if first < lines.count {
        let line = lines[first]
        first += 1
        waiting -= line.count
        if first == lines.count {
          lines.removeAll(keepingCapacity: lines.count <= 128)
          first = 0
          budget.count(&counted, waiting + partial.count)
        }
        return .request(line)
      }
      if let fault {
        self.fault = nil
        return .fault(fault)
      }
      return nil
    }

    mutating func close(_ budget: DoorBudget) {
      isClosed = true
      (partial, lines, first, waiting) = ([], [], 0, 0)
      budget.count(&counted, 0)
    }
  }
}

/// The bytes that wait in all conversations of a door together.
final class DoorBudget: Sendable {
  private let bytes = Atomic<Int>(0)
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// True if no more may come in until some was done.
  var isSpent: Bool { bytes.load(ordering: .relaxed) > limit }

  /// Takes note of the bytes that wait in one of them.
  func count(_ counted: inout Int, _ now: Int) {
    guard now != counted else { return }
    bytes.wrappingAdd(now - counted, ordering: .relaxed)
    counted = now
  }
}

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
