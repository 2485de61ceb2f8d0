/// The way to the first element of a collection that answers to an id.
@usableFromInline
struct ElementFocus<Elements: MutableCollection, ID: Equatable>: StateFocus {
  @usableFromInline let identify: @Sendable (Elements.Element) -> ID

  @inlinable
  init(_ identify: @escaping @Sendable (Elements.Element) -> ID) { self.identify = identify }

  @inlinable
  func modify(
    _ elements: inout Elements, at id: ID, _ body: (inout Elements.Element) throws -> Void
  ) rethrows {
    guard let index = firstIndex(of: id, in: elements) else { return }
    try body(&elements[index])
  }

  // Walks the elements rather than the indices, which is quicker in a tree; a function of its own, so that the iterator's
  // hold on the collection is gone when it is changed.
  @inlinable
  func firstIndex(of id: ID, in elements: Elements) -> Elements.Index? {
    var index = elements.startIndex
    for element in elements {
      if identify(element) == id { return index }
      elements.formIndex(after: &index)
    }
    return nil
  }
}

/// The way to the element of a collection at an index.
@usableFromInline
struct IndexFocus<Elements: MutableCollection>: StateFocus {
  @inlinable
  init() {}

  @inlinable
  func modify(
    _ elements: inout Elements, at index: Elements.Index, _ body: (inout Elements.Element) throws -> Void
  ) rethrows {
    guard index >= elements.startIndex, index < elements.endIndex else { return }
    try body(&elements[index])
  }
}

/// The way to every element of a collection, in order.
@usableFromInline
struct EachElementFocus<Elements: MutableCollection>: StateFocus {
  @inlinable
  init() {}

  @inlinable
  func modify(
    _ elements: inout Elements, at key: Void, _ body: (inout Elements.Element) throws -> Void
  ) rethrows {
    // Not by `indices`, which may hold the collection and so make the first change copy it.
    var index = elements.startIndex
    while index < elements.endIndex {
      try body(&elements[index])
      elements.formIndex(after: &index)
    }
  }
}

/// The way to the entry of a dictionary under a key.
@usableFromInline
struct EntryFocus<Entries: KeyedCollection>: StateFocus {
  @inlinable
  init() {}

  @inlinable
  func modify(
    _ entries: inout Entries, at key: Entries.Key, _ body: (inout Entries.Value) throws -> Void
  ) rethrows {
    try entries.modifyValue(forKey: key, body)
  }
}

/// The way to every entry of a dictionary, in the order of the keys (R31).
@usableFromInline
struct EachEntryFocus<Entries: KeyedCollection>: StateFocus where Entries.Key: Comparable {
  @inlinable
  init() {}

  @inlinable
  func modify(_ entries: inout Entries, at key: Void, _ body: (inout Entries.Value) throws -> Void) rethrows {
    for key in entries.keys.sorted() { try entries.modifyValue(forKey: key, body) }
  }
}

/// The way to the value that an optional holds.
@usableFromInline
struct WrappedFocus<Wrapped>: StateFocus {
  @inlinable
  init() {}

  @inlinable
  func modify(_ optional: inout Wrapped?, at key: Void, _ body: (inout Wrapped) throws -> Void) rethrows {
    // Emptied meanwhile, so that `wrapped` is the only owner and changes in place.
    guard var wrapped = optional.take() else { return }
    defer { optional = wrapped }
    try body(&wrapped)
  }
}
