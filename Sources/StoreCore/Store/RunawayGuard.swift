/// Counts what each outside dispatch caused (R30).
@usableFromInline
struct RunawayGuard {
  @usableFromInline var limit: Int
  private var counts: [Int: Int] = [:]
  private var causes: [Int: Int] = [:]

  @usableFromInline
  init(limit: Int) { self.limit = limit }

  /// Notes an action that another caused.
  @usableFromInline
  mutating func note(_ number: Int, causedBy cause: Int, root: Int) {
    counts[root, default: 0] += 1
    causes[number] = cause
  }

  /// Whether an outside dispatch has caused more than the limit.
  @usableFromInline
  func isExceeded(by root: Int) -> Bool { counts[root, default: 0] > limit }

  /// The causes of an action, the nearest first, at most ten.
  @usableFromInline
  func chain(of number: Int) -> [Int] {
    var chain: [Int] = []
    var next = causes[number]
    while let cause = next, chain.count < 10 {
      chain.append(cause)
      next = causes[cause]
    }
    return chain
  }

  /// Forgets everything: the queue is empty.
  @usableFromInline
  mutating func reset() {
    if !counts.isEmpty {
      counts.removeAll(keepingCapacity: true)
      causes.removeAll(keepingCapacity: true)
    }
  }
}
