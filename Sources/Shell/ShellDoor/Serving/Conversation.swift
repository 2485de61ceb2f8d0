import CEvents
import Platform
import ShellLanguage
import StoreCore
import StoreSchema
import StoreShell
import Synchronization

/// A conversation of a door with one client: lines come in, are done one after the other, and are answered in that order.
///
/// Whichever thread of the door has something for it runs it, one at a time, until nothing is left to do. What comes in, what
/// goes out and what is followed are parts; the other properties are what all its requests share.
final class Conversation: @unchecked Sendable {
  // Safe: the intake has a lock; all else belongs to the thread that runs the conversation, which the intake says. What changes
  // with every text that is said is changed by nothing that such a change calls, so checks of exclusive access would find nothing.
  let id: UInt64
  let descriptor: Int32
  let loop: DoorLoop
  /// The user at the other end, as the kernel knows it; nil: it knows none.
  let user: String?
  let rights: Rights
  /// The name that its client gave, and whether a person chose it; nil: none.
  var name: (text: String, isChosen: Bool)?
  let interruption = DoorInterruption()
  /// The marks of styles in what the session prints; text of the state cannot know them.
  let marks = StyleMarks.keyed(DoorToken.random())
  private let intake: Lock<Intake>
  private let isScheduled = Atomic<Bool>(false)

  let outbox: Outbox
  var session: Session?
  var open: StatementReader?
  var width: Int?
  /// True if the request that is being done wants the results of its steps.
  var isReported = false
  var followed: FollowedLog?
  /// The values that the client keeps above its line, as they were told last, and when they may be told again.
  var pins = (told: "", next: ContinuousClock.now, isAwaited: false)
  /// The watches and the pins that were told last.
  var told: [StandingStatement] = []
  /// The answers of the client about its files.
  let fileAnswers: ClientFileAnswers
  /// True if statements read and write the client's files.
  var hasClientFiles = false
  /// The line of the text that is being done that its client was told of last.
  var toldLine = 1
  /// The files and programs of the client, for its session. No two have the same number: an answer may come late.
  private(set) lazy var clientFiles = ClientFiles { [weak self] (file, step) throws(FileError) in
    guard let self else { throw FileError(path: "", code: EINTR) }
    return try perform(step, with: file)
  }
  /// The answer to the request that is being done.
  @exclusivity(unchecked) var answer: Answer?
  /// False until the token was given, where one is needed.
  let isTrusted: Atomic<Bool>
  /// The statement that waits for a place to run.
  private var parked: DoorRequest?
  /// The number of waits within each other that the statement is in.
  private(set) var waits = 0
  /// True if what is done has a place among the statements.
  private(set) var hasPlace = false
  /// The number of lines in a row that were no requests.
  private var faults = 0
  /// True if nothing more is done.
  private var hasQuit = false

  init(_ id: UInt64, _ descriptor: Int32, with user: String?, _ rights: Rights, on loop: DoorLoop) {
    self.id = id
    self.descriptor = descriptor
    (self.user, self.rights) = (user, rights)
    self.loop = loop
    isTrusted = Atomic(loop.token == nil)
    outbox = Outbox(descriptor, limits: loop.limits, budget: loop.answers) { [live = loop.host.live] in
      live.settleBeforeTelling()
    }
    let answers = ClientFileAnswers()
    fileAnswers = answers
    intake = Lock(Intake(limits: loop.limits, answers: answers))
  }

  /// Begins it, on the thread that let it in; what has arrived meanwhile is another one's.
  func begin() {
    if isTrusted.load(ordering: .relaxed) {
      greet()
    } else {
      askForToken()
      loop.timer.schedule(self, in: loop.limits.patience)
    }
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
    if isGone {
      interruption.leave()
      loop.timer.schedule(self, in: loop.limits.unattended)
    }
    let (starts, interrupt) = intake.withLock { intake -> (Bool, Intake.Interrupt?) in
      if isGone { intake.isGone = true }
      let interrupt = intake.receive(from: descriptor, toTheEnd: hasEnded, block, loop.budget)
      return (intake.claim(), interrupt)
    }
    if let interrupt {
      interruption.request(interrupt.reason)
      loop.hurry(self)
    }
    watchHalves()
    if starts { run(block) }
  }

  /// True if the client has left. The system is asked: the loop hears of it a little later.
  var isClientGone: Bool {
    if interruption.hasClientLeft { return true }
    // POLLRDHUP, which is the same number.
    let end = Int16(EPOLLRDHUP.rawValue)
    var source = pollfd(fd: descriptor, events: end, revents: 0)
    func isGone() -> Bool { poll(&source, 1, 0) > 0 && source.revents & Int16(POLLHUP | POLLERR) != 0 }
    if isGone() { return true }
    guard user == nil, source.revents & end != 0 else { return false }
    // It sends nothing more. Over TCP the system learns whether it still listens by the answer to what it is sent.
    handOn(before: session?.lineUnderWay)
    outbox.flush()
    for _ in 0..<Self.longestAnswer {
      var unanswered: Int32 = 0
      guard !isGone(), ioctl(descriptor, UInt(TIOCOUTQ), &unanswered) == 0, unanswered > 0 else { break }
      usleep(1000)
    }
    return isGone()
  }

  /// The milliseconds that the answer may take.
  private static let longestAnswer = 1000

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
    if starts { run(block) }
  }

  /// Goes on with the statement that waited for a place.
  func resume(hasPlace: Bool, _ block: UnsafeMutableRawBufferPointer) {
    if let request = parked {
      parked = nil
      self.hasPlace = hasPlace
      handle(request)
      self.hasPlace = false
    }
    if hasPlace { loop.endStatement() }
    run(block)
  }

  /// Gives the place of the statement to others while it waits, and takes one again behind that.
  ///
  /// - Returns: why it may not wait; a wait that may not begin has no end. Nil: it may.
  @discardableResult
  func wait(_ begins: Bool) -> String? {
    if begins {
      if waits == 0, let refusal = loop.beginWait() { return refusal }
      waits += 1
    } else if waits > 0 {
      waits -= 1
      if waits == 0 { loop.endWait() }
    }
    return nil
  }

  /// True if it is to end from the side of the door.
  var isEnding: Bool { intake.withLock { $0.ending != nil } }

  /// Stops its statement, and takes no further request. Events of others reach it until ``end(because:)``.
  func beginEnd(because reason: String) {
    let isNew = intake.withLock { intake in
      defer { intake.ending = intake.ending ?? reason }
      return intake.ending == nil
    }
    guard isNew else { return }
    interruption.end(.closed(reason))
    loop.hurry(self)
    loop.timer.schedule(self, in: loop.limits.ending)
  }

  /// Ends it from the side of the door, with a line that says why, behind the events of others.
  func end(because reason: String) {
    beginEnd(because: reason)
    intake.withLock { $0.isLast = true }
    wake()
  }

  /// Ends it where its client has taken nothing for long of much that waits.
  func endIfUnread() {
    guard outbox.giveUp(after: loop.limits.shortPatience) else { return }
    interruption.end(.closed(Self.left))
    loop.hurry(self)
    wake()
  }

  /// Ends it where its time is over: for requests of a client that has closed, for the rest of a request, or for a token.
  func timeIsOver() {
    if intake.withLock({ $0.isGone }) {
      interruption.end(.closed(Self.left))
      loop.hurry(self)
      wake()
    } else if let (ending, isRunning) = intake.withLock({ intake in intake.ending.map { ($0, intake.isRunning) } }) {
      if isRunning { outbox.end(with: JSONReport.message("end", ending)) }
      end(because: ending)
    } else if intake.withLock({ $0.isOverdue }) {
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
    while true {
      switch step(block) {
      case .request(let line, let interrupt):
        if let interrupt { interruption.request(interrupt.reason) }
        guard take(line) else { return }
      case .fault(let message): refuse(DoorRequest.Fault(message: message))
      case .news:
        if session?.hasLook == true { loop.passOn() }
        session?.attend()
        tellPins()
        followed?.tell(self)
      case .again: continue
      case .rest: return
      case .end:
        outbox.flush()
        return finish()
      }
    }
  }

  enum Step {
    /// A line, and what interrupted it before it began.
    case request(ArraySlice<UInt8>, Intake.Interrupt?)
    case fault(String)
    case news
    case again
    case rest
    case end
  }

  private func step(_ block: UnsafeMutableRawBufferPointer) -> Step {
    if session?.hasQuit == true { hasQuit = true }
    if outbox.isUnread { return .end }
    if hasQuit {
      // The journal is waited for without the lock, which a thread that closes the door in the turn wants, too.
      outbox.flush()
      // What was said before is read before the end.
      return intake.withLock { outbox.flush() || outbox.isLost || $0.isGone ? .end : rest(&$0) }
    }
    let isFull = outbox.isFull && !outbox.flush()
    let next = intake.withLock { intake -> Step? in
      intake.hasUnsaid = false
      if intake.isGone, interruption.stop.isStopped { return .end }
      if let ending = intake.ending {
        if intake.isGone || outbox.isLost { return .end }
        if !isFull, intake.takesNews() { return .news }
        guard intake.isLast else { return nil }
        outbox.append(line: JSONReport.message("end", ending))
        return .end
      }
      if isFull { return nil }
      if intake.hasNews {
        intake.hasNews = false
        if !intake.isGone { return .news }
      }
      return intake.next(from: descriptor, block, loop.budget)
    }
    if let next { return next }
    if outbox.isLost {
      // The rest of what the client sent before it closed.
      return intake.withLock { intake in
        _ = intake.receive(from: descriptor, toTheEnd: true, block, loop.budget)
        return intake.hasLines ? .again : .end
      }
    }
    session?.rest()
    outbox.flush()
    return intake.withLock { intake in
      if intake.isGone, !intake.hasLines { return .end }
      // Only what could not be said keeps it from resting. With the lock held: whoever is told of room that comes from now on waits
      // for it, and finds nobody running.
      let isAllSaid = outbox.flush()
      let isFull = outbox.isFull
      if intake.hasNews || intake.isLast || (!isFull && intake.hasLines && intake.ending == nil) {
        return isFull ? rest(&intake) : .again
      }
      if intake.hasEnded, isAllSaid, intake.ending == nil { return .end }
      return rest(&intake)
    }
  }

  private func rest(_ intake: inout Intake) -> Step {
    intake.isRunning = false
    if intake.isShort { loop.budget.await(self) }
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
    session?.abandonRun()
    session = nil
    open = nil
    loop.remove(self)
  }

  /// Does what a line asks for.
  ///
  /// - Returns: false: it waits for a place, and another thread may have gone on with it.
  private func take(_ line: ArraySlice<UInt8>) -> Bool {
    let request: DoorRequest
    do throws(DoorRequest.Fault) {
      request = try DoorRequest(line)
    } catch {
      refuse(error)
      return true
    }
    faults = 0
    // An answer that finds no room waits for that as a statement does.
    guard request.kind.isStatement || (request.kind.isLook && loop.answers.isSpent) else {
      handle(request)
      return true
    }
    guard loop.takesPlace() else {
      parked = request
      loop.park(self, behindOthers: intake.withLock { $0.hasLines })
      // What ends it may have come before it was queued.
      if interruption.isRequested { loop.hurry(self) }
      return false
    }
    hasPlace = true
    handle(request)
    hasPlace = false
    loop.endStatement()
    return true
  }

  /// Answers what is no request; the third in a row ends the conversation.
  func refuse(_ fault: DoorRequest.Fault) {
    faults += 1
    var answer = Answer(id: fault.id)
    answer.fail(.badRequest, fault.message, hint: nil)
    outbox.append(answer)
    guard faults >= loop.limits.faults else { return }
    outbox.append(line: JSONReport.message("end", "\(faults) lines in a row were not requests"))
    hasQuit = true
  }

  /// Ends it after what was said.
  func quit() { hasQuit = true }
}

/// What is said of a line that is being typed.
extension Answer {
  /// Sets the text that may stand at the cursor.
  mutating func set(_ completion: LineCompletion) {
    set("from", completion.replaceFrom)
    if completion.wantsClientFiles { set("files", true) }
    if let note = completion.note { set("note", note) }
    if let rest = completion.rest {
      if let count = rest.count { set("more", count) }
      set("common", rest.common)
      set("advice", rest.advice)
    }
    set("candidates") {
      JSON.append(list: completion.candidates, to: &$0) { candidate in
        [
          "text": .text(candidate.text), "display": .text(candidate.display), "suffix": .text(candidate.suffix),
          "meaning": candidate.meaning.map { .text($0) },
        ]
      }
    }
  }

  mutating func set(_ look: LineDecoration) {
    set("styles") {
      JSON.append(list: look.spans, to: &$0) { span in
        [
          "from": .number(span.bytes.lowerBound), "to": .number(span.bytes.upperBound),
          "style": .text(span.style.rawValue),
        ]
      }
    }
    if case .form(let form) = look.hint { set("form", form) }
  }
}
