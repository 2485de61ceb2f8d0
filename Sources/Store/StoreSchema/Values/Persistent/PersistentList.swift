/// A list whose copies share structure: the collection for the parts of a state that grow.
///
/// Copying a list, and keeping the copy as a snapshot, is O(1). Reading, replacing, inserting and removing one element
/// is O(log n). In place if no snapshot shares the nodes on its path, otherwise with a copy of these nodes only. The
/// list is a counted copy-on-write B-tree of our own. We need order, in-place access to elements and comparison that
/// skips shared parts; swift-collections offers no type with all three. Extensions add one ability a file.
public struct PersistentList<Element> {
  @usableFromInline var tree = CountedTree<ListContent<Element>>()

  /// An empty list.
  @inlinable
  public init() {}

  /// A list of the elements of `elements`, in their order; O(n).
  @inlinable
  public init<S: Sequence>(_ elements: S) where S.Element == Element {
    var builder = TreeBuilder<ListContent<Element>>(underestimatedCount: elements.underestimatedCount)
    for element in elements { builder.append(element) }
    tree = builder.finish()
  }

  /// True if both lists are the same snapshot, so that they cannot differ; O(1). Equal lists need not be identical.
  @inlinable
  public func isIdentical(to other: Self) -> Bool { tree.isIdentical(to: other.tree) }

  /// Calls `body` with the address of an element, valid during the call.
  /// - Precondition: `index` is in `0..<count`.
  @inlinable
  public func withElement<R>(at index: Int, _ body: (UnsafePointer<Element>) throws -> R) rethrows -> R {
    try body(UnsafePointer(tree.element(at: index)))
  }

  /// Calls `body` with the address of an element, to be changed in place; valid during the call.
  /// - Precondition: `index` is in `0..<count`.
  @inlinable
  public mutating func withMutableElement<R>(
    at index: Int, _ body: (UnsafeMutablePointer<Element>) throws -> R
  ) rethrows -> R {
    try body(tree.mutableElement(at: index))
  }

  /// The address of the element at a position, with a flag for whether it can be changed there; nil: there is none.
  @inlinable
  mutating func findElement(at index: Int) -> FoundPart? {
    guard index >= 0, index < tree.count else { return nil }
    let (element, isOwn) = tree.findElement(at: index)
    return FoundPart(UnsafeMutableRawPointer(element), isOwn: isOwn)
  }
}

// A shared node never changes: nodes are mutated only while uniquely referenced, by the one list that holds them.
extension PersistentList: @unchecked Sendable where Element: Sendable {}

extension PersistentList: ExpressibleByArrayLiteral {
  /// A list of the elements of the literal.
  @inlinable
  public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension PersistentList: Equatable where Element: Equatable {
  /// True if both lists have equal elements in the same order. Shared parts count as equal without a look at them.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    let count = left.count
    guard count == right.count else { return false }
    guard let leftRoot = left.tree.unmanagedRoot, let rightRoot = right.tree.unmanagedRoot else { return true }
    return commonPrefix(leftRoot, rightRoot, limit: count) { $0.pointee == $1.pointee } == count
  }
}

extension PersistentList: Hashable where Element: Hashable {
  /// Feeds the number of elements and each element to `hasher`.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in self { hasher.combine(element) }
  }
}

extension PersistentList: CustomStringConvertible {
  /// The elements as an array prints them.
  public var description: String { Array(self).description }
}
