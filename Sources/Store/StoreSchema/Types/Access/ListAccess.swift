/// The way to the elements of a list. Positions count from 0.
///
/// The address of an element holds as long as the list stays where it is and nothing in it is changed but by such
/// addresses.
public final class ListAccess: Sendable {
  /// The number of elements.
  public let count: @Sendable (UnsafeRawPointer) -> Int
  /// The address of the element at a position, which must exist.
  public let address: @Sendable (UnsafeRawPointer, Int) -> UnsafeRawPointer
  /// The address for changing the element at a position, which must exist, in place; nodes shared with snapshots are
  /// copied first.
  public let mutableAddress: @Sendable (UnsafeMutableRawPointer, Int) -> UnsafeMutableRawPointer
  /// The address of the element at a position of a changeable list, with a flag: true if it can be changed there. Nil:
  /// there is none.
  public let find: @Sendable (UnsafeMutableRawPointer, Int) -> FoundPart?
  /// The position of the first element that has an id; nil: there is none, or the elements have no ids. Addresses for
  /// changing elements do not hold any longer.
  public let position: @Sendable (UnsafeRawPointer, MapKey) -> Int?
  /// True if more than one element has an id.
  public let repeats: @Sendable (UnsafeRawPointer, MapKey) -> Bool
  /// Has a list know that its ids are in order, where that is known of the list before it: each element has the id that it
  /// had, or one of an id came behind the others. True if no other element is known to have the id that came.
  public let keepOrder: @Sendable (_ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ appended: MapKey?) -> Bool
  /// True if the ids of the elements ascend or descend; false: they do not, or a list of its kind keeps no notes of that.
  public let hasOrderedIDs: @Sendable (UnsafeRawPointer) -> Bool
  /// The elements in ranges of two lists that differ, have come or have gone, in their order; nil: that takes a look at each, or
  /// ids repeat.
  public let differences: Differences
  /// Puts a checked value at a position, moving the elements from there on up by one.
  public let insert: @Sendable (UnsafeMutableRawPointer, Int, Value) throws(SchemaError) -> Void
  /// Takes the element at a position away.
  public let remove: @Sendable (UnsafeMutableRawPointer, Int) -> Void
  /// The ranges of two lists between what they share at the start and, of the rest, at the end; quick where they share
  /// storage.
  public let differing: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> (old: Range<Int>, new: Range<Int>)

  /// Joins the ways to the elements.
  @inlinable
  public init(
    count: @escaping @Sendable (UnsafeRawPointer) -> Int,
    address: @escaping @Sendable (UnsafeRawPointer, Int) -> UnsafeRawPointer,
    mutableAddress: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> UnsafeMutableRawPointer,
    find: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> FoundPart?,
    position: @escaping @Sendable (UnsafeRawPointer, MapKey) -> Int?,
    repeats: @escaping @Sendable (UnsafeRawPointer, MapKey) -> Bool = { _, _ in false },
    keepOrder: @escaping @Sendable (UnsafeRawPointer, UnsafeRawPointer, MapKey?) -> Bool = { _, _, _ in false },
    hasOrderedIDs: @escaping @Sendable (UnsafeRawPointer) -> Bool = { _ in false },
    differences: @escaping Differences = { _, _, _, _ in nil },
    insert: @escaping @Sendable (UnsafeMutableRawPointer, Int, Value) throws(SchemaError) -> Void,
    remove: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> Void,
    differing: @escaping @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> (old: Range<Int>, new: Range<Int>)
  ) {
    self.find = find
    self.position = position
    self.repeats = repeats
    self.keepOrder = keepOrder
    self.hasOrderedIDs = hasOrderedIDs
    self.differences = differences
    self.count = count
    self.address = address
    self.mutableAddress = mutableAddress
    self.insert = insert
    self.remove = remove
    self.differing = differing
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

extension ListAccess {
  /// Finds the elements in which a range of one list differs from a range of another; nil: that takes a look at each, or ids
  /// repeat.
  public typealias Differences =
    @Sendable (UnsafeRawPointer, Range<Int>, UnsafeRawPointer, Range<Int>) -> [ListDifference]?
}
