import HashTreeCollections
import StoreCore
import StoreSchema

extension PersistentMap: KeyedCollection {
  /// Changes the value under a key in place; O(log n), shared nodes are copied.
  ///
  /// - Returns: the closure's result, or nil if there is no such key.
  @inlinable
  public mutating func modifyValue<Result>(
    forKey key: Key, _ body: (inout Value) throws -> Result
  ) rethrows -> Result? {
    try withMutableValue(forKey: key) { try body(&$0.pointee) }
  }
}

extension PersistentList: IdentifiedCollection where Element: Identifiable {}

extension TreeDictionary: KeyedCollection {
  /// Changes the value under a key in place; O(log n), shared nodes are copied.
  ///
  /// - Returns: the closure's result, or nil if there is no such key.
  @inlinable
  public mutating func modifyValue<Result>(
    forKey key: Key, _ body: (inout Value) throws -> Result
  ) rethrows -> Result? {
    // Asked first: the subscript below makes room for a key that it does not find.
    guard index(forKey: key) != nil else { return nil }
    return try TreeDictionary.modify(&self[key], body)
  }

  @inlinable
  static func modify<Result>(_ optional: inout Value?, _ body: (inout Value) throws -> Result) rethrows -> Result? {
    // Emptied meanwhile, so that `value` is the only owner and changes in place.
    guard var value = optional.take() else { return nil }
    defer { optional = value }
    return try body(&value)
  }
}
