import DequeModule
import StoreCore
import StoreSchema

/// The latest actions of a store, oldest first, bounded.
public struct ActionLog: Sendable {
  private var stored = Chunks()
  /// The number of entries kept; the oldest go first.
  public var limit: Int

  /// An empty log.
  public init(limit: Int = 10_000) { self.limit = limit }

  /// The entries, oldest first.
  public var entries: some RandomAccessCollection<LoggedEntry> { stored }

  /// Adds an entry behind the others.
  public mutating func append(_ entry: LoggedEntry) {
    let excess = stored.count - max(limit, 1) + 1
    if excess > 0 { stored.removeFirst(excess) }
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

/// Entries in chunks: the next entry behind a snapshot copies one chunk and the list of them, not each entry.
private struct Chunks: RandomAccessCollection, Sendable {
  /// The number of entries in a chunk that is neither the first nor the last.
  private static let size = 256

  /// None of them is empty.
  private var chunks = Deque<[LoggedEntry]>()
  private(set) var count = 0

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(position: Int) -> LoggedEntry {
    let first = chunks[0].count
    if position < first { return chunks[0][position] }
    let (chunk, index) = (position - first).quotientAndRemainder(dividingBy: Self.size)
    return chunks[chunk + 1][index]
  }

  mutating func append(_ entry: LoggedEntry) {
    count += 1
    if let last = chunks.indices.last, chunks[last].count < Self.size {
      chunks[last].append(entry)
    } else {
      chunks.append([entry])
    }
  }

  mutating func removeFirst(_ number: Int) {
    var rest = Swift.min(number, count)
    count -= rest
    while rest > 0 {
      guard rest < chunks[0].count else {
        rest -= chunks.removeFirst().count
        continue
      }
      chunks[0].removeFirst(rest)
      rest = 0
    }
  }
}
