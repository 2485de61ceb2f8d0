import Platform
import ShellLanguage
import StoreCore
import StoreHistory
import StoreHost
import StoreSchema
import StoreShell

/// What a conversation does for its client.
extension Conversation {
  /// The version of what is spoken.
  static let version = 1

  /// Says that the first request has to give the token.
  func askForToken() {
    outbox.append(line: JSONReport.message("token", Self.wantsToken))
    outbox.flush()
  }

  private static let wantsToken = "the first request gives the token of the door"

  /// Why a conversation is over whose other end is gone.
  static let left = "nobody is at the other end any more"

  /// Says who is there and what is allowed.
  func greet() {
    let (options, live) = (loop.host.options, loop.host.live)
    outbox.append { out in
      var hello = Answer(id: nil)
      hello.set("door", Conversation.version)
      hello.set("program", options.name)
      hello.set("process", Int(getpid()))
      hello.set("allow") { JSON.append(.list(PersistentList(rights.given.map { .string($0.text) })), to: &$0) }
      hello.set("prompt", "\(options.name)> ")
      hello.set("store", live.identity.withLock { $0 })
      hello.set("head", live.head)
      if let user { hello.set("user", user) }
      hello.set("who", author.name)
      hello.append(to: &out)
      out.removeLast()
    }
    outbox.flush()
  }

  func handle(_ request: consuming DoorRequest) {
    // It may take long, or wait: also where it was resumed, and the thread was woken for others too.
    loop.passOn()
    guard isTrusted.load(ordering: .relaxed) else { return prove(request) }
    do {
      switch request.kind {
      case .token: greet()
      case .name(let name, let isChosen):
        try rename(name, isChosen)
        answer(request.id) { answer in
          if let user { answer.set("user", user) }
          answer.set("who", author.name)
        }
      case .run(let given): try run(given, request.id)
      case .help(let topic): try run(GivenText("help \(topic)"), request.id)
      case .watch(let path, let isJSON):
        var given = GivenText("watch \(path)")
        given.isJSON = isJSON
        try run(given, request.id)
      case .complete(let line, let cursor, let openLines):
        let found = try started().completion(of: line, cursor: cursor, openLines: openLines)
        answer(request.id) { $0.set(found) }
      case .decorate(let line, let cursor, let openLines):
        let look = try started().decoration(of: line, cursor: cursor, openLines: openLines)
        answer(request.id) { $0.set(look) }
      case .read(let path, let point, let page):
        let value = try started().value(at: path, after: point)
        try answer(request.id) { try $0.set(value, page) }
      case .parts(let path, let point, let choice):
        let parts = try started().parts(at: path, after: point, choice)
        answer(request.id) { $0.set(parts) }
      case .log(let range):
        let (entries, next) = try started().entries(in: range)
        answer(request.id) { answer in
          answer.set("entries") { $0.append(entries) }
          if let oldest = oldestKept(from: range.first) { answer.set("oldest", oldest) }
          if let next { answer.set("next", next) }
        }
      case .follow(let from, let action, let count):
        try started().requireReading(for: "follow")
        let head = loop.host.live.head
        followed = FollowedLog(request.id, from: from ?? head + 1, action: action, count: count)
        answer(request.id) { answer in
          answer.set("head", head)
          if let oldest = oldestKept(from: from ?? .max) { answer.set("oldest", oldest) }
        }
        followed?.tell(self)
      case .followNoMore:
        followed = nil
        answer(request.id) { $0.set("head", loop.host.live.head) }
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

  /// The oldest action that the log still has, where an earlier one is asked for; nil: it has what is asked for.
  private func oldestKept(from first: Int) -> Int? {
    let oldest = loop.host.live.turn { loop.host.live.oldestEntry + 1 }
    return max(first, 1) < oldest ? oldest : nil
  }

  private var options: SessionOptions {
    var options = loop.host.options
    options.rights = rights
    options.place = .door(user: user, number: id - DoorLoop.firstID + 1)
    if let name { (options.who, options.isWhoChosen) = (name.text, name.isChosen) }
    return options
  }

  /// Who acts by it.
  private var author: ActionAuthor { session?.author ?? options.author }

  /// Takes a name, which the actions from now on have.
  private func rename(_ name: String, _ isChosen: Bool) throws {
    try ConversationName.check(name, of: user)
    let live = loop.host.live
    guard !live.isNameOfUnit(name) else {
      throw ShellError(code: .notAllowed, message: "'\(name)' is a middleware of the store", status: 2)
    }
    self.name = (name, isChosen)
    // Who gives a name is at the store from then on.
    try started().rename(name, isChosen: isChosen)
  }

  /// Takes the token; another one ends the conversation.
  private func prove(_ request: DoorRequest) {
    if case .token(let given) = request.kind, let token = loop.token, DoorToken.areEqual(given, token) {
      isTrusted.store(true, ordering: .relaxed)
      return greet()
    }
    var answer = Answer(id: request.id)
    let isToken = if case .token = request.kind { true } else { false }
    answer.fail(.noDoor, isToken ? "this is not the token of the door" : Self.wantsToken, hint: nil)
    outbox.append(answer)
    quit()
  }

  private func answer(_ id: Value?, _ fill: (inout Answer) throws -> Void) rethrows {
    var answer = Answer(id: id)
    try fill(&answer)
    outbox.append(answer)
    guard outbox.isWorthSending else { return }
    outbox.flush()
    if hasPlace { makeRoom() }
  }

  // MARK: Statements

  private func run(_ given: GivenText, _ id: Value?) throws {
    let session = try started()
    width = given.width
    session.show(on: given.width == nil ? nil : given.rows.map { screen(ofRows: $0) })
    if given.servesFiles != hasClientFiles {
      hasClientFiles = given.servesFiles
      session.serve(given.servesFiles ? clientFiles : nil)
    }
    isReported = given.isReported
    answer = Answer(id: id)
    toldLine = given.line
    outbox.speak(json: given.isJSON)
    let (refusal, firstLine) = (interruption.requested, open.flatMap { given.isAnew ? nil : $0.line })
    // What others caused stands before.
    var status = session.take(given, open: &open)
    var steps = session.takeSteps()
    if let refusal {
      // The session knows no place of it.
      answer = Answer(id: id)
      steps.append(refuse(given, goingOnFrom: firstLine, with: refusal))
    }
    if interruption.isRequested, interruption.take(), let reason = interruption.reason {
      steps = steps.map { $0.ended(by: reason) }
      if status == HostError.interrupted.status { status = reason.status }
    }
    guard var done = answer else { return }
    answer = nil
    done.set("status", Int(status))
    if given.isReported { done.set(steps: steps) }
    if given.goesOn {
      if let continuation = open?.continuation {
        done.set("open", continuation.prompt)
      } else {
        done.set("prompt", session.prompt)
        if !session.typing.showsHints { done.set("hints", false) }
        if !session.typing.highlights { done.set("highlight", false) }
        if given.file == nil {
          done.set("head", loop.host.live.head)
          if let line = session.runLine { done.set("run", line) }
          tellStanding(session, in: &done)
        }
      }
    }
    if session.isWithinChecks { done.set("checks", true) }
    if session.isToLeave { done.set("quit", Int(session.status)) }
    // Before the answer: its client waits for nothing behind that.
    tellPins()
    outbox.append(done)
    if outbox.isWorthSending { outbox.flush() }
  }

  /// Tells the watches and the pins, with which a client goes on in another conversation, where they are others than those told last.
  private func tellStanding(_ session: Session, in done: inout Answer) {
    let standing = session.standingStatements
    guard standing != told else { return }
    told = standing
    done.set("standing") {
      JSON.append(list: standing, to: &$0) { ["run": .text($0.text), "watchID": $0.watch.map { .number($0) }] }
    }
  }

  /// The screen of the client, on which it draws what it is sent.
  private func screen(ofRows rows: Int) -> ClientScreen {
    ClientScreen(rows: rows) { [weak self] text in
      guard let self else { return }
      handOn(before: nil)
      say { event in
        event.set("event", "drawing")
        for part in marks.parts(of: text) {
          var text = part.text
          text.withUTF8 { event.append($0, .standardOutput, part.style) }
        }
      }
      outbox.flush()
    } takeKeys: { [weak self] in
      guard let self else { return }
      say { $0.set("event", "keys") }
      // Nothing else may be said for long.
      outbox.flush()
    }
  }

  /// Tells the client the values that it keeps above its line, where they have changed, ten times a second at most.
  func tellPins() {
    guard let session, session.hasPins || !pins.told.isEmpty else { return }
    let now = ContinuousClock.now
    guard now >= pins.next else {
      if !pins.isAwaited {
        pins.isAwaited = true
        loop.timer.schedule(self, in: pins.next - now)
      }
      return
    }
    pins.isAwaited = false
    let text = session.pinnedForClient
    guard text != pins.told else { return }
    (pins.told, pins.next) = (text, now + .milliseconds(100))
    say { event in
      event.set("event", "pins")
      event.set("text", text)
    }
  }

  /// Takes text that the session prints, by its styles and long text in pieces: it belongs to the request that is being done,
  /// or to none.
  private func take(_ text: UnsafeBufferPointer<UInt8>, _ target: OutputTarget) {
    guard let base = text.baseAddress, !text.isEmpty else { return }
    // Every mark of a style begins with this character.
    guard memchr(base, 0x1B, text.count) != nil else { return take(inPieces: text, target, nil) }
    for part in marks.parts(of: String(decoding: text, as: UTF8.self)) {
      var styled = part.text
      styled.withUTF8 { take(inPieces: $0, target, part.style) }
    }
  }

  /// Takes text that it says itself.
  func take(_ text: String, _ target: OutputTarget) {
    var text = text
    text.withUTF8 { take($0, target) }
  }

  private func take(inPieces text: UnsafeBufferPointer<UInt8>, _ target: OutputTarget, _ style: TextStyle?) {
    var rest = text
    while rest.count > Self.longestPiece {
      var end = Self.longestPiece
      // Not in the middle of a character.
      while end > 0, rest[end] & 0xC0 == 0x80 { end -= 1 }
      take(UnsafeBufferPointer(rebasing: rest[..<end]), target, style)
      rest = UnsafeBufferPointer(rebasing: rest[end...])
    }
    if !rest.isEmpty { take(rest, target, style) }
  }

  private func take(_ text: UnsafeBufferPointer<UInt8>, _ target: OutputTarget, _ style: TextStyle?) {
    guard answer == nil else {
      answer?.append(text, target, style)
      return handOn()
    }
    say { event in
      event.set("event", "output")
      event.append(text, target, style)
    }
  }

  /// Takes a line of JSON that the session prints.
  func take(line: String, isEvent: Bool) {
    if isEvent || answer == nil {
      guard line.utf8.count < Answer.mostBytes else {
        return say { event in
          event.set("event", "left-out")
          event.set("bytes", line.utf8.count)
        }
      }
      // An error of what others caused answers no request.
      guard isEvent else {
        return say { event in
          event.set("event", "output")
          event.append(result: line)
        }
      }
      outbox.append { $0.append(contentsOf: line.utf8) }
      return handOn()
    }
    guard line.utf8.count > Self.longestPiece * 4 else {
      answer?.append(result: line)
      return handOn()
    }
    // What is before it stands before.
    if answer?.hasPart == true, let part = answer?.takePart() { outbox.append(part) }
    var rest = line.utf8[...]
    while !rest.isEmpty, !outbox.isLost, !interruption.isRequested {
      var end = rest.index(rest.startIndex, offsetBy: Self.longestPiece, limitedBy: rest.endIndex) ?? rest.endIndex
      while end < rest.endIndex, rest[end] & 0xC0 == 0x80 { end = rest.index(before: end) }
      guard var part = answer?.takePart() else { return }
      part.set("part", String(decoding: rest[..<end], as: UTF8.self))
      rest = rest[end...]
      if rest.isEmpty { part.set("whole", true) }
      outbox.append(part)
      handOn()
    }
  }

  private static let longestPiece = 1 << 18

  /// Says something that belongs to no request.
  private func say(_ fill: (inout Answer) -> Void) {
    outbox.append { out in
      var event = Answer(id: nil)
      fill(&event)
      event.append(to: &out)
      out.removeLast()
    }
    handOn()
  }

  /// Hands on what was said so far for the request that is being done, with the results of its steps, so that its client has them
  /// while a later statement takes long.
  ///
  /// - Parameter line: the line of that statement; nil: one that runs goes on.
  func handOn(before line: Int?) {
    guard answer != nil else { return }
    let steps = isReported ? session?.takeSteps() ?? [] : []
    let isNewLine = line != nil && line != toldLine
    guard answer?.hasPart == true || !steps.isEmpty || isNewLine, var part = answer?.takePart() else { return }
    if !steps.isEmpty { part.set(steps: steps) }
    if let line {
      part.set("line", line)
      toldLine = line
    }
    outbox.append(part)
    outbox.flush()
  }

  /// Sends the results so far, and the line of the statement, while that waits.
  private func show() {
    handOn(before: session?.lineUnderWay)
    outbox.flush()
  }

  /// Hands on what a statement has said so far, where it is much; waits where its reader is slow.
  private func handOn() {
    if answer?.isLong == true, let part = answer?.takePart() { outbox.append(part) }
    guard answer != nil, outbox.isWorthSending else { return }
    outbox.flush()
    makeRoom()
  }

  /// Waits where so much waits to be read that no more is to be made.
  private func makeRoom() {
    if outbox.needsRoom, !outbox.isLost {
      let givesPlace = waits == 0 && loop.beginSlowWait()
      if givesPlace { wait(true) }
      outbox.makeRoom { [loop] in
        loop.patienceWithReaders()
      } until: { [interruption] in
        interruption.isRequested
      }
      if givesPlace {
        wait(false)
        loop.endSlowWait()
      }
    }
    if outbox.isUnread { interruption.end(.closed(Self.left)) }
  }

  /// The session, made when it is first needed.
  private func started() throws -> Session {
    if let session { return session }
    let made = try loop.host.makeSession(
      options, { [weak self] in self?.width }, { [weak self] in self?.wake() },
      DoorOutput(
        marks: marks, text: { [weak self] in self?.take($0, $1) },
        line: { [weak self] in self?.take(line: $0, isEvent: $1) }, handOn: { [weak self] in self?.handOn(before: $0) })
    )
    made.obey(
      interruption.stop, isRequested: { [interruption] in interruption.isRequested },
      // All of a request is interrupted; it is taken at its end.
      take: { [interruption] in interruption.isRequested }, reason: { [weak self] in self?.ending },
      publish: { [interruption] in interruption.set($0) }, watch: { [interruption] in interruption.descriptor },
      hasClientLeft: { [interruption] in interruption.hasClientLeft },
      isClientGone: { [weak self] in self?.isClientGone ?? true },
      waits: { [weak self] in self?.wait($0) }, shows: { [weak self] in self?.show() })
    interruption.set(wake: made.wakeWait)
    session = made
    return made
  }
}

extension Answer {
  /// Sets a value; of a list, a map or a text a page, with the number of all elements, entries or characters, and the
  /// position of the next one where more follow.
  ///
  /// - Throws: `ShellError` for one that is too large for a line.
  fileprivate mutating func set(_ value: Value, _ page: DoorRequest.Page) throws {
    var bytes: [UInt8] = []
    var taken = 0
    let count: Int
    switch value {
    case .list(let list):
      count = list.count
      bytes.append(UInt8(ascii: "["))
      for element in list.dropFirst(page.from - 1).prefix(page.count ?? DoorRequest.Page.usual) {
        guard Self.append(&bytes, isFirst: taken == 0, { JSON.append(element, to: &$0) }) else { break }
        taken += 1
      }
      bytes.append(UInt8(ascii: "]"))
    case .map(let map):
      count = map.count
      bytes.append(UInt8(ascii: "{"))
      for (key, element) in map.dropFirst(page.from - 1).prefix(page.count ?? DoorRequest.Page.usual) {
        let isTaken = Self.append(&bytes, isFirst: taken == 0) { out in
          switch key {
          case .int(let key): JSON.append(quoted: "\(key)", to: &out)
          case .string(let key): JSON.append(quoted: key, to: &out)
          }
          out.append(UInt8(ascii: ":"))
          JSON.append(element, to: &out)
        }
        guard isTaken else { break }
        taken += 1
      }
      bytes.append(UInt8(ascii: "}"))
    case .string(let text):
      count = text.unicodeScalars.count
      // One takes at most six bytes in JSON.
      let shown = text.unicodeScalars.dropFirst(page.from - 1).prefix(min(page.count ?? .max, Self.mostBytes / 6))
      taken = shown.count
      JSON.append(quoted: String(String.UnicodeScalarView(shown)), to: &bytes)
    default:
      JSON.append(value, to: &bytes)
      try Self.check(bytes.count)
      return set("value") { $0 += bytes }
    }
    try Self.check(taken == 0 && page.count != 0 && page.from <= count ? .max : bytes.count)
    set("count", count)
    if page.from - 1 + taken < count { set("next", page.from + taken) }
    set("value") { $0 += bytes }
  }

  fileprivate mutating func set(_ found: ValueParts) {
    set("type", found.type)
    set("count", found.count)
    if let next = found.next { set("next", next) }
    set("parts") { out in
      out.append(UInt8(ascii: "["))
      for (index, part) in found.parts.enumerated() {
        JSON.append(index == 0 ? "{\"name\":" : ",{\"name\":" as StaticString, to: &out)
        JSON.append(quoted: part.name, to: &out)
        JSON.append(",\"path\":" as StaticString, to: &out)
        JSON.append(quoted: part.path, to: &out)
        JSON.append(",\"type\":" as StaticString, to: &out)
        JSON.append(quoted: part.type, to: &out)
        if let count = part.count {
          JSON.append(",\"count\":" as StaticString, to: &out)
          JSON.append(count, to: &out)
        }
        if part.isOpenable { JSON.append(",\"opens\":true" as StaticString, to: &out) }
        JSON.append(",\"value\":" as StaticString, to: &out)
        JSON.append(part.value, to: &out)
        out.append(UInt8(ascii: "}"))
      }
      out.append(UInt8(ascii: "]"))
    }
  }

  /// Appends an element, unless that would be too much for a line.
  private static func append(_ out: inout [UInt8], isFirst: Bool, _ write: (inout [UInt8]) -> Void) -> Bool {
    let before = out.count
    if !isFirst { out.append(UInt8(ascii: ",")) }
    write(&out)
    guard out.count > mostBytes else { return true }
    out.removeSubrange(before...)
    return false
  }

  private static func check(_ size: Int) throws {
    guard size > mostBytes else { return }
    throw ShellError(
      code: .lineTooLong, message: "the value takes more than the \(mostBytes) bytes of an answer",
      hint: "read its parts: a field, an element, or a page of a text by from and count")
  }

  /// The most bytes of a value, and of an event, in one answer.
  static let mostBytes = (8 << 20) - 4096
}

extension [UInt8] {
  /// Appends entries of the log as a list; of one that is too large for a line its number, action and size.
  mutating func append(_ entries: [LoggedEntry]) {
    append(UInt8(ascii: "["))
    for (index, entry) in entries.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      let start = count
      EntryWriter.append(entry, to: &self)
      let size = count - start
      guard size > Answer.mostBytes / 8 * 7 else { continue }
      removeSubrange(start...)
      JSON.append(["id": .number(entry.number), "action": .text(entry.action), "bytes": .number(size)], to: &self)
    }
    append(UInt8(ascii: "]"))
  }
}
