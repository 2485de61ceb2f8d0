import ShellLanguage
import StoreSchema

/// The names in the lines of a file, looked at before the first of them runs: commands, flags, actions, their arguments, and
/// variables; and values that cannot be right. A name that an earlier line can define is looked at once that has run; a line under
/// `try` or `retry` is left alone.
struct NamesAhead {
  private let session: Session
  /// The words of plain lines that were looked at.
  private var known: Set<UInt64> = []
  /// The types of the values in plain lines that dispatch, by names: a look at one of them is a look at all whose values are of these.
  private var types: [UInt64: [Schema?]] = [:]
  /// The names of plain lines behind a line that can define any name.
  private var passed: Set<UInt64> = []
  /// False behind a line that can define any name.
  private(set) var areAllThere = true

  init(_ session: Session) {
    self.session = session
    session.running.foreseen = ForeseenNames(session.names.heldParts)
    // A line may end what is open already.
    session.running.foreseen?.followsBlocks = session.outcome.run == nil
  }

  /// A look at names alone, behind a line that gave some: variables and blocks were looked at with the whole file.
  init(atNamesIn session: Session) {
    self.init(session)
    session.running.foreseen?.isAnyVariable = true
    session.running.foreseen?.followsBlocks = false
  }

  /// What is known of the values of a plain line, whose names were found right in another one; nil: it needs a look.
  func values(of line: PlainLine) -> PlainLine.Values? {
    let names = line.names
    if !areAllThere, passed.contains(names) { return .unchecked }
    if let types = types[names], line.fits(types) { return .types(types) }
    return known.contains(line.words) ? .types([]) : nil
  }

  /// The error of the first unknown name in a line; nil: the line has none.
  mutating func error(in statement: Statement) -> ShellError? {
    let commands = session.commands
    let inner = commands.innermost(statement)
    let mayFail = commands.mayFail(statement)
    defer { note(inner, mayFail) }
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
    keep(statement)
    return nil
  }

  /// Keeps what a look at a line says of others.
  private mutating func keep(_ statement: Statement) {
    // Each line of checks or of a run begins or ends some.
    guard !statement.isMoreThanWords, !isOfBlock(session.commands.innermost(statement)) else { return }
    let (names, words) = statement.withPlainLine { ($0.names, $0.words) }
    // A file mostly repeats few forms.
    let most = 1 << 14
    guard areAllThere else {
      if passed.count < most { passed.insert(names) }
      return
    }
    if types.count < most, let types = typesOfValues(in: statement) {
      self.types[names] = types
      // Values of some types take a closer look.
      if statement.withPlainLine({ $0.fits(types) }) { return }
    }
    if known.count < most { known.insert(words) }
  }

  /// The types of the values in a plain line that dispatches, by word; nil: they are not all that it says.
  private func typesOfValues(in statement: Statement) -> [Schema?]? {
    let words = statement.words
    guard let definition = session.commands[statement], definition === CommandDefinition.dispatch, words.count > 1,
      case .type(let action)? = session.actionTarget(words[1].text)
    else { return nil }
    var order = FieldOrder()
    var types: [Schema?] = [nil, nil]
    for place in words.indices.dropFirst(2) {
      let word = words.token(at: place)
      guard word.kind != .flag else {
        // The value of a flag is no argument.
        guard definition.flags.contains(where: { $0.value == nil && words[place].text == "--\($0.name)" }) else {
          return nil
        }
        types.append(nil)
        continue
      }
      guard let index = order.field(of: word, in: words, among: action.fields), order.take(index) else {
        return nil
      }
      types.append(action.fields[index].schema)
    }
    return types
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
  private mutating func note(_ statement: Statement, _ mayFail: Bool) {
    session.noteNames(givenBy: statement, mayFail: mayFail)
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
  /// The types of the parts of the state that variables hold.
  fileprivate(set) var heldParts: HeldParts

  /// True behind a line that has a fault and would have given names.
  var lacksNames = false

  /// The lines that began a block which no line has ended so far.
  var open: [StatementBlock: Statement] = [:]
  /// False behind a line that may begin or end a block unseen.
  var followsBlocks = true

  init(_ heldParts: HeldParts) { self.heldParts = heldParts }

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
  ///
  /// - Parameter mayFail: true for a line that may fail without an end of the script.
  func noteNames(givenBy statement: Statement, mayFail: Bool) {
    guard var foreseen = running.foreseen else { return }
    running.foreseen = nil
    defer { running.foreseen = foreseen }
    let definition = commands[statement]
    if statement.isMoreThanWords || definition?.defines != .nothing {
      foreseen.heldParts = foreseen.heldParts.behind(statement, definition, mayFail: mayFail, in: self)
    }
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
