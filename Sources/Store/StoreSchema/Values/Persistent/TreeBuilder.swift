/// Builds a tree from elements in order, several times faster than inserting them. Leaves are filled one after the
/// other, and the levels above them are made at the end.
@usableFromInline
struct TreeBuilder<Content: TreeContent> {
  @usableFromInline typealias Node = TreeNode<Content>

  @usableFromInline var leaves: [Node] = []
  @usableFromInline var leaf: Node

  /// - Parameter underestimatedCount: the least number of elements that will come.
  @inlinable
  init(underestimatedCount: Int) {
    leaf = Node(leafCapacity: max(1, min(Node.maximumLeafCapacity, underestimatedCount)))
  }

  @inlinable
  mutating func append(_ element: __owned Content.Element) {
    if leaf.slots == Node.maximumLeafCapacity {
      leaves.append(leaf)
      leaf = Node(leafCapacity: Node.maximumLeafCapacity)
    }
    leaf.insertElement(element, at: leaf.slots)
  }

  @inlinable
  consuming func finish() -> CountedTree<Content> {
    var level = leaves
    if leaf.slots > 0 { level.append(leaf) }
    while level.count > 1 {
      level = stride(from: 0, to: level.count, by: Node.fanOut).map { start in
        let parent = Node(height: level[start].height + 1)
        for child in level[start..<min(level.count, start + Node.fanOut)] {
          parent.insertChild(child, at: parent.slots)
        }
        parent.refreshEnds()
        return parent
      }
    }
    var tree = CountedTree<Content>()
    tree.root = level.first
    return tree
  }
}
