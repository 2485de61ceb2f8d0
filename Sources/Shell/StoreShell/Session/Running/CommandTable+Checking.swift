import Platform
import ShellLanguage
import StoreSchema

extension CommandTable {
  /// Checks a statement as far as it can be before anything runs: it is read, and what adds names that later ones need is
  /// performed.
  func check(_ statement: Statement, in session: Session) throws {
    let inner = innermost(statement).withoutRedirection
    let isTried = statement.words.dropLast(inner.words.count).contains { $0.text == "try" }
    // Lua outside its sandbox may do anything.
    let mayMakeFile =
      statement.redirection != nil || (session.options.allowsUnsafeLua && inner.lua != nil)
    defer { if mayMakeFile { session.running.mayHaveWritten = true } }
    do {
      if let redirection = statement.redirection { try session.requireExecution(redirection) }
      try checkPrefixes(of: statement, in: session)
      guard let definition = self[inner] else {
        switch try other(inner, in: session) {
        case .command(let definition, let statement): try check(statement, definition, in: session)
        case .alias(let alias): _ = try session.run(alias, inner)
        }
        return
      }
      guard !definition.takesCommand else {
        throw ShellError(
          code: .missingArgument, message: "\(definition.verb) needs a command", at: inner.words[0],
          hint: "usage: \(definition.usage[0])")
      }
      try check(inner, definition, in: session)
    } catch {
      // A failure under try does not count.
      guard isTried else { throw error }
    }
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
    let reader = try CommandReader(statement, definition, Vocabulary(session), isAhead: true)
    try session.requireVariables(of: statement, definition)
    _ = try session.console.capturing { try reader.markingFile { try definition.check(reader, session) } }
  }
}

extension CommandReader {
  /// Refuses a file that the command is to read and that is not there, where that is known before anything runs.
  func checkFile(_ file: Given<String>) throws {
    guard isAhead, !vocabulary.mayHaveWritten, let file = file.known, file != "-", access(file, R_OK) != 0 else {
      return
    }
    throw FileError(path: file, code: errno)
  }
}
