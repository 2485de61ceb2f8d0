/// The content of a word where a value may stand, before the expected type is known.
///
/// There is one language for all commands. Text in double quotes is plain text but for its escapes, so `$name` and
/// `$(…)` inside quotes mean themselves.
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
}

/// A part of a literal that needs someone who knows variables and Lua.
public enum Reference: Hashable, Sendable {
  /// A variable's name.
  case variable(String)
  /// A Lua expression.
  case lua(String)
}
