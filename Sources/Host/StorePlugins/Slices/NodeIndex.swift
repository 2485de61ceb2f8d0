import StoreSchema

/// Finds the node of a place, so that a place has one object. The index is a table of node numbers, probed from the
/// hash of parent and step on.
struct NodeIndex: ~Copyable {
  private var count = 0
  private var mask = 15
  private var slots = NodeIndex.empty(16)

  deinit { slots.deallocate() }

  /// The start of the search for a hash. Hashes of neighbours are neighbours. Left as they are, the elements of a list
  /// would fill a run of slots, and every search into it would go through the rest of the run.
  @inline(__always)
  private func start(_ hash: Int) -> Int {
    let product = UInt64(truncatingIfNeeded: hash) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: product ^ product >> 32) & mask
  }

  private static func empty(_ capacity: Int) -> UnsafeMutablePointer<Int32> {
    let slots = UnsafeMutablePointer<Int32>.allocate(capacity: capacity)
    slots.initialize(repeating: -1, count: capacity)
    return slots
  }

  /// The first number under a hash that fits.
  @inline(__always)
  func find(_ hash: Int, where fits: (Int) -> Bool) -> Int? {
    var slot = start(hash)
    while slots[slot] >= 0 {
      let number = Int(slots[slot])
      if fits(number) { return number }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// Adds a number.
  ///
  /// - Parameters:
  ///   - hashOf: the hash under which a number was added.
  ///   - isGone: whether nobody will look for a number any more. Its slot is free then: a place that is overwritten time
  ///     and again would leave a trail of them under one hash.
  mutating func insert(_ number: Int, _ hash: Int, hashOf: (Int) -> Int, isGone: (Int) -> Bool) {
    if count * 2 > mask { grow(hashOf, isGone) }
    place(Int32(truncatingIfNeeded: number), hash, isGone)
  }

  private mutating func grow(_ hashOf: (Int) -> Int, _ isGone: (Int) -> Bool) {
    let (old, capacity) = (slots, mask + 1)
    slots = NodeIndex.empty(capacity * 2)
    mask = capacity * 2 - 1
    count = 0
    for slot in 0..<capacity where old[slot] >= 0 && !isGone(Int(old[slot])) {
      place(old[slot], hashOf(Int(old[slot])), isGone)
    }
    old.deallocate()
  }

  private mutating func place(_ number: Int32, _ hash: Int, _ isGone: (Int) -> Bool) {
    var slot = start(hash)
    while slots[slot] >= 0, !isGone(Int(slots[slot])) { slot = (slot + 1) & mask }
    if slots[slot] < 0 { count += 1 }
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
