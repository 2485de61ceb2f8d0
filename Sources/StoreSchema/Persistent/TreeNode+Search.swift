/// Binary search by key.
extension TreeNode {
  /// The last child of an inner node whose first key is not above `key`; the first child for a key below all.
  @inlinable
  func childIndex<Key, Value>(for key: Key) -> Int where Content == MapContent<Key, Value> {
    let separators = separators
    var low = 1
    var high = slots
    while low < high {
      let middle = (low &+ high) / 2
      if key < separators[middle] { high = middle } else { low = middle &+ 1 }
    }
    return low &- 1
  }

  /// The first element of a leaf whose key is not below `key`, or `slots`.
  @inlinable
  func elementIndex<Key, Value>(for key: Key) -> Int where Content == MapContent<Key, Value> {
    let elements = elements
    var low = 0
    var high = slots
    while low < high {
      let middle = (low &+ high) / 2
      if elements[middle].key < key { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}
