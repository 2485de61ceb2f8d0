import Platform
import ShellLanguage
import StorePlugins
import StoreSchema

/// One command about to run: its words sorted into operands and flags.
struct Invocation {
  let session: Session
  let statement: Statement
  let definition: CommandDefinition
  /// How the command is written, for hints.
  var usage: String
  /// The words that are no flags, without the verb.
  private(set) var operands: [Word] = []
  private var flags: [String: Flag] = [:]

  private struct Flag {
    /// The word that an error about the value marks: the value, or the flag where the two are one word.
    let word: Word
    var values: [Literal]
  }

  /// Sorts the words of a statement.
  ///
  /// - Throws: ``ShellError`` for a flag that the command does not have, or one without its value.
  init(_ statement: Statement, _ definition: CommandDefinition, in session: Session) throws {
    self.session = session
    self.statement = statement
    self.definition = definition
    usage = definition.usage[0]
    // The words are those of another command.
    if definition.takesCommand { return }
    var index = 1
    let words = statement.words
    operands.reserveCapacity(words.count - 1)
    while index < words.count {
      let word = words[index]
      index += 1
      guard case .flag(let name, let given) = word.kind else {
        operands.append(word)
        continue
      }
      guard let flag = definition.flags.first(where: { $0.name == name }) else {
        let part = definition.part(words.dropFirst().first?.text)
        throw ShellError(
          code: .unknownFlag, message: "\(part.verb) has no flag --\(name)", at: word,
          hint: Invocation.hint(onFlag: word, name, given, of: part), status: 2)
      }
      guard flag.value != nil || given == nil else {
        throw ShellError(
          code: .unexpectedArgument, message: "--\(name) takes no value", at: word,
          hint: "usage: \(definition.usage[0])", status: 2)
      }
      var value = given
      var place = word
      if let needed = flag.value, value == nil {
        value = index < words.count ? Invocation.value(words[index], of: needed) : nil
        guard value != nil else {
          throw ShellError(
            code: .missingArgument, message: "--\(name) needs \(needed)", at: word,
            hint: "usage: \(definition.usage[0])", status: 2)
        }
        place = words[index]
        index += 1
      }
      let earlier = flags[name]?.values ?? []
      flags[name] = Flag(word: place, values: earlier + (value.map { [$0] } ?? []))
    }
  }

  /// What to try instead of a flag that a command does not have: other shells write arguments as flags.
  private static func hint(
    onFlag word: Word, _ name: String, _ value: Literal?, of definition: CommandDefinition
  ) -> String {
    if let nearest = Suggestion.nearest(to: name, among: definition.flags.map(\.name)) {
      return "did you mean --\(nearest)?"
    }
    switch definition.operands.first {
    case .action? where value != nil, .thunk? where value != nil: return "did you mean \(word.text.dropFirst(2))?"
    default: return "usage: \(definition.usage[0])"
    }
  }

  /// What a word says as the value of a flag: `title=name` is one where the flag asks for that form.
  private static func value(_ word: Word, of form: String) -> Literal? {
    switch word.kind {
    case .value(let literal): literal
    case .named where form.contains("="): .text(word.text)
    case .named, .flag: nil
    }
  }

  /// Runs the command. Of a file that cannot be read or written the word is marked that names it.
  mutating func run() throws -> CommandResult {
    do {
      return try definition.run(&self)
    } catch let error as FileError {
      throw ShellError(error, place: fileWord.map { .span($0.span) } ?? .command)
    }
  }

  /// The word that names a file.
  private var fileWord: Word? {
    if let flag = definition.flags.first(where: { $0.value == "FILE" && has($0.name) }) { return word(of: flag.name) }
    let index = definition.operands.firstIndex { if case .file = $0 { true } else { false } }
    return index.flatMap { $0 < operands.count ? operands[$0] : nil }
  }

  /// Whether a flag was given.
  func has(_ flag: String) -> Bool { flags[flag] != nil }

  /// The value of a flag as text, or nil where it was not given.
  func text(of flag: String) throws -> String? {
    guard let given = flags[flag], let literal = given.values.last else { return nil }
    let namesFile = definition.flags.contains { $0.name == flag && $0.namesFile }
    return try at(given.word) { try namesFile ? fileName(of: literal) : text(of: literal) }
  }

  /// The value of a flag, or nil where it was not given.
  func literal(of flag: String) -> Literal? { flags[flag]?.values.last }

  /// The values of a flag as texts, in the order in which they were given.
  func texts(of flag: String) throws -> [String] {
    guard let flag = flags[flag] else { return [] }
    return try at(flag.word) { try flag.values.map { try text(of: $0) } }
  }

  /// The word of a flag's value, or of the flag.
  func word(of flag: String) -> Word? { flags[flag]?.word }

  /// A literal as text: bare and quoted text as it is, other values as JSON.
  func text(of literal: Literal) throws -> String {
    switch session.withArguments(literal) {
    case .bare(let text), .text(let text): return text
    default:
      let value = try session.value(literal)
      if case .string(let text) = value { return text }
      return JSON.text(of: value)
    }
  }

  /// The text of the operand at a position, from 0; nil where there is none.
  func operand(_ index: Int) throws -> String? {
    guard index < operands.count else { return nil }
    guard case .value(let literal) = operands[index].kind else { return operands[index].text }
    let namesFile = index < definition.operands.count && definition.operands[index].namesFile
    return try at(operands[index]) { try namesFile ? fileName(of: literal) : text(of: literal) }
  }

  /// The file that a literal names: a `~` without quotes is the user's folder.
  private func fileName(of literal: Literal) throws -> String {
    guard case .bare(let name) = literal else { return try text(of: literal) }
    return UserEnvironment.expanding(name)
  }

  /// The text of the operand at a position, from 0.
  ///
  /// - Throws: ``ShellError`` naming what is missing.
  func required(_ index: Int, _ name: String) throws -> String {
    guard let text = try operand(index) else { throw missing(name) }
    return text
  }

  /// The error for an operand that is missing.
  func missing(_ name: String) -> ShellError {
    ShellError(
      code: .missingArgument, message: "\(definition.verb) needs \(name)", at: operands.last ?? statement.words[0],
      hint: "usage: \(usage)")
  }

  /// Refuses operands from a position on.
  func refuseOperands(from index: Int) throws {
    guard index < operands.count else { return }
    throw ShellError(
      code: .unexpectedArgument, message: "\(definition.verb) takes no '\(operands[index].text)' here",
      at: operands[index], hint: "usage: \(usage)")
  }

  /// Refuses flags that the command has, but not in this form of it.
  func refuseFlags(but allowed: [FlagDefinition], of form: String) throws {
    for word in statement.words {
      guard case .flag(let name, _) = word.kind, !allowed.contains(where: { $0.name == name }) else { continue }
      throw ShellError(
        code: .unknownFlag, message: "\(form) has no flag --\(name)", at: word,
        hint: "usage: \(usage)", status: 2)
    }
  }

  /// The path that the operand at a position says.
  func path(_ index: Int, _ name: String) throws -> Path {
    let text = try required(index, name)
    return try path(text, of: operands[index])
  }

  /// The path that a word says. `$name` and `$(…)` in its selectors stand for values.
  func path(_ text: String, of word: Word) throws -> Path {
    let resolved = try at(word) { try session.resolvingSelectors(in: text) }
    do throws(PathSyntaxError) {
      return session.scoped(try Path(parsing: resolved))
    } catch {
      let place = Word.Span(line: word.line, column: word.column + error.offset, width: 1)
      throw ShellError(
        code: .unknownPath, message: "'\(resolved)' is not a path: \(error.message)",
        place: .span(resolved == text ? place : word.span))
    }
  }

  /// Marks a word as the place of errors about paths and variables, and about the values that stand for them.
  func at<Result>(_ word: Word, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PathError {
      throw ShellError(code: .unknownPath, message: error.message, at: word, hint: error.hint)
    } catch var error as ShellError {
      if error.place == .command, [.unknownVariable, .typeMismatch].contains(error.code) {
        error.place = .span(word.span)
      }
      throw error
    }
  }

  // MARK: Results

  /// The form in which the result is asked for.
  func format() throws -> Format {
    if has("json") { return .json }
    guard let name = try text(of: "as") else { return session.options.format }
    guard let format = Format(rawValue: name) else {
      let names = Format.allCases.map(\.rawValue)
      let hint = Suggestion.nearest(to: name, among: names).map { "did you mean \($0)?" }
      throw ShellError(
        code: .unknownFormat, message: "there is no format '\(name)'",
        place: flags["as"].map { .span($0.word.span) } ?? .command,
        hint: hint ?? "formats are \(names.joined(separator: ", "))", status: 2)
    }
    return format
  }

  /// Whether the result is asked for in words, as a person reads it best, and not as a value.
  func isInWords() throws -> Bool { try format() == .auto && !session.answersInJSON }

  /// Whether it is asked for as JSON.
  func isInJSON() throws -> Bool { try session.answersInJSON || [.json, .jsonl].contains(format()) }

  /// Prints a value as asked for and gives it.
  func show(_ reading: Reading, hiding hiddenColumns: Set<String> = []) throws -> CommandResult {
    let format = try format()
    session.lastValue = reading.value
    guard !session.answersInJSON else { return CommandResult(json: JSON.text(of: reading.value)) }
    var formatter = session.formatter(format)
    formatter.hiddenColumns = hiddenColumns
    session.console.write(try formatter.text(of: reading.value, reading.schema))
    return .none
  }

  /// Prints lines and gives them as a JSON text.
  func print(_ text: String) -> CommandResult {
    guard !session.answersInJSON else {
      let line = text.last == "\n" ? text.dropLast() : text[...]
      return CommandResult(json: JSON.text(of: .string(String(line))))
    }
    session.console.write(text)
    return .none
  }
}
