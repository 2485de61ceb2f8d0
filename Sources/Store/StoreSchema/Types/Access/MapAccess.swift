/// The way to the entries of a map.
public final class MapAccess: Sendable {
  /// The number of entries.
  public let count: @Sendable (UnsafeRawPointer) -> Int
  /// Hands out the value under a key; false where there is none.
  public let read: @Sendable (UnsafeRawPointer, MapKey, PartReader) -> Bool
  /// Hands out the value under a key for change in place; false where there is none.
  public let modify: @Sendable (UnsafeMutableRawPointer, MapKey, PartWriter) throws -> Bool
  /// Puts a checked value under a key.
  public let set: @Sendable (UnsafeMutableRawPointer, MapKey, Value) throws(SchemaError) -> Void
  /// Takes the entry under a key away, where there is one.
  public let remove: @Sendable (UnsafeMutableRawPointer, MapKey) -> Void
  /// The first key after another, or the very first; nil at the end.
  public let nextKey: @Sendable (UnsafeRawPointer, MapKey?) -> MapKey?
  /// The keys that a condition holds for, in order; nil where walking by `nextKey` costs no more.
  public let sortedKeys: (@Sendable (UnsafeRawPointer, (MapKey) -> Bool) -> [MapKey])?
  /// Visits in key order at least the entries that differ between two maps, with nil for an absent value.
  public let visitDifferences:
    @Sendable (
      UnsafeRawPointer, UnsafeRawPointer, (MapKey, UnsafeRawPointer?, UnsafeRawPointer?) -> Void
    ) -> Void
  /// The way to values that have addresses of their own; nil where a map does not let them out.
  public let numbered: NumberedEntries?

  /// Joins the ways to the entries.
  @inlinable
  public init(
    count: @escaping @Sendable (UnsafeRawPointer) -> Int,
    read: @escaping @Sendable (UnsafeRawPointer, MapKey, PartReader) -> Bool,
    modify: @escaping @Sendable (UnsafeMutableRawPointer, MapKey, PartWriter) throws -> Bool,
    set: @escaping @Sendable (UnsafeMutableRawPointer, MapKey, Value) throws(SchemaError) -> Void,
    remove: @escaping @Sendable (UnsafeMutableRawPointer, MapKey) -> Void,
    nextKey: @escaping @Sendable (UnsafeRawPointer, MapKey?) -> MapKey?,
    visitDifferences:
      @escaping @Sendable (
        UnsafeRawPointer, UnsafeRawPointer, (MapKey, UnsafeRawPointer?, UnsafeRawPointer?) -> Void
      ) -> Void, numbered: NumberedEntries? = nil,
    sortedKeys: (@Sendable (UnsafeRawPointer, (MapKey) -> Bool) -> [MapKey])? = nil
  ) {
    self.sortedKeys = sortedKeys
    self.numbered = numbered
    self.count = count
    self.read = read
    self.modify = modify
    self.set = set
    self.remove = remove
    self.nextKey = nextKey
    self.visitDifferences = visitDifferences
  }
}

/// The way to map entries by numbers of their own, which tell where in the map an entry stands. Numbers and addresses hold as
/// long as the map stays where it is and nothing in it is changed but by such addresses.
public struct NumberedEntries: Sendable {
  /// The number of the entry under a key and the address of its value; nil where there is none.
  public let find: @Sendable (UnsafeRawPointer, MapKey) -> (number: Int, address: UnsafeRawPointer)?
  /// The same in a map that may be changed, and whether the value can be changed where it is. A number at which to look first may be
  /// given, that of another map as well; -1: none.
  public let findOwn: @Sendable (UnsafeMutableRawPointer, MapKey, _ guess: Int) -> (number: Int, value: FoundPart)?
  /// The address for changing the value of the entry of a number, which must exist, in place; nodes shared with
  /// snapshots are copied first.
  public let mutableAddress: @Sendable (UnsafeMutableRawPointer, Int) -> UnsafeMutableRawPointer

  /// Joins the ways to the entries.
  @inlinable
  public init(
    find: @escaping @Sendable (UnsafeRawPointer, MapKey) -> (number: Int, address: UnsafeRawPointer)?,
    findOwn: @escaping @Sendable (UnsafeMutableRawPointer, MapKey, _ guess: Int) -> (number: Int, value: FoundPart)?,
    mutableAddress: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> UnsafeMutableRawPointer
  ) {
    self.find = find
    self.findOwn = findOwn
    self.mutableAddress = mutableAddress
  }
}
