import StoreSchema

/// The result of a command, as JSON for `--json`: its text has been printed.
struct CommandResult {
  /// The result as JSON; nil: none.
  let json: String?
  /// The notes on the result, a sentence each: to standard error, and with `--json` beside the result.
  var notes: [String] = []

  /// No result.
  static var none: CommandResult { CommandResult(json: nil) }
}
