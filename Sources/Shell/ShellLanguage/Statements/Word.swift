/// A word of a statement and its place.
public final class Word: Sendable {
  /// The word as written, quotes and brackets included.
  public let text: String
  /// The line it starts on, from 0 for the statement's first line.
  public let line: Int
  /// The character of that line that it starts at, from 1.
  public let column: Int
  /// The number of characters of that line that it takes.
  public let width: Int
  /// The content of the word.
  public let kind: Kind

  /// The kinds of words.
  public enum Kind: Sendable {
    /// A value in its own right.
    case value(Literal)
    /// `name=value`.
    case named(name: String, Literal)
    /// `--name`, or with a value `--name=value`. In `--as json` the value is the next word, which only the command that
    /// knows its flags can tell.
    case flag(name: String, Literal?)
  }

  /// Makes a word.
  public init(text: String, line: Int, column: Int, width: Int, kind: Kind) {
    self.text = text
    self.line = line
    self.column = column
    self.width = width
    self.kind = kind
  }

  /// The place of the whole word, for an error's caret.
  public var span: Span { Span(line: line, column: column, width: width) }

  /// The place of the name in `name=value` together with its `=`; of the whole word where it has no name. Type and range
  /// errors point here.
  public var nameSpan: Span {
    guard case .named(let name, _) = kind else { return span }
    return Span(line: line, column: column, width: name.utf8.count + 1)
  }

  /// The place of the name in `name=value` without its `=`; of the whole word where it has no name. An argument that an
  /// action does not have is marked here.
  public var bareNameSpan: Span {
    guard case .named(let name, _) = kind else { return span }
    return Span(line: line, column: column, width: name.utf8.count)
  }

  /// A part of a line of a statement.
  public struct Span: Hashable, Sendable {
    /// The line, from 0 for the statement's first line.
    public var line: Int
    /// The first character, from 1.
    public var column: Int
    /// The number of characters.
    public var width: Int

    /// Makes a place.
    public init(line: Int = 0, column: Int, width: Int) {
      self.line = line
      self.column = column
      self.width = width
    }
  }
}
