import DequeModule
import StoreCore
import StoreSchema
import Synchronization

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

/// Entries in chunks. The next entry behind a snapshot copies none of them: it stands behind those in the chunk that both have, and
/// the snapshot looks no further than to its own.
private struct Chunks: RandomAccessCollection, Sendable {
  private var chunks = Deque<Chunk>()
  /// The number of entries of the last chunk that are in this list.
  private var countInLast = 0
  private(set) var count = 0

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  /// The number of entries in the first chunk. All between that and the last are full.
  private var countInFirst: Int { chunks.count > 1 ? chunks[0].count : countInLast }

  subscript(position: Int) -> LoggedEntry {
    let first = countInFirst
    if position < first { return chunks[0][position] }
    let (chunk, index) = (position - first).quotientAndRemainder(dividingBy: Chunk.size)
    return chunks[chunk + 1][index]
  }

  mutating func append(_ entry: LoggedEntry) {
    count += 1
    if let last = chunks.last, countInLast < Chunk.size {
      if !last.append(entry, behind: countInLast) {
        // Another copy of the list has gone on.
        chunks[chunks.count - 1] = Chunk((0..<countInLast).map { last[$0] } + [entry])
      }
      countInLast += 1
    } else {
      chunks.append(Chunk([entry]))
      countInLast = 1
    }
  }

  mutating func removeFirst(_ number: Int) {
    var rest = Swift.min(number, count)
    count -= rest
    while rest > 0 {
      let present = countInFirst
      guard rest < present else {
        chunks.removeFirst()
        if chunks.isEmpty { countInLast = 0 }
        rest -= present
        continue
      }
      let first = chunks[0]
      if chunks.count == 1 { countInLast -= rest }
      chunks[0] = Chunk((rest..<present).map { first[$0] })
      rest = 0
    }
  }
}

/// Up to ``size`` entries, to which some are added and none is changed or goes.
private final class Chunk: @unchecked Sendable {
  // Safe: an entry is written once, by whoever has taken its place, before anybody looks for it.
  static let size = 256
  private let entries = UnsafeMutablePointer<LoggedEntry>.allocate(capacity: size)
  private let places: Atomic<Int>

  init(_ first: [LoggedEntry]) {
    for (index, entry) in first.enumerated() { (entries + index).initialize(to: entry) }
    places = Atomic(first.count)
  }

  deinit {
    entries.deinitialize(count: count)
    entries.deallocate()
  }

  var count: Int { places.load(ordering: .acquiring) }

  subscript(index: Int) -> LoggedEntry { entries[index] }

  /// Adds an entry.
  ///
  /// - Returns: false if others stand behind so many already.
  func append(_ entry: LoggedEntry, behind number: Int) -> Bool {
    guard places.compareExchange(expected: number, desired: number + 1, ordering: .acquiringAndReleasing).exchanged
    else { return false }
    (entries + number).initialize(to: entry)
    return true
  }
}
