import StoreSchema

/// What a command gave: what has been printed, and the same as JSON for `--json`.
struct CommandResult {
  /// The result as JSON; nil: none.
  let json: String?
  /// What is to be known of the result, a sentence each: to standard error, and with `--json` beside the result.
  var notes: [String] = []

  /// No result.
  static let none = CommandResult(json: nil)
}
