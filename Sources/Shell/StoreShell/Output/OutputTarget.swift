/// The output of the program that a text belongs to.
public enum OutputTarget: Sendable {
  /// Results.
  case standardOutput
  /// Errors, notes, watch and log lines, progress.
  case standardError
}
