import ShellLanguage
import StoreSchema

extension CommandDefinition {
  static let alias = CommandDefinition(
    "alias", usage: ["alias [NAME = COMMAND…]"],
    summary: "names a command at the prompt, so that scripts stay portable; what follows the name is added to it",
    flags: FlagDefinition.format,
    examples: [
      CommandExample(
        "alias up = dispatch counter.increment", "up by=2",
        output: "#1 counter.increment by=2\n  counter.value  0 -> 2\n"),
      CommandExample("alias d = dispatch", "alias", output: "d  dispatch\n"),
    ],
    lua: LuaVerb("alias", .named, isLua: false),
    read: AliasRequest.read, perform: { try $0.perform(in: $1) })
}

/// A name that a line gives to a command, or the list of such names.
private enum AliasRequest {
  case list(ResultForm)
  case add(Given<String>, command: String)

  static func read(_ reader: CommandReader) throws -> AliasRequest {
    guard reader.vocabulary.allowsAliases else {
      throw ShellError(
        code: .notAllowed, message: "aliases are for the prompt, so that scripts stay portable",
        hint: "write the command out")
    }
    guard let tail = reader.statement.lua else {
      try reader.refuseOperands(from: 0)
      return .list(try reader.form())
    }
    let name = try reader.required(0, "a name")
    guard !tail.text.isEmpty else { throw reader.missing("a command") }
    return .add(try reader.free(name, as: .alias), command: tail.text)
  }

  func perform(in session: Session) throws -> CommandResult {
    switch self {
    case .list(let form): return try session.answer(session.names.aliasListing, as: form)
    case .add(let name, let command):
      let name = try name.value(in: session)
      session.names.aliases.removeAll { $0.name == name }
      session.names.aliases.append(SessionNames.Alias(name: name, command: command))
      return .none
    }
  }
}

extension SessionNames {
  fileprivate var aliasListing: Reading {
    let record = RecordSchema(name: "Aliases", fields: aliases.map { Field($0.name, .dynamic(.string)) })
    return Reading(
      value: .record(Record(record.layout, aliases.map { .string($0.command) })), schema: .dynamic(.record(record)))
  }
}

extension Session {
  /// Runs a command whose verb is an alias: with the alias's text in the place of its name. An alias that stands in what
  /// it stands for is not replaced again.
  func run(_ alias: SessionNames.Alias, _ statement: Statement) throws -> CommandResult {
    guard names.expandedAliases.insert(alias.name).inserted else {
      throw ShellError(
        code: .unknownCommand, message: "there is no command '\(alias.name)' but the alias itself",
        at: statement.words[0])
    }
    defer { names.expandedAliases.remove(alias.name) }
    let expanded = try statement.replacingVerb(with: alias.command, grammar)
    let outer = running.statement
    running.statement = expanded.whole
    do {
      let result = try commands.run(expanded.command, in: self)
      running.statement = outer
      return result
    } catch {
      // The error's place is one of the text that was run, which is shown.
      throw ExpansionFailed(error: error, statement: expanded.whole)
    }
  }
}

/// A command failed that an alias stands for.
struct ExpansionFailed: Error {
  let error: any Error
  /// The statement with the alias replaced.
  let statement: Statement
}

extension Statement {
  /// The statement with other text in the place of its verb, and the command in it that starts there.
  fileprivate func replacingVerb(
    with command: String, _ grammar: Grammar
  ) throws -> (whole: Statement, command: Statement) {
    let verb = words[0]
    var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
    let line = lines[verb.line]
    let start = line.index(line.startIndex, offsetBy: verb.column - 1, limitedBy: line.endIndex) ?? line.endIndex
    lines[verb.line] = line[..<start] + command + line[start...].dropFirst(verb.text.count)
    var reader = StatementReader(Array(lines.joined(separator: "\n").utf8), grammar: grammar, firstLine: self.line)
    let whole: Statement?
    do throws(SyntaxFault) {
      whole = try reader.next()
    } catch {
      throw ShellError(code: error.code, message: "\(error.message), in '\(error.text)'", status: 2)
    }
    guard let whole,
      let count = whole.words.firstIndex(where: { $0.line == verb.line && $0.column == verb.column }),
      let inner = whole.droppingWords(count)
    else { throw ShellError(code: .syntax, message: "'\(command)' is no command", at: verb, status: 2) }
    return (whole, inner)
  }
}
