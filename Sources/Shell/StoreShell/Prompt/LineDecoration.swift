/// The look of a line while it is typed.
public struct LineDecoration: Equatable, Sendable {
  /// The parts of the line with a style, by bytes of its UTF-8; a later one wins.
  public var spans: [Span]
  /// The text to show dim behind the line, while the cursor is there.
  public var hint: Hint?

  /// Creates a decoration.
  public init(spans: [Span] = [], hint: Hint? = nil) {
    self.spans = spans
    self.hint = hint
  }

  /// A part of the line with a style.
  public struct Span: Equatable, Sendable {
    /// The bytes of the line.
    public var bytes: Range<Int>
    /// The style of the part.
    public var style: Style

    /// Creates a part.
    public init(_ bytes: Range<Int>, _ style: Style) {
      self.bytes = bytes
      self.style = style
    }
  }

  /// The styles of parts.
  public enum Style: String, Equatable, Sendable {
    /// The name of a command.
    case verb
    /// A name that stands for nothing.
    case unknown
    /// A text whose quote is not closed.
    case open
    /// One of two matching brackets, while the cursor is at one of them.
    case bracket
  }

  /// A text that might follow the line.
  public enum Hint: Equatable, Sendable {
    /// The form of the next words: `title:String`.
    case form(String)
    /// The rest of a past line, which the keys that move forward take.
    case suggestion(String)
  }
}
