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

extension PersistentMap {
  /// The value of `key`, or nil where there is none; setting nil removes the entry. Changed in place, without a
  /// copy of the value.
  @inlinable
  public subscript(key: Key) -> Value? {
    get { find(key).entry?.pointee.value }
    set {
      if let newValue {
        updateValue(newValue, forKey: key)
      } else {
        removeValue(forKey: key)
      }
    }
    _modify {
      let (rank, entry) = find(key)
      if entry == nil {
        var value: Value?
        defer { if let value { tree.insert(Entry(key: key, value: value), at: rank) } }
        yield &value
      } else {
        let place = Self.value(of: tree.mutableElement(at: rank))
        var value: Value? = place.move()
        defer {
          if let value {
            place.initialize(to: value)
          } else {
            // The value has been moved out, the key has not.
            tree.remove(at: rank) { entry in
              _ = withUnsafeMutablePointer(to: &entry.pointee.key) { $0.deinitialize(count: 1) }
            }
          }
        }
        yield &value
      }
    }
  }

  /// The value of `key`, or `defaultValue` where there is none; changing it adds the entry. Changed in place.
  @inlinable
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { find(key).entry?.pointee.value ?? defaultValue() }
    _modify { yield &mutableValue(forKey: key, default: defaultValue()).pointee }
  }

  /// Calls `body` with the address of a value, valid during the call.
  /// - Returns: the result of `body`, or nil if there is no such key.
  @inlinable
  public func withValue<R>(forKey key: Key, _ body: (UnsafePointer<Value>) throws -> R) rethrows -> R? {
    guard let entry = find(key).entry else { return nil }
    return try body(UnsafePointer(Self.value(of: entry)))
  }

  /// Calls `body` with the address of a value, to be changed in place; valid during the call.
  /// - Returns: the result of `body`, or nil if there is no such key.
  @inlinable
  public mutating func withMutableValue<R>(
    forKey key: Key, _ body: (UnsafeMutablePointer<Value>) throws -> R
  ) rethrows -> R? {
    let (rank, entry) = find(key)
    guard entry != nil else { return nil }
    return try body(Self.value(of: tree.mutableElement(at: rank)))
  }

  /// Calls `body` with the address of a value, to be changed in place; valid during the call. If there is no such key,
  /// it is added with `defaultValue` first, and stays even if `body` throws.
  @inlinable
  public mutating func withMutableValue<R>(
    forKey key: Key, default defaultValue: @autoclosure () -> Value,
    _ body: (UnsafeMutablePointer<Value>) throws -> R
  ) rethrows -> R {
    try body(mutableValue(forKey: key, default: defaultValue()))
  }

  @inlinable
  mutating func mutableValue(
    forKey key: Key, default defaultValue: @autoclosure () -> Value
  ) -> UnsafeMutablePointer<Value> {
    let (rank, entry) = find(key)
    if entry == nil { tree.insert(Entry(key: key, value: defaultValue()), at: rank) }
    return Self.value(of: tree.mutableElement(at: rank))
  }

  /// Sets the value of `key`.
  /// - Returns: its former value, or nil where there was none.
  @inlinable
  @discardableResult
  public mutating func updateValue(_ value: __owned Value, forKey key: Key) -> Value? {
    let (rank, entry) = find(key)
    guard entry != nil else {
      tree.insert(Entry(key: key, value: value), at: rank)
      return nil
    }
    let place = Self.value(of: tree.mutableElement(at: rank))
    let former = place.move()
    place.initialize(to: value)
    return former
  }

  /// Removes the entry of `key`.
  /// - Returns: its value, or nil where there was none.
  @inlinable
  @discardableResult
  public mutating func removeValue(forKey key: Key) -> Value? {
    let (rank, entry) = find(key)
    return entry == nil ? nil : tree.remove(at: rank).value
  }

  /// Removes all entries.
  @inlinable
  public mutating func removeAll() { self = Self() }
}

extension PersistentMap {
  /// Visits, in order of the keys, where two maps may differ.
  ///
  /// Parts that the maps share are skipped without a look at them. So comparing a map with an earlier snapshot takes
  /// time proportional to the changes in between, times log n. Entries whose memory is the same are skipped, too.
  /// - Parameter visit: gets a key, its value in `old` and its value in `new`, nil on the side that lacks the key.
  ///   Both may be there and equal: comparing them is up to the caller. The addresses are valid during
  ///   the call.
  @inlinable
  public static func difference(
    _ old: Self, _ new: Self,
    visit: (_ key: Key, _ old: UnsafePointer<Value>?, _ new: UnsafePointer<Value>?) throws -> Void
  ) rethrows {
    _ = try walk(old, new, skipsSameMemory: true) { key, old, new in
      try visit(key, old, new)
      return true
    }
  }

  /// Merges both maps in order of their keys, until `visit` returns false; returns whether it never did.
  ///
  /// - Parameter skipsSameMemory: true if entries with the same memory are passed over: not where it is up to `==`.
  @inlinable
  @inline(__always)
  static func walk(
    _ old: Self, _ new: Self, skipsSameMemory: Bool = false,
    visit: (Key, UnsafePointer<Value>?, UnsafePointer<Value>?) throws -> Bool
  ) rethrows -> Bool {
    var oldRank = 0
    var newRank = 0
    let (oldRoot, newRoot) = (old.tree.unmanagedRoot, new.tree.unmanagedRoot)
    while let oldRoot, let newRoot, oldRank < old.count, newRank < new.count {
      switch AlignedRun(oldRoot, oldRank, newRoot, newRank, .forward) {
      case .shared(let count):
        oldRank += count
        newRank += count
      case .separate(let oldEntries, let newEntries, let count):
        var oldStep = 0
        var newStep = 0
        while oldStep < count && newStep < count {
          let oldEntry = oldEntries + oldStep
          let newEntry = newEntries + newStep
          // Of a leaf that was copied to change one entry, the others are what they were. A thousand texts with one changed take
          // 77 ns so, else 185 ns where the visitor compares by `==`, 79 where it looks at bytes (2026-11-26).
          if skipsSameMemory, hasSameMemory(oldEntry, newEntry) {
            oldStep += 1
            newStep += 1
            continue
          }
          let isInBoth = oldEntry.pointee.key == newEntry.pointee.key
          let isInOld = isInBoth || oldEntry.pointee.key < newEntry.pointee.key
          let isInNew = isInBoth || !isInOld
          let goesOn = try visit(
            isInOld ? oldEntry.pointee.key : newEntry.pointee.key,
            isInOld ? UnsafePointer(value(of: oldEntry)) : nil,
            isInNew ? UnsafePointer(value(of: newEntry)) : nil)
          guard goesOn else { return false }
          if isInOld { oldStep += 1 }
          if isInNew { newStep += 1 }
        }
        oldRank += oldStep
        newRank += newStep
      }
    }
    for rank in oldRank..<old.count {
      let entry = old.tree.element(at: rank)
      guard try visit(entry.pointee.key, UnsafePointer(value(of: entry)), nil) else { return false }
    }
    for rank in newRank..<new.count {
      let entry = new.tree.element(at: rank)
      guard try visit(entry.pointee.key, nil, UnsafePointer(value(of: entry))) else { return false }
    }
    return true
  }
  /// True if two entries are the same, bit by bit; false where that cannot be told.
  @inlinable
  static func hasSameMemory(_ left: UnsafeMutablePointer<Entry>, _ right: UnsafeMutablePointer<Entry>) -> Bool {
    // Part by part: what lies between them may hold anything.
    withUnsafePointer(to: &left.pointee.key) { leftKey in
      withUnsafePointer(to: &right.pointee.key) { hasSameBytes(leftKey, $0, MemoryLayout<Key>.size) }
    }
      && withUnsafePointer(to: &left.pointee.value) { leftValue in
        withUnsafePointer(to: &right.pointee.value) { hasSameBytes(leftValue, $0, MemoryLayout<Value>.size) }
      }
  }
}

extension PersistentMap: Sequence {
  /// A key and its value.
  public typealias Element = (key: Key, value: Value)

  /// Walks a map in order of its keys, amortised O(1) an entry, whatever becomes of the map meanwhile.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var base: TreeIterator<MapContent<Key, Value>>

    @inlinable
    init(_ tree: CountedTree<MapContent<Key, Value>>) { base = TreeIterator(tree) }

    /// The next entry, or nil at the end.
    @inlinable
    public mutating func next() -> Element? {
      let place = base.next()
      return withExtendedLifetime(base) { place.map { ($0.pointee.key, $0.pointee.value) } }
    }
  }

  /// An iterator over the map as it is now.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(tree) }

  /// The number of entries.
  @inlinable public var underestimatedCount: Int { tree.count }

  /// The entry with `rank` smaller keys before it; O(log n).
  /// - Precondition: `rank` is in `0..<count`.
  @inlinable
  public func entry(at rank: Int) -> Element {
    let entry = tree.element(at: rank)
    return (entry.pointee.key, entry.pointee.value)
  }

  /// The entry with the smallest key above `key`, which need not be in the map; O(log n). If `key` is nil, the entry
  /// with the smallest key of all. Drives an iteration that can resume although the map has changed meanwhile.
  @inlinable
  public func firstEntry(after key: Key?) -> Element? {
    var rank = 0
    if let key {
      let (place, entry) = find(key)
      rank = entry == nil ? place : place + 1
    }
    return rank < count ? entry(at: rank) : nil
  }

  /// The keys in ascending order.
  @inlinable public var keys: Keys { Keys(tree) }

  /// The values in order of their keys.
  @inlinable public var values: Values { Values(tree) }

  /// The keys of a map in ascending order. An index is a rank.
  public struct Keys: RandomAccessCollection {
    @usableFromInline let tree: CountedTree<MapContent<Key, Value>>

    @inlinable
    init(_ tree: CountedTree<MapContent<Key, Value>>) { self.tree = tree }

    /// Zero.
    @inlinable public var startIndex: Int { 0 }
    /// The number of keys.
    @inlinable public var endIndex: Int { tree.count }
    /// The key with `position` smaller ones before it; O(log n).
    @inlinable public subscript(position: Int) -> Key { tree.element(at: position).pointee.key }
  }

  /// The values of a map in order of their keys. An index is the rank of the key.
  public struct Values: RandomAccessCollection {
    @usableFromInline let tree: CountedTree<MapContent<Key, Value>>

    @inlinable
    init(_ tree: CountedTree<MapContent<Key, Value>>) { self.tree = tree }

    /// Zero.
    @inlinable public var startIndex: Int { 0 }
    /// The number of values.
    @inlinable public var endIndex: Int { tree.count }
    /// The value whose key has `position` smaller ones before it; O(log n).
    @inlinable public subscript(position: Int) -> Value { tree.element(at: position).pointee.value }
  }
}
