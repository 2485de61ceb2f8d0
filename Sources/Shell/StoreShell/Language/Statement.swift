/// One statement of the command language.
public struct Statement: Sendable {
  /// The number of its first line in its file, from 1.
  public let line: Int
  /// What its lines say; the same object where a line of a script repeats.
  let reading: StatementText
  /// Whether the reader has met the same line before.
  let isRepeated: Bool

  /// Makes a statement.
  public init(text: String, line: Int, words: [Word], lua: LuaTail? = nil, redirection: Redirection? = nil) {
    self.init(StatementText(text: text, words: words, lua: lua, redirection: redirection), line: line)
  }

  init(_ reading: StatementText, line: Int, isRepeated: Bool = false) {
    self.reading = reading
    self.line = line
    self.isRepeated = isRepeated
  }

  /// The statement as written, from the start of its first line to the end of its last.
  public var text: String { reading.text }
  /// The words, the verb first; never empty. A Lua verb has the words before its Lua and the flags behind it.
  public var words: [Word] { reading.words }
  /// The Lua of a Lua verb, perhaps empty; nil for other verbs.
  public var lua: LuaTail? { reading.lua }
  /// Where the result goes instead.
  public var redirection: Redirection? { reading.redirection }

  /// The statement as it stands on another line.
  func numbered(_ line: Int) -> Statement { Statement(reading, line: line) }

  /// The command behind a number of words, as in `try COMMAND`; text and places stay those of the whole. Nil where no
  /// word is left.
  public func droppingWords(_ count: Int) -> Statement? {
    guard count < words.count else { return nil }
    return Statement(
      text: text, line: line, words: Array(words.dropFirst(count)), lua: lua, redirection: redirection)
  }
}

/// What the lines of a statement say, wherever they stand.
final class StatementText: Sendable {
  let text: String
  let words: [Word]
  let lua: LuaTail?
  let redirection: Redirection?

  init(text: String, words: [Word], lua: LuaTail?, redirection: Redirection?) {
    self.text = text
    self.words = words
    self.lua = lua
    self.redirection = redirection
  }

  /// Whether all that it says is said in it: no variable, no Lua, and its result goes nowhere else.
  var isConstant: Bool { lua == nil && redirection == nil && words.allSatisfy(\.isConstant) }
}

extension Word {
  fileprivate var isConstant: Bool {
    switch kind {
    case .value(let literal), .named(_, let literal): literal.isConstant
    case .flag(_, let literal): literal?.isConstant ?? true
    }
  }
}

extension Literal {
  fileprivate var isConstant: Bool {
    switch self {
    case .bare, .text: true
    case .list(let elements): elements.allSatisfy(\.isConstant)
    case .record(let fields): fields.allSatisfy { $0.value.isConstant }
    case .lua, .variable: false
    }
  }
}

/// The rest of a Lua verb's line, and the lines that continue it.
public struct LuaTail: Sendable {
  /// The Lua, verbatim; a `\` that continued a line has become a space.
  public let text: String
  /// Where it starts; as wide as its first line.
  public let span: Word.Span

  /// Makes the Lua of a statement.
  public init(text: String, span: Word.Span) {
    self.text = text
    self.span = span
  }

  /// The Lua and the comment that ends it, as `assert EXPR -- MESSAGE` reads them; both without blanks around them. The
  /// message is nil where there is no comment.
  public var splittingComment: (lua: String, message: String?) {
    let bytes = Array(text.utf8)
    guard let start = LuaText.lastLineComment(in: bytes[...]) else { return (LuaText.trimmed(bytes[...]), nil) }
    return (LuaText.trimmed(bytes[..<start]), LuaText.trimmed(bytes[(start + 2)...]))
  }
}

/// Where a command's result goes instead of standard output.
public struct Redirection: Sendable {
  /// What is done with the result.
  public let kind: Kind
  /// The file's name; for a command its text.
  public let target: Literal
  /// The place of the sign and what follows it.
  public let span: Word.Span

  /// What can be done with a result.
  public enum Kind: Hashable, Sendable {
    /// `> file`: replaces the file.
    case file
    /// `>> file`: goes to its end.
    case append
    /// `| command`: becomes the input of a shell command.
    case command
  }

  /// Makes a redirection.
  public init(kind: Kind, target: Literal, span: Word.Span) {
    self.kind = kind
    self.target = target
    self.span = span
  }
}
