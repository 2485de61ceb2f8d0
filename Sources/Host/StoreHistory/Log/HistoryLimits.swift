/// How much of a history memory holds.
public struct HistoryLimits: Hashable, Sendable {
  /// How many of the latest actions are kept.
  public var entries: Int
  /// How many bytes they may take, by estimate; what the states share with the present one is not counted.
  public var bytes: Int

  /// Limits of that size.
  public init(entries: Int = 10_000, bytes: Int = 32 << 20) {
    self.entries = entries
    self.bytes = bytes
  }
}
