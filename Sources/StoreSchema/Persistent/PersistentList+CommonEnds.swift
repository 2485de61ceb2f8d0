extension PersistentList {
  /// How many elements two lists have in common at their beginning and, of what is left, at their end.
  ///
  /// Parts that the lists share are skipped without a look at them, so that a list and an earlier snapshot of it
  /// are compared in time proportional to what has changed in between, times log n.
  /// - Parameter equal: whether an element of `old` (first) and one of `new` (second) are equal.
  @inlinable
  public static func commonEnds(
    _ old: Self, _ new: Self, equal: (UnsafePointer<Element>, UnsafePointer<Element>) -> Bool
  ) -> (prefix: Int, suffix: Int) {
    let prefix = commonPrefix(old, new, equal: equal)
    return (prefix, commonSuffix(old, new, limit: Swift.min(old.count, new.count) - prefix, equal: equal))
  }

  @inlinable
  static func commonPrefix(
    _ old: Self, _ new: Self, equal: (UnsafePointer<Element>, UnsafePointer<Element>) -> Bool
  ) -> Int {
    guard let oldRoot = old.tree.root, let newRoot = new.tree.root else { return 0 }
    let limit = Swift.min(old.count, new.count)
    var length = 0
    while length < limit {
      switch AlignedRun(oldRoot, length, newRoot, length) {
      case .shared(_, let after): length += after
      case .separate(let old, let new, _, let after):
        for step in 0..<after {
          guard equal(old + step, new + step) else { return length }
          length += 1
        }
      }
    }
    return length
  }

  @inlinable
  static func commonSuffix(
    _ old: Self, _ new: Self, limit: Int, equal: (UnsafePointer<Element>, UnsafePointer<Element>) -> Bool
  ) -> Int {
    guard let oldRoot = old.tree.root, let newRoot = new.tree.root else { return 0 }
    var length = 0
    while length < limit {
      switch AlignedRun(oldRoot, old.count - 1 - length, newRoot, new.count - 1 - length) {
      case .shared(let before, _): length = Swift.min(limit, length + before + 1)
      case .separate(let old, let new, let before, _):
        for step in 0..<Swift.min(before + 1, limit - length) {
          guard equal(old - step, new - step) else { return length }
          length += 1
        }
      }
    }
    return length
  }
}
