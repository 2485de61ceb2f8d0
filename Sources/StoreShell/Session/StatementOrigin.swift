import StoreCore

/// Where statements come from: decides their sources, the form of errors, and what `$1` stands for.
struct StatementOrigin {
  /// The name of the file in errors and sources: a path, `-c`, `stdin` or `repl`.
  let file: String
  let kind: ActionSource.Kind
  /// The script's arguments.
  var arguments: [String] = []
  /// The `source` commands that led here, the nearest first.
  var chain: [ErrorRenderer.Origin] = []

  static let prompt = StatementOrigin(file: "repl", kind: .repl)

  /// Errors name the file, but not at the prompt.
  var renderer: ErrorRenderer { ErrorRenderer(file: kind == .repl ? nil : file) }
}
