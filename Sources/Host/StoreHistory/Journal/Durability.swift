/// The promise of a journal about an acknowledged action: ``Journal/settle()`` has returned for it.
public enum Durability: String, CaseIterable, Sendable {
  /// The action is on the disk: it survives the end of the process and a loss of power.
  case full
  /// The action is with the system: it survives the end of the process in any way. A loss of power may take the last
  /// moments, and leaves the file sound.
  case normal
  /// As `normal`, but nothing is ever flushed: a loss of power may damage the file.
  case off

  /// The level of SQLite's flushes.
  var synchronous: String {
    switch self {
    case .full: "FULL"
    case .normal: "NORMAL"
    case .off: "OFF"
    }
  }
}
