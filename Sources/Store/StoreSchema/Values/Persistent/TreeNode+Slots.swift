/// Moving elements and children within a node and between nodes. Both nodes must be uniquely referenced.
extension TreeNode {
  /// Makes room for `newCapacity` elements in a leaf; an inner node always has room for all its children.
  @inlinable
  func reserve(_ newCapacity: Int) {
    guard newCapacity > capacity else { return }
    let grown = min(Self.maximumLeafCapacity, max(newCapacity, capacity * 2))
    let moved = UnsafeMutablePointer<Element>.allocate(capacity: grown)
    moved.moveInitialize(from: elements, count: slots)
    storage.deallocate()
    storage = UnsafeMutableRawPointer(moved)
    capacity = grown
  }

  /// Inserts into a leaf that is not full.
  @inlinable
  func insertElement(_ element: __owned Element, at index: Int) {
    reserve(slots + 1)
    Self.insert(element, in: elements, count: slots, at: index)
    slots += 1
    count += 1
  }

  /// Removes an element of a leaf, which `take` moves out or destroys.
  @inlinable
  func removeElement<R>(at index: Int, take: (UnsafeMutablePointer<Element>) -> R) -> R {
    let place = elements + index
    let taken = take(place)
    slots -= 1
    count -= 1
    place.moveInitialize(from: place + 1, count: slots - index)
    return taken
  }

  /// Inserts into an inner node that is not full; `ends` and `count` are the caller's to refresh.
  @inlinable
  func insertChild(_ node: TreeNode, at index: Int) {
    Self.insert(node, in: children, count: slots, at: index)
    Self.insert(node.firstSeparator, in: separators, count: slots, at: index)
    slots += 1
  }

  /// Removes a child; `ends` and `count` are the caller's to refresh.
  @inlinable
  func removeChild(at index: Int) {
    Self.remove(from: children, count: slots, at: index)
    Self.remove(from: separators, count: slots, at: index)
    slots -= 1
  }

  @inlinable
  static func insert<Slot>(_ slot: __owned Slot, in slots: UnsafeMutablePointer<Slot>, count: Int, at index: Int) {
    let place = slots + index
    (place + 1).moveInitialize(from: place, count: count - index)
    place.initialize(to: slot)
  }

  @inlinable
  static func remove<Slot>(from slots: UnsafeMutablePointer<Slot>, count: Int, at index: Int) {
    let place = slots + index
    place.deinitialize(count: 1)
    place.moveInitialize(from: place + 1, count: count - 1 - index)
  }

  /// Recomputes the running totals of an inner node from child `index` on.
  @inlinable
  func refreshEnds(from index: Int = 0) {
    var total = start(of: index)
    for child in index..<max(index, slots) {
      total += children[child].count
      ends[child] = total
    }
    count = total
  }

  /// Moves the slots of `range` to `target`, a node of the same height, in front of its slot `index`.
  @inlinable
  func moveSlots(_ range: Range<Int>, to target: TreeNode, at index: Int) {
    if height == 0 {
      target.reserve(target.slots + range.count)
      Self.move(range, of: elements, count: slots, to: target.elements, count: target.slots, at: index)
    } else {
      Self.move(range, of: children, count: slots, to: target.children, count: target.slots, at: index)
      Self.move(range, of: separators, count: slots, to: target.separators, count: target.slots, at: index)
    }
    slots -= range.count
    target.slots += range.count
    if height == 0 {
      count = slots
      target.count = target.slots
    } else {
      refreshEnds()
      target.refreshEnds()
    }
  }

  @inlinable
  static func move<Slot>(
    _ range: Range<Int>, of source: UnsafeMutablePointer<Slot>, count sourceCount: Int,
    to target: UnsafeMutablePointer<Slot>, count targetCount: Int, at index: Int
  ) {
    let gap = target + index
    (gap + range.count).moveInitialize(from: gap, count: targetCount - index)
    gap.moveInitialize(from: source + range.lowerBound, count: range.count)
    (source + range.lowerBound).moveInitialize(
      from: source + range.upperBound, count: sourceCount - range.upperBound)
  }
}
