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
