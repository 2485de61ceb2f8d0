import StoreSchema

/// The content of a word where a value may stand, before the expected type is known.
///
/// There is one language for all commands. In double quotes and in words without quotes `$name`, `${name}` and `$(…)` stand for
/// values; in single quotes, and in quotes within brackets, they mean themselves.
public enum Literal: Sendable {
  /// A word without quotes: a number, `true`, `false`, `nil`, `null`, an enum case, a duration, a path or plain text.
  case bare(String)
  /// Text that stood in quotes, without them and with its escapes read.
  case text(String)
  /// `[1, 2]`, or in Lua's spelling `{1, 2}`.
  case list([Literal])
  /// `{a = 1}` or `{"a": 1}`, fields in the order in which they are written; no name stands twice.
  case record([(name: String, value: Literal)])
  /// `$(expression)`: the Lua between the parentheses, verbatim.
  case lua(String)
  /// `$name`: the name, which may be all digits (`$1`) or `_`.
  case variable(String)
  /// Text around values, as in `"Deploy $1"` or `app-$n`.
  case composed(Composition)
}

/// A text that is put together when its statement runs: pieces of text, and values as text.
public struct Composition: Sendable {
  /// The pieces, in their order.
  public let pieces: [Piece]
  /// True for a text in quotes; a word without quotes is read as if it had been written with its values.
  public let isQuoted: Bool

  /// A piece of the text.
  public enum Piece: Hashable, Sendable {
    case text(String)
    /// A variable or a Lua expression. It may be the whole of a selector of a path, as in `items[id=$n]`.
    case value(Reference, isSelector: Bool)
  }

  package init(_ pieces: [Piece], isQuoted: Bool) {
    self.pieces = pieces
    self.isQuoted = isQuoted
  }

  /// The same text with other pieces.
  package func replacing(_ replacement: (Piece) throws -> Piece) rethrows -> Composition {
    Composition(try pieces.map(replacement), isQuoted: isQuoted)
  }

  /// The text with each value as `raw` prints it.
  ///
  /// - Parameters:
  ///   - selector: the text of a value that is the whole of a selector; nil: it is text as any other.
  ///   - resolve: gives the values, each once, from left to right.
  /// - Throws: ``ShellError`` for a value with parts, and any error of `resolve`.
  package func text(
    selector: ((Value, Reference) throws -> String)? = nil, resolving resolve: (Reference) throws -> Value
  ) throws -> String {
    var out = TextBuffer()
    for piece in pieces {
      switch piece {
      case .text(let text): out.append(text)
      case .value(let reference, isSelector: true) where selector != nil:
        if let selector { out.append(try selector(resolve(reference), reference)) }
      case .value(let reference, _): try RawRenderer.append(scalar: resolve(reference), of: reference, to: &out)
      }
    }
    return out.text
  }
}

/// A part of a literal that needs someone who knows variables and Lua.
public enum Reference: Hashable, Sendable {
  /// A variable's name.
  case variable(String)
  /// A Lua expression.
  case lua(String)

  /// The reference as it is written.
  package var text: String {
    switch self {
    case .variable(let name): "$\(name)"
    case .lua(let expression): "$(\(expression))"
    }
  }
}

extension Literal {
  /// True for text without quotes.
  var isBareText: Bool {
    switch self {
    case .bare: true
    case .composed(let text): !text.isQuoted
    default: false
    }
  }

  /// The variables and Lua expressions in it, from left to right.
  package var references: [Reference] {
    switch self {
    case .bare, .text: []
    case .variable(let name): [.variable(name)]
    case .lua(let expression): [.lua(expression)]
    case .list(let elements): elements.flatMap(\.references)
    case .record(let fields): fields.flatMap(\.value.references)
    case .composed(let text):
      text.pieces.compactMap { if case .value(let reference, _) = $0 { reference } else { nil } }
    }
  }
}
