import StoreSchema

/// What a command gave: what has been printed, and the same as JSON for `--json`.
struct CommandResult {
  /// The result as JSON; nil: none.
  let json: String?

  /// No result.
  static let none = CommandResult(json: nil)
}
