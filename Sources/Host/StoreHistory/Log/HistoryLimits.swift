/// The part of a history that memory holds.
public struct HistoryLimits: Hashable, Sendable {
  /// The number of latest actions that are kept.
  public var entries: Int
  /// The bytes that they may take, by estimate; parts that the states share with the present state are not counted.
  public var bytes: Int

  /// The bytes that actions may take which somebody is about to read.
  package var mostAwaited: Int { bytes.multipliedReportingOverflow(by: 8).overflow ? .max : 8 * bytes }

  /// Limits of that size; by default 100,000 actions in 64 MiB.
  public init(entries: Int = 100_000, bytes: Int = 64 << 20) {
    self.entries = entries
    self.bytes = bytes
  }

  /// The limits that hold in place of the default ones where a file has all actions.
  static let besideFile = HistoryLimits(entries: 10_000)
}
