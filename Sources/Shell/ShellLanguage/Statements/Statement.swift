/// A statement of the command language.
public struct Statement: Sendable {
  /// The number of its first line in its file, from 1.
  public private(set) var line: Int
  // One reference: a statement is handed from call to call.
  private let content: Content

  /// The statement as written, from the start of its first line to the end of its last.
  public var text: String { content.text }
  /// The words, the verb first; never empty. A Lua verb has the words before its Lua and the flags behind it.
  public var words: [Word] { content.words }
  /// The Lua of a Lua verb, perhaps empty; nil for other verbs.
  public var lua: LuaTail? { content.lua }
  /// The other place that the result goes to.
  public var redirection: Redirection? { content.redirection }

  /// Makes a statement.
  public init(text: String, line: Int, words: [Word], lua: LuaTail? = nil, redirection: Redirection? = nil) {
    self.line = line
    content = Content(text: text, words: words, lua: lua, redirection: redirection)
  }

  private final class Content: Sendable {
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
  }

  /// The statement as it stands on another line.
  package func numbered(_ line: Int) -> Statement {
    var statement = self
    statement.line = line
    return statement
  }

  /// The command behind a number of words, as in `try COMMAND`; text and places still refer to the whole. Nil where no
  /// word is left.
  public func droppingWords(_ count: Int) -> Statement? {
    guard count < words.count else { return nil }
    return Statement(
      text: text, line: line, words: Array(words.dropFirst(count)), lua: lua, redirection: redirection)
  }
}

/// The rest of a Lua verb's line, and the lines that continue it.
public struct LuaTail: Sendable {
  /// The Lua, verbatim; a `\` that continued a line has become a space.
  public let text: String
  /// The place where it starts; as wide as its first line.
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

/// The place that a command's result goes to instead of standard output.
public struct Redirection: Sendable {
  /// The kind of redirection.
  public let kind: Kind
  /// The file's name; for a command its text.
  public let target: Literal
  /// The place of the sign and what follows it.
  public let span: Word.Span

  /// The kinds of redirection.
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
