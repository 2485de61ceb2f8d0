import ShellLanguage

/// A kind of lines that one line begins and another ends: checks, and a run of `atomic`.
enum StatementBlock {
  case checks, run

  /// The block that the lines of a command begin and end; nil: the command has none.
  init?(_ definition: CommandDefinition?) {
    switch definition {
    case let found? where found === CommandDefinition.checks: self = .checks
    case let found? where found === CommandDefinition.atomic: self = .run
    default: return nil
    }
  }

  /// The error of a beginning within another of its kind.
  func began(on line: Int) -> ShellError {
    switch self {
    case .checks: fault("checks began on line \(line) already", "checks end ends them")
    case .run: fault("a run began on line \(line) already", "atomic end ends it")
    }
  }

  /// The error of an end without a beginning.
  var missing: ShellError {
    switch self {
    case .checks: fault("no checks have begun", "checks begin begins them")
    case .run: fault("no run has begun", "atomic begin begins one")
    }
  }

  /// The error of a beginning without an end.
  func open(since line: Int) -> ShellError {
    switch self {
    case .checks: fault("checks began on line \(line), and no line ends them", "end them with: checks end")
    case .run: fault("a run began on line \(line), and no line ends it", "end it with: atomic end")
    }
  }

  private func fault(_ message: String, _ hint: String) -> ShellError {
    ShellError(code: .syntax, message: message, hint: hint, status: 2)
  }
}
