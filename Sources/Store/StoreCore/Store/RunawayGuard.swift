/// Counts what each outside dispatch caused (R30).
@usableFromInline
struct RunawayGuard {
  @usableFromInline var limit: Int
  private var counts: [Int: Int] = [:]
  /// The number of actions enqueued for each root since the queue became longer than the limit.
  private var queued: [Int: Int] = [:]
  /// The actions taken from the queue, in ascending order of the numbers.
  private var taken: [(number: Int, cause: Int, root: Int)] = []

  @usableFromInline
  init(limit: Int) { self.limit = limit }

  /// Notes that an action which another caused is next.
  ///
  /// - Returns: true if it may be processed: no more than the limit were caused by its root.
  @usableFromInline
  mutating func admit(_ number: Int, causedBy cause: Int, root: Int) -> Bool {
    guard counts[root, default: 0] < limit else { return false }
    counts[root, default: 0] += 1
    taken.append((number, cause, root))
    return true
  }

  /// Notes that an action is to be enqueued in a queue that is longer than the limit.
  ///
  /// - Returns: true if it may be: of more than these none would be processed.
  @usableFromInline
  mutating func mayEnqueue(root: Int) -> Bool {
    guard queued[root, default: 0] <= limit else { return false }
    queued[root, default: 0] += 1
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

  /// Forgets all but some roots: nothing of the others is queued any more.
  mutating func keep(_ roots: @autoclosure () -> Set<Int>) {
    guard !queued.isEmpty || !taken.isEmpty else { return }
    let roots = roots()
    queued = queued.filter { roots.contains($0.key) }
    counts = counts.filter { roots.contains($0.key) }
    taken.removeAll { !roots.contains($0.root) }
  }

  /// Forgets everything: the queue is empty.
  @usableFromInline
  mutating func reset() {
    if !queued.isEmpty { queued.removeAll() }
    guard !taken.isEmpty else { return }
    counts.removeAll(keepingCapacity: true)
    taken.removeAll(keepingCapacity: true)
  }
}
