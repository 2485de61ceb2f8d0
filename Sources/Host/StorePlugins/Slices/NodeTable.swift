/// The nodes of one call, by number. In memory of its own, since an access to an array in an object counts references.
struct NodeTable: ~Copyable {
  private(set) var count = 0
  private var capacity = 16
  private var start = UnsafeMutablePointer<SliceNode>.allocate(capacity: 16)

  deinit { start.deallocate() }

  var isEmpty: Bool { count == 0 }

  /// The node of a number, which must have been handed out.
  @inline(__always)
  subscript(number: Int) -> SliceNode {
    _read { yield start[number] }
    nonmutating _modify { yield &start[number] }
  }

  mutating func append(_ node: SliceNode) {
    if count == capacity { grow() }
    (start + count).initialize(to: node)
    count += 1
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<SliceNode>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: start, count: count)
    start.deallocate()
    start = larger
    capacity *= 2
  }

  /// Forgets the last nodes.
  mutating func removeLast(_ number: Int) { count -= number }

  /// Forgets the nodes, which hold nothing.
  mutating func removeAll() { count = 0 }
}
