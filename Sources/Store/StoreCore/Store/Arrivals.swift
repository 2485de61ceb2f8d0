import DequeModule

/// What threads have brought to a store that parties share, in order: each is taken, with all that it causes, before the next (R34).
@usableFromInline
struct Arrivals<Action: Sendable> {
  @usableFromInline var waiting = Deque<(entry: Incoming<Action>, thread: UInt)>()
  /// The number of entries that came so far.
  private var came = 0
  /// The place of the last entry of each thread, of the threads that have one here.
  private var last: [UInt: Int] = [:]

  @usableFromInline init() {}

  @inlinable var isEmpty: Bool { waiting.isEmpty }
  var count: Int { waiting.count }
  /// The number of entries that were taken.
  var taken: Int { came - waiting.count }

  /// The number of threads that have an entry here.
  var threads: Int { waiting.isEmpty ? 0 : last.values.count { $0 > taken } }

  /// The place of the last entry that a thread brought; 0: it has none here.
  @usableFromInline
  func place(ofLastBy thread: UInt) -> Int { last[thread] ?? 0 }

  @usableFromInline
  mutating func append(_ entry: Incoming<Action>, from thread: UInt) {
    came += 1
    waiting.append((entry, thread))
    last[thread] = came
    // Threads that came once and never again.
    if last.count > 256 {
      let taken = taken
      last = last.filter { $0.value > taken }
    }
  }

  mutating func popFirst() -> Incoming<Action>? {
    defer { if waiting.isEmpty { last.removeAll(keepingCapacity: true) } }
    return waiting.popFirst()?.entry
  }
}
