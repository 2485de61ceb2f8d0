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
