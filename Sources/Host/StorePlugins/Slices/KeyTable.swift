import StoreSchema

/// The keys of the entries that the nodes of one call stand for, by position. In memory of its own, as ``NodeTable``.
struct KeyTable: ~Copyable {
  private(set) var count = 0
  private var capacity = 8
  private var start = UnsafeMutablePointer<MapKey>.allocate(capacity: 8)

  deinit {
    start.deinitialize(count: count)
    start.deallocate()
  }

  /// The key at a position, which must exist.
  @inline(__always)
  subscript(position: Int) -> MapKey {
    _read { yield start[position] }
  }

  mutating func append(_ key: MapKey) {
    if count == capacity { grow() }
    (start + count).initialize(to: key)
    count += 1
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<MapKey>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: start, count: count)
    start.deallocate()
    start = larger
    capacity *= 2
  }

  /// Forgets the keys.
  @inline(__always)
  mutating func removeAll() { removeLast(count) }

  /// Forgets the last keys.
  @inline(__always)
  mutating func removeLast(_ number: Int) {
    // One by one: nearly always there is one, and what the runtime does for many takes longer.
    for _ in 0..<number {
      count -= 1
      _ = (start + count).move()
    }
  }
}
