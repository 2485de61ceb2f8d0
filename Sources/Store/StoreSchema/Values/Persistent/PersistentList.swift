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
    var rest = elements.makeIterator()
    // Of none no leaf is made.
    guard let first = rest.next() else { return }
    var builder = TreeBuilder<ListContent<Element>>(underestimatedCount: elements.underestimatedCount)
    builder.append(first)
    while let element = rest.next() { builder.append(element) }
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

  /// The number of elements that meet a condition, leaf by leaf; O(n).
  ///
  /// - Parameter predicate: tells whether an element counts.
  /// - Throws: what the condition throws.
  @inlinable
  public func count<E: Error>(where predicate: (Element) throws(E) -> Bool) throws(E) -> Int {
    var (met, start) = (0, 0)
    while start < tree.count {
      let leaf = tree.leaf(at: start)
      for index in 0..<leaf.count where try predicate(leaf.elements[index]) { met += 1 }
      start += leaf.count
    }
    return met
  }
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
  public mutating func append(_ element: __owned Element) { tree.append(element) }

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

extension PersistentList {
  /// The numbers of elements that two lists have in common at their beginning and, of the rest, at their end.
  ///
  /// Parts that the lists share are skipped without a look at them. So comparing a list with an earlier snapshot takes
  /// time proportional to the changes in between, times log n.
  /// - Parameter equal: true if an element of `old` (first) and one of `new` (second) are equal.
  @inlinable
  public static func commonEnds(
    _ old: Self, _ new: Self, equal: (UnsafePointer<Element>, UnsafePointer<Element>) -> Bool
  ) -> (prefix: Int, suffix: Int) {
    commonEnds(old.tree.unmanagedRoot, new.tree.unmanagedRoot, equal: equal)
  }

  @inlinable
  static func commonEnds(
    _ oldRoot: Root?, _ newRoot: Root?, equal: (UnsafePointer<Element>, UnsafePointer<Element>) -> Bool
  ) -> (prefix: Int, suffix: Int) {
    guard let oldRoot, let newRoot else { return (0, 0) }
    let (oldCount, newCount) = (
      oldRoot._withUnsafeGuaranteedRef { $0.count }, newRoot._withUnsafeGuaranteedRef { $0.count }
    )
    let limit = Swift.min(oldCount, newCount)
    let prefix = commonPrefix(oldRoot, newRoot, limit: limit, equal: equal)
    return (prefix, commonSuffix(oldRoot, oldCount, newRoot, newCount, limit: limit - prefix, equal: equal))
  }

  // Roots without a claim on them: the lists that the callers hold keep them alive.
  @usableFromInline typealias Root = Unmanaged<TreeNode<ListContent<Element>>>

  @inlinable
  static func commonPrefix(
    _ oldRoot: Root, _ newRoot: Root, limit: Int, equal: (UnsafePointer<Element>, UnsafePointer<Element>) -> Bool
  ) -> Int {
    var length = 0
    if let (passed, old, new) = AlignedRun.firstLeaves(oldRoot, newRoot, .forward) {
      let count = Swift.min(
        old._withUnsafeGuaranteedRef { $0.slots }, new._withUnsafeGuaranteedRef { $0.slots }, limit - passed)
      let (left, right) = (old._withUnsafeGuaranteedRef { $0.elements }, new._withUnsafeGuaranteedRef { $0.elements })
      // Where an element came last, as a rule.
      let areSame = count > 0 && (left == right || hasSameBytes(left, right, count * MemoryLayout<Element>.stride))
      let same = areSame ? count : commonRun(count) { equal(left + $0, right + $0) }
      length = passed + same
      guard same == count else { return length }
    }
    while length < limit {
      switch AlignedRun(oldRoot, length, newRoot, length, .forward) {
      case .shared(let count): length += count
      case .separate(let old, let new, let count):
        let same = commonRun(count) { equal(old + $0, new + $0) }
        length += same
        guard same == count else { return length }
      }
    }
    return length
  }

  /// The number of steps from 0 on that lead from pair to pair of equal elements. Four at a time, which halves the work
  /// if comparing two elements takes but an instruction or two.
  @inlinable
  @inline(__always)
  static func commonRun(_ count: Int, isEqual: (Int) -> Bool) -> Int {
    var step = 0
    while step &+ 4 <= count {
      guard isEqual(step), isEqual(step &+ 1), isEqual(step &+ 2), isEqual(step &+ 3) else { break }
      step &+= 4
    }
    while step < count, isEqual(step) { step &+= 1 }
    return step
  }

  @inlinable
  static func commonSuffix(
    _ oldRoot: Root, _ oldCount: Int, _ newRoot: Root, _ newCount: Int, limit: Int,
    equal: (UnsafePointer<Element>, UnsafePointer<Element>) -> Bool
  ) -> Int {
    guard limit > 0 else { return 0 }
    var length = 0
    if let (passed, old, new) = AlignedRun.firstLeaves(oldRoot, newRoot, .backward), passed < limit {
      let (left, right) = (
        old._withUnsafeGuaranteedRef { $0.elements + ($0.slots - 1) },
        new._withUnsafeGuaranteedRef { $0.elements + ($0.slots - 1) }
      )
      let count = Swift.min(
        old._withUnsafeGuaranteedRef { $0.slots }, new._withUnsafeGuaranteedRef { $0.slots }, limit - passed)
      let same = commonRun(count) { equal(left - $0, right - $0) }
      length = passed + same
      guard same == count else { return length }
    }
    while length < limit {
      switch AlignedRun(oldRoot, oldCount - 1 - length, newRoot, newCount - 1 - length, .backward) {
      case .shared(let count): length = Swift.min(limit, length + count)
      case .separate(let old, let new, let count):
        let count = Swift.min(count, limit - length)
        let same = commonRun(count) { equal(old - $0, new - $0) }
        length += same
        guard same == count else { return length }
      }
    }
    return length
  }
}

extension PersistentList {
  /// The position of the first element that has an id by its schema; nil: there is none.
  @inlinable
  func firstIndex(ofID id: MapKey, _ identify: (UnsafePointer<Element>) -> MapKey?) -> Int? {
    firstIndex(ofID: id, .field, identify)
  }

  @inlinable
  func firstIndex(ofID id: MapKey, _ way: IDWay, _ identify: (UnsafePointer<Element>) -> MapKey?) -> Int? {
    guard ListContent<Element>.mayHaveIDs else { return indices.first { withElement(at: $0, identify) == id } }
    guard let root = tree.unmanagedRoot else { return nil }
    return TreeNode.likelyOffset(of: id, from: root, way, identify) ?? tree.root?.offset(of: id, way, identify)
  }

  /// The elements in two ranges of two lists that differ, have come or have gone, in their order; nil: the ids are not in one
  /// order in both, so that some may repeat. Parts that the lists share are skipped without a look at them.
  @inlinable
  static func differences(
    _ old: Self, _ oldRange: Range<Int>, _ new: Self, _ newRange: Range<Int>, way: IDWay = .field,
    _ identify: (UnsafePointer<Element>) -> MapKey?,
    isEqual: (UnsafePointer<Element>, UnsafePointer<Element>) -> Bool
  ) -> [ListDifference]? {
    guard ListContent<Element>.mayHaveIDs, let oldRoot = old.tree.unmanagedRoot, let newRoot = new.tree.unmanagedRoot,
      let oldBounds = old.tree.root?.idBounds(way, identify), let newBounds = new.tree.root?.idBounds(way, identify)
    else { return nil }
    let isAscending = oldBounds.ascends && newBounds.ascends
    guard isAscending || oldBounds.descends && newBounds.descends else { return nil }
    var found: [ListDifference] = []
    var (left, right) = (oldRange.lowerBound, newRange.lowerBound)
    while left < oldRange.upperBound, right < newRange.upperBound {
      switch AlignedRun(oldRoot, left, newRoot, right, .forward) {
      case .shared(let count): (left, right) = (left + count, right + count)
      case .separate(let old, let new, let count):
        var step = 0
        while step < count, left + step < oldRange.upperBound, right + step < newRange.upperBound {
          if !isEqual(old + step, new + step) {
            guard let gone = identify(old + step), let come = identify(new + step) else { return nil }
            if gone != come {
              // The lesser one, as the order is, stands in its list alone.
              let isGone = (gone < come) == isAscending
              found.append(isGone ? .gone(left + step) : .come(right + step))
              if isGone { left += 1 } else { right += 1 }
              break
            }
            found.append(.changed(old: left + step, new: right + step))
          }
          step += 1
        }
        (left, right) = (left + step, right + step)
      }
    }
    while left < oldRange.upperBound {
      found.append(.gone(left))
      left += 1
    }
    while right < newRange.upperBound {
      found.append(.come(right))
      right += 1
    }
    return found
  }

  /// True if more than one element has an id.
  @inlinable
  func repeats(_ id: MapKey, _ identify: (UnsafePointer<Element>) -> MapKey?) -> Bool {
    guard ListContent<Element>.mayHaveIDs else {
      let first = indices.first { withElement(at: $0, identify) == id }
      return first != indices.last { withElement(at: $0, identify) == id }
    }
    guard let root = tree.root, !root.idBounds(.field, identify).areOrdered else { return false }
    return root.occurrences(of: id, .field, identify) > 1
  }

  /// Has the list know that its ids are in order, where that is known of the list before it and follows from that: each
  /// element has the id that it had, or one came behind the others.
  ///
  /// - Returns: true if no other element is known to have the id that came.
  @inlinable
  func keepOrder(of old: Self, appended id: MapKey?) -> Bool {
    Self.keepOrder(from: old.tree.unmanagedRoot, to: tree.unmanagedRoot, appended: id)
  }

  @inlinable
  static func keepOrder(from oldRoot: Root?, to root: Root?, appended id: MapKey?) -> Bool {
    guard ListContent<Element>.mayHaveIDs, let oldRoot, let root else { return false }
    return root._withUnsafeGuaranteedRef { root in
      guard !root.hasBounds else { return false }
      if case .int(let id)? = id, let ascent = oldRoot._withUnsafeGuaranteedRef({ $0.knownAscent }) {
        guard ascent.greatest < id else { return false }
        root.keep((ascent.least, id))
        return true
      }
      guard let known = oldRoot._withUnsafeGuaranteedRef({ $0.knownBounds }) else { return false }
      return known._withUnsafeGuaranteedRef { known in
        if let id { return known.appending(id)?.isKept(at: root.bounds) != nil }
        if known.way == .field, known.areOrdered, known.range != nil { _ = known.copy.isKept(at: root.bounds) }
        return false
      }
    }
  }

  /// True if it is known that the ids ascend or descend.
  @inlinable
  func hasOrderedIDs(_ identify: (UnsafePointer<Element>) -> MapKey?) -> Bool {
    guard ListContent<Element>.mayHaveIDs else { return false }
    guard let bounds = tree.root?.idBounds(.field, identify) else { return true }
    return bounds.areOrdered
  }
}

extension PersistentList where Element: Identifiable {
  /// The position of the first element of an id; nil: there is none. O(log n) where ids are integers or ASCII texts that
  /// ascend or descend, as they do where each new element gets the next number.
  @inlinable
  public func firstIndex(withID id: Element.ID) -> Int? {
    guard let key = Self.key(id) else { return firstIndex { $0.id == id } }
    return firstIndex(ofID: key, .property) { Self.key($0.pointee.id) }
  }

  /// The key that stands for an id; nil: none does. Texts that are not ASCII may be equal in other bytes.
  @inlinable
  static func key(_ id: Element.ID) -> MapKey? {
    if let number = id as? Int { return .int(number) }
    guard let text = id as? String, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    return .string(text)
  }

  /// Visits the elements that came, went or changed between two lists whose ids do not repeat.
  ///
  /// Parts that the lists share are skipped without a look at them. The cost follows the changes, times log n, where ids are
  /// integers or ASCII texts in order. Elsewhere it follows the part from the first change to the last.
  /// - Parameter visit: gets an id, its element in `old` and its element in `new`, nil on the side that lacks the id.
  ///   Both may be there and equal: comparing them is up to the caller. A moved element that is otherwise the same is not
  ///   visited. The addresses are valid during the call.
  @inlinable
  public static func difference(
    _ old: Self, _ new: Self,
    visit: (_ id: Element.ID, _ old: UnsafePointer<Element>?, _ new: UnsafePointer<Element>?) throws -> Void
  ) rethrows {
    if old.isIdentical(to: new) { return }
    func isSame(_ left: UnsafePointer<Element>, _ right: UnsafePointer<Element>) -> Bool {
      hasSameBytes(left, right, MemoryLayout<Element>.size)
    }
    let (prefix, suffix) = endsOfOneLeaf(old, new) ?? commonEnds(old, new, equal: isSame)
    let (oldRange, newRange) = (prefix..<old.count - suffix, prefix..<new.count - suffix)
    if oldRange.count == 1, newRange.count == 1 {
      return try old.withElement(at: prefix) { left in
        try new.withElement(at: prefix) { right in
          if left.pointee.id == right.pointee.id { return try visit(right.pointee.id, left, right) }
          try visit(left.pointee.id, left, nil)
          try visit(right.pointee.id, nil, right)
        }
      }
    }
    // Of few elements a look at each costs less than to find out that the ids are in order.
    if Swift.max(oldRange.count, newRange.count) > 64,
      let found = differences(
        old, oldRange, new, newRange, way: .property, { Self.key($0.pointee.id) }, isEqual: isSame)
    {
      for difference in found {
        switch difference {
        case .gone(let index): try old.withElement(at: index) { try visit($0.pointee.id, $0, nil) }
        case .come(let index): try new.withElement(at: index) { try visit($0.pointee.id, nil, $0) }
        case .changed(let oldIndex, let newIndex):
          try old.withElement(at: oldIndex) { old in
            try new.withElement(at: newIndex) { try visit($0.pointee.id, old, $0) }
          }
        }
      }
      return
    }
    var positions: [Element.ID: Int] = [:]
    for index in newRange { new.withElement(at: index) { positions[$0.pointee.id] = index } }
    for index in oldRange {
      try old.withElement(at: index) { old in
        let id = old.pointee.id
        guard let position = positions.removeValue(forKey: id) else { return try visit(id, old, nil) }
        try new.withElement(at: position) { if !isSame(old, $0) { try visit(id, old, $0) } }
      }
    }
    guard !positions.isEmpty else { return }
    for index in newRange {
      try new.withElement(at: index) { if positions[$0.pointee.id] == index { try visit($0.pointee.id, nil, $0) } }
    }
  }
}

extension PersistentList {
  /// The numbers of elements that two lists have in common at their beginning and, of the rest, at their end, by their bytes; nil
  /// where they do not differ in one leaf alone, as after a change of one element, or where bytes lie between the elements.
  @inlinable
  static func endsOfOneLeaf(_ old: Self, _ new: Self) -> (prefix: Int, suffix: Int)? {
    guard old.count == new.count, MemoryLayout<Element>.size == MemoryLayout<Element>.stride,
      let oldRoot = old.tree.unmanagedRoot, let newRoot = new.tree.unmanagedRoot,
      let (passed, left, right) = AlignedRun.onlyLeaves(oldRoot, newRoot)
    else { return nil }
    let (elements, slots) = left._withUnsafeGuaranteedRef { ($0.elements, $0.slots) }
    let (prefix, suffix) = commonBytes(
      elements, right._withUnsafeGuaranteedRef { $0.elements }, slots * MemoryLayout<Element>.stride)
    let same = prefix / MemoryLayout<Element>.stride
    if same == slots { return (old.count, 0) }
    return (passed + same, old.count - passed - slots + suffix / MemoryLayout<Element>.stride)
  }
}

/// An element in which two lists differ whose elements are told apart by ids. Positions count from 0.
public enum ListDifference: Equatable, Sendable {
  /// An element of the old list that the new one lacks.
  case gone(Int)
  /// An element of the new list that the old one lacks.
  case come(Int)
  /// An element of both that is another now.
  case changed(old: Int, new: Int)
}
