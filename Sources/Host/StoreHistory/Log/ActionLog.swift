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
  /// - Returns: about how many bytes it takes.
  @discardableResult
  public mutating func append(_ entry: LoggedEntry) -> Int { next.append(entry) }

  /// The packer that takes the next entry, which whoever asks for it adds at once.
  var next: EntryPacker {
    get { stored.next }
    _modify {
      let excess = stored.count - max(limit, 1) + 1
      if excess > 0 { stored.removeFirst(excess) }
      yield &stored.next
    }
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

/// Entries in chunks: full ones, and the one that takes the next.
private struct Chunks: RandomAccessCollection, Sendable {
  private var full = Deque<EntryChunk>()
  private var last = EntryPacker()
  /// The number of entries of the first chunk that are not in this list any more.
  private var gone = 0
  private(set) var count = 0

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(position: Int) -> LoggedEntry {
    let (chunk, index) = place(of: position)
    return chunk < full.count ? full[chunk][index] : last[index]
  }

  /// The number of the entry at a position.
  func number(at position: Int) -> Int {
    let (chunk, index) = place(of: position)
    return chunk < full.count ? full[chunk].number(at: index) : last.number(at: index)
  }

  private func place(of position: Int) -> (chunk: Int, index: Int) {
    let (chunk, index) = (gone + position).quotientAndRemainder(dividingBy: EntryPacker.most)
    return (chunk, index)
  }

  var next: EntryPacker {
    get { last }
    _modify {
      if last.count == EntryPacker.most {
        full.append(EntryChunk(last))
        last.removeAll()
      }
      count += 1
      yield &last
    }
  }

  mutating func removeFirst(_ number: Int) {
    let rest = Swift.min(number, count)
    count -= rest
    gone += rest
    while gone >= EntryPacker.most {
      if full.isEmpty { last.removeAll() } else { full.removeFirst() }
      gone -= EntryPacker.most
    }
    if count == 0 {
      gone = 0
      full.removeAll()
      last.removeAll()
    }
  }
}
