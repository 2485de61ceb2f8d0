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
  ///
  /// - Returns: about how many bytes it takes, with the state that is kept after one that changed more than it tells.
  @discardableResult
  public mutating func append(_ entry: LoggedEntry) -> Int {
    let excess = stored.count - max(limit, 1) + 1
    if excess > 0 { stored.removeFirst(excess) }
    return stored.append(entry)
  }

  /// The number of entries kept.
  var count: Int { stored.count }

  /// Drops the oldest entries.
  mutating func removeFirst(_ count: Int) { stored.removeFirst(count) }

  /// The entry of that sequence number, where it is still kept.
  public subscript(number number: Int) -> LoggedEntry? {
    let position = position(of: number)
    return position < stored.count && stored.number(at: position) == number ? stored[position] : nil
  }

  /// The entries from a number on.
  public func entries(from number: Int) -> some RandomAccessCollection<LoggedEntry> { stored[position(of: number)...] }

  /// The entries of some numbers.
  func entries(in numbers: ClosedRange<Int>) -> some RandomAccessCollection<LoggedEntry> {
    stored[position(of: numbers.lowerBound)..<position(of: numbers.upperBound + 1)]
  }

  /// The number of entries before a number. Numbers ascend, and few are missing.
  private func position(of number: Int) -> Int {
    guard let first = firstNumber else { return 0 }
    let guess = number - first
    if guess <= 0 { return 0 }
    if guess < stored.count, stored.number(at: guess) == number { return guess }
    var (low, high) = (0, min(guess, stored.count))
    while low < high {
      let middle = (low + high) / 2
      if stored.number(at: middle) < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The newest entry.
  public var last: LoggedEntry? { stored.last }

  /// The number of the oldest entry.
  var firstNumber: Int? { count > 0 ? stored.number(at: 0) : nil }

  /// The number of the newest entry.
  var lastNumber: Int? { count > 0 ? stored.number(at: count - 1) : nil }
}

/// Entries in chunks. The next entry behind a snapshot copies none of them: it stands behind those in the chunk that both have, and
/// the snapshot looks no further than to its own.
private struct Chunks: RandomAccessCollection, Sendable {
  private var chunks = Deque<EntryChunk>()
  /// The number of entries of the last chunk that are in this list, or were once.
  private var countInLast = 0
  /// The number of entries of the first chunk that are not in this list any more.
  private var startInFirst = 0
  private(set) var count = 0

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  /// The number of entries in the first chunk. All between that and the last are full.
  private var countInFirst: Int { (chunks.count > 1 ? EntryChunk.size : countInLast) - startInFirst }

  subscript(position: Int) -> LoggedEntry {
    let (chunk, index) = place(of: position)
    return chunks[chunk][index]
  }

  /// The number of the entry at a position.
  func number(at position: Int) -> Int {
    let (chunk, index) = place(of: position)
    return chunks[chunk].number(at: index)
  }

  private func place(of position: Int) -> (chunk: Int, index: Int) {
    let first = countInFirst
    if position < first { return (0, startInFirst + position) }
    let (chunk, index) = (position - first).quotientAndRemainder(dividingBy: EntryChunk.size)
    return (chunk + 1, index)
  }

  /// - Returns: the bytes that it takes.
  mutating func append(_ entry: LoggedEntry) -> Int {
    count += 1
    if let last = chunks.last, countInLast < EntryChunk.size {
      defer { countInLast += 1 }
      if let size = last.append(entry, behind: countInLast) { return size }
      // Another copy of the list has gone on.
      let own = EntryChunk(countInLast, of: last)
      chunks[chunks.count - 1] = own
      return own.append(entry, behind: countInLast) ?? 0
    }
    let chunk = EntryChunk()
    chunks.append(chunk)
    countInLast = 1
    return chunk.append(entry, behind: 0) ?? 0
  }

  mutating func removeFirst(_ number: Int) {
    var rest = Swift.min(number, count)
    count -= rest
    while rest > 0 {
      let present = countInFirst
      guard rest >= present else {
        startInFirst += rest
        return
      }
      chunks.removeFirst()
      startInFirst = 0
      if chunks.isEmpty { countInLast = 0 }
      rest -= present
    }
  }
}
