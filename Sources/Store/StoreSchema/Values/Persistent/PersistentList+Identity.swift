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

  /// The positions in a range at which the elements of two lists of one length differ; nil: the ids of one are not in order,
  /// so that some may repeat. Parts that the lists share are skipped without a look at them.
  @inlinable
  static func differences(
    _ old: Self, _ new: Self, in range: Range<Int>, _ identify: (UnsafePointer<Element>) -> MapKey?,
    isEqual: (UnsafePointer<Element>, UnsafePointer<Element>) -> Bool
  ) -> [Int]? {
    guard old.count == new.count, let oldRoot = old.tree.unmanagedRoot,
      let newRoot = new.tree.unmanagedRoot, old.hasOrderedIDs(identify), new.hasOrderedIDs(identify)
    else { return nil }
    var positions: [Int] = []
    var position = range.lowerBound
    while position < range.upperBound {
      switch AlignedRun(oldRoot, position, newRoot, position, .forward) {
      case .shared(let count): position += count
      case .separate(let old, let new, let count):
        for step in 0..<count where !isEqual(old + step, new + step) { positions.append(position + step) }
        position += count
      }
    }
    return positions.filter(range.contains)
  }

  /// True if it is known that the ids ascend or descend.
  @inlinable
  func hasOrderedIDs(_ identify: (UnsafePointer<Element>) -> MapKey?) -> Bool {
    guard ListContent<Element>.mayHaveIDs else { return false }
    guard let bounds = tree.root?.idBounds(.field, identify) else { return true }
    return bounds.ascends || bounds.descends
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
}
