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

/// The way to the elements of a state, for reading: a middleware that is lifted to elements finds them by it (R17).
///
/// The lifts to elements, entries and optional values are made of such readings; a container of one's own needs one of its
/// own. For reducers, which change elements, ``StateFocus`` is what this is for middlewares.
public protocol ElementReading<Whole, ID, Element>: ElementPath {
  /// The state.
  associatedtype Whole
  /// The key that tells one element from another, over their whole lives.
  associatedtype ID: Hashable & Sendable
  /// The part that the middleware takes for its state.
  associatedtype Element

  /// True if finding one element is quicker than walking along all of them.
  var findsQuickly: Bool { get }

  /// The element that answers to an id, the first if there are several; nil: none does.
  func element(_ id: ID, in whole: Whole) -> Element?

  /// Walks along the elements in a fixed order (R31), for as long as the closure returns true.
  func walk(_ whole: Whole, _ body: (ID, Element) -> Bool)
}

/// The one value that a state may hold or not.
@usableFromInline
struct OptionalValue<Whole, Value>: ElementReading {
  /// The id of the only element.
  @usableFromInline
  enum Only: Hashable, Sendable { case value }

  @usableFromInline let get: @Sendable (Whole) -> Value?

  @inlinable
  init(_ get: @escaping @Sendable (Whole) -> Value?) { self.get = get }

  @inlinable var findsQuickly: Bool { true }

  @inlinable
  func element(_ id: Only, in whole: Whole) -> Value? { get(whole) }

  @inlinable
  func walk(_ whole: Whole, _ body: (Only, Value) -> Bool) {
    if let value = get(whole) { _ = body(.value, value) }
  }
}

/// A collection that finds its elements by their ids without a look at each: `.of(\.rows)` uses that.
public protocol IdentifiedCollection: MutableCollection where Element: Identifiable {
  /// The position of the first element of an id; nil: there is none.
  func firstIndex(withID id: Element.ID) -> Index?
}

/// The elements of a collection, told apart by something that is part of each: `.of(\.rows)`, `.of(\.rows, by: \.slug)`.
public struct IdentifiedElements<Whole, Elements: MutableCollection, ID: Hashable & Sendable>: ElementsFocus {
  @usableFromInline let slice: KeyPathFocus<Whole, Elements>
  @usableFromInline let identify: @Sendable (Elements.Element) -> ID
  /// The collection's own way to find an element; nil: it has none and is searched.
  @usableFromInline let find: (@Sendable (ID, Elements) -> Elements.Index?)?

  @inlinable
  init(
    _ path: WritableKeyPath<Whole, Elements> & Sendable, _ identify: @escaping @Sendable (Elements.Element) -> ID,
    find: (@Sendable (ID, Elements) -> Elements.Index?)? = nil
  ) {
    slice = KeyPathFocus(path)
    self.identify = identify
    self.find = find
  }

  /// True if the collection lies behind a class reference.
  @inlinable public var sharesParts: Bool { slice.sharesParts }

  /// Changes the first element that answers to an id.
  @inlinable
  public func modify(
    _ whole: inout Whole, at id: ID, _ body: (inout Elements.Element) throws -> Void
  ) rethrows {
    try slice.modify(&whole, at: ()) { elements in
      guard let index = firstIndex(of: id, in: elements) else { return }
      try body(&elements[index])
    }
  }

  /// Changes every element, in order.
  @inlinable
  public func modifyEach(_ whole: inout Whole, _ body: (inout Elements.Element) throws -> Void) rethrows {
    try slice.modify(&whole, at: ()) { elements in try elements.modifyEach(body) }
  }

  // Walks the elements rather than the indices, which is quicker in a tree. A function of its own, so that the
  // iterator's hold on the collection is gone when it is changed.
  @inlinable
  func firstIndex(of id: ID, in elements: Elements) -> Elements.Index? {
    if let find { return find(id, elements) }
    var index = elements.startIndex
    for element in elements {
      if identify(element) == id { return index }
      elements.formIndex(after: &index)
    }
    return nil
  }
}

extension IdentifiedElements: ElementReading {
  /// True if the collection has a way of its own to find an element.
  @inlinable public var findsQuickly: Bool { find != nil }

  /// The first element that answers to an id.
  @inlinable
  public func element(_ id: ID, in whole: Whole) -> Elements.Element? {
    let elements = whole[keyPath: slice.path]
    if let find { return find(id, elements).map { elements[$0] } }
    return elements.first { identify($0) == id }
  }

  /// Walks along the elements in their order.
  @inlinable
  public func walk(_ whole: Whole, _ body: (ID, Elements.Element) -> Bool) {
    for element in whole[keyPath: slice.path] where !body(identify(element), element) { return }
  }
}

/// The elements of a collection, told apart by their places: `.at(\.rows)`.
public struct IndexedElements<Whole, Elements: MutableCollection>: ElementsFocus
where Elements.Index: Hashable & Sendable {
  @usableFromInline let slice: KeyPathFocus<Whole, Elements>

  @inlinable
  init(_ path: WritableKeyPath<Whole, Elements> & Sendable) { slice = KeyPathFocus(path) }

  /// True if the collection lies behind a class reference.
  @inlinable public var sharesParts: Bool { slice.sharesParts }

  /// Changes the element at an index, if there is one.
  @inlinable
  public func modify(
    _ whole: inout Whole, at index: Elements.Index, _ body: (inout Elements.Element) throws -> Void
  ) rethrows {
    try slice.modify(&whole, at: ()) { elements in
      guard index >= elements.startIndex, index < elements.endIndex else { return }
      try body(&elements[index])
    }
  }

  /// Changes every element, in order.
  @inlinable
  public func modifyEach(_ whole: inout Whole, _ body: (inout Elements.Element) throws -> Void) rethrows {
    try slice.modify(&whole, at: ()) { elements in try elements.modifyEach(body) }
  }
}

extension IndexedElements: ElementReading {
  /// True: an index leads to its element.
  @inlinable public var findsQuickly: Bool { true }

  /// The element at an index, if there is one.
  @inlinable
  public func element(_ index: Elements.Index, in whole: Whole) -> Elements.Element? {
    let elements = whole[keyPath: slice.path]
    return index >= elements.startIndex && index < elements.endIndex ? elements[index] : nil
  }

  /// Walks along the elements in their order.
  @inlinable
  public func walk(_ whole: Whole, _ body: (Elements.Index, Elements.Element) -> Bool) {
    let elements = whole[keyPath: slice.path]
    for index in elements.indices where !body(index, elements[index]) { return }
  }
}

extension MutableCollection {
  /// Changes every element in place, in order.
  @inlinable
  mutating func modifyEach(_ body: (inout Element) throws -> Void) rethrows {
    // Not by `indices`, which may hold the collection and so make the first change copy it.
    var index = startIndex
    while index < endIndex {
      try body(&self[index])
      formIndex(after: &index)
    }
  }
}

/// The values of a dictionary, by their keys: `.of(\.named)`.
public struct KeyedEntries<Whole, Entries: KeyedCollection>: StateFocus where Entries.Key: Hashable & Sendable {
  @usableFromInline let slice: KeyPathFocus<Whole, Entries>

  @inlinable
  init(_ path: WritableKeyPath<Whole, Entries> & Sendable) { slice = KeyPathFocus(path) }

  /// True if the dictionary lies behind a class reference.
  @inlinable public var sharesParts: Bool { slice.sharesParts }

  /// Changes the value under a key, if there is one.
  @inlinable
  public func modify(
    _ whole: inout Whole, at key: Entries.Key, _ body: (inout Entries.Value) throws -> Void
  ) rethrows {
    try slice.modify(&whole, at: ()) { entries in try entries.modifyValue(forKey: key, body) }
  }
}

extension KeyedEntries: ElementsFocus where Entries.Key: Comparable {
  /// Changes every value, in the order of the keys (R31).
  @inlinable
  public func modifyEach(_ whole: inout Whole, _ body: (inout Entries.Value) throws -> Void) rethrows {
    try slice.modify(&whole, at: ()) { entries in
      for key in entries.keys.sorted() { try entries.modifyValue(forKey: key, body) }
    }
  }
}

// Keys are comparable, because long-lived effects of the entries start in the order of the keys (R31).
extension KeyedEntries: ElementReading where Entries.Key: Comparable {
  /// True: a key leads to its value.
  @inlinable public var findsQuickly: Bool { true }

  /// The value under a key, if there is one.
  @inlinable
  public func element(_ key: Entries.Key, in whole: Whole) -> Entries.Value? { whole[keyPath: slice.path][key] }

  /// Walks along the values in the order of the keys.
  @inlinable
  public func walk(_ whole: Whole, _ body: (Entries.Key, Entries.Value) -> Bool) {
    let entries = whole[keyPath: slice.path]
    for key in entries.keys.sorted() {
      if let value = entries[key], !body(key, value) { return }
    }
  }
}
