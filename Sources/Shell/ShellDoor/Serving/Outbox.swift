import Platform
import ShellLanguage
import StoreCore
import StoreSchema
import StoreShell

/// What a conversation has to say, bounded: a client that does not listen is not spoken to. The thread that runs the conversation
/// speaks; another thread may say the last line.
final class Outbox: Sendable {
  private let descriptor: Int32
  private let limits: DoorLimits
  /// Counts the bytes that wait in all conversations.
  private let budget: DoorBudget
  /// Makes all that is said as durable as was asked; where that fails, it gives the reason.
  private let settle: @Sendable () -> String?
  private let content = Lock(Content())

  fileprivate struct Content {
    /// True if all that waits tells only of what is that durable.
    var isSettled = true
    var bytes: [UInt8] = []
    var sent = 0
    /// The bytes that the budget has counted.
    var counted = 0
    /// The last time at which the client took something, or nothing waited for it.
    var takenAt = ContinuousClock.now
    /// True if nothing reaches the client any more.
    var isLost = false
    /// True if the client is there and has taken nothing for long.
    var isUnread = false
    /// True if the client wants JSON.
    var isJSON = false

    var waiting: Int { bytes.count - sent }
  }

  /// The bytes that may wait in a conversation, however many wait in the others.
  private static let alwaysBytes = 1 << 16

  init(
    _ descriptor: Int32, limits: DoorLimits, budget: DoorBudget, settle: @escaping @Sendable () -> String?
  ) {
    self.descriptor = descriptor
    self.limits = limits
    self.budget = budget
    self.settle = settle
  }

  deinit { content.withLock { budget.count(&$0.counted, 0) } }

  /// Changes the bytes that wait, and has them counted.
  private func change<Result>(_ change: (inout Content) -> Result) -> Result {
    content.withLock { content in
      defer { budget.count(&content.counted, max(0, content.bytes.count - Self.alwaysBytes)) }
      return change(&content)
    }
  }

  /// Adds something, unless nothing reaches the client any more.
  private func add(isSettled: Bool = false, _ write: (inout [UInt8]) -> Void) {
    change { content in
      guard !content.isLost else { return }
      if content.waiting == 0 { content.takenAt = .now }
      if !isSettled { content.isSettled = false }
      write(&content.bytes)
    }
  }

  /// Sets the form of notes beside the answers.
  func speak(json isJSON: Bool) { content.withLock { $0.isJSON = isJSON } }

  /// True if nothing reaches the client any more.
  var isLost: Bool { content.withLock { $0.isLost } }

  /// True if the client is there and has taken nothing for long.
  var isUnread: Bool { content.withLock { $0.isUnread } }

  var isEmpty: Bool { waiting == 0 }

  /// True if so much waits that nothing more is done until some was taken.
  var isFull: Bool { waiting > (budget.isSpent ? Self.alwaysBytes : limits.outboxBytes) }

  /// True if so much waits that a statement does not go on until some was taken.
  var needsRoom: Bool { waiting > (budget.isSpent ? Self.alwaysBytes : limits.answerBytes) }

  /// True if so much waits that it is time to hand some on.
  var isWorthSending: Bool { waiting > Self.alwaysBytes }

  private var waiting: Int { content.withLock { $0.waiting } }

  /// Adds a line of the door's own, which tells of no action.
  func append(line: String) {
    add(isSettled: true) { bytes in
      bytes.append(contentsOf: line.utf8)
      bytes.append(0x0A)
    }
  }

  func append(_ answer: Answer) { add { answer.append(to: &$0) } }

  func append(_ write: (inout [UInt8]) -> Void) {
    add { bytes in
      write(&bytes)
      bytes.append(0x0A)
    }
  }

  /// Hands on as much as the system takes. No byte leaves before the journal has what it tells of.
  ///
  /// - Returns: true if nothing is left.
  @discardableResult
  func flush() -> Bool {
    if content.withLock({ !$0.isSettled && $0.waiting > 0 && !$0.isLost }) {
      let failure = settle()
      change { content in
        content.isSettled = true
        if let failure { content.insert(note: failure) }
      }
    }
    return change { $0.send(to: descriptor) }
  }

  /// Says the last line, while the thread that runs the conversation waits for long. What that thread has said and not handed on is
  /// left out, but for the rest of a line.
  func end(with line: String) {
    change { content in
      guard !content.isLost else { return }
      let isWithin = content.sent > 0 && content.bytes[content.sent - 1] != 0x0A
      let rest = content.bytes[content.sent...]
      let end = isWithin ? rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex : content.sent
      content.bytes.removeSubrange(end...)
      content.bytes.append(contentsOf: line.utf8)
      content.bytes.append(0x0A)
      _ = content.send(to: descriptor)
      content.isLost = true
    }
  }

  /// Waits, in the middle of a statement, until not too much waits; who takes nothing for long is lost.
  ///
  /// - Parameter patience: the time that is long now.
  func makeRoom(patience: () -> Duration, until isOver: () -> Bool) {
    let start = ContinuousClock.now
    while needsRoom, !isLost, !flush(), needsRoom {
      if isOver() { return }
      var source = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&source, 1, 100)
      _ = giveUp(after: patience(), from: start)
    }
  }

  /// Gives the client up if it takes nothing for long while much waits: that goes, and nothing reaches it any more.
  ///
  /// - Parameter start: a time from which on it is looked at; nil: whatever it has not taken counts.
  /// - Returns: true if it is given up now.
  func giveUp(after patience: Duration, from start: ContinuousClock.Instant? = nil) -> Bool {
    change { content in
      let since = max(content.takenAt, start ?? content.takenAt)
      guard !content.isLost, content.waiting > Self.alwaysBytes, .now - since > patience else { return false }
      (content.isLost, content.isUnread) = (true, true)
      (content.bytes, content.sent) = ([], 0)
      return true
    }
  }
}

extension Outbox.Content {
  /// Puts a note before all that waits, but for the rest of a line.
  fileprivate mutating func insert(note: String) {
    let isWithin = sent > 0 && bytes[sent - 1] != 0x0A
    let place = isWithin ? bytes[sent...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.endIndex : sent
    let piece = JSON.object(["err": .text("note: \(DisplayText.printable(note))\n")])
    let line = isJSON ? JSONReport.noted(note) : JSON.object(["event": .text("output"), "output": .json("[\(piece)]")])
    bytes.insert(contentsOf: Array(line.utf8) + [0x0A], at: place)
  }

  /// Hands on as much as the system takes.
  ///
  /// - Returns: true if nothing is left.
  fileprivate mutating func send(to descriptor: Int32) -> Bool {
    while sent < bytes.count, !isLost {
      let count = bytes.withUnsafeBytes { bytes in
        Platform.send(
          descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent,
          Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        sent += count
        takenAt = .now
      } else if errno == EAGAIN || errno == EWOULDBLOCK {
        // So that each byte is moved once, and memory goes.
        if sent > 1 << 16, sent >= waiting { (bytes, sent) = (Array(bytes[sent...]), 0) }
        return false
      } else if errno != EINTR {
        isLost = true
      }
    }
    bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 12)
    sent = 0
    return true
  }
}

/// The answer to a request, in one line or, where it is long, in several: the last has a status, a value or an error.
struct Answer {
  private let id: Value?
  /// The pieces of text so far, as JSON; the last lacks its end.
  private var output: [UInt8] = []
  private var last: (target: OutputTarget, style: TextStyle?)?
  /// The results so far, as JSON.
  private var results: [UInt8] = []
  private var members: [UInt8] = []

  init(id: Value?) { self.id = id }

  /// True if it is long enough to be handed on before it is whole.
  var isLong: Bool { output.count + results.count > 1 << 15 }

  /// True if anything was printed that was not handed on yet.
  var hasPart: Bool { last != nil || !results.isEmpty }

  /// Adds text of one style that was printed.
  mutating func append(_ text: UnsafeBufferPointer<UInt8>, _ target: OutputTarget, _ style: TextStyle?) {
    if output.isEmpty { output.reserveCapacity(text.count + 64) }
    if last?.target != target || last?.style != style {
      endPiece(&output)
      JSON.append(last == nil ? "{\"" : ",{\"" as StaticString, to: &output)
      JSON.append(target == .standardOutput ? "out\":\"" : "err\":\"" as StaticString, to: &output)
      last = (target, style)
    }
    ScalarText.appendEscaped(text, to: &output)
  }

  private func endPiece(_ output: inout [UInt8]) {
    guard let last else { return }
    output.append(UInt8(ascii: "\""))
    if let style = last.style {
      JSON.append(",\"style\":" as StaticString, to: &output)
      JSON.append(quoted: style.rawValue, to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }

  /// Adds a result, which is JSON already.
  mutating func append(result: String) {
    if !results.isEmpty { results.append(UInt8(ascii: ",")) }
    JSON.append(bare: result, to: &results)
  }

  /// Adds a member of its last line.
  mutating func set(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
    if members.isEmpty { members.reserveCapacity(64) }
    JSON.append(",\"" as StaticString, to: &members)
    JSON.append(name, to: &members)
    JSON.append("\":" as StaticString, to: &members)
    write(&members)
  }

  mutating func set(_ name: StaticString, _ number: Int) { set(name) { JSON.append(number, to: &$0) } }
  mutating func set(_ name: StaticString, _ flag: Bool) { set(name) { JSON.append(.bool(flag), to: &$0) } }
  mutating func set(_ name: StaticString, _ text: String) { set(name) { JSON.append(quoted: text, to: &$0) } }

  mutating func set(steps: [TestResult]) {
    set("steps") { JSON.append(.list(PersistentList(steps.map(\.value))), to: &$0) }
  }

  /// Says why the request was not done.
  mutating func fail(_ code: ErrorCode, _ message: String, hint: String?) {
    set("error") {
      JSON.append(["code": .text(code.rawValue), "message": .text(message), "hint": hint.map { .text($0) }], to: &$0)
    }
  }

  /// The part of it so far, which is forgotten here.
  mutating func takePart() -> Answer {
    defer { (output, last, results) = ([], nil, []) }
    return self
  }

  func append(to out: inout [UInt8]) {
    out.append(UInt8(ascii: "{"))
    let start = out.count
    if let id {
      JSON.append(",\"id\":" as StaticString, to: &out)
      JSON.append(id, to: &out)
    }
    if last != nil {
      JSON.append(",\"output\":[" as StaticString, to: &out)
      out += output
      endPiece(&out)
      out.append(UInt8(ascii: "]"))
    }
    if !results.isEmpty {
      JSON.append(",\"results\":[" as StaticString, to: &out)
      out += results
      out.append(UInt8(ascii: "]"))
    }
    out += members
    if out.count > start { out.remove(at: start) }
    out.append(UInt8(ascii: "}"))
    out.append(0x0A)
  }
}
