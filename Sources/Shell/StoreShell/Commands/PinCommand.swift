import ShellLanguage
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let pin = CommandDefinition(
    "pin", needs: .read, usage: ["pin [PATH|$(EXPR)…]", "pin --remove NAME|all"],
    summary:
      "keeps values above the line at the prompt, up to a third of the screen, redrawn as they change; without a path, lists them",
    flags: FlagDefinition.format + [FlagDefinition("remove", value: "NAME", need: .read, "remove a pin, or all")],
    operands: [.path],
    examples: [CommandExample("pin", output: "(no pins)\n"), CommandExample("pin --remove all", output: "")],
    read: PinRequest.read, perform: { try $0.perform(in: $1) })
}

/// Values that a line keeps above those that follow, or the list of them.
private enum PinRequest {
  case list(ResultForm)
  case add([Subject])
  case remove(Given<String>, at: Word)

  enum Subject {
    case path(GivenPath)
    case expression(String, Word)
  }

  static func read(_ reader: CommandReader) throws -> PinRequest {
    if let name = try reader.text(of: "remove"), let word = reader.word(of: "remove") {
      try reader.refuseOperands(from: 0)
      // The name of an expression is the expression, as it was pinned.
      if case .lua(let expression)? = reader.literal(of: "remove") {
        return .remove(.known(Self.name(of: expression)), at: word)
      }
      return .remove(name, at: word)
    }
    guard !reader.operands.isEmpty else { return .list(try reader.form()) }
    return .add(
      try reader.operands.indices.map { index in
        if case .value(.lua(let expression)) = reader.operands[index].kind {
          return .expression(expression, reader.operands[index])
        }
        guard reader.operands[index].path != nil else {
          throw ShellError(
            code: .unexpectedArgument, message: "pin takes paths, and Lua in $(…)", at: reader.operands[index],
            hint: "such as: pin counter.value $(state.counter.value * 2)")
        }
        let path = try reader.path(index, "a path")
        try reader.checkPath(path)
        return .path(path)
      })
  }

  /// The name of the pin of an expression.
  fileprivate static func name(of expression: String) -> String { "$(\(expression))" }

  func perform(in session: Session) throws -> CommandResult {
    switch self {
    case .list(let form):
      return try session.answer(
        { session in
          CommandListing(Reading("Pins", session.pins.list.map { ($0.name, $0.watched.value) }), of: "pins")
        }, as: form)
    case .remove(let name, let word):
      let name = try name.value(in: session)
      guard session.pins.remove(name) || name == "all" else {
        throw ShellError(
          code: .unknownVariable, message: "there is no pin '\(name)'", at: word,
          hint: Suggestion.question(name, among: session.pins.list.map(\.name)) ?? "pin lists them")
      }
      return .none
    case .add(let subjects):
      guard session.pins.hasLine else {
        throw ShellError(
          code: .notAllowed, message: "pin needs a prompt: it keeps values above the line",
          hint: "watch PATH --max 2/s prints a line at each change")
      }
      // All or none.
      for entry in try subjects.map({ try $0.entry(in: session) }) { session.pins.add(session.followed(entry)) }
      return .none
    }
  }
}

extension Session {
  /// Allows pins, for a script too that runs before the prompt.
  package func expectPrompt() { pins.hasLine = true }

  /// A pin whose changes wake the session, where the line above which it is kept is a client's.
  fileprivate func followed(_ entry: PinList.Entry) -> PinList.Entry {
    guard person.screen != nil else { return entry }
    var entry = entry
    let (watched, wake) = (entry.watched, clock.wakeUp)
    watched.tell = { _ in wake() }
    entry.subscription = store.live.turn {
      store.live.watch(
        "pin \(entry.name)", at: watched.isNamedBySession ? nil : watched.path, { watched.value }, { _, _, _ in wake() }
      )
    }
    return entry
  }
}

extension PinRequest.Subject {
  /// What is kept, once it was read. What is not there yet, but may come, is kept as well.
  fileprivate func entry(in session: Session) throws -> PinList.Entry {
    switch self {
    case .path(let given):
      let path = try given.value(in: session)
      try given.word.marking {
        do {
          _ = try session.read(path)
        } catch  where ShellError(describing: error).code == .unknownPath {
          _ = try session.declaredType(at: path)
        }
      }
      return PinList.Entry(
        name: path.description, operand: WordSpelling.spelled(path.description),
        watched: WatchedPath(session: session, .path(path)) { _, _ in })
    case .expression(let text, let word):
      let chunk = session.chunkName
      try word.marking {
        let lua = try session.lua()
        do throws(SessionLuaError) {
          _ = try lua.evaluate(text, chunk: chunk, isReadOnly: true)
        } catch {
          guard error.misusesValue else { throw error }
          try lua.requireNames(in: text, chunk: chunk)
        }
      }
      return PinList.Entry(
        name: PinRequest.name(of: text), operand: PinRequest.name(of: text),
        watched: WatchedPath(session: session, .expression(text, chunk: chunk)) { _, _ in })
    }
  }
}
