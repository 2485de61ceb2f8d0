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
