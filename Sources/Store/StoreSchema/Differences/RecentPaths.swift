/// The paths of changes before, so that changes at one place share theirs. Comparing a path with a known one takes less
/// than making it and letting go of it again.
struct RecentPaths: Sendable {
  /// Each at the place that ``place(of:)`` gives it, until another takes that.
  private var paths: [Path] = []
  /// The number of places: a power of two, or 0.
  private let capacity: Int

  /// Remembers at most that many paths.
  init(capacity: Int) { self.capacity = capacity }

  /// The path of some steps.
  mutating func path(_ steps: [Path.Step]) -> Path {
    guard capacity > 0 else { return Self.newPath(steps) }
    if paths.isEmpty { paths = Array(repeating: Path(), count: capacity) }
    let place = place(of: steps)
    if !Self.areEqual(paths[place].steps, steps) { paths[place] = Self.newPath(steps) }
    return paths[place]
  }

  /// A path of the steps themselves, not of a reference to them.
  private static func newPath(_ steps: [Path.Step]) -> Path { Path(steps.withUnsafeBufferPointer { Array($0) }) }

  /// Steps that agree are mostly made of the same bytes, which takes less to see than what they are. The last ones are the
  /// first to differ.
  private static func areEqual(_ left: [Path.Step], _ right: [Path.Step]) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices.reversed() {
      let isSame = left.withUnsafeBufferPointer { left in
        right.withUnsafeBufferPointer { right in
          guard let left = left.baseAddress, let right = right.baseAddress else { return true }
          return hasSameBytes(left + index, right + index, MemoryLayout<Path.Step>.size)
        }
      }
      guard isSame || left[index].isWritten(as: right[index]) else { return false }
    }
    return true
  }

  /// By the bytes of the last two steps: what comes before is mostly the same. If the same step is made of other bytes,
  /// as when its text lies elsewhere, the path is made anew, and that is all.
  private func place(of steps: [Path.Step]) -> Int {
    let stride = MemoryLayout<Path.Step>.stride
    let word = MemoryLayout<UInt64>.size
    let hash = steps.withUnsafeBytes { bytes in
      var hash: UInt64 = 0
      for step in Swift.stride(from: max(0, bytes.count - 2 * stride), to: bytes.count, by: stride) {
        for offset in Swift.stride(from: 0, through: MemoryLayout<Path.Step>.size - word, by: word) {
          hash = (hash ^ bytes.load(fromByteOffset: step + offset, as: UInt64.self)) &* 0x9e37_79b9_7f4a_7c15
        }
      }
      return hash
    }
    return Int(truncatingIfNeeded: hash >> 32) & (capacity - 1)
  }
}

extension Path.Step {
  /// True if two steps agree byte by byte; `==` also takes different spellings of a character for one.
  fileprivate func isWritten(as other: Path.Step) -> Bool {
    switch (self, other) {
    case (.field(let name), .field(let otherName)): name.hasSameBytes(as: otherName)
    case (.match(let field, .string(let id)), .match(let otherField, .string(let otherId))):
      field == otherField && id.hasSameBytes(as: otherId)
    default: self == other
    }
  }
}
