/// What a journal promises of an action that was acknowledged: one that ``Journal/settle()`` has returned for.
public enum Durability: String, CaseIterable, Sendable {
  /// It is on the disk: it survives the end of the process and a loss of power.
  case full
  /// It is with the system: it survives the end of the process in any way. A loss of power may take the last moments, and
  /// leaves the file sound.
  case normal
  /// As `normal`, but nothing is ever flushed: a loss of power may damage the file.
  case off

  /// How much SQLite flushes.
  var synchronous: String {
    switch self {
    case .full: "FULL"
    case .normal: "NORMAL"
    case .off: "OFF"
    }
  }
}
