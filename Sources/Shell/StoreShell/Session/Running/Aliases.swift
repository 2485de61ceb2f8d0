import ShellLanguage

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

struct ExpansionFailed: Error {
  let error: any Error
  let statement: Statement
}

extension Statement {
  /// The statement with other text in the place of its verb, and the command in it that starts there.
  func replacingVerb(
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
    else { throw ShellError(code: .syntax, message: "'\(command)' is not a command", at: verb, status: 2) }
    return (whole, inner)
  }
}

/// The variables that a statement names, looked up before it runs.
extension Session {
  /// Refuses a statement that names a variable that is not there, or holds the name of one in a text of Lua, which does not
  /// replace it.
  func requireVariables(of statement: Statement, _ definition: CommandDefinition) throws {
    guard statement.isMoreThanWords else { return }
    let words =
      definition.takesCommand ? statement.words.prefix(1 + definition.wordsBeforeCommand) : statement.words[...]
    for word in words {
      if let literal = word.value { try requireVariables(in: literal, at: .span(word.span)) }
    }
    guard !definition.takesCommand else { return }
    if let redirection = statement.redirection {
      try requireVariables(in: redirection.target, at: .span(redirection.span))
    }
    if let tail = statement.lua, definition === CommandDefinition.assert {
      // A fault of it is told where it is read.
      if let message = try? tail.message() { try requireVariables(in: message, at: .span(tail.span)) }
    }
    if let tail = statement.lua, definition.lua?.isLua == true { try requireReplaced(tail.text, at: .span(tail.span)) }
  }

  /// The same of one literal.
  func requireVariables(in literal: Literal, at place: @autoclosure () -> ShellError.Place) throws {
    for reference in literal.references {
      switch reference {
      case .lua(let expression): try requireReplaced(expression, at: place())
      case .variable(let name):
        guard try !isVariable(name), !isForeseen(name) else { continue }
        var error = unknownVariable(name)
        error.place = place()
        if case .composed(let text) = literal, text.isQuoted {
          error.hint = error.hint.map { "\($0); \\$ is a dollar" }
        }
        throw error
      }
    }
  }

  /// True if there may be a variable of that name by the time that a line runs which is only looked at now. In a check without arguments, those of
  /// the command line count as given.
  func isForeseen(_ name: String) -> Bool {
    guard let foreseen = running.foreseen else { return false }
    return foreseen.isAnyVariable || foreseen.names.contains(name)
      || (running.isChecking && running.origin.arguments.isEmpty && Int(name).map { $0 > 0 } == true)
  }

  /// Refuses Lua with a text in double quotes that holds the name of a variable, or with a field that the part of the state in a
  /// variable does not have; in a check also a name that nothing has.
  func requireReplaced(_ lua: String, at place: @autoclosure () -> ShellError.Place) throws {
    if var error = heldParts.missingField(inLua: lua) {
      error.place = place()
      throw error
    }
    if running.isChecking, var error = missingName(inLua: lua) {
      error.place = place()
      throw error
    }
    guard lua.utf8.contains(UInt8(ascii: "$")) else { return }
    let place = place()
    for (name, position) in LuaText.variables(in: Array(lua.utf8)) {
      guard let meaning = meaningInLua(of: name) else { continue }
      var marked = place
      let before = String(decoding: Array(lua.utf8)[..<position], as: UTF8.self)
      // The text of a Lua verb starts where its span does; in a word there are signs before it.
      if case .span(let span) = place, lua.count == span.width {
        marked = .span(Word.Span(line: span.line, column: span.column + before.count, width: name.count + 1))
      }
      throw ShellError(
        code: .syntax, message: "Lua does not replace $\(name) in a text", place: marked,
        hint: "write: \"… \" .. \(meaning); in single quotes and in [=[…]=] the dollar is meant", status: 2)
    }
  }

  /// The name in Lua of a variable; nil: there is none of that name.
  private func meaningInLua(of name: String) -> String? {
    if let number = Int(name) {
      // A script may be given fewer arguments than it names.
      let isScript = running.origin.kind == .batch || number <= running.origin.arguments.count
      return number > 0 && isScript ? "arg[\(number)]" : nil
    }
    return names.variables.contains(name) || running.foreseen?.names.contains(name) == true
      || Session.ownVariables.contains(name) ? name : nil
  }
}
