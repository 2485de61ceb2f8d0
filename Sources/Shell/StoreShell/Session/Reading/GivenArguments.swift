import ShellLanguage
import StoreSchema

/// The arguments that a line gives, one for each field that asks for one, checked and defaults filled in.
struct GivenArguments {
  private let known: [Value]
  private let later: [(index: Int, value: Given<Value>)]?

  /// - Parameter later: those that are known later; nil: all are known.
  fileprivate init(_ known: consuming [Value], _ later: [(index: Int, value: Given<Value>)]?) {
    self.known = known
    self.later = later
  }

  /// A value for each field.
  func values(in session: Session) throws -> [Value] {
    guard let later else { return known }
    var values = known
    for (index, value) in later { values[index] = try value.value(in: session) }
    return values
  }
}

extension CommandReader {
  /// The action that a word names, with the name.
  func action(_ word: Word) throws -> Given<(name: String, target: ActionMeaning)> {
    var name = Given.known(word.text)
    if case .value(let literal) = word.kind { name = text(of: literal) }
    return try name.map { [vocabulary] name in
      do {
        return (name, try vocabulary.action(name, at: .span(word.span)))
      } catch var error as ShellError {
        error.hint = word.hintOnSemicolon ?? error.hint
        throw error
      }
    }
  }

  /// The values that words give to fields: positional ones fill the fields in declared order.
  func arguments(
    _ fields: [Field], of owner: String, usage: @autoclosure () -> String, at verb: Word, _ words: ArraySlice<Word>
  ) throws -> GivenArguments {
    // No array of optionals, whose type is looked up with each line.
    var (values, isGiven): ([Value], [Bool]) = ([], [])
    values.reserveCapacity(fields.count)
    isGiven.reserveCapacity(fields.count)
    for _ in fields.indices {
      values.append(.none)
      isGiven.append(false)
    }
    var later: [(index: Int, value: Given<Value>)]?
    var position = 0
    for word in words {
      let index: Int
      let literal: Literal
      switch word.kind {
      case .named(let name, let value):
        guard let found = fields.indices.first(where: { fields[$0].name == name }) else {
          throw ShellError(
            code: .unexpectedArgument, message: "\(owner) has no argument '\(name)'",
            place: .span(word.bareNameSpan),
            hint: Suggestion.question(name, among: fields.map(\.name)) ?? "usage: \(usage())")
        }
        index = found
        literal = value
      case .value(let value):
        while position < fields.count, isGiven[position] { position += 1 }
        guard position < fields.count else {
          let count = fields.count
          let arguments = count == 0 ? "no arguments" : count == 1 ? "one argument" : "\(count) arguments"
          let isText = count > 0 && (try? fields[count - 1].schema.check(.string(" "))) != nil
          throw ShellError(
            code: .unexpectedArgument,
            message: "\(owner) takes \(arguments)" + (isText ? "; quote a text with spaces" : ""), at: word,
            hint: "usage: \(usage())")
        }
        index = position
        literal = value
      case .flag: continue
      }
      guard !isGiven[index] else {
        throw ShellError(
          code: .unexpectedArgument, message: "'\(fields[index].name)' is given twice",
          place: .span(word.bareNameSpan), hint: "usage: \(usage())")
      }
      isGiven[index] = true
      if literal.isKnown {
        values[index] = try literal.argument(fields[index], at: word, usage: usage()) {
          try literal.value(as: $0) { _ in .none }
        }
      } else {
        let (field, usage) = (fields[index], usage())
        let value = Given<Value>.later { session in
          try literal.argument(field, at: word, usage: usage) { schema in
            try word.marking { try session.value(literal, as: schema) }
          }
        }
        later = (later ?? []) + [(index, value)]
      }
    }
    for index in fields.indices where !isGiven[index] {
      do throws(SchemaError) {
        values[index] = try fields[index].check(nil)
      } catch {
        let field = fields[index]
        throw ShellError(
          code: .missingArgument, message: "\(owner) needs '\(field.name)' (\(field.schema.typeName))", at: verb,
          hint: "usage: \(usage())")
      }
    }
    return GivenArguments(values, later)
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
      throw ShellError(code: named.code, message: named.message, place: .span(word.nameSpan), hint: "usage: \(usage())")
    }
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
          fields, of: verb, usage: usage, at: reader.statement.words[0], reader.operands[...])
        return (arguments: arguments, form: try reader.form())
      },
      makesFile: { _ in true },
      perform: { try perform($0.arguments.values(in: $1), $0.form, $1) })
  }
}
