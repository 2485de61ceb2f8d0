/// The open part at the end of a line, so that the statement goes on with the next one.
public enum Continuation: Hashable, Sendable {
  /// Text in this quote, `"` or `'`.
  case quote(Character)
  /// A bracket of this kind, `(`, `[` or `{`.
  case bracket(Character)
  /// A Lua chunk.
  case lua
  /// The line ended with `\`.
  case backslash

  /// The prompt that names what is open.
  public var prompt: String {
    switch self {
    case .quote(let sign), .bracket(let sign): "  \(sign)> "
    case .lua: "lua> "
    case .backslash: "  \\> "
    }
  }

  /// Why a text that ends here is not a statement.
  package var message: String {
    switch self {
    case .quote(let sign), .bracket(let sign): "this \(sign) is never closed"
    case .lua: "this Lua is never finished"
    case .backslash: "nothing follows this \\"
    }
  }
}
