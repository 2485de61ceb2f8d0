import Synchronization

/// Alternating between two root nodes.
///
/// Code that looks at the state before and after each change shares the root at every change. Copying and releasing it
/// costs reference counting for all children. But as soon as the state before is released, the former root is nobody's,
/// and differs from the present one by the children changed since. Bringing it up to date is cheaper than another copy.
/// Without it row W5, its limit included, takes 18 % more of the processor.
///
/// Invariants
/// - Only the root of a tree has a former node, from a copy made to change an element until the next change. So what is
///   kept longer than needed is the path to one element, never more.
/// - A former node has none itself.
/// - Only where elements need no release: nobody notices how long they are kept.
extension TreeNode {
  /// A node with the contents of `node` that is safe to mutate, and keeps `node` as its former one.
  @inlinable
  @inline(__always)
  static func successor(of node: consuming TreeNode) -> TreeNode {
    guard node.height > 0, _isPOD(Element.self) else { return node.copy() }
    let successor = node.takeUnusedFormer() ?? node.copy()
    successor.former.store(UInt(bitPattern: Unmanaged.passRetained(node).toOpaque()), ordering: .relaxed)
    return successor
  }

  /// The former node with the contents of this one, if nobody else has it any more. In any case it is not the former
  /// one any longer.
  @inlinable
  @inline(__always)
  func takeUnusedFormer() -> TreeNode? {
    guard var former = takeFormer(), isKnownUniquelyReferenced(&former), former.slots == slots else { return nil }
    former.update(from: self)
    return former
  }

  /// Gives an inner node the contents of another one with as many children.
  @inlinable
  func update(from other: TreeNode) {
    dropBounds()
    for index in 0..<slots where !isSameChild(index, of: other, index) { children[index] = other.children[index] }
    separators.update(from: other.separators, count: slots)
    ends.update(from: other.ends, count: slots)
    count = other.count
  }

  // The one thing about a shared node that changes; atomic, since two threads may be about to copy the node.
  @inlinable
  func takeFormer() -> TreeNode? {
    let address = former.exchange(0, ordering: .acquiringAndReleasing)
    return UnsafeRawPointer(bitPattern: address).map { Unmanaged<TreeNode>.fromOpaque($0).takeRetainedValue() }
  }

  /// Lets go of the former node; this node must be safe to mutate.
  @inlinable
  func dropFormer() {
    if former.load(ordering: .relaxed) != 0 { _ = takeFormer() }
  }
}
