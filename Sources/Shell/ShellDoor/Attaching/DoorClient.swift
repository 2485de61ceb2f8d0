import Platform
import ShellLanguage
import StoreSchema
import StoreShell

/// The client's end of a conversation with a door. It is used by one thread at a time.
///
/// A door of any program is spoken to by `stsh --attach`, which is why hints about doors name `stsh`, whatever the program is
/// called.
public final class DoorClient {
  /// The socket: readable when the door has said something.
  let descriptor: Int32
  /// The place of the door.
  public let address: DoorAddress
  /// What the door said of itself.
  private(set) var greeting = DoorMessage()
  /// True if the door's process has ended the connection.
  private(set) var isLost = false
  private var bytes: [UInt8] = []
  private var start = 0
  /// The bytes from the start that hold no line end.
  private var passed = 0
  /// The bytes of requests that there was no room for yet.
  private var unsent: [UInt8] = []

  /// Comes in by a door.
  ///
  /// - Parameters:
  ///   - token: the token of a port.
  ///   - patience: the longest wait for the door's first word.
  ///   - stop: a descriptor that ends the wait when it becomes readable; -1: nothing does.
  /// - Throws: `ShellError` where no process is there, or the door lets nobody in; `interrupted` where the wait was ended.
  public init(
    at address: DoorAddress, token: String? = nil, patience: Duration = .seconds(10), until stop: Int32 = -1
  ) throws(ShellError) {
    self.address = address
    descriptor = address.makeSocket()
    if descriptor < 0 { throw Self.unmade(address, errno) }
    let end = ContinuousClock.now + patience
    try connect(before: end, until: stop)
    if let token {
      try send {
        JSON.append("{\"token\":" as StaticString, to: &$0); JSON.append(quoted: token, to: &$0)
      }
    }
    var greeting = try receive(before: end, until: stop)
    if greeting.text("event") == "token" {
      guard token != nil else {
        throw ShellError(
          code: .noDoor, message: "the door at \(address.text) wants its token",
          hint: "--token-file FILE reads the token that the door printed, or wrote by --token-file", status: 6)
      }
      greeting = try receive(before: end, until: stop)
    }
    if let reason = greeting.text("message") ?? greeting.error?.message {
      throw ShellError(code: .noDoor, message: "\(address.text): \(SafeText.line(reason))", status: 6)
    }
    if let version = greeting["door"], version != .int(Conversation.version) {
      throw ShellError(
        code: .noDoor,
        message: "the door at \(address.text) speaks version \(SafeText.line(JSON.text(of: version))) of the protocol, "
          + "and this program version \(Conversation.version)", status: 6)
    }
    self.greeting = greeting
  }

  /// Tells the door the name of the client, which its actions have from then on.
  ///
  /// - Parameter isChosen: true if a person chose it.
  /// - Throws: `ShellError` where the door refuses the name.
  public func introduce(as name: String, isChosen: Bool, until stop: Int32 = -1) throws(ShellError) {
    try send {
      JSON.append("{\"who\":" as StaticString, to: &$0); JSON.append(quoted: name, to: &$0)
      if isChosen { JSON.append(",\"chosen\":true" as StaticString, to: &$0) }
    }
    let answer = try receive(before: .now + .seconds(10), until: stop)
    if var error = answer.error {
      error.status = 2
      throw error
    }
  }

  /// The error of a socket that the system does not make.
  private static func unmade(_ address: DoorAddress, _ code: Int32) -> ShellError {
    ShellError(FileError(path: address.text, code: code))
  }

  /// Connects. The system keeps a caller waiting where the process at the other end lets nobody in.
  private func connect(before end: ContinuousClock.Instant, until stop: Int32) throws(ShellError) {
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    while true {
      let code = address.withSystemAddress { Platform.connect(descriptor, $0, $1) } == 0 ? 0 : errno
      var sources = [
        pollfd(fd: stop, events: Int16(POLLIN), revents: 0), pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
      ]
      switch code {
      case 0, EISCONN:
        _ = fcntl(descriptor, F_SETFL, flags)
        return
      case EINTR: continue
      // Nothing tells when there is room again.
      case EAGAIN: poll(&sources, 1, 20)
      case EINPROGRESS, EALREADY: poll(&sources, 2, 20)
      default:
        throw ShellError(
          code: .noDoor, message: "no process listens at \(address.text): \(String(cString: strerror(code)))",
          hint: "stsh --attach lists the doors that are there", status: 6)
      }
      if sources[0].revents != 0 { throw .interrupted }
      if .now > end { throw unanswered(nil) }
    }
  }

  deinit { if descriptor >= 0 { Platform.close(descriptor) } }

  /// Notes that the connection is gone.
  ///
  /// - Returns: its error.
  func lose() -> ShellError {
    isLost = true
    return ShellError(code: .connectionLost, message: "the connection to \(address.text) was lost", status: 6)
  }

  /// The error of a door that does not follow an interruption.
  ///
  /// - Parameters:
  ///   - reason: why what ran was to end; nil: somebody interrupted it.
  ///   - isStopped: true if the system stopped the door's process.
  func unanswered(_ reason: ShellError?, isStopped: Bool = false) -> ShellError {
    let cause = isStopped ? "the process of the door at \(address.text) is stopped" : silence
    return ShellError(
      code: reason?.code ?? .connectionLost, message: (reason.map { "\($0.message); " } ?? "") + cause,
      status: reason?.status ?? 6)
  }

  private var silence: String { "the door at \(address.text) does not answer" }

  /// True if the process of the door was stopped, as by SIGSTOP: it answers once it is continued. The system knows that of a
  /// process on this machine alone.
  var isStopped: Bool {
    guard let process = DoorPeer(descriptor, at: address).process,
      let bytes = try? Files.read("/proc/\(process)/stat")
    else { return false }
    // The name of the program stands in parentheses before the state.
    guard let end = bytes.lastIndex(of: UInt8(ascii: ")")), bytes.indices.contains(end + 2) else { return false }
    return [UInt8(ascii: "T"), UInt8(ascii: "t")].contains(bytes[end + 2])
  }

  /// The most bytes of a request, as doors take them where nobody has set another limit.
  private static let mostBytes = DoorLimits().lineBytes

  /// Sends a request. A door that takes nothing more keeps nobody waiting: the rest of it is sent while the answer is waited for.
  ///
  /// - Parameter write: writes it but for the closing brace.
  /// - Throws: `line-too-long`.
  func send(_ write: (inout [UInt8]) -> Void) throws(ShellError) {
    var line: [UInt8] = []
    write(&line)
    line += [UInt8(ascii: "}"), 0x0A]
    guard line.count <= Self.mostBytes else {
      throw ShellError(
        code: .lineTooLong, message: "a door takes \(Self.mostBytes) bytes at once, and this is \(line.count) as JSON",
        hint: Self.adviceOnBigData, status: 2)
    }
    unsent += line
    flush()
  }

  /// The way to give data that no statement can hold.
  static let adviceOnBigData = "put big data into a file and read it with ingest"

  /// Sends what there is room for. That nobody takes it any more is found where the answer is read.
  private func flush() {
    var sent = 0
    while sent < unsent.count {
      let count = unsent.withUnsafeBytes {
        Platform.send(
          descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { break }
      sent = count > 0 ? sent + count : unsent.count
    }
    unsent.removeFirst(sent)
  }

  /// Reads what has arrived, without waiting.
  func takeArrived() throws(ShellError) {
    flush()
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(descriptor, &block, block.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { return }
      guard count > 0 else {
        if lineEnd != nil { return }
        throw lose()
      }
      bytes.append(contentsOf: block[..<count])
      if count < block.count { return }
    }
  }

  /// The next message, which is waited for.
  private func receive(before end: ContinuousClock.Instant, until stop: Int32) throws(ShellError) -> DoorMessage {
    while true {
      if let message = takeMessage() { return message }
      let (hasArrived, isInterrupted) = wait(or: stop, atMost: max(end - .now, .zero))
      if isInterrupted, !hasArrived { throw .interrupted }
      guard hasArrived else { throw unanswered(nil) }
      try takeArrived()
    }
  }

  /// The next message that has arrived; nil: there is none.
  func takeMessage() -> DoorMessage? {
    while let end = lineEnd {
      let line = bytes[start..<end]
      start = end + 1
      passed = 0
      defer {
        if start == bytes.count { (bytes, start) = ([], 0) }
      }
      if let message = DoorMessage(line) { return message }
    }
    return nil
  }

  /// Waits until something arrives, and sends what could not be sent yet.
  ///
  /// - Parameters:
  ///   - other: a descriptor that ends the wait when it becomes readable; -1: none.
  ///   - time: the longest wait; nil: any.
  func wait(or other: Int32 = -1, atMost time: Duration? = nil) -> (hasArrived: Bool, isInterrupted: Bool) {
    let end = time.map { ContinuousClock.now + $0 }
    while true {
      let room = unsent.isEmpty ? 0 : POLLOUT
      var sources = [
        pollfd(fd: descriptor, events: Int16(POLLIN | room), revents: 0),
        pollfd(fd: other, events: Int16(POLLIN), revents: 0),
      ]
      let left = end.map { Int32(clamping: Int64((($0 - .now) / .milliseconds(1)).rounded(.up))) } ?? -1
      let count = poll(&sources, 2, end == nil ? -1 : max(left, 0))
      if count < 0, errno == EINTR { continue }
      if sources[0].revents & Int16(POLLOUT) != 0 { flush() }
      let (hasArrived, isInterrupted) = (sources[0].revents & ~Int16(POLLOUT) != 0, sources[1].revents != 0)
      if hasArrived || isInterrupted || count <= 0 { return (hasArrived, isInterrupted) }
    }
  }

  private var lineEnd: Int? {
    guard let end = bytes[(start + passed)...].firstIndex(of: 0x0A) else {
      passed = bytes.count - start
      return nil
    }
    return end
  }
}
