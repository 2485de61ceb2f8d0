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

  /// The last steps are the first to differ.
  private static func areEqual(_ left: [Path.Step], _ right: [Path.Step]) -> Bool {
    guard left.count == right.count else { return false }
    var index = left.count
    while index > 0 {
      index -= 1
      guard left[index].isWritten(as: right[index]) else { return false }
    }
    return true
  }

  /// By the last two steps: what comes before is mostly the same.
  private func place(of steps: [Path.Step]) -> Int {
    guard let last = steps.indices.last else { return 0 }
    let before = last > 0 ? steps[last - 1].quickHash &* 31 : 0
    return (before ^ steps[last].quickHash) & (capacity - 1)
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

  /// A hash that is quicker than a good one.
  fileprivate var quickHash: Int {
    switch self {
    case .field(let name): MapKey.string(name).quickHash
    case .key(let key): key.quickHash
    case .index(let number), .match(_, .int(let number)): number
    case .match(_, .string(let text)): MapKey.string(text).quickHash
    case .match, .all: 0
    }
  }
}
