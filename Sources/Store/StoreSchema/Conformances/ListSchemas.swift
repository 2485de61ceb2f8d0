/// A list of any kind, as seen by its schema.
@usableFromInline
protocol SchematicList: RandomAccessCollection, RangeReplaceableCollection, Sendable
where Element: Schematic, Index == Int {
  /// The numbers of elements that two lists share at the start and, of the rest, at the end; quick where they share
  /// storage.
  static func sharedEnds(
    _ left: UnsafePointer<Self>, _ right: UnsafePointer<Self>, _ isEqual: Access.Compare
  ) -> (prefix: Int, suffix: Int)
  /// The address of the element at a position, which must exist.
  func address(at index: Int) -> UnsafeRawPointer
  /// The address at which it can be changed in place; nodes shared with snapshots are copied first.
  mutating func mutableAddress(at index: Int) -> UnsafeMutableRawPointer
  /// The address of the element at a position, with a flag for whether it can be changed there; nil: there is none.
  mutating func findElement(at index: Int) -> FoundPart?
  /// The position of the first element that has an id.
  func position(of id: MapKey, _ identity: ElementIdentity) -> Int?
  /// True if more than one element has an id.
  func repeats(_ id: MapKey, _ identity: ElementIdentity) -> Bool
  /// Has a list know that its ids are in order, where that follows from what is known of the list before it. True if no other
  /// element is known to have the id that came.
  static func keepOrder(from old: UnsafePointer<Self>, to new: UnsafePointer<Self>, appended id: MapKey?) -> Bool
  /// True if the ids are known to ascend or to descend.
  func hasOrderedIDs(_ identity: ElementIdentity) -> Bool
  /// The elements in ranges of two lists that differ, have come or have gone, in their order; nil: that takes a look at each,
  /// or ids repeat.
  static func differences(
    _ left: Self, _ leftRange: Range<Int>, _ right: Self, _ rightRange: Range<Int>, _ identity: ElementIdentity,
    _ isEqual: Access.Compare
  ) -> [ListDifference]?
}

extension SchematicList {
  @inlinable
  static var listSchema: Schema {
    let element = Element.schema
    let identity = element.identity
    return Schema(
      kind: .list(element),
      access: Access(
        byteCount: MemoryLayout<Self>.size, copies: Access.copying(Self.self),
        read: { .list(PersistentList<Value>($0.assumingMemoryBound(to: Self.self).pointee.map { $0.schemaValue })) },
        assign: { (value, target) throws(SchemaError) in
          target.assumingMemoryBound(to: Self.self).pointee = Self(try value.elements(as: Element.self))
        },
        isEqual: { left, right in
          let (left, right) = (left.assumingMemoryBound(to: Self.self), right.assumingMemoryBound(to: Self.self))
          let count = left.pointee.count
          return count == right.pointee.count && Self.sharedEnds(left, right, element.access.isEqual).prefix == count
        },
        parts: .list(
          ListAccess(
            count: { $0.assumingMemoryBound(to: Self.self).pointee.count },
            address: { $0.assumingMemoryBound(to: Self.self).pointee.address(at: $1) },
            mutableAddress: { $0.assumingMemoryBound(to: Self.self).pointee.mutableAddress(at: $1) },
            find: { $0.assumingMemoryBound(to: Self.self).pointee.findElement(at: $1) },
            position: { list, id in
              identity.flatMap { list.assumingMemoryBound(to: Self.self).pointee.position(of: id, $0) }
            },
            repeats: { list, id in
              identity.map { list.assumingMemoryBound(to: Self.self).pointee.repeats(id, $0) } ?? false
            },
            keepOrder: { old, new, id in
              Self.keepOrder(
                from: old.assumingMemoryBound(to: Self.self), to: new.assumingMemoryBound(to: Self.self), appended: id)
            },
            hasOrderedIDs: { list in
              identity.map { list.assumingMemoryBound(to: Self.self).pointee.hasOrderedIDs($0) } ?? false
            },
            differences: { left, leftRange, right, rightRange in
              guard let identity else { return nil }
              return Self.differences(
                left.assumingMemoryBound(to: Self.self).pointee, leftRange,
                right.assumingMemoryBound(to: Self.self).pointee, rightRange, identity, element.access.isEqual)
            },
            insert: { (target, index, value) throws(SchemaError) in
              let value = try Element(schemaValue: value)
              target.assumingMemoryBound(to: Self.self).pointee.insert(value, at: index)
            },
            remove: { _ = $0.assumingMemoryBound(to: Self.self).pointee.remove(at: $1) },
            differing: { left, right in
              let (left, right) = (left.assumingMemoryBound(to: Self.self), right.assumingMemoryBound(to: Self.self))
              let ends = Self.sharedEnds(left, right, element.access.isEqual)
              return (
                ends.prefix..<left.pointee.count - ends.suffix, ends.prefix..<right.pointee.count - ends.suffix
              )
            }))))
  }
}

extension PersistentList: SchematicList where Element: Schematic {
  @inlinable
  static func sharedEnds(
    _ left: UnsafePointer<Self>, _ right: UnsafePointer<Self>, _ isEqual: Access.Compare
  ) -> (prefix: Int, suffix: Int) {
    commonEnds(left.pointee.tree.unmanagedRoot, right.pointee.tree.unmanagedRoot) {
      isEqual(UnsafeRawPointer($0), UnsafeRawPointer($1))
    }
  }

  @inlinable
  static func keepOrder(from old: UnsafePointer<Self>, to new: UnsafePointer<Self>, appended id: MapKey?) -> Bool {
    keepOrder(from: old.pointee.tree.unmanagedRoot, to: new.pointee.tree.unmanagedRoot, appended: id)
  }

  @inlinable
  func address(at index: Int) -> UnsafeRawPointer { withElement(at: index) { UnsafeRawPointer($0) } }

  @inlinable
  mutating func mutableAddress(at index: Int) -> UnsafeMutableRawPointer {
    withMutableElement(at: index) { UnsafeMutableRawPointer($0) }
  }

  @inlinable
  func position(of id: MapKey, _ identity: ElementIdentity) -> Int? {
    firstIndex(ofID: id) { identity.id(UnsafeRawPointer($0)) }
  }

  @inlinable
  func repeats(_ id: MapKey, _ identity: ElementIdentity) -> Bool {
    repeats(id) { identity.id(UnsafeRawPointer($0)) }
  }

  @inlinable
  func hasOrderedIDs(_ identity: ElementIdentity) -> Bool {
    hasOrderedIDs { identity.id(UnsafeRawPointer($0)) }
  }

  @inlinable
  static func differences(
    _ left: Self, _ leftRange: Range<Int>, _ right: Self, _ rightRange: Range<Int>, _ identity: ElementIdentity,
    _ isEqual: Access.Compare
  ) -> [ListDifference]? {
    differences(left, leftRange, right, rightRange, { identity.id(UnsafeRawPointer($0)) }) {
      isEqual(UnsafeRawPointer($0), UnsafeRawPointer($1))
    }
  }
}

extension PersistentList: Schematic where Element: Schematic {
  /// `[Element]`; a snapshot shares all that did not change.
  @inlinable public static var schema: Schema { listSchema }

  /// The list; its elements must be of the element type.
  @inlinable
  public init(schemaValue value: Value) throws(SchemaError) { self.init(try value.elements(as: Element.self)) }
}

extension Array: SchematicList where Element: Schematic {
  @inlinable
  static func sharedEnds(
    _ left: UnsafePointer<Self>, _ right: UnsafePointer<Self>, _ isEqual: Access.Compare
  ) -> (prefix: Int, suffix: Int) {
    left.pointee.withUnsafeBufferPointer { left in
      right.pointee.withUnsafeBufferPointer { right in
        let shared = Swift.min(left.count, right.count)
        guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return (0, 0) }
        if leftStart == rightStart, left.count == right.count { return (shared, 0) }
        let prefix = (0..<shared).prefix { isEqual(leftStart + $0, rightStart + $0) }.count
        let (leftEnd, rightEnd) = (leftStart + left.count - 1, rightStart + right.count - 1)
        return (prefix, (0..<shared - prefix).prefix { isEqual(leftEnd - $0, rightEnd - $0) }.count)
      }
    }
  }

  @inlinable
  func address(at index: Int) -> UnsafeRawPointer {
    withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress, elements.indices.contains(index) else {
        preconditionFailure("Index out of range")
      }
      return UnsafeRawPointer(start + index)
    }
  }

  @inlinable
  mutating func mutableAddress(at index: Int) -> UnsafeMutableRawPointer {
    withUnsafeMutableBufferPointer { elements in
      guard let start = elements.baseAddress, elements.indices.contains(index) else {
        preconditionFailure("Index out of range")
      }
      return UnsafeMutableRawPointer(start + index)
    }
  }

  /// An array keeps no notes: each of its elements is looked at.
  @inlinable
  func position(of id: MapKey, _ identity: ElementIdentity) -> Int? {
    withUnsafeBufferPointer { elements in
      elements.indices.first { index in
        elements.baseAddress.map { identity.id(UnsafeRawPointer($0 + index)) == id } ?? false
      }
    }
  }

  @inlinable
  func repeats(_ id: MapKey, _ identity: ElementIdentity) -> Bool {
    withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress else { return false }
      return elements.indices.lazy.filter { identity.id(UnsafeRawPointer(start + $0)) == id }.prefix(2).count > 1
    }
  }

  /// An array knows nothing of them.
  @inlinable
  static func keepOrder(from old: UnsafePointer<Self>, to new: UnsafePointer<Self>, appended id: MapKey?) -> Bool {
    false
  }

  /// Nothing is known of them.
  @inlinable
  func hasOrderedIDs(_ identity: ElementIdentity) -> Bool { false }

  /// An array shares all of its elements or none.
  @inlinable
  static func differences(
    _ left: Self, _ leftRange: Range<Int>, _ right: Self, _ rightRange: Range<Int>, _ identity: ElementIdentity,
    _ isEqual: Access.Compare
  ) -> [ListDifference]? { nil }

  /// Whoever holds a snapshot shares the elements, which nothing tells.
  @inlinable
  mutating func findElement(at index: Int) -> FoundPart? {
    indices.contains(index)
      ? FoundPart(UnsafeMutableRawPointer(mutating: address(at: index)), isOwn: false) : nil
  }
}

extension Array: Schematic where Element: Schematic {
  /// `[Element]`; a snapshot that is held makes the next change copy the array. For lists that grow, prefer
  /// ``PersistentList``.
  @inlinable public static var schema: Schema { listSchema }

  /// The array; its elements must be of the element type.
  @inlinable
  public init(schemaValue value: Value) throws(SchemaError) { self = try value.elements(as: Element.self) }
}

extension Value {
  /// The elements of a list, as Swift values. An empty map counts as an empty list: Lua writes both as `{}`.
  @inlinable
  public func elements<Element: Schematic>(as type: Element.Type) throws(SchemaError) -> [Element] {
    switch self {
    case .list(let list):
      var elements: [Element] = []
      elements.reserveCapacity(list.count)
      for value in list {
        do throws(SchemaError) {
          elements.append(try Element(schemaValue: value))
        } catch {
          throw error.under(Path([.index(elements.count + 1)]))
        }
      }
      return elements
    case .map(let map) where map.isEmpty: return []
    default: throw SchemaError(expected: "[\(Element.schema.typeName)]", found: self)
    }
  }
}

extension PersistentList where Element: Schematic {
  /// The position of the first element whose field `id` has a value; nil: there is none. O(log n) where the ids ascend or
  /// descend, as they do where each new element gets the next number.
  @inlinable
  public func firstIndex<ID: SchematicKey>(id: ID) -> Int? {
    guard let identity = Element.schema.identity else { return nil }
    return firstIndex(ofID: id.mapKey) { identity.id(UnsafeRawPointer($0)) }
  }

  /// The first element whose field `id` has a value, changed in place; nil: there is none. Setting nil takes the element
  /// away, and an element for an id that is not there comes last. O(log n) where the ids ascend or descend.
  @inlinable
  public subscript<ID: SchematicKey>(id id: ID) -> Element? {
    get { firstIndex(id: id).map { self[$0] } }
    _modify {
      guard let index = firstIndex(id: id) else {
        var added: Element?
        defer { if let added { append(added) } }
        yield &added
        return
      }
      var bounds = tree.idBounds(onWayTo: index)
      let place = tree.mutableElement(at: index)
      var element: Element? = place.move()
      defer {
        if let element {
          place.initialize(to: element)
          if Element.schema.identity?.id(UnsafeRawPointer(place)) == id.mapKey { tree.keep(&bounds, onWayTo: index) }
        } else {
          // The element has been moved out.
          tree.remove(at: index) { _ in }
        }
      }
      yield &element
    }
  }
}
