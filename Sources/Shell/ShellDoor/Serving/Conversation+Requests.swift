import Platform
import ShellLanguage
import StoreCore
import StoreHistory
import StoreHost
import StoreModules
import StoreSchema
import StoreShell

/// What a conversation does for its client.
extension Conversation {
  /// The version of what is spoken.
  static let version = 1

  /// Says who is there and what is allowed.
  func greet() {
    let (options, live) = (loop.host.options, loop.host.live)
    outbox.append { out in
      var hello = Answer(id: nil)
      hello.set("door", Conversation.version)
      hello.set("program", options.name)
      hello.set("process", Int(getpid()))
      hello.set("allow") { JSON.append(.list(PersistentList(options.rights.given.map { .string($0.text) })), to: &$0) }
      hello.set("prompt", "\(options.name)> ")
      hello.set("head", live.head)
      hello.append(to: &out)
      out.removeLast()
    }
    outbox.flush()
  }

  func handle(_ request: DoorRequest) {
    guard isTrusted.load(ordering: .relaxed) else { return prove(request) }
    do {
      switch request.kind {
      case .token: greet()
      case .run(let given): try run(given, request.id)
      case .help(let topic): try run(GivenText("help \(topic)"), request.id)
      case .watch(let path, let isJSON):
        var given = GivenText("watch \(path)")
        given.isJSON = isJSON
        try run(given, request.id)
      case .complete(let line, let cursor, let openLines):
        let found = try started().completion(of: line, cursor: cursor, openLines: openLines)
        answer(request.id) { $0.set(found) }
      case .read(let path, let point, let page):
        let value = try started().value(at: path, after: point)
        try answer(request.id) { try $0.set(value, page) }
      case .log(let range):
        let (entries, next) = try started().entries(in: range)
        answer(request.id) { answer in
          answer.set("entries") { $0.append(entries) }
          if let next { answer.set("next", next) }
        }
      case .follow(let from, let action):
        try started().requireReading(for: "follow")
        let head = loop.host.live.head
        followed = FollowedLog(request.id, from: from ?? head + 1, action: action)
        answer(request.id) { $0.set("head", head) }
        followed?.tell(self)
      case .interrupt:
        // Whatever it was meant for is over.
        _ = interruption.take()
        answer(request.id) { $0.set("status", 0) }
      case .time:
        let now = try started().now
        answer(request.id) { answer in
          answer.set("time") { EntryWriter.append(now.time, to: &$0) }
          answer.set("oldest", now.oldest)
          answer.set("head", now.head)
        }
      }
    } catch {
      let error = ShellError(describing: error, program: nil)
      answer(request.id) { $0.fail(error.code, error.message, hint: error.hint) }
    }
  }

  /// Takes the token; another one ends the conversation.
  private func prove(_ request: DoorRequest) {
    if case .token(let given) = request.kind, let token = loop.token, DoorToken.areEqual(given, token) {
      isTrusted.store(true, ordering: .relaxed)
      return greet()
    }
    var answer = Answer(id: request.id)
    answer.fail(.noDoor, "the first request gives the token of this door", hint: nil)
    outbox.append(answer)
    quit()
  }

  private func answer(_ id: Value?, _ fill: (inout Answer) throws -> Void) rethrows {
    var answer = Answer(id: id)
    try fill(&answer)
    outbox.append(answer)
    if outbox.isWorthSending { outbox.flush() }
  }

  // MARK: Statements

  private func run(_ given: GivenText, _ id: Value?) throws {
    let session = try started()
    width = given.width
    answer = Answer(id: id)
    // What others caused stands before.
    let status = session.take(given, from: peer, open: &open)
    guard var done = answer else { return }
    answer = nil
    done.set("status", Int(status))
    if given.goesOn {
      if let continuation = open?.continuation {
        done.set("open", continuation.prompt)
      } else {
        done.set("prompt", session.prompt)
      }
    }
    if session.hasQuit { done.set("quit", Int(session.status)) }
    outbox.append(done)
    if outbox.isWorthSending { outbox.flush() }
  }

  /// Takes what the session prints, long text in pieces.
  private func take(_ text: String, _ target: OutputTarget) {
    guard text.utf8.count > Self.longestPiece, !text.hasPrefix("{\"") else { return takePiece(text, target) }
    var rest = text.utf8[...]
    while !rest.isEmpty {
      var end = rest.index(rest.startIndex, offsetBy: Self.longestPiece, limitedBy: rest.endIndex) ?? rest.endIndex
      // Not in the middle of a character.
      while end < rest.endIndex, rest[end] & 0xC0 == 0x80 { end = rest.index(before: end) }
      takePiece(String(decoding: rest[..<end], as: UTF8.self), target)
      rest = rest[end...]
    }
  }

  private static let longestPiece = 1 << 18

  /// Takes text that the session prints: it belongs to the request that is being done, or to none.
  private func takePiece(_ text: String, _ target: OutputTarget) {
    let isEvent = text.hasPrefix("{\"event\":") && text.hasSuffix("}\n")
    if isEvent {
      outbox.append { $0.append(contentsOf: text.utf8.dropLast()) }
    } else if answer == nil {
      outbox.append { out in
        var event = Answer(id: nil)
        event.set("event", "output")
        event.append(text, target)
        event.append(to: &out)
        out.removeLast()
      }
    } else if target == .standardOutput, text.hasPrefix("{\"ok\":"), text.hasSuffix("}\n") {
      answer?.append(result: String(text.dropLast()))
    } else {
      answer?.append(text, target)
    }
    if answer?.isLong == true, let part = answer?.takePart() { outbox.append(part) }
    guard answer != nil, outbox.isWorthSending else { return }
    outbox.flush()
    outbox.makeRoom { [interruption] in interruption.isRequested }
    if outbox.isLost { interruption.end() }
  }

  /// The session, made when it is first needed.
  private func started() throws -> Session {
    if let session { return session }
    let made = try loop.host.makeSession(
      loop.host.options, { [weak self] in self?.width }, { [weak self] in self?.wake() },
      { [weak self] in self?.take($0, $1) })
    made.obey(
      isRequested: { [interruption] in interruption.isRequested }, take: { [interruption] in interruption.take() },
      publish: { [interruption] in interruption.set($0) })
    session = made
    return made
  }
}

extension Answer {
  /// Sets the text that may stand at the cursor.
  fileprivate mutating func set(_ completion: LineCompletion) {
    set("from", completion.replaceFrom)
    if let note = completion.note { set("note", note) }
    set("candidates") { out in
      out.append(UInt8(ascii: "["))
      for (index, candidate) in completion.candidates.enumerated() {
        JSON.append(index == 0 ? "{\"text\":" : ",{\"text\":" as StaticString, to: &out)
        JSON.append(quoted: candidate.text, to: &out)
        JSON.append(",\"display\":" as StaticString, to: &out)
        JSON.append(quoted: candidate.display, to: &out)
        JSON.append(",\"suffix\":" as StaticString, to: &out)
        JSON.append(quoted: candidate.suffix, to: &out)
        out.append(UInt8(ascii: "}"))
      }
      out.append(UInt8(ascii: "]"))
    }
  }

  /// Sets a value, of a list a page.
  ///
  /// - Throws: `ShellError` for one that is too large for a line.
  fileprivate mutating func set(_ value: Value, _ page: DoorRequest.Page) throws {
    var paged = value
    switch value {
    case .list(let list):
      paged = .list(PersistentList(Array(list.dropFirst(page.from - 1).prefix(page.count))))
      set("count", list.count)
    default: break
    }
    var bytes: [UInt8] = []
    JSON.append(paged, to: &bytes)
    guard bytes.count <= Answer.mostBytes else {
      throw ShellError(
        code: .lineTooLong, message: "the value takes \(bytes.count) bytes, and an answer \(Answer.mostBytes) at most",
        hint: "ask for a page of it, by from and count, or for a part")
    }
    set("value") { $0 += bytes }
  }

  /// The most bytes of a value in one answer.
  private static let mostBytes = 8 << 20
}

extension [UInt8] {
  /// Appends entries of the log as a list.
  mutating func append(_ entries: [LoggedEntry]) {
    append(UInt8(ascii: "["))
    for (index, entry) in entries.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      EntryWriter.append(entry, to: &self)
    }
    append(UInt8(ascii: "]"))
  }
}
