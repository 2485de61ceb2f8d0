import ShellLanguage
import StoreModules
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let thunk = CommandDefinition(
    "thunk", usage: ["thunk [NAME [ARG=VALUE…]] [--quiet] [--info TEXT]"],
    summary: "runs a thunk: code of a module that dispatches and waits; lists them without a name",
    flags: FlagDefinition.format + [
      FlagDefinition("quiet", "print nothing"),
      FlagDefinition("info", value: "TEXT", "what to note in the action's source"),
    ],
    operands: [.thunk],
    examples: [
      CommandExample("thunk", output: "(no module declares a thunk)\n"),
      CommandExample("thunk --json", output: "[]\n"),
    ]
  ) { invocation in
    let session = invocation.session
    guard let word = invocation.operands.first else {
      let isListed = try !invocation.isInWords() || !session.store.thunks.isEmpty
      guard isListed else { return invocation.print("(no module declares a thunk)\n") }
      return try invocation.show(ShellListing.thunks.reading(in: session))
    }
    let type = try invocation.thunkType(word)
    let call = try invocation.thunkCall(type, at: word, invocation.operands.dropFirst())
    let source = session.source(info: try invocation.text(of: "info"), function: "thunk")
    try session.finishCheck()
    let report = session.store.dispatch(call, source: source)
    return try session.finish(report, quietly: invocation.has("quiet"))
  }
}

extension Invocation {
  /// The thunk that a word names, with its plugin or, where no other plugin has one of the name, without.
  fileprivate func thunkType(_ word: Word) throws -> ThunkType {
    let thunks = session.store.thunks
    let name = try required(0, "the name of a thunk")
    let found = thunks.filter { $0.fullName == name || $0.action.name == name }
    guard let type = found.first(where: { $0.fullName == name }) ?? found.first else {
      let suggestion = Suggestion.nearest(to: name, among: thunks.flatMap { [$0.fullName, $0.action.name] })
      throw ShellError(
        code: .unknownThunk, message: "there is no thunk '\(name)'", at: word,
        hint: idlePlugin(withThunk: name).map { "\($0) is off; plugin enable \($0)" }
          ?? suggestion.map { "did you mean '\($0)'?" } ?? "thunk lists them")
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
    session.store.loadedPlugins.first { loaded in
      let thunks = loaded.condition == .on ? [] : session.store.plugin(named: loaded.name)?.tasks.thunkTypes ?? []
      return thunks.contains { $0.fullName == name || $0.action.name == name }
    }?.name
  }

  /// The action that carries a thunk with the arguments that words make.
  fileprivate func thunkCall(_ type: ThunkType, at thunk: Word, _ words: ArraySlice<Word>) throws -> ActionCall {
    let usage = "thunk \(type.signature)"
    guard type.takesAny else {
      let values = try arguments(type.action.fields, of: "thunk \(type.fullName)", usage: usage, at: thunk, words)
      return ActionCall(type.action, values)
    }
    var named: [(name: String, value: Value)] = []
    for word in words {
      guard case .named(let name, let literal) = word.kind, !named.contains(where: { $0.name == name }) else {
        throw ShellError(
          code: .unexpectedArgument, message: "thunk \(type.fullName) takes arguments by name, each once", at: word,
          hint: "usage: \(usage) NAME=VALUE…")
      }
      named.append((name, try at(word) { try session.value(literal) }))
    }
    return type.call(named)
  }
}
