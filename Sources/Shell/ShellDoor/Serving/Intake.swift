import Platform
import ShellLanguage
import StoreCore
import Synchronization

extension Conversation {
  /// What has come in and was not done yet. Its flags are asked and set together, under one lock.
  struct Intake {
    private let limits: DoorLimits
    /// Takes answers that a running statement waits for.
    private let answers: ClientFileAnswers
    private var partial: [UInt8] = []
    private var lines: [Line] = []
    private var first = 0
    /// The bytes of lines that wait.
    private var waiting = 0
    /// The bytes that the door's budget has counted.
    private var counted = 0
    private var isSkipping = false
    private var isPaused = false
    /// True if it is paused since so much waits in all conversations together.
    private(set) var isShort = false
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
    /// True if it is to end behind a last look: no event of others comes any more.
    var isLast = false
    /// True until that look.
    private var hasLastLook = true
    /// The last interruption, and the place of its line: what stands before it and has not begun is interrupted, too.
    private var interrupt: (place: Int, Interrupt)?

    /// A line that came in, or the reason that it is not there.
    private enum Line {
      case request(ArraySlice<UInt8>)
      case fault(String)
    }

    /// A request that stops what came before it.
    struct Interrupt {
      /// The error that it ends with; nil: the usual one.
      let reason: ShellError?
    }

    /// The bytes that may wait in a conversation, however many wait in the others.
    private static let alwaysBytes = 1 << 14

    init(limits: DoorLimits, answers: ClientFileAnswers) { (self.limits, self.answers) = (limits, answers) }

    var hasLines: Bool { first < lines.count }

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

    /// Begins a look at the effects of others; false where there is nothing to look at.
    mutating func takesNews() -> Bool {
      let isLastLook = isLast && hasLastLook
      guard hasNews || isLastLook else { return false }
      hasNews = false
      if isLastLook { hasLastLook = false }
      return true
    }

    /// Makes the thread that asks the one that runs the conversation, where there is something to do and nobody does it.
    mutating func claim() -> Bool {
      guard !isRunning, !isClosed, hasLines || hasNews || hasUnsaid || hasEnded || isGone || isLast || isPaused
      else {
        return false
      }
      isRunning = true
      return true
    }

    /// Reads what is there, but no more than may wait.
    ///
    /// - Returns: what interrupts the request that is being done; nil: nothing does.
    mutating func receive(
      from descriptor: Int32, toTheEnd: Bool, _ block: UnsafeMutableRawBufferPointer, _ budget: DoorBudget
    ) -> Interrupt? {
      guard !isClosed, !hasEnded else { return nil }
      (isPaused, isShort) = (false, false)
      var interrupt: Interrupt?
      while true {
        // Whatever others keep waiting, a short request comes in.
        let room = budget.isSpent ? Self.alwaysBytes - waiting - partial.count : block.count
        guard waiting < limits.waitingBytes, room > 0 else {
          (isPaused, isShort) = (true, room <= 0)
          break
        }
        let most = min(room, block.count)
        let count = recv(descriptor, block.baseAddress, most, Int32(MSG_DONTWAIT))
        if count < 0, errno == EINTR { continue }
        if count > 0 {
          let bytes = UnsafeRawBufferPointer(rebasing: block[..<count])
          if let found = take(bytes) { interrupt = found }
          // What comes later is told of anew.
          if count < most, !toTheEnd { break }
          continue
        }
        if count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK) {
          hasEnded = true
          if !partial.isEmpty { _ = endLine() }
        }
        break
      }
      budget.count(&counted, waiting + partial.count)
      return isRunning ? interrupt : nil
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer) -> Interrupt? {
      var rest = bytes
      var interrupt: Interrupt?
      while let base = rest.baseAddress, !rest.isEmpty {
        guard let end = memchr(base, 0x0A, rest.count) else {
          if !isHalf { halfSince = .now }
          append(rest[...])
          break
        }
        let length = end - UnsafeMutableRawPointer(mutating: base)
        append(rest.prefix(length))
        if let found = endLine() { interrupt = found }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(length + 1))
      }
      return interrupt
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
    /// - Returns: what it interrupts with, if it does.
    private mutating func endLine() -> Interrupt? {
      guard !isSkipping else {
        isSkipping = false
        lines.append(.fault("a line has at most \(limits.lineBytes) bytes"))
        return nil
      }
      let line = partial[...]
      partial = []
      guard !line.allSatisfy(Self.isBlank), !answers.take(line) else { return nil }
      lines.append(.request(line))
      waiting += line.count
      guard line.count < 1024, Self.mayInterrupt(line), let request = try? DoorRequest(line),
        case .interrupt(let reason) = request.kind
      else { return nil }
      let found = Interrupt(reason: reason)
      interrupt = (lines.count - 1, found)
      return found
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    /// False for a line that cannot name an interruption, however that is written: most need not be read before their turn.
    private static func mayInterrupt(_ line: ArraySlice<UInt8>) -> Bool {
      line.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return false }
        if memchr(base, Int32(UInt8(ascii: "\\")), bytes.count) != nil { return true }
        let name: StaticString = "interrupt"
        var first = base
        while let found = memchr(first, Int32(name.utf8Start[0]), bytes.count - (first - base)) {
          guard bytes.count - (UnsafeRawPointer(found) - base) >= name.utf8CodeUnitCount else { return false }
          if memcmp(found, name.utf8Start, name.utf8CodeUnitCount) == 0 { return true }
          first = UnsafeRawPointer(found) + 1
        }
        return false
      }
    }

    /// The next thing to do; nil: none.
    mutating func next(
      from descriptor: Int32, _ block: UnsafeMutableRawBufferPointer, _ budget: DoorBudget
    ) -> Step? {
      // An interruption may stand behind what had no room.
      if isPaused, waiting <= limits.waitingBytes / 2 {
        forgetDone()
        _ = receive(from: descriptor, toTheEnd: true, block, budget)
      }
      guard first < lines.count else { return nil }
      var next = Line.fault("")
      swap(&lines[first], &next)
      let interrupted = interrupt.flatMap { first < $0.place ? $0.1 : nil }
      first += 1
      if case .request(let line) = next { waiting -= line.count }
      if first == lines.count || (first >= 128 && first * 2 >= lines.count) {
        forgetDone()
        budget.count(&counted, waiting + partial.count)
      }
      switch next {
      case .request(let line): return .request(line, interrupted)
      case .fault(let message): return .fault(message)
      }
    }

    /// Lets go of the lines that are done.
    private mutating func forgetDone() {
      if first == lines.count {
        lines.removeAll(keepingCapacity: lines.count <= 128)
        interrupt = nil
      } else {
        lines.removeFirst(first)
        interrupt?.place -= first
      }
      first = 0
    }

    mutating func close(_ budget: DoorBudget) {
      isClosed = true
      (partial, lines, first, waiting) = ([], [], 0, 0)
      budget.count(&counted, 0)
    }
  }
}

/// The bytes of requests, or of answers, that wait in all conversations of a door together.
final class DoorBudget: Sendable {
  private let bytes = Atomic<Int>(0)
  private let limit: Int
  /// Those for which there was no room.
  private let short = Lock<[Weak]>([])

  private struct Weak {
    weak var conversation: Conversation?
  }

  init(limit: Int) { self.limit = limit }

  /// True if no more may come in until some was done, or was read.
  var isSpent: Bool { held > limit }

  /// The bytes that wait now.
  var held: Int { bytes.load(ordering: .relaxed) }

  /// Takes note of the bytes that wait in one of them.
  func count(_ counted: inout Int, _ now: Int) {
    guard now != counted else { return }
    let (before, after) = bytes.wrappingAdd(now - counted, ordering: .sequentiallyConsistent)
    counted = now
    if before > limit, after <= limit { wakeThose() }
  }

  /// Has a conversation woken once there is room again.
  func await(_ conversation: Conversation) {
    short.withLock { $0.append(Weak(conversation: conversation)) }
    // It may have come meanwhile.
    if bytes.load(ordering: .sequentiallyConsistent) <= limit { wakeThose() }
  }

  private func wakeThose() {
    let waiting = short.withLock { short in
      defer { short = [] }
      return short
    }
    for one in waiting { one.conversation?.wake() }
  }
}
