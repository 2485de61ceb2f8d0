import Platform
import ShellLanguage
import StoreSchema

/// The words of a line, sorted into operands and flags, with all that they may name. Nothing here can act.
///
/// Extensions read one kind of operand a file; what a single command reads stands with the command.
struct CommandReader {
  let statement: Statement
  let definition: CommandDefinition
  /// The names that words may mean.
  let vocabulary: Vocabulary
  /// True where the line is read before anything runs: files and paths are there by then as far as they are now.
  let isAhead: Bool
  /// The number of words before the operands, where all words behind those are.
  private let before: Int
  /// The parts that few lines have; nil: the line has none of them.
  private let rarities: Rarities?

  /// The words that are no flags, without the verb.
  var operands: Words { rarities?.operands ?? statement.words(behind: before) }
  private var flags: [String: Flag] { rarities?.flags ?? [:] }
  /// True if there are flags.
  var hasFlags: Bool { rarities != nil }

  var usage: String {
    get { rarities?.usage ?? definition.usageInHints }
    set {
      self = CommandReader(
        statement: statement, definition: definition, vocabulary: vocabulary, isAhead: isAhead, before: before,
        rarities: Rarities(operands: rarities?.operands, flags: flags, usage: newValue))
    }
  }

  private struct Flag {
    /// The word that an error about the value marks: the value, or the flag where the two are one word.
    let word: Word
    var values: [Literal]
  }

  /// The parts that few lines have: words of which some are flags, and a form of the command in place of the definition's.
  private final class Rarities {
    let operands: Words?
    let flags: [String: Flag]
    let usage: String?

    init(operands: Words?, flags: [String: Flag], usage: String? = nil) {
      (self.operands, self.flags, self.usage) = (operands, flags, usage)
    }
  }

  /// Sorts the words of a statement.
  ///
  /// - Throws: ``ShellError`` for a flag that the command does not have, or one without its value.
  static func reading(
    _ statement: Statement, _ definition: CommandDefinition, _ vocabulary: Vocabulary, isAhead: Bool = false
  ) throws -> CommandReader {
    if statement.wordCount == 1 { try refuseSwallowedOperand(of: definition, statement) }
    return CommandReader(
      statement: statement, definition: definition, vocabulary: vocabulary, isAhead: isAhead,
      // Behind some commands the words belong to another.
      before: definition.takesCommand ? statement.wordCount : 1,
      rarities: statement.hasFlags && !definition.takesCommand ? try sort(statement, definition) : nil)
  }

  private init(
    statement: Statement, definition: CommandDefinition, vocabulary: Vocabulary, isAhead: Bool, before: Int,
    rarities: Rarities?
  ) {
    self.statement = statement
    self.definition = definition
    self.vocabulary = vocabulary
    self.isAhead = isAhead
    self.before = before
    self.rarities = rarities
  }

  private static func sort(_ statement: Statement, _ definition: CommandDefinition) throws -> Rarities {
    func fault(_ code: ErrorCode, _ message: String, at word: Word) -> ShellError {
      ShellError(code: code, message: message, at: word, hint: "usage: \(definition.usageInHints)", status: 2)
    }
    let words = statement.words
    var (operands, flags): ([Int], [String: Flag]) = ([], [:])
    var index = 1
    while index < words.count {
      let word = words[index]
      index += 1
      guard case .flag(let name, let given) = word.kind else {
        operands.append(index - 1)
        guard definition.takesProgram else { continue }
        operands += index..<words.count
        break
      }
      guard let flag = definition.flags.first(where: { $0.name == name }) else {
        let part = definition.part(words.dropFirst().first?.text)
        throw ShellError(
          code: .unknownFlag, message: "\(part.verb) has no flag --\(name)", at: word,
          hint: hint(onFlag: word, name, given, of: part), status: 2)
      }
      guard flag.value != nil || given == nil else {
        throw fault(.unexpectedArgument, "--\(name) takes no value", at: word)
      }
      var value = given
      var place = word
      if let needed = flag.value, value == nil {
        value = index < words.count ? Self.value(words[index], of: needed) : nil
        guard value != nil else { throw fault(.missingArgument, "--\(name) needs \(needed)", at: word) }
        place = words[index]
        index += 1
      }
      let earlier = flags[name]?.values ?? []
      flags[name] = Flag(word: place, values: earlier + (value.map { [$0] } ?? []))
    }
    return Rarities(operands: words.choosing(operands), flags: flags)
  }

  /// Refuses a comment that stands where an operand may and has no space behind its `#`: it was meant to be one.
  private static func refuseSwallowedOperand(of definition: CommandDefinition, _ statement: Statement) throws {
    guard statement.lua == nil, definition.takesOperands else { return }
    let verb = statement.words[0]
    let rest = statement.text.utf8.dropFirst(verb.text.utf8.count).drop { $0.isBlank }
    guard rest.first == UInt8(ascii: "#"), let next = rest.dropFirst().first, next.isNameByte else { return }
    let name = String(decoding: rest.dropFirst().prefix { !$0.isBlankOrNewline }, as: UTF8.self)
    let counted = name.hasPrefix("state.") ? name : "state.\(name)"
    let advice =
      next.isDigit
      ? "why #\(name) explains an action"
      : "in Lua # counts: \(definition.verb == "watch" ? "watch $(#\(counted))" : "= #\(counted)")"
    throw ShellError(
      code: .syntax, message: "# begins a comment here, so that \(verb.text) gets no operand", at: verb,
      hint: "a comment is written as # and a space; \(advice)", status: 2)
  }

  /// The advice on a flag that a command does not have: other shells write arguments as flags.
  private static func hint(
    onFlag word: Word, _ name: String, _ value: Literal?, of definition: CommandDefinition
  ) -> String {
    if let nearest = Suggestion.nearest(to: name, among: definition.flags.map(\.name)) {
      return "did you mean --\(nearest)?"
    }
    switch definition.operands.first {
    case .action? where value != nil, .thunk? where value != nil: return "did you mean \(word.text.dropFirst(2))?"
    case .action?, .thunk?: return "an argument has no dashes: \(name)=VALUE"
    default: return Habit.hint(onFlag: name, of: definition) ?? "usage: \(definition.usageInHints)"
    }
  }

  /// The value of a flag as a word gives it: `title=name` is one where the flag asks for that form.
  private static func value(_ word: Word, of form: String) -> Literal? {
    switch word.kind {
    case .value(let literal): literal
    case .named(let name, let literal) where form.contains("="): literal.behind("\(name)=")
    case .named, .flag: nil
    }
  }

  /// Does something for the command. Of a file that cannot be read or written the word is marked that names it.
  func markingFile<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as FileError {
      throw marking(error)
    }
  }

  /// The error of a file that cannot be read or written, at the word that names it.
  func marking(_ error: FileError) -> ShellError {
    ShellError(error, place: fileWord.map { .span($0.span) } ?? .command)
  }

  private var fileWord: Word? {
    if let flag = definition.flags.first(where: { $0.value == "FILE" && has($0.name) }) { return word(of: flag.name) }
    return fileOperand
  }

  /// The operand that names a file; nil: there is none.
  var fileOperand: Word? {
    let index = definition.operands.firstIndex { if case .file = $0 { true } else { false } }
    return index.flatMap { $0 < operands.count ? operands[$0] : nil }
  }

  /// True where nothing but flags follows the verb.
  var isEmpty: Bool { operands.isEmpty && statement.lua == nil }

  /// Returns true if a flag was given.
  func has(_ flag: String) -> Bool { rarities?.flags[flag] != nil }

  /// The value of a flag as text, or nil where it was not given.
  func text(of flag: String) throws -> Given<String>? {
    guard let given = rarities?.flags[flag], let literal = given.values.last else { return nil }
    let kind = definition.flags.first { $0.name == flag }
    return try text(
      of: literal, at: given.word, namesFile: kind?.namesFile ?? false, isClients: kind?.isClients ?? false,
      isPath: kind?.value == "PATH")
  }

  /// The value of a flag, or nil where it was not given.
  func literal(of flag: String) -> Literal? { flags[flag]?.values.last }

  /// The values of a flag as texts, in the order in which they were given.
  func texts(of flag: String) throws -> [Given<String>] {
    guard let flag = flags[flag] else { return [] }
    return try flag.values.map { try text(of: $0, at: flag.word) }
  }

  /// Refuses Lua that flags give with a text in double quotes that holds the name of a variable.
  func requireReplacedLua(in names: [String]) throws {
    for name in names {
      for case .text(let lua) in flags[name]?.values ?? [] {
        try vocabulary.requireReplaced(lua, at: place(of: name))
      }
    }
  }

  /// The place of errors about the value of a flag.
  func place(of flag: String) -> ShellError.Place { flags[flag].map { .span($0.word.span) } ?? .command }

  func word(of flag: String) -> Word? { flags[flag]?.word }

  /// A literal as text: bare and quoted text as it is, other values as JSON. In the name of a file, a `~` without
  /// quotes is the user's folder.
  ///
  /// - Parameters:
  ///   - word: the word that errors about the value mark; nil: all of the line.
  ///   - isClients: true for a file that is the client's at a door, who knows the folder that `~` stands for.
  ///   - isPath: true for a path, whose selectors hold values as a path writes them.
  func text(
    of literal: Literal, at word: Word? = nil, namesFile: Bool = false, isClients: Bool = false, isPath: Bool = false
  ) throws -> Given<String> {
    switch literal {
    case .bare(let text):
      guard namesFile else { return .known(text) }
      return .known(isClients ? vocabulary.fileName(text) : UserEnvironment.expanding(text))
    case .text(let text): return .known(text)
    default:
      if literal.isKnown {
        let value = { try literal.valueOfNoType { _ in .none } }
        return .known(JSON.text(of: try word?.marking(value) ?? value()))
      }
      let isExpanded = namesFile && literal.startsAtHome
      return .later { session in
        let text =
          try word?.marking { try session.text(of: literal, isPath: isPath) }
          ?? session.text(of: literal, isPath: isPath)
        guard isExpanded else { return text }
        return isClients ? session.fileName(text) : UserEnvironment.expanding(text)
      }
    }
  }

  /// A word as text, its name or flag included.
  func text(ofWord word: Word) throws -> Given<String> {
    switch word.kind {
    case .value(let literal): try text(of: literal, at: word)
    case .named(let name, let literal): try text(of: literal, at: word).map { "\(name)=\($0)" }
    case .flag(let name, let literal?): try text(of: literal, at: word).map { "--\(name)=\($0)" }
    case .flag: .known(word.text)
    }
  }

  /// The text of the operand at a position, from 0; nil where there is none.
  func operand(_ index: Int) throws -> Given<String>? {
    guard index < operands.count else { return nil }
    guard case .value(let literal) = operands[index].kind else { return try text(ofWord: operands[index]) }
    let kind = index < definition.operands.count ? definition.operands[index] : nil
    return try text(
      of: literal, at: operands[index], namesFile: kind?.namesFile ?? false, isClients: kind?.isClients ?? false,
      isPath: kind?.isPath ?? false)
  }

  /// The operands from a position on as one text, with a space between each two; nil where these are not several words
  /// without quotes.
  func bareWords(from index: Int) -> String? {
    let words = operands.dropFirst(index)
    let areBare = words.allSatisfy { if case .value(.bare) = $0.kind { true } else { false } }
    return words.count > 1 && areBare ? words.map(\.text).joined(separator: " ") : nil
  }

  /// The text of the operand at a position, from 0.
  ///
  /// - Throws: ``ShellError`` naming what is missing.
  func required(_ index: Int, _ name: String) throws -> Given<String> {
    guard let text = try operand(index) else { throw missing(name) }
    return text
  }

  /// A name that is given here, and must mean nothing else: that of the first operand.
  func free(_ name: Given<String>, as kind: Session.NameKind) throws -> Given<String> {
    try name.map { [vocabulary, operands] name in
      try vocabulary.requireFree(name, as: kind, at: operands[0])
      return name
    }
  }

  /// A file that is to be written, which must be none that a session keeps its store in.
  func output(_ file: Given<String>, at place: ShellError.Place, isHosts: Bool = false) throws -> Given<String> {
    try file.map { [vocabulary] file in
      if isHosts || !vocabulary.isClients(file) { try vocabulary.refuseStore(file, at: place) }
      return file
    }
  }

  /// The error of a word that does not fit the usage, which is its hint.
  func fault(_ code: ErrorCode, _ message: String, at word: Word, status: Int32 = 1) -> ShellError {
    let form = word.text.hasPrefix("--") ? definition.usage.first { $0.contains(word.text) } : nil
    return ShellError(code: code, message: message, at: word, hint: "usage: \(form ?? usage)", status: status)
  }

  /// The same of the value of a flag.
  func fault(_ code: ErrorCode, _ message: String, of flag: String, status: Int32 = 1) -> ShellError {
    ShellError(code: code, message: message, place: place(of: flag), hint: "usage: \(usage)", status: status)
  }

  func missing(_ name: String) -> ShellError {
    fault(.missingArgument, "\(definition.verb) needs \(name)", at: operands.last ?? statement.words[0])
  }

  /// A text that is one of two words, where only those may stand.
  func isFirst(_ first: String, or second: String, _ text: String) throws -> Bool {
    guard text == first || text == second else {
      throw fault(
        .unexpectedArgument, "\(definition.verb) takes \(first) or \(second), got '\(text)'", at: operands[0])
    }
    return text == first
  }

  /// The value of a flag that is a number above 0; nil where it was not given.
  func count(of flag: String, _ what: String) throws -> Given<Int>? {
    try text(of: flag)?.map { text in
      if let count = Int(text), count > 0 { return count }
      throw fault(.typeMismatch, "--\(flag) takes \(what), got '\(text)'", of: flag)
    }
  }

  /// Refuses operands from a position on.
  func refuseOperands(from index: Int) throws {
    guard index < operands.count else { return }
    if let position = operands.firstIndex(where: { $0.isShortFlag }) {
      let flag = operands[position]
      var error = fault(.unknownFlag, "\(definition.verb) has no flag \(flag.text)", at: flag, status: 2)
      // `log -n 5` as others have it.
      let next = position + 1 < operands.count ? operands[position + 1].text : ""
      let takesNumber = definition.usage.contains { $0.hasPrefix("\(definition.verb) [N]") }
      if takesNumber, Int(next) != nil { error.hint = "write: \(definition.verb) \(next)" }
      throw error
    }
    var error = fault(
      .unexpectedArgument, "\(definition.verb) takes no '\(operands[index].text)' here", at: operands[index])
    if let hint = Habit.hint(onOperand: operands[index].text, of: definition) { error.hint = hint }
    if index > 0, let unit = DurationLiteral.unit(meantBy: operands[index].text) {
      let number = operands[index - 1].text
      if DurationLiteral.parse(number + unit) != nil { error.hint = "a duration is one word: \(number)\(unit)" }
    }
    throw error
  }

  /// Refuses flags that the command has, but not in this form of it.
  func refuseFlags(but allowed: [FlagDefinition], of form: String) throws {
    for word in statement.words {
      guard case .flag(let name, _) = word.kind, !allowed.contains(where: { $0.name == name }) else { continue }
      throw fault(.unknownFlag, "\(form) has no flag --\(name)", at: word, status: 2)
    }
  }
}

extension Word {
  /// True for what other shells take for flags: a dash and a letter.
  fileprivate var isShortFlag: Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 2 && bytes[0] == UInt8(ascii: "-") && bytes[1].isNameByte && !bytes[1].isDigit
  }
}

extension Literal {
  /// The text that a literal is, with other text before it.
  fileprivate func behind(_ prefix: String) -> Literal {
    switch self {
    case .bare(let text): .bare(prefix + text)
    case .text(let text): .text(prefix + text)
    case .composed(let text): .composed(Composition([.text(prefix)] + text.pieces, isQuoted: text.isQuoted))
    case .variable, .lua:
      .composed(Composition([.text(prefix), .value(references[0], isSelector: false)], isQuoted: false))
    case .list, .record: knownValue.map { .text(prefix + JSON.text(of: $0)) } ?? self
    }
  }

  /// True where a `~` without quotes comes first.
  fileprivate var startsAtHome: Bool {
    guard case .composed(let text) = self, !text.isQuoted, case .text(let first)? = text.pieces.first else {
      return false
    }
    return first.hasPrefix("~")
  }
}

extension CommandReader {
  /// The Lua that the command was given; it must be more than comments.
  func luaText(_ name: String) throws -> String {
    guard let text = statement.lua?.text, !LuaText.isBlank(Array(text.utf8)[...]) else { throw missing(name) }
    return text
  }
}
