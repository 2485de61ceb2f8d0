import DequeModule
import StoreCore
import StoreSchema

/// The latest actions of a store, oldest first, bounded.
public struct ActionLog: Sendable {
  private var stored = Deque<LoggedEntry>()
  /// The number of entries kept; the oldest go first.
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

  /// The number of entries kept.
  var count: Int { stored.count }

  /// Drops the oldest entries.
  mutating func removeFirst(_ count: Int) { stored.removeFirst(count) }

  /// The entry of that sequence number, where it is still kept.
  public subscript(number number: Int) -> LoggedEntry? {
    let position = position(of: number)
    return position < stored.count && stored[position].number == number ? stored[position] : nil
  }

  /// The entries from a number on.
  public func entries(from number: Int) -> some RandomAccessCollection<LoggedEntry> { stored[position(of: number)...] }

  /// The entries of some numbers.
  func entries(in numbers: ClosedRange<Int>) -> some RandomAccessCollection<LoggedEntry> {
    stored[position(of: numbers.lowerBound)..<position(of: numbers.upperBound + 1)]
  }

  /// The number of entries before a number. Numbers ascend, and few are missing.
  private func position(of number: Int) -> Int {
    guard let first = stored.first else { return 0 }
    let guess = number - first.number
    if guess <= 0 { return 0 }
    if guess < stored.count, stored[guess].number == number { return guess }
    var (low, high) = (0, min(guess, stored.count))
    while low < high {
      let middle = (low + high) / 2
      if stored[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The newest entry.
  public var last: LoggedEntry? { stored.last }
}
