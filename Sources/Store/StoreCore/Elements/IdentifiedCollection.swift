/// A collection that finds its elements by their ids without a look at each: `.of(\.rows)` uses that.
public protocol IdentifiedCollection: MutableCollection where Element: Identifiable {
  /// The position of the first element of an id; nil: there is none.
  func firstIndex(withID id: Element.ID) -> Index?
}
