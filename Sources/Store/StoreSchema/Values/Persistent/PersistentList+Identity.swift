extension PersistentList {
  /// The position of the first element that has an id by its schema; nil: there is none.
  @inlinable
  func firstIndex(ofID id: MapKey, _ identify: (UnsafePointer<Element>) -> MapKey?) -> Int? {
    firstIndex(ofID: id, .field, identify)
  }

  @inlinable
  func firstIndex(ofID id: MapKey, _ way: IDWay, _ identify: (UnsafePointer<Element>) -> MapKey?) -> Int? {
    guard ListContent<Element>.mayHaveIDs else { return indices.first { withElement(at: $0, identify) == id } }
    return tree.root?.offset(of: id, way, identify)
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
  @inlinable
  func keepOrder(of old: Self, appended id: MapKey?) {
    guard ListContent<Element>.mayHaveIDs, let oldRoot = old.tree.root, let root = tree.root,
      IDBounds.known(at: root.bounds) == nil, let known = IDBounds.known(at: oldRoot.bounds), known.way == .field,
      known.areOrdered, let range = known.range
    else { return }
    guard let id else { return _ = known.copy.isKept(at: root.bounds) }
    guard known.ascends, range.upperBound < id else { return }
    _ = IDBounds(range.lowerBound...id, ascends: true, descends: false, .field).isKept(at: root.bounds)
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
    let (prefix, suffix) = commonEnds(old, new, equal: isSame)
    let (oldRange, newRange) = (prefix..<old.count - suffix, prefix..<new.count - suffix)
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
