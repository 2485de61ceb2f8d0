import CEvents
import Platform
import StoreCore
import StoreSchema
import StoreShell

/// The client's answers about its files and programs, which the statement that runs waits for. They come in while that holds the conversation.
final class ClientFileAnswers: Sendable {
  private let state = Lock(State())

  private struct State {
    /// Readable while an answer is there; -1: no statement has waited for one.
    var descriptor: Int32 = -1
    /// The number of the file that an answer is awaited about; nil: none is.
    var awaited: Int?
    var line: ArraySlice<UInt8>?
    /// The numbers of the files about which an answer is no longer awaited, and may come all the same.
    var abandoned: [Int] = []
  }

  deinit { state.withLock { state in if state.descriptor >= 0 { close(state.descriptor) } } }

  private static let start = Array("{\"file\":".utf8)

  /// The most answers that may come late: clients answer one after the other, and soon.
  private static let mostAbandoned = 8

  /// Takes a line that came in, where it is the answer that is awaited, or one that was.
  func take(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.starts(with: Self.start) else { return false }
    return state.withLock { state in
      let number = line.dropFirst(Self.start.count).prefix { 0x30...0x39 ~= $0 }
      guard let awaited = state.awaited, state.line == nil, number.elementsEqual("\(awaited)".utf8) else {
        guard let index = state.abandoned.firstIndex(where: { number.elementsEqual("\($0)".utf8) }) else {
          return false
        }
        state.abandoned.remove(at: index)
        return true
      }
      state.line = line
      eventfd_write(state.descriptor, 1)
      return true
    }
  }

  /// Begins to wait for an answer about a file.
  ///
  /// - Returns: a descriptor that is readable while the answer is there; -1: the system has none left.
  func expect(_ file: Int) -> Int32 {
    state.withLock { state in
      if state.descriptor < 0 { state.descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
      (state.awaited, state.line) = (file, nil)
      return state.descriptor
    }
  }

  /// The answer, which is no longer awaited then; nil: none has come yet.
  func take() -> ArraySlice<UInt8>? {
    state.withLock { state in
      guard let line = state.line else { return nil }
      var count: eventfd_t = 0
      eventfd_read(state.descriptor, &count)
      (state.awaited, state.line) = (nil, nil)
      return line
    }
  }

  /// Waits no longer. The client may answer before it hears of that: such an answer is dropped.
  func end() {
    guard take() == nil else { return }
    state.withLock { state in
      guard let number = state.awaited else { return }
      state.abandoned = state.abandoned.suffix(Self.mostAbandoned - 1) + [number]
      state.awaited = nil
    }
  }
}

/// The files and programs of the client, at the host's end.
extension Conversation {
  /// Asks the client for a step with one of its files or programs, and waits for the answer. Other conversations run meanwhile.
  ///
  /// - Throws: `FileError` as the client tells it; with `EINTR` if the statement is interrupted or the client is gone.
  func perform(_ step: ClientFiles.Step, with file: Int) throws(FileError) -> ClientFiles.Reply {
    guard step != .cancel else {
      ask(step, file)
      return ClientFiles.Reply()
    }
    let arrival = fileAnswers.expect(file)
    ask(step, file)
    wait(true)
    defer { wait(false) }
    let stop = interruption.descriptor
    while true {
      let isAllSaid = outbox.flush()
      var sources = [
        pollfd(fd: arrival, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isAllSaid ? -1 : descriptor, events: Int16(POLLOUT), revents: 0),
      ]
      // A conversation that the system gives no descriptor for looks now and then.
      poll(&sources, 3, stop < 0 || arrival < 0 ? 100 : -1)
      if let line = fileAnswers.take() {
        do throws(FileError) {
          return try reply(line, to: step)
        } catch {
          // The client sent its interruption before this answer, and the door takes it up behind it.
          if error.code == EINTR, !interruption.isOver {
            var end = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
            poll(&end, 1, 1000)
          }
          throw error
        }
      }
      if outbox.isLost || interruption.isOver {
        fileAnswers.end()
        throw FileError(path: Self.path(of: step), code: EINTR)
      }
    }
  }

  private func ask(_ step: ClientFiles.Step, _ file: Int) {
    handOn(before: nil)
    outbox.append { out in
      var event = Answer(id: nil)
      event.set("event", "file")
      event.set("file", file)
      switch step {
      case .open(let path, let use):
        event.set("open", path)
        event.set("for", use.rawValue)
      case .prepare(let program): event.set(program)
      case .output: event.set("output", true)
      case .next: event.set("next", true)
      case .write(let bytes): event.set("data", DoorMessage.text(of: bytes))
      case .finish: event.set("finish", true)
      case .cancel: event.set("cancel", true)
      }
      event.append(to: &out)
      out.removeLast()
    }
    outbox.flush()
  }

  private static func path(of step: ClientFiles.Step) -> String {
    switch step {
    case .open(let path, _): path
    case .prepare(let program): program.words[0]
    default: "the client's file"
    }
  }

  private func reply(_ line: ArraySlice<UInt8>, to step: ClientFiles.Step) throws(FileError) -> ClientFiles.Reply {
    let path = Self.path(of: step)
    guard let message = DoorMessage(line) else {
      throw FileError(path: path, unreadable: "the client's answer is no JSON")
    }
    if let error = message["error"] {
      let isReading =
        switch step {
        case .open(_, .reading), .next, .output: true
        default: false
        }
      var code = EIO
      if case .int(let number)? = error.member("number") { code = Int32(clamping: number) }
      throw FileError(
        path: error.member("path")?.text.map(SafeText.line) ?? path, code: code, isReading ? .reading : .writing,
        reason: SafeText.line(error.member("message")?.text ?? "the client cannot do it"))
    }
    var reply = ClientFiles.Reply()
    reply.path = message.text("path").map(SafeText.line)
    reply.size = message.number("size")
    switch step {
    case .finish, .output:
      reply.ending =
        message.number("status").map { .exited(Int32(clamping: $0)) }
        ?? message.number("signal").map { .signalled(Int32(clamping: $0)) }
      reply.isTimeOver = message["timedOut"] != nil
      reply.printed = message.text("printed") ?? ""
      if case .finish = step { return reply }
      if reply.ending != nil || reply.isTimeOver { return reply }
    case .next: break
    default: return reply
    }
    reply.isError = step == .output && message["errors"] != nil
    guard let bytes = message.bytes(reply.isError ? "errors" : "data"), bytes.count <= ClientFiles.pieceSize else {
      throw FileError(path: path, unreadable: "the client's answer is no piece of it")
    }
    reply.piece = bytes
    return reply
  }
}

extension Answer {
  fileprivate mutating func set(_ program: ClientProgram) {
    set("open", program.words[0])
    set("for", "run")
    set("words") { JSON.append(.list(PersistentList(program.words.dropFirst().map { .string($0) })), to: &$0) }
    if let folder = program.folder { set("in", folder) }
    if let timeout = program.timeout { set("timeout") { JSON.append(.double(timeout / .seconds(1)), to: &$0) } }
    if program.isShown { set("shown", true) }
    if program.isKept { set("kept", true) }
  }
}
