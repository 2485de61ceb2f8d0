import DequeModule
import StoreCore

/// The latest entries, in blocks: what memory lets go of goes block by block, and a look back passes over those that have
/// nothing of what it looks for.
struct EntryBlocks: Sendable {
  /// A run of entries.
  private struct Block: Sendable {
    /// The number of the first entry.
    var first = 0
    /// The number of the last entry.
    var last = 0
    var count = 0
    /// The bytes that the entries take.
    var bytes = 0
    /// What the entries of a complete block changed.
    let places = Places()
    /// True if the last entry changed more than its changes tell.
    var endsWhole = false
  }

  /// The places that a block's entries changed. The first look back finds them, since most entries are never looked for.
  private final class Places: Sendable {
    private let found = Lock<ChangedPlaces?>(nil)

    func mayHold(_ wanted: WantedEntries, endsWhole: Bool, entries: () -> [LoggedEntry]) -> Bool {
      wanted.areAll
        || found.withLock { found in
          let places = found ?? entries().reduce(into: ChangedPlaces()) { $0.note($1.changes) }
          found = places
          return wanted.mayBe(in: places, endsWhole: endsWhole)
        }
    }
  }

  /// The largest number of entries in a block: a small part of the limit, as memory may hold one block more than that.
  private static func longest(_ limits: HistoryLimits) -> Int { max(1, min(256, limits.entries / 8)) }

  /// The number of bytes at which a block ends, for the same reason.
  private static func heaviest(_ limits: HistoryLimits) -> Int { limits.bytes / 8 }

  /// The entries.
  var log = ActionLog(limit: .max)
  /// The blocks that are complete.
  private var complete = Deque<Block>()
  private var last = Block()
  private var bytes = 0

  /// The most blocks that go with an entry: whoever adds it waits for that.
  private static let mostDropped = 64

  /// Takes note of the entry that was added to the log, and drops blocks that are over the limits.
  ///
  /// - Parameters:
  ///   - size: the bytes that it takes.
  ///   - isWhole: true if it changed more than its changes tell.
  ///   - needed: the first entry that is not dropped; nil: any may be.
  ///   - awaited: the first entry that is not dropped while there is room for those behind it; nil: any may be.
  /// - Returns: the number of the last entry dropped; nil: none was.
  mutating func note(
    _ number: Int, of size: Int, isWhole: Bool, _ limits: HistoryLimits, keepingFrom needed: Int? = nil,
    awaiting awaited: Int? = nil
  ) -> Int? {
    bytes += size
    if last.count == 0 { last.first = number }
    last.last = number
    last.count += 1
    last.bytes += size
    last.endsWhole = isWhole
    if last.count >= Self.longest(limits) || last.bytes >= Self.heaviest(limits) || isWhole {
      complete.append(last)
      last = Block()
    }
    var gone: Int?
    for _ in 0..<Self.mostDropped {
      guard !complete.isEmpty, log.count - complete[0].count >= limits.entries || bytes > limits.bytes else { break }
      if let needed, complete[0].last >= needed { break }
      if let awaited, complete[0].last >= awaited, bytes <= limits.mostAwaited { break }
      let first = complete.removeFirst()
      log.removeFirst(first.count)
      bytes -= first.bytes
      gone = first.last
    }
    return gone
  }

  /// The entries of the latest block up to a number in which one may meet a wish, up to that number; nil: there is none.
  func block(upTo number: Int, _ wanted: WantedEntries) -> [LoggedEntry]? {
    var index = last.count > 0 && last.first <= number ? complete.count : blocks(upTo: number) - 1
    while index >= 0 {
      let block = index == complete.count ? last : complete[index]
      func entries(upTo number: Int) -> [LoggedEntry] { Array(log.entries(in: block.first...min(block.last, number))) }
      if index == complete.count
        || block.places.mayHold(wanted, endsWhole: block.endsWhole, entries: { entries(upTo: block.last) })
      {
        return entries(upTo: number)
      }
      index -= 1
    }
    return nil
  }

  /// The number of complete blocks that begin at a number or before it.
  private func blocks(upTo number: Int) -> Int {
    var (low, high) = (0, complete.count)
    while low < high {
      let middle = (low + high) / 2
      if complete[middle].first <= number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
