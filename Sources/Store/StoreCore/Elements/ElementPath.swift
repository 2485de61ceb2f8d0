/// A way from a state to its elements, which the lifts take as `element:` or `each:` (R17).
///
/// A ``StateFocus`` is such a way for reducers, which change elements, and an ``ElementReading`` for middlewares, which read
/// them. The ways that this library has are both, so that a ``Handler`` takes them too:
/// - `.of(\.rows)`: the elements of a collection, by their ids;
/// - `.of(\.rows, by: \.slug)`: the elements of a collection, by a property;
/// - `.at(\.rows)`: the elements of a collection, by their indices, whether they have ids or not;
/// - `.of(\.named)`: the values of a dictionary, by their keys.
public protocol ElementPath: Sendable {}

extension ElementPath {
  /// The way to the elements of a collection by their ids; of several with one id, the first counts.
  ///
  /// - Parameter elements: the collection. The search begins at the start, unless the collection is an
  ///   ``IdentifiedCollection``; other large ones had better be dictionaries.
  @inlinable
  public static func of<Whole, Elements: MutableCollection>(
    _ elements: WritableKeyPath<Whole, Elements> & Sendable
  ) -> IdentifiedElements<Whole, Elements, Elements.Element.ID>
  where
    Self == IdentifiedElements<Whole, Elements, Elements.Element.ID>, Elements.Element: Identifiable & SendableMetatype,
    Elements.Element.ID: Sendable
  {
    // `SendableMetatype` says that the conformance belongs to no actor, so that any thread may compare ids.
    IdentifiedElements(elements) { $0.id }
  }

  /// The way to the elements of a collection that finds them by their ids; of several with one id, the first counts.
  @inlinable
  public static func of<Whole, Elements: IdentifiedCollection & SendableMetatype>(
    _ elements: WritableKeyPath<Whole, Elements> & Sendable
  ) -> IdentifiedElements<Whole, Elements, Elements.Element.ID>
  where
    Self == IdentifiedElements<Whole, Elements, Elements.Element.ID>, Elements.Element: SendableMetatype,
    Elements.Element.ID: Sendable, Elements.Index: SendableMetatype
  {
    IdentifiedElements(elements, { $0.id }, find: { $1.firstIndex(withID: $0) })
  }

  /// The way to the elements of a collection by a property. An element whose property changes is another one from then on.
  ///
  /// - Parameters:
  ///   - elements: the collection. The search begins at the start.
  ///   - property: the property that tells one element from another.
  @inlinable
  public static func of<Whole, Elements: MutableCollection, ID: Hashable & Sendable>(
    _ elements: WritableKeyPath<Whole, Elements> & Sendable, by property: KeyPath<Elements.Element, ID> & Sendable
  ) -> IdentifiedElements<Whole, Elements, ID> where Self == IdentifiedElements<Whole, Elements, ID> {
    IdentifiedElements(elements) { $0[keyPath: property] }
  }

  /// The way to the values of a dictionary by their keys.
  @inlinable
  public static func of<Whole, Entries: KeyedCollection>(
    _ entries: WritableKeyPath<Whole, Entries> & Sendable
  ) -> KeyedEntries<Whole, Entries> where Self == KeyedEntries<Whole, Entries>, Entries.Key: Hashable & Sendable {
    KeyedEntries(entries)
  }

  /// The way to the elements of a collection by their indices. The place is the element: what moves to another index meets
  /// the effects of that index.
  ///
  /// - Parameter elements: the collection. An index is one of its own: from 0 in an array; it may be out of bounds.
  @inlinable
  public static func at<Whole, Elements: MutableCollection>(
    _ elements: WritableKeyPath<Whole, Elements> & Sendable
  ) -> IndexedElements<Whole, Elements>
  where Self == IndexedElements<Whole, Elements>, Elements.Index: Hashable & Sendable {
    IndexedElements(elements)
  }
}
