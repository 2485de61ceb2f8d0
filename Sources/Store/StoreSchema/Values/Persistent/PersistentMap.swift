/// A map from keys to values in ascending order of its keys, whose copies share structure.
///
/// Copying a map, and keeping the copy as a snapshot, is O(1). Finding, changing, adding and removing a value is
/// O(log n), in place where no snapshot shares the nodes on its path. The map is the B-tree of `PersistentList`, for
/// the same reason. No type of swift-collections has order, in-place access to values and comparison that skips shared
/// parts. Keys in order make iteration deterministic. Extensions add one ability a file.
public struct PersistentMap<Key: Comparable, Value> {
  @usableFromInline typealias Entry = MapContent<Key, Value>.Entry

  @usableFromInline var tree = CountedTree<MapContent<Key, Value>>()

  /// An empty map.
  @inlinable
  public init() {}

  /// A map of keys to values; of entries with equal keys the last one counts. Sorted first, so that its nodes are full: a
  /// search in a map that grew entry by entry meets more of them.
  @inlinable
  public init<S: Sequence>(_ entries: S) where S.Element == (Key, Value) {
    var sorted: [Entry] = []
    sorted.reserveCapacity(entries.underestimatedCount)
    var isAscending = true
    for (key, value) in entries {
      if let last = sorted.last, !(last.key < key) { isAscending = false }
      sorted.append(Entry(key: key, value: value))
    }
    if !isAscending { sorted.sort { $0.key < $1.key } }
    var builder = TreeBuilder<MapContent<Key, Value>>(underestimatedCount: sorted.count)
    for index in sorted.indices where index + 1 == sorted.count || sorted[index].key < sorted[index + 1].key {
      builder.append(sorted[index])
    }
    tree = builder.finish()
  }

  /// The number of entries; O(1).
  @inlinable public var count: Int { tree.count }

  /// True if the map has no entries.
  @inlinable public var isEmpty: Bool { tree.count == 0 }

  /// True if both maps are the same snapshot, so that they cannot differ; O(1). Equal maps need not be identical.
  @inlinable
  public func isIdentical(to other: Self) -> Bool { tree.isIdentical(to: other.tree) }

  /// The rank at which `key` is or belongs, and its entry if there is one.
  @inlinable
  func find(_ key: Key) -> (rank: Int, entry: UnsafeMutablePointer<Entry>?) {
    find(isAbove: { key < $0.pointee }, isBelow: { $0.pointee < key }, isEqual: { $0.pointee == key })
  }

  /// The same for a key that is told by how others stand to it.
  @inlinable
  @inline(__always)
  func find(
    isAbove: (UnsafePointer<Key>) -> Bool, isBelow: (UnsafePointer<Key>) -> Bool,
    isEqual: (UnsafePointer<Key>) -> Bool
  ) -> (rank: Int, entry: UnsafeMutablePointer<Entry>?) {
    guard var node = tree.unmanagedRoot else { return (0, nil) }
    var rank = 0
    while node._withUnsafeGuaranteedRef({ $0.height }) > 0 {
      node = node._withUnsafeGuaranteedRef { node in
        let index = node.childIndex(isAbove: isAbove)
        rank += node.start(of: index)
        return Unmanaged.passUnretained(node.children[index])
      }
    }
    return node._withUnsafeGuaranteedRef { leaf in
      let index = leaf.elementIndex(isBelow: isBelow)
      let entry = leaf.elements + index
      return (rank + index, index < leaf.slots && isEqual(Self.key(of: entry)) ? entry : nil)
    }
  }

  /// The key of an entry in place: its first field. Taken as an `inout` it would be an access that may modify it. Two
  /// threads that read a shared node may not have such accesses at the same time.
  @inlinable
  @inline(__always)
  static func key(of entry: UnsafeMutablePointer<Entry>) -> UnsafePointer<Key> {
    UnsafeRawPointer(entry).assumingMemoryBound(to: Key.self)
  }

  /// The value of an entry in place.
  @inlinable
  @inline(__always)
  static func value(of entry: UnsafeMutablePointer<Entry>) -> UnsafeMutablePointer<Value> {
    guard let offset = MemoryLayout<Entry>.offset(of: \.value) else {
      preconditionFailure("A part of a tuple has a place")
    }
    return (UnsafeMutableRawPointer(entry) + offset).assumingMemoryBound(to: Value.self)
  }
}

// A shared node never changes: nodes are mutated only while uniquely referenced, by the one map that holds them.
extension PersistentMap: @unchecked Sendable where Key: Sendable, Value: Sendable {}

extension PersistentMap: ExpressibleByDictionaryLiteral {
  /// A map of the entries of the literal; of entries with equal keys the last one counts.
  @inlinable
  public init(dictionaryLiteral elements: (Key, Value)...) { self.init(elements) }
}

extension PersistentMap: Equatable where Value: Equatable {
  /// True if both maps have the same keys with equal values. Shared parts count as equal without a look at them.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    guard left.count == right.count else { return false }
    return walk(left, right) { _, left, right in
      guard let left, let right else { return false }
      return left.pointee == right.pointee
    }
  }
}

extension PersistentMap: Hashable where Key: Hashable, Value: Hashable {
  /// Feeds the number of entries, and each key and value in order, to `hasher`.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for (key, value) in self {
      hasher.combine(key)
      hasher.combine(value)
    }
  }
}

extension PersistentMap: CustomStringConvertible {
  /// The entries in order, as a dictionary prints them.
  public var description: String {
    guard !isEmpty else { return "[:]" }
    let entries = map { "\(String(reflecting: $0.key)): \(String(reflecting: $0.value))" }
    return "[\(entries.joined(separator: ", "))]"
  }
}
