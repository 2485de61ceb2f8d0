import ShellLanguage
import StoreModules
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let thunk = CommandDefinition(
    "thunk", needs: .dispatch, usage: ["thunk [NAME [ARG=VALUE…]] [--quiet] [--info TEXT]"],
    summary: "runs a thunk: code of a module that dispatches and waits; lists them without a name",
    flags: FlagDefinition.format + [
      FlagDefinition("quiet", need: .dispatch, "print nothing"),
      FlagDefinition("info", value: "TEXT", need: .dispatch, "a note in the action's source"),
    ],
    operands: [.thunk],
    examples: [
      CommandExample("thunk", output: "(no thunks)\n"),
      CommandExample("thunk --json", output: "[]\n"),
    ],
    listing: {
      CommandListing(ShellListing.thunks.reading(in: $0), of: "thunks")
    },
    read: ThunkRequest.read, perform: { try $0.value(in: $1).perform(in: $1) })
}

private struct ThunkRequest {
  let type: ThunkType
  let arguments: Arguments
  let info: Given<String>?
  let isQuiet: Bool

  enum Arguments {
    case declared(GivenArguments)
    /// Any names.
    case named([(name: String, literal: Literal, word: Word)])
  }

  static func read(_ reader: CommandReader) throws -> Given<ThunkRequest> {
    let word = reader.operands[0]
    return try reader.required(0, "the name of a thunk").map { name in
      let type = try reader.vocabulary.thunk(named: name, at: word)
      return ThunkRequest(
        type: type, arguments: try reader.arguments(type, at: word, reader.operands.dropFirst()),
        info: try reader.text(of: "info"), isQuiet: reader.has("quiet"))
    }
  }

  func perform(in session: Session) throws -> CommandResult {
    let call: ActionCall
    switch arguments {
    case .declared(let arguments): call = ActionCall(type.action, try arguments.values(in: session))
    case .named(let arguments):
      call = type.call(
        try arguments.map { name, literal, word in
          (name, try word.marking { try session.value(literal) })
        })
    }
    let source = session.source(info: try info?.value(in: session), function: "thunk")
    return try session.finish(session.store.dispatch(call, source: source), quietly: isQuiet)
  }
}

extension Vocabulary {
  /// The thunk of that name, with its plugin or, where no other plugin has one of the name, without.
  fileprivate func thunk(named name: String, at word: Word) throws -> ThunkType {
    let found = thunks.filter { $0.fullName == name || $0.action.name == name }
    guard let type = found.first(where: { $0.fullName == name }) ?? found.first else {
      throw ShellError(
        code: .unknownThunk, message: "there is no thunk '\(name)'", at: word,
        hint: idlePlugin(withThunk: name).map { "\($0) is off; plugin enable \($0)" }
          ?? Suggestion.question(name, among: thunks.flatMap { [$0.fullName, $0.action.name] }) ?? "thunk lists them")
    }
    guard found.count == 1 || type.fullName == name else {
      throw ShellError(
        code: .unknownThunk, message: "several modules have a thunk '\(name)'", at: word,
        hint: "write one of \(found.map(\.fullName).joined(separator: ", "))")
    }
    return type
  }

  /// A plugin that is loaded and off, and would have the thunk.
  private func idlePlugin(withThunk name: String) -> String? {
    loadedPlugins.first { loaded in
      let thunks = loaded.condition == .on ? [] : plugin(named: loaded.name)?.tasks.thunkTypes ?? []
      return thunks.contains { $0.fullName == name || $0.action.name == name }
    }?.name
  }
}

extension CommandReader {
  fileprivate func arguments(
    _ type: ThunkType, at thunk: Word, _ words: Words
  ) throws -> ThunkRequest.Arguments {
    let usage = "thunk \(type.signature)"
    guard type.takesAny else {
      return .declared(
        try arguments(
          type.action.fields, of: "thunk \(type.fullName)", usage: usage, at: thunk, words,
          from: words.startIndex))
    }
    var named: [(name: String, literal: Literal, word: Word)] = []
    for word in words {
      guard case .named(let name, let literal) = word.kind, !named.contains(where: { $0.name == name }) else {
        throw ShellError(
          code: .unexpectedArgument, message: "thunk \(type.fullName) takes arguments by name, each once", at: word,
          hint: "usage: \(usage) NAME=VALUE…")
      }
      named.append((name, literal, word))
    }
    return .named(named)
  }
}
