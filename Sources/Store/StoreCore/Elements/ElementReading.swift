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
