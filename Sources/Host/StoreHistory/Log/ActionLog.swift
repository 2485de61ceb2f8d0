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

  /// The number of chunks of the newest entries that stay objects.
  var objects: Int {
    get { stored.objects }
    set { stored.objects = newValue }
  }

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

/// Entries in chunks: the newest as objects, which are made and read soonest, those before them as bytes, which are small. A snapshot
/// and the list share the last chunk. The next entry stands behind theirs, and the snapshot looks no further than to its own last one.
private struct Chunks: RandomAccessCollection, Sendable {
  private var old = Deque<EntryChunk>()
  private var chunks = Deque<Chunk>()
  /// The number of entries of the last chunk that are in this list, or were once.
  private var countInLast = 0
  /// The number of entries of the first chunk that are not in this list any more.
  private var gone = 0
  private(set) var count = 0
  /// The number of chunks that stay objects.
  var objects = 40

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(position: Int) -> LoggedEntry {
    let (chunk, index) = place(of: position)
    return chunk < old.count ? old[chunk][index] : chunks[chunk - old.count][index]
  }

  /// The number of the entry at a position.
  func number(at position: Int) -> Int {
    let (chunk, index) = place(of: position)
    return chunk < old.count ? old[chunk].number(at: index) : chunks[chunk - old.count][index].number
  }

  private func place(of position: Int) -> (chunk: Int, index: Int) {
    let (chunk, index) = (gone + position).quotientAndRemainder(dividingBy: Chunk.size)
    return (chunk, index)
  }

  mutating func append(_ entry: LoggedEntry) {
    count += 1
    if !chunks.isEmpty, countInLast < Chunk.size {
      // Unmanaged: the list has it.
      let last = Unmanaged.passUnretained(chunks[chunks.count - 1])
      let isAdded = last._withUnsafeGuaranteedRef { $0.append(entry, behind: countInLast) }
      if !isAdded {
        // Another copy of the list has gone on.
        let before = chunks[chunks.count - 1]
        chunks[chunks.count - 1] = Chunk((0..<countInLast).map { before[$0] } + [entry])
      }
      countInLast += 1
      return
    }
    while chunks.count >= Swift.max(objects, 1) { packFirst() }
    chunks.append(Chunk([entry]))
    countInLast = 1
  }

  @inline(never)
  private mutating func packFirst() {
    let chunk = chunks.removeFirst()
    // The entries that are not in the list any more keep their places.
    old.append(EntryChunk((0..<Chunk.size).map { chunk[$0] }))
  }

  mutating func removeFirst(_ number: Int) {
    let rest = Swift.min(number, count)
    count -= rest
    gone += rest
    while gone >= Chunk.size {
      if !old.isEmpty { old.removeFirst() } else if !chunks.isEmpty { chunks.removeFirst() }
      gone -= Chunk.size
    }
    if count == 0 {
      (gone, countInLast) = (0, 0)
      old.removeAll()
      chunks.removeAll()
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
