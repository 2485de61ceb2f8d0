/// Walks the leaves of a tree in order; one descent for each leaf.
@usableFromInline
struct TreeIterator<Content: TreeContent> {
  @usableFromInline let tree: CountedTree<Content>
  @usableFromInline var position: UnsafeMutablePointer<Content.Element>?
  /// The elements left in the current leaf.
  @usableFromInline var remaining = 0
  /// The index of the first element behind the current leaf.
  @usableFromInline var nextLeaf = 0

  @inlinable
  init(_ tree: CountedTree<Content>) { self.tree = tree }

  /// The address of the next element, valid as long as this iterator exists.
  @inlinable
  mutating func next() -> UnsafeMutablePointer<Content.Element>? {
    if remaining == 0 {
      guard nextLeaf < tree.count else { return nil }
      let leaf = tree.leaf(at: nextLeaf)
      position = leaf.elements
      remaining = leaf.count
      nextLeaf += leaf.count
    }
    defer {
      position = position.map { $0 + 1 }
      remaining -= 1
    }
    return position
  }
}
