extension PersistentList {
  /// The numbers of elements that two lists have in common at their beginning and, of the rest, at their end.
  ///
  /// Parts that the lists share are skipped without a look at them. So comparing a list with an earlier snapshot takes
  /// time proportional to the changes in between, times log n.
  /// - Parameter equal: true if an element of `old` (first) and one of `new` (second) are equal.
  @inlinable
  public static func commonEnds(
    _ old: Self, _ new: Self, equal: (UnsafePointer<Element>, UnsafePointer<Element>) -> Bool
  ) -> (prefix: Int, suffix: Int) {
    guard let oldRoot = old.tree.unmanagedRoot, let newRoot = new.tree.unmanagedRoot else { return (0, 0) }
    let (oldCount, newCount) = (old.count, new.count)
    let limit = Swift.min(oldCount, newCount)
    let prefix = commonPrefix(oldRoot, newRoot, limit: limit, equal: equal)
    return (prefix, commonSuffix(oldRoot, oldCount, newRoot, newCount, limit: limit - prefix, equal: equal))
  }

  // Roots without a claim on them: the lists that the callers hold keep them alive.
  @usableFromInline typealias Root = Unmanaged<TreeNode<ListContent<Element>>>

  @inlinable
  static func commonPrefix(
    _ oldRoot: Root, _ newRoot: Root, limit: Int, equal: (UnsafePointer<Element>, UnsafePointer<Element>) -> Bool
  ) -> Int {
    var length = 0
    while length < limit {
      switch AlignedRun(oldRoot, length, newRoot, length, .forward) {
      case .shared(let count): length += count
      case .separate(let old, let new, let count):
        let same = commonRun(count) { equal(old + $0, new + $0) }
        length += same
        guard same == count else { return length }
      }
    }
    return length
  }

  /// The number of steps from 0 on that lead from pair to pair of equal elements. Four at a time, which halves the work
  /// if comparing two elements takes but an instruction or two.
  @inlinable
  @inline(__always)
  static func commonRun(_ count: Int, isEqual: (Int) -> Bool) -> Int {
    var step = 0
    while step &+ 4 <= count {
      guard isEqual(step), isEqual(step &+ 1), isEqual(step &+ 2), isEqual(step &+ 3) else { break }
      step &+= 4
    }
    while step < count, isEqual(step) { step &+= 1 }
    return step
  }

  @inlinable
  static func commonSuffix(
    _ oldRoot: Root, _ oldCount: Int, _ newRoot: Root, _ newCount: Int, limit: Int,
    equal: (UnsafePointer<Element>, UnsafePointer<Element>) -> Bool
  ) -> Int {
    var length = 0
    while length < limit {
      switch AlignedRun(oldRoot, oldCount - 1 - length, newRoot, newCount - 1 - length, .backward) {
      case .shared(let count): length = Swift.min(limit, length + count)
      case .separate(let old, let new, let count):
        let count = Swift.min(count, limit - length)
        let same = commonRun(count) { equal(old - $0, new - $0) }
        length += same
        guard same == count else { return length }
      }
    }
    return length
  }
}
