import ShellLanguage
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

  /// Whether a person says what stands here, for whom aliases are; a script must run anywhere.
  var allowsAliases = false

  /// Whether it belongs to the start of every session: `-p` and `init.stsh`.
  var isStart = false

  /// Whether a person may be asked, where there is one: what is typed, what belongs to the start, and the files that these
  /// source.
  var isAttended = false

  static let prompt = StatementOrigin(file: "repl", kind: .repl, allowsAliases: true, isAttended: true)

  /// Errors name the file, but not at the prompt.
  var renderer: ErrorRenderer { ErrorRenderer(file: kind == .repl ? nil : file) }
}
