import DequeModule
import StoreCore
import StoreSchema

/// The latest actions of a store, oldest first, bounded.
public struct ActionLog: Sendable {
  private var stored = Deque<LoggedEntry>()
  /// How many entries are kept; the oldest go first.
  public var limit: Int

  /// An empty log.
  public init(limit: Int = 10_000) { self.limit = limit }

  /// The entries, oldest first.
  public var entries: some RandomAccessCollection<LoggedEntry> { stored }

  /// Adds an entry behind the others.
  public mutating func append(_ entry: LoggedEntry) {
    while stored.count >= max(limit, 1) { stored.removeFirst() }
    stored.append(entry)
  }

  /// The entry of that sequence number, where it is still kept.
  public subscript(number number: Int) -> LoggedEntry? {
    guard let first = stored.first else { return nil }
    let offset = number - first.number
    if stored.indices.contains(offset), stored[offset].number == number { return stored[offset] }
    return stored.first { $0.number == number }
  }

  /// The newest entry.
  public var last: LoggedEntry? { stored.last }
}
