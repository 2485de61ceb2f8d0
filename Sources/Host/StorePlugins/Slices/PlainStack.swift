/// A stack in memory of its own. An access to an array in an object counts references, and emptying an array costs more
/// than most writes to a draft.
struct PlainStack<Element>: ~Copyable {
  private(set) var count = 0
  private var capacity = 16
  private var start = UnsafeMutablePointer<Element>.allocate(capacity: 16)

  deinit {
    start.deinitialize(count: count)
    start.deallocate()
  }

  var isEmpty: Bool { count == 0 }

  /// The element at a position, which must exist.
  @inline(__always)
  subscript(position: Int) -> Element {
    _read { yield start[position] }
    nonmutating _modify { yield &start[position] }
  }

  /// The place of the element at a position, which must exist: a copy would count references. It holds until the next change.
  @inline(__always)
  func place(_ position: Int) -> UnsafePointer<Element> { UnsafePointer(start + position) }

  mutating func append(_ element: __owned Element) {
    if count == capacity { grow() }
    (start + count).initialize(to: element)
    count += 1
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: start, count: count)
    start.deallocate()
    start = larger
    capacity *= 2
  }

  /// Takes the last element out.
  @inline(__always)
  mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    return (start + count).move()
  }

  /// Forgets the last elements.
  @inline(__always)
  mutating func removeLast(_ number: Int) {
    // Elements go one by one: nearly always there is one, and the runtime's way for many takes longer.
    for _ in 0..<number {
      count -= 1
      _ = (start + count).move()
    }
  }

  @inline(__always)
  mutating func removeAll() { removeLast(count) }
}
