import StoreSchema

/// Finds the node of a place, so that a place has one object: a table of node numbers, probed from the hash of parent and
/// step on.
struct NodeIndex: ~Copyable {
  private var count = 0
  private var mask = 15
  private var slots = NodeIndex.empty(16)

  deinit { slots.deallocate() }

  private static func empty(_ capacity: Int) -> UnsafeMutablePointer<Int32> {
    let slots = UnsafeMutablePointer<Int32>.allocate(capacity: capacity)
    slots.initialize(repeating: -1, count: capacity)
    return slots
  }

  /// The first number under a hash that fits.
  @inline(__always)
  func find(_ hash: Int, where fits: (Int) -> Bool) -> Int? {
    var slot = hash & mask
    while slots[slot] >= 0 {
      let number = Int(slots[slot])
      if fits(number) { return number }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// Adds a number.
  ///
  /// - Parameter hashOf: the hash under which a number was added.
  mutating func insert(_ number: Int, _ hash: Int, hashOf: (Int) -> Int) {
    if count * 2 > mask { grow(hashOf) }
    place(Int32(truncatingIfNeeded: number), hash)
    count += 1
  }

  private mutating func grow(_ hashOf: (Int) -> Int) {
    let (old, capacity) = (slots, mask + 1)
    slots = NodeIndex.empty(capacity * 2)
    mask = capacity * 2 - 1
    for slot in 0..<capacity where old[slot] >= 0 { place(old[slot], hashOf(Int(old[slot]))) }
    old.deallocate()
  }

  private func place(_ number: Int32, _ hash: Int) {
    var slot = hash & mask
    while slots[slot] >= 0 { slot = (slot + 1) & mask }
    slots[slot] = number
  }

  /// Forgets everything.
  mutating func removeAll() {
    guard count > 0 else { return }
    count = 0
    if mask < 1024 {
      slots.update(repeating: -1, count: mask + 1)
    } else {
      slots.deallocate()
      slots = NodeIndex.empty(16)
      mask = 15
    }
  }
}
