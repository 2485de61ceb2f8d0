import DequeModule

/// The latest entries, in blocks: the state before each block is kept, and what memory lets go of goes block by block.
struct EntryBlocks: Sendable {
  /// The weight of a block: the number of its entries, and the bytes that they take.
  private struct Weight: Sendable {
    var count = 0
    var bytes = 0
  }

  /// The largest number of entries in a block: a small part of the limit, as memory may hold one block more than that.
  private static func longest(_ limits: HistoryLimits) -> Int { max(1, min(256, limits.entries / 8)) }

  /// The number of bytes at which a block ends, for the same reason.
  private static func heaviest(_ limits: HistoryLimits) -> Int { limits.bytes / 8 }

  /// The entries.
  private(set) var log = ActionLog(limit: .max)
  /// The blocks that are complete.
  private var complete = Deque<Weight>()
  private var last = Weight()
  private var bytes = 0

  /// Adds an entry behind the others, and drops blocks that are over the limits.
  ///
  /// - Returns: true if a block ends with the entry, and the number of oldest blocks dropped.
  mutating func append(_ entry: LoggedEntry, _ limits: HistoryLimits) -> (endsBlock: Bool, gone: Int) {
    let size = entry.footprint
    log.append(entry)
    bytes += size
    last.count += 1
    last.bytes += size
    let endsBlock = last.count >= Self.longest(limits) || last.bytes >= Self.heaviest(limits) || entry.isWhole
    if endsBlock {
      complete.append(last)
      last = Weight()
    }
    var gone = 0
    while let first = complete.first, log.count - first.count >= limits.entries || bytes > limits.bytes {
      complete.removeFirst()
      log.removeFirst(first.count)
      bytes -= first.bytes
      gone += 1
    }
    return (endsBlock, gone)
  }
}
