/// The way to the elements of a list. Positions count from 0.
///
/// The address of an element holds as long as the list stays where it is and nothing in it is changed but by such
/// addresses.
public final class ListAccess: Sendable {
  /// How many elements there are.
  public let count: @Sendable (UnsafeRawPointer) -> Int
  /// Where the element at a position is, which must exist.
  public let address: @Sendable (UnsafeRawPointer, Int) -> UnsafeRawPointer
  /// Where the element at a position, which must exist, can be changed in place; what snapshots share is copied first.
  public let mutableAddress: @Sendable (UnsafeMutableRawPointer, Int) -> UnsafeMutableRawPointer
  /// Where the element at a position of a list that may be changed is, and whether it can be changed there; nil where there
  /// is none.
  public let find: @Sendable (UnsafeMutableRawPointer, Int) -> FoundPart?
  /// Puts a checked value at a position, moving the elements from there on up by one.
  public let insert: @Sendable (UnsafeMutableRawPointer, Int, Value) throws(SchemaError) -> Void
  /// Takes the element at a position away.
  public let remove: @Sendable (UnsafeMutableRawPointer, Int) -> Void
  /// How many elements two lists share at the start and, of the rest, at the end; quick where they share storage.
  public let commonEnds: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> (prefix: Int, suffix: Int)

  /// Joins the ways to the elements.
  @inlinable
  public init(
    count: @escaping @Sendable (UnsafeRawPointer) -> Int,
    address: @escaping @Sendable (UnsafeRawPointer, Int) -> UnsafeRawPointer,
    mutableAddress: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> UnsafeMutableRawPointer,
    find: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> FoundPart?,
    insert: @escaping @Sendable (UnsafeMutableRawPointer, Int, Value) throws(SchemaError) -> Void,
    remove: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> Void,
    commonEnds: @escaping @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> (prefix: Int, suffix: Int)
  ) {
    self.find = find
    self.count = count
    self.address = address
    self.mutableAddress = mutableAddress
    self.insert = insert
    self.remove = remove
    self.commonEnds = commonEnds
  }

  /// Hands out the element at a position, which must exist.
  @inlinable
  public func read(_ list: UnsafeRawPointer, _ index: Int, _ body: PartReader) { body(address(list, index)) }

  /// Hands out the element at a position, which must exist, for change in place.
  @inlinable
  public func modify(_ list: UnsafeMutableRawPointer, _ index: Int, _ body: PartWriter) throws {
    try body(mutableAddress(list, index))
  }
}
