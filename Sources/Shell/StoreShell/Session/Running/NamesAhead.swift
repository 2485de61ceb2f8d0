import ShellLanguage
import StoreSchema

/// The names in the lines of a file, looked at before the first of them runs: commands, flags, actions, their arguments, and
/// variables; and values that cannot be right. A name that an earlier line can define is looked at once that has run; a line under
/// `try` or `retry` is left alone.
struct NamesAhead {
  private let session: Session
  /// The names of plain lines that were looked at.
  private var known: Set<UInt64> = []
  private var latest: UInt64 = 0
  /// False behind a line that can define any name.
  private(set) var areAllThere = true

  init(_ session: Session) {
    self.session = session
    session.running.foreseen = ForeseenNames()
    // A line may end what is open already.
    session.running.foreseen?.followsBlocks = session.outcome.run == nil
  }

  /// A look at names alone, behind a line that gave some: variables and blocks were looked at with the whole file.
  init(atNamesIn session: Session) {
    self.init(session)
    session.running.foreseen?.isAnyVariable = true
    session.running.foreseen?.followsBlocks = false
  }

  /// True if a plain line has names that were found right in another one.
  mutating func areKnown(_ names: UInt64) -> Bool {
    // A file mostly repeats few forms.
    if names == latest { return true }
    guard known.contains(names) else { return false }
    latest = names
    return true
  }

  /// The error of the first unknown name in a line; nil: the line has none.
  mutating func error(in statement: Statement) -> ShellError? {
    let commands = session.commands
    let inner = commands.innermost(statement)
    defer { note(inner) }
    let mayFail = commands.mayFail(statement)
    if mayFail, isOfBlock(inner) { session.running.foreseen?.followsBlocks = false }
    do {
      var prefixed = statement
      while let prefix = commands[prefixed], prefix !== CommandDefinition.try, prefix.takesCommand,
        let rest = prefixed.droppingWords(1 + prefix.wordsBeforeCommand)
      {
        try look(at: prefixed)
        prefixed = rest
      }
      guard !mayFail else { return nil }
      try look(at: inner)
    } catch let error as ShellError where error.code == .unknownAction && namesForeseen(inner) {
      // Projections name actions, too.
      return nil
    } catch var error as ShellError where Self.codes.contains(error.code) {
      error.status = 2
      return error
    } catch {
      // It depends on what stands in the store by then.
      return nil
    }
    // Each line of checks or of a run begins or ends some.
    if !statement.isMoreThanWords, !isOfBlock(inner), known.count < 1 << 14 { known.insert(statement.names) }
    return nil
  }

  private func isOfBlock(_ statement: Statement) -> Bool { StatementBlock(session.commands[statement]) != nil }

  /// The error of checks or of a run that no line ends, and the line that began them; nil: there are none.
  mutating func errorAtEnd() -> (error: ShellError, statement: Statement)? {
    session.running.foreseen?.takeErrorOfOpenBlock()
  }

  /// The codes of faults that stay whatever the store holds: unknown names, missing operands, unknown forms, values that cannot be right.
  /// Others may become right until the line is reached.
  static let codes: Set<ErrorCode> = [
    .unknownFlag, .unknownCommand, .unknownAction, .unexpectedArgument, .unknownVariable, .syntax, .missingArgument,
    .unknownFormat, .unknownSetting, .unknownTopic, .typeMismatch, .outOfRange,
  ]

  private func look(at statement: Statement) throws {
    if let definition = session.commands[statement] {
      guard !definition.isAskedForHelp(statement) else { return }
      let reader = try CommandReader.reading(statement, definition, Vocabulary(session))
      try session.requireVariables(of: statement, definition)
      if areAllThere { try definition.look(reader, session) }
      try session.running.foreseen?.follow(statement, of: definition)
    } else if areAllThere, !isForeseenBinding(statement) {
      guard case .command(let definition, let statement) = try session.commands.other(statement, in: session) else {
        return
      }
      let reader = try CommandReader.reading(statement, definition, Vocabulary(session))
      try session.requireVariables(of: statement, definition)
      try definition.look(reader, session)
    }
  }

  /// True if a line speaks of a part of something that an earlier line makes.
  private func namesForeseen(_ statement: Statement) -> Bool {
    guard let foreseen = session.running.foreseen else { return false }
    let text = statement.text
    return foreseen.names.contains { text.contains("\($0).") }
  }

  private func isForeseenBinding(_ statement: Statement) -> Bool {
    statement.words.count > 1 && statement.words[1].text == ":="
      && session.running.foreseen?.names.contains(statement.words[0].text) == true
  }

  /// Notes the names that a line gives.
  private mutating func note(_ statement: Statement) {
    session.noteNames(givenBy: statement)
    if session.running.foreseen?.isAny == true { areAllThere = false }
  }

  /// Ends the look.
  func end() { session.running.foreseen = nil }
}

/// The names that lines will have given by then which were looked at and have not run.
struct ForeseenNames {
  /// The names of variables, projections and bindings.
  fileprivate(set) var names: Set<String> = []
  /// True behind a line that can define any name.
  fileprivate(set) var isAny = false
  /// True behind a line that can set any variable.
  fileprivate(set) var isAnyVariable = false

  /// True behind a line that has a fault and would have given names.
  var lacksNames = false

  /// The lines that began a block which no line has ended so far.
  var open: [StatementBlock: Statement] = [:]
  /// False behind a line that may begin or end a block unseen.
  var followsBlocks = true

  /// Follows a line that may begin or end a block.
  ///
  /// - Throws: ``ShellError`` for a beginning within another of its kind, and for an end without one.
  mutating func follow(_ statement: Statement, of definition: CommandDefinition) throws(ShellError) {
    guard followsBlocks, let block = StatementBlock(definition) else { return }
    let begins = statement.words.dropFirst().first?.text == "begin"
    if begins, let begun = open[block] { throw block.began(on: begun.line) }
    if !begins, open[block] == nil { throw block.missing }
    open[block] = begins ? statement : nil
  }

  /// The error of the first block without an end, and the line that began it; nil: there is none. It is told once.
  mutating func takeErrorOfOpenBlock() -> (error: ShellError, statement: Statement)? {
    defer { open = [:] }
    guard followsBlocks, let first = open.min(by: { $0.value.line < $1.value.line }) else { return nil }
    return (first.key.open(since: first.value.line), first.value)
  }
}

extension Session {
  /// Notes the names that a line gives which is looked at and does not run.
  func noteNames(givenBy statement: Statement) {
    guard var foreseen = running.foreseen else { return }
    running.foreseen = nil
    defer { running.foreseen = foreseen }
    let definition = commands[statement]
    switch definition?.defines ?? .nothing {
    case .nothing: break
    case .firstOperand:
      if let name = statement.words.dropFirst().first?.text { foreseen.names.insert(name) }
    case .anything:
      if definition === CommandDefinition.lua, let chunk = statement.lua?.text {
        if let names = (try? lua())?.globals(setBy: chunk) { return foreseen.names.formUnion(names) }
        foreseen.isAnyVariable = true
      }
      foreseen.isAny = true
      if definition === CommandDefinition.source || definition === CommandDefinition.alias {
        (foreseen.isAnyVariable, foreseen.followsBlocks) = (true, false)
      }
    }
    guard statement.isMoreThanWords else { return }
    // A function within an expression may set any variable.
    if statement.text.contains("function") { foreseen.isAnyVariable = true }
    // Lua may run any command.
    if statement.text.contains("command") {
      (foreseen.isAny, foreseen.isAnyVariable, foreseen.followsBlocks) = (true, true, false)
    }
  }
}
