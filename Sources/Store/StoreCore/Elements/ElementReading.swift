/// Where the elements of a state are, for reading: how a middleware that is lifted to elements finds them (R17).
///
/// The lifts to elements, entries and optional values are made of such readings; a container of one's own needs one of its
/// own. For reducers, which change elements, ``StateFocus`` is what this is for middlewares.
public protocol ElementReading<Whole, ID, Element>: Sendable {
  /// The state.
  associatedtype Whole
  /// What tells one element from another, over their whole lives.
  associatedtype ID: Hashable & Sendable
  /// What the middleware takes for its state.
  associatedtype Element

  /// Whether finding one element is quicker than walking along all of them.
  var findsQuickly: Bool { get }

  /// The element that answers to an id, the first if there are several; nil: none does.
  func element(_ id: ID, in whole: Whole) -> Element?

  /// Walks along the elements in a fixed order (R31), for as long as the closure returns true.
  func walk(_ whole: Whole, _ body: (ID, Element) -> Bool)
}

/// The elements of a collection, told apart by something that is part of each.
@usableFromInline
struct IdentifiedElements<Whole, Elements: Collection, ID: Hashable & Sendable>: ElementReading {
  @usableFromInline let path: KeyPath<Whole, Elements> & Sendable
  @usableFromInline let identify: @Sendable (Elements.Element) -> ID

  @inlinable
  init(_ path: KeyPath<Whole, Elements> & Sendable, _ identify: @escaping @Sendable (Elements.Element) -> ID) {
    self.path = path
    self.identify = identify
  }

  @inlinable var findsQuickly: Bool { false }

  @inlinable
  func element(_ id: ID, in whole: Whole) -> Elements.Element? {
    whole[keyPath: path].first { identify($0) == id }
  }

  @inlinable
  func walk(_ whole: Whole, _ body: (ID, Elements.Element) -> Bool) {
    for element in whole[keyPath: path] where !body(identify(element), element) { return }
  }
}

/// The elements of a collection, told apart by their places.
@usableFromInline
struct IndexedElements<Whole, Elements: Collection>: ElementReading where Elements.Index: Hashable & Sendable {
  @usableFromInline let path: KeyPath<Whole, Elements> & Sendable

  @inlinable
  init(_ path: KeyPath<Whole, Elements> & Sendable) { self.path = path }

  @inlinable var findsQuickly: Bool { true }

  @inlinable
  func element(_ index: Elements.Index, in whole: Whole) -> Elements.Element? {
    let elements = whole[keyPath: path]
    return index >= elements.startIndex && index < elements.endIndex ? elements[index] : nil
  }

  @inlinable
  func walk(_ whole: Whole, _ body: (Elements.Index, Elements.Element) -> Bool) {
    let elements = whole[keyPath: path]
    for index in elements.indices where !body(index, elements[index]) { return }
  }
}

/// The values of a dictionary, by key.
@usableFromInline
struct EntriesByKey<Whole, Entries: KeyedCollection>: ElementReading
where Entries.Key: Comparable & Hashable & Sendable {
  @usableFromInline let path: KeyPath<Whole, Entries> & Sendable

  @inlinable
  init(_ path: KeyPath<Whole, Entries> & Sendable) { self.path = path }

  @inlinable var findsQuickly: Bool { true }

  @inlinable
  func element(_ key: Entries.Key, in whole: Whole) -> Entries.Value? { whole[keyPath: path][key] }

  @inlinable
  func walk(_ whole: Whole, _ body: (Entries.Key, Entries.Value) -> Bool) {
    let entries = whole[keyPath: path]
    for key in entries.keys.sorted() {
      if let value = entries[key], !body(key, value) { return }
    }
  }
}

/// The one value that a state may hold or not.
@usableFromInline
struct OptionalValue<Whole, Value>: ElementReading {
  /// What the only element answers to.
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
