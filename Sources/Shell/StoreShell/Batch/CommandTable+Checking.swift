import Platform
import ShellLanguage
import StorePlugins
import StoreSchema

/// Stands for a value that is not known before a script runs.
struct NotKnownYet: Error {}

extension CommandTable {
  /// Checks a statement as far as it can be before anything runs: its command looks at what it was given, and stops at
  /// ``Session/finishCheck()`` before it acts. What adds names is run: plugins are loaded, projections and bindings made.
  func check(_ statement: Statement, in session: Session) throws {
    let inner = innermost(statement).withoutRedirection
    let isTried = statement.words.dropLast(inner.words.count).contains { $0.text == "try" }
    defer { if session.mayWriteFile(innermost(statement)) { session.mayHaveWritten = true } }
    do {
      if let redirection = statement.redirection { try session.requireExecution(redirection) }
      guard let definition = self[inner.words[0].text] else {
        _ = try session.console.capturing { _ = try runOther(inner, in: session) }
        return
      }
      if definition.takesCommand { throw Invocation.missingCommand(definition, inner) }
      var invocation = try Invocation(inner, definition, in: session)
      _ = try session.console.capturing { _ = try invocation.run() }
    } catch is NotKnownYet {
      return
    } catch {
      // What fails under try does not count.
      guard isTried else { throw error }
    }
  }
}

extension Session {
  /// Ends a check: what a command does from here on changes something, or depends on what will have happened by then. Every
  /// command that does not add names calls it once it has looked at what it was given.
  func finishCheck() throws {
    if isChecking { throw NotKnownYet() }
  }

  /// Whether a statement may make a file that a later one reads.
  fileprivate func mayWriteFile(_ statement: Statement) -> Bool {
    if statement.redirection != nil { return true }
    let words = statement.words.map(\.text)
    switch words[0] {
    case "export", "trace": return true
    case "plugin": return words.count > 1 && ["new", "stubs"].contains(words[1])
    // Commands of an application may do anything, and so may Lua outside its sandbox.
    default: return CommandTable.standard[words[0]] == nil || (options.allowsUnsafeLua && statement.lua != nil)
    }
  }
}

extension Invocation {
  fileprivate static func missingCommand(_ definition: CommandDefinition, _ statement: Statement) -> ShellError {
    ShellError(
      code: .missingArgument, message: "\(definition.verb) needs a command", at: statement.words[0],
      hint: "usage: \(definition.usage[0])")
  }

  /// Checks the path that the operand at a position says.
  func checkPath(_ index: Int) throws {
    guard session.isChecking, index < operands.count, let text = operands[index].path else { return }
    try checkPath(text, of: operands[index])
  }

  /// Checks the names of a path; which items there will be is not known.
  func checkPath(_ text: String, of word: Word) throws {
    let hasReference = text.utf8.contains(UInt8(ascii: "$"))
    let path = try path(hasReference ? String(text.prefix { $0 != "[" }) : text, of: word)
    _ = try at(word) { try session.declaredType(at: path) }
  }

  /// Checks that a file is there which the command is to read, unless an earlier one may make it.
  func checkFile(_ file: String) throws {
    guard session.isChecking, file != "-", !session.mayHaveWritten, access(file, R_OK) != 0 else { return }
    throw FileError(path: file, code: errno)
  }
}

extension Statement {
  /// The statement with its result left where results go.
  fileprivate var withoutRedirection: Statement {
    redirection == nil ? self : Statement(text: text, line: line, words: words, lua: lua)
  }
}

extension Word {
  /// The path that the word may say: it has no quotes, and is no other value.
  var path: String? {
    guard case .value(.bare(let text)) = kind, DurationLiteral.parse(text) == nil,
      case .string = Literal.bare(text).value(resolving: { _ in .none })
    else { return nil }
    return text
  }
}
