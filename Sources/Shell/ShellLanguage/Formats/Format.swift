/// The forms in which a result can be printed: what `--as` takes.
public enum Format: String, CaseIterable, Sendable {
  /// A scalar as it is, a list of records as a table, a record as a tree; a table wider than the terminal goes vertical.
  case auto
  /// Rows and columns.
  case table
  /// A field a line, parts indented.
  case tree
  /// A single line of JSON.
  case json
  /// A line of JSON for each element of a list.
  case jsonl
  /// A Lua expression.
  case lua
  /// Strings without quotes, the fields of a record with tabs between them.
  case raw
  /// Comma-separated values with a header (RFC 4180).
  case csv
  /// A line of bars for a list of numbers.
  case spark
}
