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
      makeRoom()
      yield &stored.next
    }
  }

  /// Adds an entry that may be packed already.
  mutating func append(_ entry: LoggedEntry, packedAs packed: PackedEntry?) -> Int {
    makeRoom()
    return packed.flatMap { stored.append($0) } ?? stored.next.append(entry)
  }

  /// Adds an entry that is packed already.
  mutating func append(_ packed: PackedEntry) -> Int {
    makeRoom()
    return stored.append(packed) ?? stored.next.append(packed.chunk[packed.index])
  }

  private mutating func makeRoom() {
    let excess = stored.count - max(limit, 1) + 1
    if excess > 0 { stored.removeFirst(excess) }
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

  /// The name of the action of that number, where its entry is still kept.
  func action(of number: Int) -> String? {
    let position = position(of: number)
    return position < stored.count && stored.number(at: position) == number ? stored.action(at: position) : nil
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

/// Entries in chunks: those that take no more, and the one that takes the next.
private struct Chunks: RandomAccessCollection, Sendable {
  private struct Full: Sendable {
    let chunk: EntryChunk
    /// The number of entries before it, of all that there ever were.
    let start: Int
    /// The same of those up to its last one that is in the list.
    var end: Int
  }

  private var full = Deque<Full>()
  private var last = EntryPacker()
  /// The number of entries that are not in this list any more.
  private var gone = 0
  private(set) var count = 0

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  /// The number of entries before the last chunk, of all that there ever were.
  private var lastStart: Int { gone + count - last.count }

  subscript(position: Int) -> LoggedEntry {
    if gone + position >= lastStart { return last[gone + position - lastStart] }
    let (chunk, index) = place(of: position)
    return chunk[index]
  }

  /// The number of the entry at a position.
  func number(at position: Int) -> Int {
    if gone + position >= lastStart { return last.number(at: gone + position - lastStart) }
    let (chunk, index) = place(of: position)
    return chunk.number(at: index)
  }

  /// The name of the action of the entry at a position.
  func action(at position: Int) -> String {
    if gone + position >= lastStart { return last.action(at: gone + position - lastStart) }
    let (chunk, index) = place(of: position)
    return chunk.action(at: index)
  }

  /// The place of an entry in a chunk that takes no more.
  private func place(of position: Int) -> (chunk: EntryChunk, index: Int) {
    let entry = gone + position
    var (low, high) = (0, full.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if full[middle].end <= entry { low = middle + 1 } else { high = middle }
    }
    return (full[low].chunk, entry - full[low].start)
  }

  /// The packer that takes the next entry.
  var next: EntryPacker {
    get { last }
    _modify {
      if last.count == EntryPacker.most { completeLast() }
      count += 1
      yield &last
    }
  }

  /// Takes over an entry with its chunk, whose entries come one behind another.
  ///
  /// - Returns: about how many bytes it takes; nil: those before it in its chunk are not the latest in the list.
  mutating func append(_ packed: PackedEntry) -> Int? {
    if packed.index == 0 {
      if last.count > 0 { completeLast() }
      full.append(Full(chunk: packed.chunk, start: gone + count, end: gone + count))
    }
    guard last.count == 0, let newest = full.last, newest.chunk === packed.chunk,
      newest.start + packed.index == newest.end
    else { return nil }
    full[full.count - 1].end += 1
    count += 1
    return packed.chunk.size(at: packed.index)
  }

  private mutating func completeLast() {
    full.append(Full(chunk: EntryChunk(last), start: lastStart, end: gone + count))
    last.removeAll()
  }

  mutating func removeFirst(_ number: Int) {
    let rest = Swift.min(number, count)
    count -= rest
    gone += rest
    while let first = full.first, first.end <= gone { full.removeFirst() }
    if count == 0 {
      full.removeAll()
      last.removeAll()
    }
  }
}
