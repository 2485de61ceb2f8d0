/// Binary search by key.
extension TreeNode {
  /// The last child of an inner node whose first key is not above the wanted one; the first child for a key below all.
  @inlinable
  @inline(__always)
  func childIndex<Key, Value>(
    isAbove: (UnsafePointer<Key>) -> Bool
  ) -> Int where Content == MapContent<Key, Value> {
    let separators = separators
    var low = 1
    var high = slots
    while low < high {
      let middle = (low &+ high) &>> 1
      if isAbove(separators + middle) { high = middle } else { low = middle &+ 1 }
    }
    return low &- 1
  }

  /// The first element of a leaf whose key is not below the one that is looked for, or `slots`.
  @inlinable
  @inline(__always)
  func elementIndex<Key, Value>(
    isBelow: (UnsafePointer<Key>) -> Bool
  ) -> Int where Content == MapContent<Key, Value> {
    let elements = elements
    var low = 0
    var high = slots
    while low < high {
      let middle = (low &+ high) &>> 1
      if isBelow(PersistentMap<Key, Value>.key(of: elements + middle)) { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}
