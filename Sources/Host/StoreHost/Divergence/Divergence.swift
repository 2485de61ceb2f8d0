import StoreHistory
import StoreSchema

/// An action that went otherwise than it did, and how.
package struct Divergence {
  package let entry: LoggedEntry
  /// What led to it, the nearest cause first.
  package let causes: [LoggedEntry]
  /// What differs, in a line each.
  package let lines: [String]

  /// - Parameter entry: gives the entry of a number, for causes.
  init(of first: LoggedEntry, _ lines: [String], entry: (Int) throws -> LoggedEntry?) rethrows {
    var causes: [LoggedEntry] = []
    var current = first
    while let number = current.source.cause, number < current.number, let cause = try entry(number) {
      causes.append(cause)
      current = cause
    }
    (self.entry, self.causes, self.lines) = (first, causes, lines)
  }
}

extension Divergence {
  /// The action, what caused it and what differs, in a line each.
  package var details: [String] {
    func line(_ entry: LoggedEntry) -> String {
      "#\(entry.number) \(ActionText.brief(entry.action, arguments: entry.arguments))  <- \(entry.source.short)"
    }
    return [line(entry)] + causes.map { "caused by \(line($0))" } + lines
  }

  /// The error that shows it.
  ///
  /// - Parameters:
  ///   - subject: the file or the plugin.
  ///   - other: from what the state differs.
  package func error(_ subject: String, differsFrom other: String) -> HostError {
    HostError(
      code: .replayDiverged,
      message: "\(subject): state after #\(entry.number) \(entry.action) differs from \(other)", details: details)
  }
}
