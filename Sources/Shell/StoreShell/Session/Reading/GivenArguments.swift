import ShellLanguage
import StoreSchema

/// The arguments that a line gives, one for each field that asks for one, checked and defaults filled in.
struct GivenArguments {
  /// A value for each field; those that are known later stand there as none.
  let known: [Value]
  private let later: [(index: Int, value: Given<Value>)]?

  /// - Parameter later: those that are known later; nil: all are known.
  fileprivate init(_ known: consuming [Value], _ later: [(index: Int, value: Given<Value>)]?) {
    self.known = known
    self.later = later
  }

  /// True if all values are known.
  var areKnown: Bool { later == nil }

  /// A value for each field.
  func values(in session: Session) throws -> [Value] {
    guard let later else { return known }
    var values = known
    for (index, value) in later { values[index] = try value.value(in: session) }
    return values
  }
}

extension CommandReader {
  func action(_ word: Word) throws -> Given<(name: String, target: ActionMeaning)> {
    var name = Given.known(word.text)
    if case .value(let literal) = word.kind { name = try text(of: literal, at: word) }
    return try name.map { [vocabulary] name in (name, try vocabulary.action(name, at: .span(word.span))) }
  }

  /// The values that words give to fields: positional ones fill the fields in declared order.
  ///
  /// - Parameter first: the position of the first of the words.
  func arguments(
    _ fields: [Field], of owner: @autoclosure () -> String, usage: @autoclosure () -> String,
    at verb: @autoclosure () -> Word, _ words: Words, from first: Int
  ) throws -> GivenArguments {
    var values = [Value].absent(fields.count)
    var order = FieldOrder()
    var later: [(index: Int, value: Given<Value>)]?
    for place in first..<words.endIndex {
      let word = words.token(at: place)
      if case .flag = word.kind { continue }
      guard let index = order.field(of: word, in: words, among: fields) else {
        throw word.kind == .named
          ? unknown(words[place], of: owner(), fields, usage()) : surplus(words[place], of: owner(), fields, usage())
      }
      guard order.take(index) else {
        throw ShellError(
          code: .unexpectedArgument, message: "'\(fields[index].name)' is given twice",
          place: .span(words[place].bareNameSpan), hint: "usage: \(usage())")
      }
      if let value = words.plainValue(of: word, as: fields[index].schema) {
        values[index] = value
      } else {
        switch try argument(fields[index], words[place], usage()) {
        case .known(let value): values[index] = value
        case let value: later = (later ?? []) + [(index, value)]
        }
      }
    }
    for index in fields.indices where !order.isTaken(index) {
      do throws(SchemaError) {
        values[index] = try fields[index].check(nil)
      } catch {
        let field = fields[index]
        throw ShellError(
          code: .missingArgument, message: "\(owner()) needs '\(field.name)' (\(field.schema.typeName))", at: verb(),
          hint: "usage: \(usage())")
      }
    }
    return GivenArguments(values, later)
  }

  /// The value of a word whose bytes do not tell it by themselves.
  private func argument(_ field: Field, _ word: Word, _ usage: String) throws -> Given<Value> {
    guard let literal = word.value else { return .known(.none) }
    if literal.isKnown {
      return .known(
        try literal.argument(field, at: word, usage: usage) { try literal.value(as: $0) { _ in .none } })
    }
    return .later { session in
      do {
        return try literal.argument(field, at: word, usage: usage) { schema in
          try word.marking { try session.value(literal, as: schema) }
        }
      } catch var error as ShellError {
        if case .variable(let name) = literal, let hint = hint(onVariable: name, given: field, at: word, in: session) {
          error.hint = hint
        }
        throw error
      }
    }
  }

  /// The advice where the value of a variable does not fit, and another spelling of the word would; nil: there is none.
  private func hint(onVariable name: String, given field: Field, at word: Word, in session: Session) -> String? {
    let start = word.text.prefix { $0 != "$" }
    let reference = Reference.variable(name)
    switch (try? session.resolve(reference), field.schema.insideOptionals.kind) {
    case (.none?, _): return reference.hintOnNothing
    case (.int?, .string), (.double?, .string), (.decimal?, .string), (.bool?, .string):
      return "as a text: \(start)\"$\(name)\""
    case (.string(let text)?, .int), (.string(let text)?, .double), (.string(let text)?, .decimal):
      return text.looksLikeANumber && Double(text) != nil ? "as a number: \(start)$(tonumber(\(name)))" : nil
    default: return nil
    }
  }

  private func unknown(_ word: Word, of owner: String, _ fields: [Field], _ usage: String) -> ShellError {
    guard case .named(let name, _) = word.kind else { return fault(.unexpectedArgument, word.text, at: word) }
    return ShellError(
      code: .unexpectedArgument, message: "\(owner) has no argument '\(name)'", place: .span(word.bareNameSpan),
      hint: Suggestion.question(name, among: fields.map(\.name)) ?? "usage: \(usage)")
  }

  /// The advice where spaces stand around the sign between a name and its value; nil: there are none.
  private func hintOnSpaces(_ fields: [Field]) -> String? {
    let texts = statement.words.map(\.text)
    guard
      let name = fields.map(\.name).first(where: { name in
        texts.contains("\(name)=") || zip(texts, texts.dropFirst()).contains { $0 == name && $1.hasPrefix("=") }
      })
    else { return nil }
    return "no spaces around =: \(name)=VALUE"
  }

  private func surplus(_ word: Word, of owner: String, _ fields: [Field], _ usage: String) -> ShellError {
    let count = fields.count
    let arguments = count == 0 ? "no arguments" : count == 1 ? "one argument" : "\(count) arguments"
    let isText = count > 0 && (try? fields[count - 1].schema.check(.string(" "))) != nil
    return ShellError(
      code: .unexpectedArgument,
      message: "\(owner) takes \(arguments)" + (isText ? "; quote a text with spaces" : ""), at: word,
      hint: hintOnSpaces(fields) ?? "usage: \(usage)")
  }
}

extension Literal {
  /// The value that the literal gives to a field; an error about its type names the argument.
  fileprivate func argument(
    _ field: Field, at word: Word, usage: @autoclosure () -> String, _ value: (Schema) throws -> Value
  ) throws -> Value {
    do {
      return try value(field.schema)
    } catch let error as SchemaError {
      var named = error
      if case .bare(let text) = self { named = error.naming(text) }
      named = named.under(Path([.field(field.name)]))
      var hint = isMeant(without: word, as: field.schema).map { "without quotes: \($0)" } ?? "usage: \(usage())"
      if case .bare(let text) = self, text.contains(","), text.replacing(",", with: "").looksLikeANumber {
        hint = "a number has a point, and no commas: 1250.50"
      }
      throw ShellError(code: named.code, message: named.message, place: .span(word.nameSpan), hint: hint)
    } catch var error as ShellError where error.place == .command && isKnown {
      error.place = .span(word.nameSpan)
      throw error
    }
  }

  /// The word without the quotes around its value, where it may be meant so; nil: it has none, or is no value of the type without
  /// them.
  private func isMeant(without word: Word, as schema: Schema) -> String? {
    let written = word.text
    guard let first = written.firstIndex(where: { $0 == "\"" || $0 == "'" }), first != written.indices.last else {
      return nil
    }
    let inner = written[written.index(after: first)...].dropLast()
    guard !inner.contains(where: \.isWhitespace) else { return nil }
    switch self {
    case .text(let text) where (try? Literal.bare(text).value(as: schema) { _ in .none }) != nil: break
    // Of values beside a text only those are known that are not there yet.
    case .composed(let text) where text.isQuoted && text.pieces.count == 1: break
    default: return nil
    }
    return String(written[..<first]) + String(inner)
  }
}

extension CommandDefinition {
  /// A command of an application or a plugin, which may do anything. Its arguments are read as actions' arguments are.
  static func taking(
    _ fields: [Field], _ verb: String, summary: String,
    perform: @escaping @Sendable ([Value], ResultForm, Session) throws -> CommandResult
  ) -> CommandDefinition {
    let usage = ([verb] + fields.map(\.signature)).joined(separator: " ")
    return CommandDefinition(
      verb, usage: [usage], summary: summary, flags: FlagDefinition.format, arguments: fields,
      read: { reader in
        let arguments = try reader.arguments(
          fields, of: verb, usage: usage, at: reader.statement.words[0], reader.operands, from: 0)
        return (arguments: arguments, form: try reader.form())
      },
      makesFile: { _ in true },
      perform: { try perform($0.arguments.values(in: $1), $0.form, $1) })
  }
}
