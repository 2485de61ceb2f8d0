/// A dictionary, in the widest sense: what a lift to one entry, or to all, asks of a collection (R17).
public protocol KeyedCollection<Key, Value> {
  /// The key that tells one entry from another.
  associatedtype Key
  /// The content of an entry.
  associatedtype Value
  /// The type of `keys`.
  associatedtype Keys: Sequence where Keys.Element == Key

  /// The keys, in any order.
  var keys: Keys { get }

  /// The value under a key, or nil where there is none.
  subscript(key: Key) -> Value? { get }

  /// Changes the value under a key in place.
  ///
  /// - Returns: the closure's result, or nil if there is no such key.
  mutating func modifyValue<Result>(forKey key: Key, _ body: (inout Value) throws -> Result) rethrows -> Result?
}

extension Dictionary: KeyedCollection {
  /// Changes the value under a key in place.
  ///
  /// - Returns: the closure's result, or nil if there is no such key.
  @inlinable
  public mutating func modifyValue<Result>(
    forKey key: Key, _ body: (inout Value) throws -> Result
  ) rethrows -> Result? {
    guard let index = index(forKey: key) else { return nil }
    return try body(&values[index])
  }
}
