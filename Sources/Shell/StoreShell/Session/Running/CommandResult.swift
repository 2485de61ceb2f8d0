/// The result of a command, as JSON for `--json`: its text has been printed.
struct CommandResult {
  // Most statements have neither, and hand none from call to call.
  private let content: Content?

  private final class Content {
    let json: String?
    let notes: [String]

    init(_ json: String?, _ notes: [String]) { (self.json, self.notes) = (json, notes) }
  }

  init(json: String?, notes: [String] = []) {
    content = json == nil && notes.isEmpty ? nil : Content(json, notes)
  }

  /// The result as JSON; nil: none.
  var json: String? { content?.json }
  /// The notes on the result, a sentence each: to standard error, and with `--json` beside the result.
  var notes: [String] {
    get { content?.notes ?? [] }
    set { self = CommandResult(json: json, notes: newValue) }
  }
  /// True if there are notes.
  var hasNotes: Bool { content != nil && !notes.isEmpty }

  static var none: CommandResult { CommandResult(json: nil) }
}
