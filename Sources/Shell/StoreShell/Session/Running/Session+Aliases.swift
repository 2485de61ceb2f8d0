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
    else { throw ShellError(code: .syntax, message: "'\(command)' is not a command", at: verb, status: 2) }
    return (whole, inner)
  }
}
