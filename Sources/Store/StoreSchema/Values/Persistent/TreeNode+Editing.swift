/// Insertion and removal below a uniquely referenced node.
extension TreeNode {
  /// Inserts before `offset`. When the node was full, its upper part moves to a new node, which is returned and
  /// belongs right behind this one.
  /// - Parameter isLast: true if this node is on the right edge of the tree.
  @inlinable
  func insert(_ element: __owned Element, at offset: Int, isLast: Bool) -> TreeNode? {
    guard height > 0 else { return insertIntoLeaf(element, at: offset, isLast: isLast) }
    let index = childIndex(at: max(0, offset - 1))
    let local = offset - start(of: index)
    makeChildUnique(index)
    let child = Unmanaged.passUnretained(children[index])
    let sibling = child._withUnsafeGuaranteedRef {
      $0.insert(element, at: local, isLast: isLast && index == slots - 1)
    }
    if local == 0 { separators[index] = children[index].firstSeparator }
    guard let sibling else {
      for later in index..<slots { ends[later] += 1 }
      count += 1
      return nil
    }
    guard slots == Self.fanOut else {
      insertChild(sibling, at: index + 1)
      refreshEnds(from: index)
      return nil
    }
    let right = splitOff(at: isLast && index == slots - 1 ? slots : slots / 2)
    if index < slots && right.slots > 0 {
      insertChild(sibling, at: index + 1)
      refreshEnds(from: index)
    } else {
      right.insertChild(sibling, at: index + 1 - slots)
      right.refreshEnds()
    }
    return right
  }

  @inlinable
  func insertIntoLeaf(_ element: __owned Element, at offset: Int, isLast: Bool) -> TreeNode? {
    guard slots == Self.maximumLeafCapacity else {
      insertElement(element, at: offset)
      return nil
    }
    let right = splitOff(at: isLast && offset == slots ? slots : slots / 2)
    if offset <= slots && right.slots > 0 {
      insertElement(element, at: offset)
    } else {
      right.insertElement(element, at: offset - slots)
    }
    return right
  }

  /// Moves the slots from `position` on to a new node.
  @inlinable
  func splitOff(at position: Int) -> TreeNode {
    let right = height == 0 ? TreeNode(leafCapacity: capacity) : TreeNode(height: height)
    moveSlots(position..<slots, to: right, at: 0)
    return right
  }

  /// Removes the element at `offset`, which `take` moves out or destroys. The node may be left with few slots or
  /// none: its parent rebalances it.
  @inlinable
  func remove<R>(at offset: Int, take: (UnsafeMutablePointer<Element>) -> R) -> R {
    guard height > 0 else { return removeElement(at: offset, take: take) }
    let index = childIndex(at: offset)
    let local = offset - start(of: index)
    makeChildUnique(index)
    let child = Unmanaged.passUnretained(children[index])
    let taken = child._withUnsafeGuaranteedRef { $0.remove(at: local, take: take) }
    for later in index..<slots { ends[later] -= 1 }
    count -= 1
    if child._withUnsafeGuaranteedRef({ $0.slots < $0.maximumSlots / 4 }) {
      rebalance(index)
    } else if local == 0 {
      separators[index] = children[index].firstSeparator
    }
    return taken
  }

  /// Drops child `index` if it is empty, and otherwise merges it with a neighbour or takes slots from it.
  @inlinable
  func rebalance(_ index: Int) {
    if children[index].slots == 0 {
      removeChild(at: index)
      refreshEnds()
      return
    }
    separators[index] = children[index].firstSeparator
    guard slots > 1 else { return }
    let position = max(0, index - 1)
    makeChildUnique(position)
    makeChildUnique(position + 1)
    let left = children[position]
    let right = children[position + 1]
    let total = left.slots + right.slots
    if total <= left.maximumSlots {
      right.moveSlots(0..<right.slots, to: left, at: left.slots)
      removeChild(at: position + 1)
    } else {
      if left.slots < right.slots {
        right.moveSlots(0..<(right.slots - total / 2), to: left, at: left.slots)
      } else {
        left.moveSlots((total / 2)..<left.slots, to: right, at: 0)
      }
      separators[position + 1] = right.firstSeparator
    }
    refreshEnds(from: position)
  }
}
