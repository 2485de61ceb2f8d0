import ShellLanguage
import StoreSchema

extension CommandDefinition {
  static let show = CommandDefinition(
    "show", needs: .read,
    usage: [
      "show [PATH|PROJECTION|VALUE] [--as FORMAT] [--json] [--at N]",
      "show LIST [where EXPR] [--sort FIELD,…] [--limit N] [--columns FIELD,…]",
      "show … --every DURATION",
    ],
    summary:
      "prints the state, a part of it, a projection or a value; where chooses elements of a list or a map by a Lua expression over their fields",
    flags: FlagDefinition.format + [
      FlagDefinition("at", value: "N", need: .read, "read the state after action #N"),
      FlagDefinition("every", value: "DURATION", need: .read, "redraw it in place, until a key is pressed"),
    ] + Narrowing.flags,
    operands: [.path],
    examples: [
      CommandExample("show counter", output: "value  0\nstep   1\n"),
      CommandExample("show tasks.summary --as raw", output: "0 of 0 done\n"),
      CommandExample(
        "dispatch tasks.add milk --quiet", "dispatch tasks.add bread --quiet",
        "show tasks.items where not done and title:find('b') --columns id,title",
        output: "id  title\n2   bread\n1 of 2 items\n"),
    ],
    lua: LuaVerb("show", .behind("where"), takesFlags: true),
    isBrief: true, read: ShowRequest.init,
    perform: { try $0.perform(in: $1) })

  static let watch = CommandDefinition(
    "watch", needs: .read,
    usage: [
      "watch [PATH [where EXPR]] [--max N/s] [--all] [--as FORMAT]", "watch $(EXPR) [--max N/s] [--all]",
      "watch stop ID|all",
    ],
    summary:
      "prints a line at each change of a value; of a list or a map a line for each element that changed, or the sum of more than 20 changes; where chooses elements by a Lua expression over their fields; actions that came too fast to look after each are told as folded; without a path, lists the watches",
    flags: [
      FlagDefinition(
        "max", value: "N/s", need: .read,
        "print N lines a second or min at most: the last change, with the number of changes"),
      FlagDefinition("all", need: .read, "print each change of an element, however many"),
    ] + FlagDefinition.format,
    operands: [.pathOrWords(["stop"]), .watch],
    examples: [
      CommandExample("watch counter.value", output: "watch 1: counter.value = 0\n"),
      CommandExample(
        transcript: """
          stsh> watch counter.step
          watch 1: counter.step = 1
          stsh> watch stop 1

          """),
    ],
    lua: LuaVerb("watch", .behind("where"), takesFlags: true),
    removal: Removal(
      noun: "watch", names: { $0.watches.list.map { "\($0.id)" } + ["all"] },
      remove: { session, name in
        if let id = Int(name) { _ = session.watches.stop(id) } else { session.watches.stopAll() }
        return .none
      }),
    listing: { CommandListing(ShellListing.watches.reading(in: $0), of: "watches") }, read: WatchRequest.read,
    perform: { try $0.perform(in: $1) })
}

/// A value that a line shows, and the action after which it was so.
private struct ShowRequest {
  private let subject: Subject
  private let form: ResultForm
  private let number: ActionNumber?
  private let narrowing: Narrowing?
  private let every: Given<Duration>?

  private enum Subject {
    /// The part that `use` chose, or all.
    case state
    case path(GivenPath)
    case value(Literal, Word)
  }

  init(_ reader: CommandReader) throws {
    narrowing = try Narrowing(reader, at: 1)
    form = try reader.form()
    every = try reader.pause(of: "every")
    number = try reader.text(of: "at").map { try reader.number($0, at: reader.word(of: "at")) }
    guard let word = reader.operands.first else {
      subject = .state
      return
    }
    if let literal = word.path {
      let path = try GivenPath(reader.text(of: literal, at: word, isPath: true), at: word)
      try reader.checkPath(path, narrowing)
      subject = .path(path)
    } else if case .value(let literal) = word.kind {
      subject = .value(literal, word)
    } else {
      throw reader.missing("a path")
    }
  }

  func perform(in session: Session) throws -> CommandResult {
    if let pause = try every?.value(in: session) {
      return try session.redraw(every: pause) { _ = try showOnce(in: session) }
    }
    return try showOnce(in: session)
  }

  private func showOnce(in session: Session) throws -> CommandResult {
    guard let number = try number?.value(in: session) else { return try show(in: session) }
    return try session.store.viewing(number) { try show(in: session) }
  }

  private func show(in session: Session) throws -> CommandResult {
    switch subject {
    case .state:
      let scope = session.names.scope
      return try answer(scope.isEmpty ? session.wholeState() : session.read(scope), scope.description, in: session)
    case .path(let path):
      let place = try path.value(in: session)
      let reading = try path.word.marking {
        try session.refuseSeveral(place)
        return try session.read(place)
      }
      return try answer(reading, place.description, in: session)
    case .value(let literal, let word):
      let value = try word.marking { try session.value(literal) }
      return try answer(Reading(value: value, schema: .dynamic(.any)), word.text, in: session)
    }
  }

  private func answer(_ reading: Reading, _ name: String, in session: Session) throws -> CommandResult {
    guard let narrowing else { return try session.answer(reading, as: form) }
    let outcome = try narrowing.narrow(reading, of: name, in: session)
    return try session.answer(outcome, as: form)
  }
}

/// A watch that a line begins or ends.
private enum WatchRequest {
  case watch(Subject, Given<WatchPace>?, tellsAll: Bool, ResultForm)
  case stop(Given<String>, Word)

  enum Subject {
    case path(GivenPath, Narrowing?)
    case expression(String, Word)
  }

  static func read(_ reader: CommandReader) throws -> WatchRequest {
    guard reader.operands[0].text == "stop" else {
      let narrowing = try Narrowing(reader, at: 1)
      let pace = try reader.text(of: "max")?.map { text in
        if let pace = WatchPace(text) { return pace }
        throw reader.fault(
          .typeMismatch, "--max takes a number up to 1000 a second or a minute, as 2/s or 10/min, got '\(text)'",
          of: "max")
      }
      if case .value(.lua(let expression)) = reader.operands[0].kind, narrowing == nil {
        return .watch(.expression(expression, reader.operands[0]), pace, tellsAll: reader.has("all"), try reader.form())
      }
      let path = try reader.path(0, "a path")
      try reader.checkPath(path, narrowing)
      return .watch(.path(path, narrowing), pace, tellsAll: reader.has("all"), try reader.form())
    }
    var reader = reader
    reader.usage = reader.definition.usage[2]
    try reader.refuseOperands(from: 2)
    let text = try reader.required(1, "a watch's id, or all")
    let id = reader.operands[1]
    return .stop(
      try text.map { if $0 == "all" || Int($0) != nil { $0 } else { throw unknownWatch($0, at: id) } }, id)
  }

  func perform(in session: Session) throws -> CommandResult {
    switch self {
    case .watch(let subject, let pace, let tellsAll, let form):
      return try session.watch(subject, try pace?.value(in: session), tellsAll: tellsAll, as: form)
    case .stop(let text, let word):
      let text = try text.value(in: session)
      if text == "all" {
        session.watches.stopAll()
      } else {
        guard let id = Int(text), session.watches.stop(id) else { throw Self.unknownWatch(text, at: word) }
      }
      return .none
    }
  }

  private static func unknownWatch(_ text: String, at word: Word) -> ShellError {
    ShellError(code: .unknownWatch, message: "there is no watch '\(text)'", at: word, hint: "watch lists them")
  }
}

extension Session {
  fileprivate func watch(
    _ subject: WatchRequest.Subject, _ pace: WatchPace?, tellsAll: Bool, as form: ResultForm
  ) throws -> CommandResult {
    if let viewed = store.viewed {
      throw ShellError(
        code: .notAtHead, message: "the store shows \(viewed.text); a watch follows the present",
        hint: "`goto head` returns to the present")
    }
    let id = watches.upcoming
    let (name, place, inbox) = (try self.name(of: subject), try self.place(of: subject), inbox)
    let format = try isInJSON(form) ? nil : self.format(form)
    let writer = WatchLineWriter(
      console: console, isJSON: options.isJSON, id: id, path: name, place: place, tellsAll: tellsAll,
      form: format == .auto ? nil : format.map(formatter)
    ) { [clock = clock.clock] in
      clock.now
    } remind: { [clock = clock.clock, live = store.live.lease] writer, time in
      live.object?.turn {
        _ = clock.schedule(at: time) { inbox.bring(of: id) { writer.tellSum() } }
      }
    }
    let report: (any Error, Int) -> Void = { error, number in
      inbox.bring(by: number, of: id) { writer.write(error) }
    }
    // What is told first is what changes are told from: nobody acts in between.
    return try store.turn {
      let (watched, reading) = try look(at: subject, report)
      writer.schema = reading.schema
      let statement = try statement(of: subject, pace, tellsAll: tellsAll, as: form)
      return try watch(watched, reading, subject, pace, writer, by: statement, as: form)
    }
  }

  /// What a watch looks at, and its value now.
  private func look(
    at subject: WatchRequest.Subject, _ report: @escaping (any Error, Int) -> Void
  ) throws -> (WatchedPath, Reading) {
    switch subject {
    case .path(let given, let narrowing):
      let path = try given.value(in: self)
      let watched = WatchedPath(session: self, .path(path), narrowing, report: report)
      let whole = try given.word.marking {
        try refuseSeveral(path)
        return try read(path, after: watched.kept)
      }
      return (watched, try watched.begin(with: whole, in: self))
    case .expression(let text, let word):
      let reading = try word.marking { try lua().evaluate(text, chunk: chunkName, isReadOnly: true) }
      let watched = WatchedPath(session: self, .expression(text, chunk: chunkName), report: report)
      return (watched, try watched.begin(with: reading, in: self))
    }
  }

  private func watch(
    _ watched: WatchedPath, _ reading: Reading, _ subject: WatchRequest.Subject, _ pace: WatchPace?,
    _ writer: WatchLineWriter, by statement: String, as form: ResultForm
  ) throws -> CommandResult {
    guard watches.list.count < WatchList.most else {
      throw ShellError(
        code: .outOfRange, message: "a session may have \(WatchList.most) watches",
        hint: "watch lists them; watch stop N ends one, watch stop all of them")
    }
    let (id, name, inbox) = (watches.upcoming, try self.name(of: subject), inbox)
    let text = "watch \(id): \(name) = \(ActionText.literal(of: reading.value))\n"
    let result = try isInWords(form) ? answer(text) : answer(reading.watched(id, name), as: form)
    outcome.lastValue = reading.value
    let paced = pace.map { PacedWatch($0, clock: clock.clock, live: store.live) }
    @Sendable func tell(_ change: WatchedChange) {
      inbox.bring(64 + change.old.roughSize + change.new.roughSize, by: change.number, of: id) {
        writer.write(change)
      }
    }
    @Sendable func tellInTime(_ change: WatchedChange) {
      if let paced { paced.take(change, tell) } else { tell(change) }
    }
    watched.tell = tellInTime
    // Only what was shown is watched.
    watches.add(
      try listedName(of: subject),
      store.live.watch(
        "watch \(id)", at: watched.isNamedBySession ? nil : watched.path, { watched.value },
        { old, new, number in
          guard let number, let old, let change = watched.change(from: old, to: new, number) else { return }
          tellInTime(change)
        }), by: statement, writer: writer, flush: { paced?.flush() })
    return result
  }

  private func place(of subject: WatchRequest.Subject) throws -> Path? {
    if case .path(let given, _) = subject { try given.value(in: self) } else { nil }
  }

  /// The name with the condition on elements.
  private func listedName(of subject: WatchRequest.Subject) throws -> String {
    let name = try name(of: subject)
    guard case .path(_, let narrowing) = subject, let condition = narrowing?.condition else { return name }
    return "\(name) where \(condition)"
  }

  /// The statement that begins a watch, with its path in full and without variables.
  private func statement(
    of subject: WatchRequest.Subject, _ pace: WatchPace?, tellsAll: Bool, as form: ResultForm
  ) throws -> String {
    var text = "watch "
    switch subject {
    case .path(let given, let narrowing):
      text += WordSpelling.spelled(try given.value(in: self).description)
      if let condition = narrowing?.condition { text += " where \(condition)" }
    case .expression(let expression, _): text += "$(\(expression))"
    }
    if let pace { text += " --max \(pace.text)" }
    if tellsAll { text += " --all" }
    if let format = try givenFormat(form) { text += " --as \(format.rawValue)" }
    return text
  }

  private func name(of subject: WatchRequest.Subject) throws -> String {
    switch subject {
    case .path(let given, _): try given.value(in: self).description
    case .expression(let text, _): "$(\(text))"
    }
  }
}

extension Reading {
  /// The answer to a new watch: its id and path, and the value as it is now.
  fileprivate func watched(_ id: Int, _ name: String) -> Reading {
    let number = Reading(value: .int(id), schema: .dynamic(.any))
    return Reading("Watch", [("id", number), ("path", Reading(text: name)), ("value", self)])
  }
}

extension Session {
  /// All modules as one record.
  public func wholeState() throws -> Reading {
    let modules = store.modules.filter { $0.schema != nil }
    return Reading("State", try modules.map { ($0.name, try store.read(Path([.field($0.name)]))) })
  }
}
