import ShellLanguage
import StoreCore

/// The origin of statements: decides their sources, the form of errors, and the meaning of `$1`.
struct StatementOrigin {
  /// The name of the file in errors and sources: a path, `-c`, `stdin`, `repl`, or `door` for what is typed at one.
  let file: String
  let kind: ActionSource.Kind
  var arguments: [String] = []
  /// The `source` commands that led here, the nearest first.
  var chain: [ErrorRenderer.Origin] = []

  /// True if the statements are a person's own, for whom aliases are; a script must run anywhere.
  var allowsAliases = false

  /// True if it belongs to the start of every session: `-p` and `init.stsh`.
  var isStart = false

  /// True if a person may be asked, where there is one: for typed lines, for the start, and for the files that these
  /// source.
  var isAttended = false

  /// True if the statements come through a door (R36).
  var isThroughDoor = false

  static let prompt = StatementOrigin(file: "repl", kind: .repl, allowsAliases: true, isAttended: true)

  /// What somebody types who came in by a door.
  static let door = StatementOrigin(
    file: "door", kind: .repl, allowsAliases: true, isAttended: true, isThroughDoor: true)

  /// True for what is typed at a door.
  var isTypedAtDoor: Bool { kind == .repl && isThroughDoor }

  /// Errors name the file, but not at the prompt.
  var renderer: ErrorRenderer { ErrorRenderer(file: kind == .repl ? nil : file) }
}

extension StatementOrigin {
  /// The scripts that run, the innermost first.
  var scripts: [String] { kind == .batch && !["-c", "stdin"].contains(file) ? [file] + chain.map(\.file) : [] }
}
