/// Counts what each outside dispatch caused (R30).
@usableFromInline
struct RunawayGuard {
  @usableFromInline var limit: Int
  private var counts: [Int: Int] = [:]
  /// What was taken from the queue, in ascending order of the numbers.
  private var taken: [(number: Int, cause: Int)] = []

  @usableFromInline
  init(limit: Int) { self.limit = limit }

  /// Notes that an action which another caused is next.
  ///
  /// - Returns: whether it may be processed: no more than the limit were caused by its root.
  @usableFromInline
  mutating func admit(_ number: Int, causedBy cause: Int, root: Int) -> Bool {
    guard counts[root, default: 0] < limit else { return false }
    counts[root, default: 0] += 1
    taken.append((number, cause))
    return true
  }

  /// The causes of an action, the nearest first, at most ten.
  @usableFromInline
  func chain(from cause: Int) -> [Int] {
    var chain = [cause]
    for entry in taken.reversed() where chain.count < 10 && entry.number == chain[chain.count - 1] {
      chain.append(entry.cause)
    }
    return chain
  }

  /// Forgets everything: the queue is empty.
  @usableFromInline
  mutating func reset() {
    guard !taken.isEmpty else { return }
    counts.removeAll(keepingCapacity: true)
    taken.removeAll(keepingCapacity: true)
  }
}
