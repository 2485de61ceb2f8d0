import Platform
import ShellLanguage
import StoreSchema

/// All commands. Help, completion and the reader of statements come from here.
final class CommandTable: Sendable {
  let definitions: [CommandDefinition]
  private let verbs: NamePositions
  /// The position of `dispatch`; nil: the table does not have it.
  private let dispatch: Int?

  init(_ definitions: [CommandDefinition]) {
    self.definitions = definitions
    verbs = NamePositions(definitions.map(\.verb))
    dispatch = definitions.firstIndex { $0 === CommandDefinition.dispatch }
  }

  subscript(verb: String) -> CommandDefinition? { verbs[verb].map { definitions[$0] } }

  /// The command that a statement names by its first word.
  subscript(statement: Statement) -> CommandDefinition? {
    statement.verb(among: verbs).map { definitions[$0] }
  }

  /// The verbs whose lines go on as Lua.
  var luaVerbs: [LuaVerb] { definitions.compactMap(\.lua) }

  /// The verbs in front of another command.
  private var prefixes: [String] { definitions.filter(\.takesCommand).map(\.verb) }

  /// The number of words between each of them and its command, where there are any.
  private var prefixWords: [String: Int] {
    Dictionary(
      uniqueKeysWithValues: definitions.filter { $0.wordsBeforeCommand > 0 }.map { ($0.verb, $0.wordsBeforeCommand) })
  }

  func grammar(isUnfinishedLua: @escaping @Sendable (String) -> Bool) -> Grammar {
    Grammar(
      luaVerbs: luaVerbs, prefixes: prefixes, prefixWords: prefixWords, numberVerbs: numberVerbs,
      programVerbs: definitions.filter(\.takesProgram).map(\.verb), isUnfinishedLua: isUnfinishedLua)
  }

  /// The command behind all prefixes; the statement itself where it has none or nothing follows them.
  func innermost(_ statement: Statement) -> Statement {
    var statement = statement
    while let prefix = self[statement], prefix.takesCommand,
      let inner = statement.droppingWords(1 + prefix.wordsBeforeCommand)
    {
      statement = inner
    }
    return statement
  }

  /// The verbs after which `#17` is a word.
  private var numberVerbs: [String] {
    definitions.filter { $0.operands.contains(where: \.isNumber) }.map(\.verb)
  }

  /// True for a statement that takes no time worth a word, such as a dispatch.
  func isBrief(_ statement: Statement) -> Bool { self[statement]?.isBrief ?? false }

  /// Runs a statement; where the session only checks, checks it.
  func run(_ statement: Statement, in session: Session) throws -> CommandResult {
    if session.running.isChecking {
      try check(statement, in: session)
      return .none
    }
    if let result = try session.dispatchKnown(statement) { return result }
    if let position = statement.verb(among: verbs) {
      if position == dispatch, let result = try session.dispatchPlainly(statement) { return result }
      return try run(statement, definitions[position], in: session)
    }
    switch try other(statement, in: session) {
    case .command(let definition, let statement): return try run(statement, definition, in: session)
    case .alias(let alias): return try session.run(alias, statement)
    }
  }

  private func run(
    _ statement: Statement, _ definition: CommandDefinition, in session: Session
  ) throws -> CommandResult {
    if definition.isAskedForHelp(statement) {
      guard let redirection = statement.redirection else { return session.help(on: definition, statement) }
      try session.requireRights(to: redirection)
      return try session.redirecting(to: redirection, besides: nil) { session.help(on: definition, statement) }
    }
    let reader = try CommandReader.reading(statement, definition, Vocabulary(session))
    try session.requireRights(reader)
    try session.requireVariables(of: statement, definition)
    // A result that goes elsewhere belongs to the command inside.
    if statement.isMoreThanWords, !definition.takesCommand, let redirection = statement.redirection {
      return try run(reader, definition, redirectedTo: redirection, in: session)
    }
    return try run(reader, definition, in: session)
  }

  // A function of its own: a closure takes a copy of the reader.
  private func run(
    _ reader: CommandReader, _ definition: CommandDefinition, redirectedTo redirection: Redirection,
    in session: Session
  ) throws -> CommandResult {
    try session.redirecting(to: redirection, besides: reader.fileOperand, keepsFailed: definition.takesProgram) {
      try run(reader, definition, in: session)
    }
  }

  private func run(
    _ reader: CommandReader, _ definition: CommandDefinition, in session: Session
  ) throws -> CommandResult {
    // What leaves the process tells of actions that are kept.
    if definition.reachesOutside(reader) { session.console.prepareTelling() }
    do {
      let (programs, failures) = (session.outcome.failedPrograms, session.outcome.returnedFailures)
      let unseen = session.outcome.unseenFailures
      var hasRun = false
      defer {
        if reader.statement.isMoreThanWords || definition.defines != .nothing {
          session.names.heldParts = session.names.heldParts.behind(
            reader.statement, definition, mayFail: !hasRun, in: session)
        }
      }
      let result = try definition.run(reader, session)
      hasRun = true
      // Lines of Lua alone set variables, which the look through the file knows: many in a row would have the rest looked at by each.
      if definition.defines == .anything, definition !== CommandDefinition.lua { session.outcome.hasNewNames = true }
      if !definition.takesCommand {
        try session.requireReadPrograms(since: programs)
        try session.requireSteps(since: failures, unseen: unseen)
      }
      return result
    } catch let error as FileError {
      throw reader.marking(error)
    }
  }

  /// A statement whose verb is not in the table.
  enum Other {
    /// A command that the session knows beside the table's, and the statement as that reads it.
    case command(CommandDefinition, Statement)
    case alias(SessionNames.Alias)
  }

  /// Finds what a statement says whose verb is not in the table.
  func other(_ statement: Statement, in session: Session) throws -> Other {
    let verb = statement.words[0]
    if statement.words.count > 1, statement.words[1].text == ":=", let binding = session.names.binding(verb.text),
      let bind = self["bind"]
    {
      return .command(.writing(binding, bind), statement)
    }
    if session.running.origin.allowsAliases, let alias = session.names.alias(verb.text) { return .alias(alias) }
    if let plugin = session.store.plugin(named: verb.text) {
      let (definition, statement) = try plugin.command(in: statement)
      return .command(definition, statement)
    }
    if session.store.action(named: verb.text) != nil {
      throw ShellError(
        code: .unknownCommand, message: "'\(verb.text)' is an action, not a command", at: verb,
        hint: "run it with: dispatch \(statement.words.map(\.text).joined(separator: " "))")
    }
    if let binding = session.names.binding(String(verb.text.prefix { $0 != "=" })) {
      throw ShellError(
        code: .unknownCommand, message: "'\(binding.name)' is a binding, not a command", at: verb,
        hint: "print it with: show \(binding.name); set it with: \(binding.name) := VALUE")
    }
    if session.isReadable(verb.text), statement.words.dropFirst().first?.text != ":=" {
      throw ShellError(
        code: .unknownCommand, message: "'\(verb.text)' is a value, not a command", at: verb,
        hint: "print it with: show \(verb.text)")
    }
    let names =
      definitions.map(\.verb) + session.names.aliases.names
      + session.store.modules.filter { !$0.commands.isEmpty }.map(\.name)
    throw ShellError(
      code: .unknownCommand, message: "there is no command '\(verb.text)'", at: verb,
      hint: Habit.hint(on: verb.text) ?? Suggestion.question(verb.text, among: names)
        ?? Habit.hint(on: statement, in: session) ?? "help lists the commands")
  }
}

extension CommandTable {
  /// Checks a statement as far as it can be before anything runs: it is read, and what adds names that later ones need is
  /// performed.
  func check(_ statement: Statement, in session: Session) throws {
    let inner = innermost(statement).withoutRedirection
    // Lua outside its sandbox may do anything.
    let mayMakeFile =
      statement.redirection != nil || (session.options.allowsUnsafeLua && inner.lua != nil)
    defer {
      if mayMakeFile { session.running.mayHaveWritten = true }
      session.noteNames(givenBy: inner, mayFail: mayFail(statement))
    }
    do {
      if let redirection = statement.redirection {
        try session.requireExecution(redirection)
        let place = ShellError.Place.span(redirection.span)
        try session.requireVariables(in: redirection.target, at: place)
        if redirection.kind == .command, case .text(let line) = redirection.target {
          try session.requireOwnVariables(of: line, at: place, isPiped: true)
        }
      }
      try checkPrefixes(of: statement, in: session)
      guard let definition = self[inner] else {
        switch try other(inner, in: session) {
        case .command(let definition, let statement): try check(statement, definition, in: session)
        case .alias(let alias): _ = try session.run(alias, inner)
        }
        return
      }
      try check(inner, definition, in: session)
      try session.running.foreseen?.follow(inner, of: definition)
    } catch {
      // A line with a fault would have defined names.
      if session.running.foreseen?.lacksNames == true, let unknown = error as? ShellError,
        [.unknownAction, .unknownCommand, .unknownPath].contains(unknown.code)
      {
        return
      }
      if self[inner]?.defines == .anything { session.running.foreseen?.lacksNames = true }
      // A failure under try does not count.
      guard isUnder(.try, statement) else {
        // A run finds it before its first line, too.
        guard var unknown = error as? ShellError, NamesAhead.codes.contains(unknown.code) else { throw error }
        unknown.status = 2
        throw unknown
      }
    }
  }

  /// True if a statement may fail once without an end of the script.
  func mayFail(_ statement: Statement) -> Bool { isUnder(.try, statement) || isUnder(.retry, statement) }

  /// True if one of a statement's prefixes is a command.
  private func isUnder(_ prefix: CommandDefinition, _ statement: Statement) -> Bool {
    var statement = statement
    while let definition = self[statement], definition.takesCommand,
      let inner = statement.droppingWords(1 + definition.wordsBeforeCommand)
    {
      if definition === prefix { return true }
      statement = inner
    }
    return false
  }

  /// Checks the words between prefixes and the command behind them.
  private func checkPrefixes(of statement: Statement, in session: Session) throws {
    var statement = statement
    while let prefix = self[statement], prefix.takesCommand,
      let inner = statement.droppingWords(1 + prefix.wordsBeforeCommand)
    {
      if prefix.wordsBeforeCommand > 0 { try check(statement, prefix, in: session) }
      statement = inner
    }
  }

  private func check(_ statement: Statement, _ definition: CommandDefinition, in session: Session) throws {
    if definition.isAskedForHelp(statement) { return }
    let reader = try CommandReader.reading(statement, definition, Vocabulary(session), isAhead: true)
    _ = try session.console.capturing { try reader.markingFile { try definition.check(reader, session) } }
    try session.requireVariables(of: statement, definition)
  }
}

extension CommandReader {
  /// Refuses a file that the command is to read and that is not there, where that is known before anything runs.
  func checkFile(_ file: Given<String>) throws {
    guard isAhead, !vocabulary.mayHaveWritten, let file = file.known, file != "-", !vocabulary.isClients(file),
      access(vocabulary.hostPath(file), R_OK) != 0
    else {
      return
    }
    throw FileError(path: file, code: errno)
  }
}
