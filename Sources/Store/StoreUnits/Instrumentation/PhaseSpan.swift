import StoreCore

/// A phase of an action, timed.
public struct PhaseSpan: Hashable, Sendable {
  /// The phase that was timed.
  public let phase: SpanPhase
  /// The action's number.
  public let number: Int
  /// The unit or watcher, where there is one.
  public let unit: String?
  /// The action's name; nil where its dispatch was not seen.
  public let action: String?
  /// The number of the action that caused it.
  public let cause: Int?
  /// The time at which it began, on the clock of the listener.
  public let begin: Duration
  /// The time at which it ended.
  public let end: Duration

  /// The duration of the span.
  public var duration: Duration { end - begin }
}

/// The total of all spans of one unit in one phase.
public struct SpanTotal: Hashable, Sendable {
  /// The phase.
  public let phase: SpanPhase
  /// The unit or watcher, where there is one.
  public let unit: String?
  /// The number of spans.
  public internal(set) var count = 0
  /// The sum of their durations.
  public internal(set) var total = Duration.zero
  /// The duration of the longest.
  public internal(set) var max = Duration.zero
}
