import StoreCore

/// One phase of one action, timed.
public struct PhaseSpan: Hashable, Sendable {
  /// What was timed.
  public let phase: SpanPhase
  /// The action's number.
  public let number: Int
  /// The unit or watcher, where there is one.
  public let unit: String?
  /// The action's name; nil where its dispatch was not seen.
  public let action: String?
  /// The number of the action that caused it.
  public let cause: Int?
  /// When it began, on the clock of the listener.
  public let begin: Duration
  /// When it ended.
  public let end: Duration

  /// How long it took.
  public var duration: Duration { end - begin }
}

/// What all spans of one unit in one phase come to.
public struct SpanTotal: Hashable, Sendable {
  /// The phase.
  public let phase: SpanPhase
  /// The unit or watcher, where there is one.
  public let unit: String?
  /// How many spans there were.
  public internal(set) var count = 0
  /// How long they took together.
  public internal(set) var total = Duration.zero
  /// How long the longest took.
  public internal(set) var max = Duration.zero
}
