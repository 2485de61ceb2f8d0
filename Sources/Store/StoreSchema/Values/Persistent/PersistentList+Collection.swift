extension PersistentList: Sequence {
  /// Walks a list in order, amortised O(1) an element, whatever becomes of the list meanwhile.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var base: TreeIterator<ListContent<Element>>

    @inlinable
    init(_ tree: CountedTree<ListContent<Element>>) { base = TreeIterator(tree) }

    /// The next element, or nil at the end.
    @inlinable
    public mutating func next() -> Element? {
      let place = base.next()
      return withExtendedLifetime(base) { place?.pointee }
    }
  }

  /// An iterator over the list as it is now.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(tree) }
}

extension PersistentList: RandomAccessCollection, MutableCollection {
  /// The number of elements; O(1).
  @inlinable public var count: Int { tree.count }

  /// Zero.
  @inlinable public var startIndex: Int { 0 }

  /// The number of elements.
  @inlinable public var endIndex: Int { tree.count }

  /// The element at `position`; changed in place, without a copy of the element.
  /// - Precondition: `position` is in `0..<count`.
  @inlinable
  public subscript(position: Int) -> Element {
    _read { yield tree.element(at: position).pointee }
    _modify { yield &tree.mutableElement(at: position).pointee }
  }
}

extension PersistentList: RangeReplaceableCollection {
  /// Adds an element at the end; O(log n).
  @inlinable
  public mutating func append(_ element: __owned Element) { tree.insert(element, at: tree.count) }

  /// Adds elements at the end.
  @inlinable
  public mutating func append<S: Sequence>(contentsOf elements: __owned S) where S.Element == Element {
    if isEmpty {
      self = Self(elements)
    } else {
      for element in elements { append(element) }
    }
  }

  /// Inserts an element before `index`, which may be `count`; O(log n).
  @inlinable
  public mutating func insert(_ element: __owned Element, at index: Int) { tree.insert(element, at: index) }

  /// Removes and returns the element at `index`; O(log n).
  @inlinable
  @discardableResult
  public mutating func remove(at index: Int) -> Element { tree.remove(at: index) }

  /// Removes all elements.
  @inlinable
  public mutating func removeAll(keepingCapacity: Bool = false) { self = Self() }

  /// Removes the elements that satisfy a predicate. If they are few, the rest stays shared with snapshots.
  @inlinable
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    var doomed: [Int] = []
    for (index, element) in enumerated() where try shouldBeRemoved(element) { doomed.append(index) }
    if Self.isCheaperToRebuild(edits: doomed.count, count: count) {
      var rest = TreeBuilder<ListContent<Element>>(underestimatedCount: count - doomed.count)
      var next = doomed.startIndex
      for (index, element) in enumerated() {
        if next < doomed.endIndex, doomed[next] == index {
          next += 1
        } else {
          rest.append(element)
        }
      }
      tree = rest.finish()
    } else {
      for index in doomed.reversed() { remove(at: index) }
    }
  }

  /// Replaces a range of elements. Elements outside it stay shared with snapshots unless the list is short
  /// compared with the change.
  @inlinable
  public mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with newElements: __owned C)
  where C.Element == Element {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "Range out of bounds")
    let newCount = newElements.count
    guard !Self.isCheaperToRebuild(edits: Swift.max(range.count, newCount), count: count) else {
      var builder = TreeBuilder<ListContent<Element>>(underestimatedCount: count - range.count + newCount)
      for element in self[..<range.lowerBound] { builder.append(element) }
      for element in newElements { builder.append(element) }
      for element in self[range.upperBound...] { builder.append(element) }
      tree = builder.finish()
      return
    }
    var index = range.lowerBound
    for element in newElements {
      if index < range.upperBound {
        self[index] = element
      } else {
        insert(element, at: index)
      }
      index += 1
    }
    for surplus in stride(from: range.upperBound - 1, through: index, by: -1) { remove(at: surplus) }
  }

  /// An edit on the path to its element costs about as much as building with ten elements.
  @inlinable
  static func isCheaperToRebuild(edits: Int, count: Int) -> Bool { edits > 1 && edits * 10 > count }
}
