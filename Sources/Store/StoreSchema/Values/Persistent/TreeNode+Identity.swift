import Synchronization

/// Finding an element by its id.
///
/// A node keeps the least and the greatest id below it once somebody has looked for one. So a search passes over the
/// subtrees that cannot hold an id: in a list whose ids ascend or descend, as where each new element gets the next number,
/// all but one at each level. Where the ids stand in no order, nodes of some hundred elements keep a table of their ids, so
/// that a search looks up each of these instead of each element. What is found is always the first element of the id.
///
/// Invariants
/// - The bounds of a node are those of its elements as they are. Whoever may change an element has made the nodes on the
///   way to it uniquely referenced just before, which lets go of their bounds. An address for changing an element is
///   therefore not used any more once somebody has looked for an id.
/// - Bounds come into a node from nil, by whichever thread looks first, and go only from a node that is about to change.
@usableFromInline
final class IDBounds: Sendable {
  /// The least id and the greatest; nil: no element has one.
  @usableFromInline let range: ClosedRange<MapKey>?
  /// True if each element has an id that is greater than that of the one before it; and the other way round.
  @usableFromInline let (ascends, descends): (Bool, Bool)
  /// Of a node of some hundred elements whose ids stand in no order: the ids in ascending order, each with the position of
  /// its element below the node.
  @usableFromInline let table: [(id: MapKey, offset: Int)]
  /// The way in which the ids are read.
  @usableFromInline let way: IDWay

  @inlinable
  init(
    _ range: ClosedRange<MapKey>?, ascends: Bool, descends: Bool, _ way: IDWay,
    table: [(id: MapKey, offset: Int)] = []
  ) {
    self.range = range
    self.ascends = ascends
    self.descends = descends
    self.way = way
    self.table = table
  }

  /// The position of the first element of an id, where there is a table; nil: it has none of that id.
  @inlinable
  func offset(of id: MapKey) -> Int? {
    var (low, high) = (0, table.count)
    while low < high {
      let middle = (low + high) / 2
      if table[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < table.count && table[low].id == id ? table[low].offset : nil
  }
}

/// The ways in which an id is read of an element.
@usableFromInline
enum IDWay: Sendable {
  /// The field `id` of the type's schema.
  case field
  /// The property `id` of `Identifiable`.
  case property
}

extension TreeNode {
  /// Gives the id of an element; nil: it has none.
  @usableFromInline typealias Identify = (UnsafePointer<Element>) -> MapKey?

  /// The position below this node of the first element that has an id; nil: there is none.
  @inlinable
  func offset(of id: MapKey, _ way: IDWay, _ identify: Identify) -> Int? {
    let bounds = idBounds(way, identify)
    guard bounds.range?.contains(id) == true else { return nil }
    if !bounds.table.isEmpty { return bounds.offset(of: id) }
    if height == 0 {
      return (0..<slots).first { identify(UnsafePointer(elements + $0)) == id }
    }
    for index in 0..<slots {
      if let offset = children[index].offset(of: id, way, identify) { return start(of: index) + offset }
    }
    return nil
  }

  /// The bounds of the ids below this node, looked for where they are not known yet.
  @inlinable
  func idBounds(_ way: IDWay, _ identify: Identify) -> IDBounds {
    if let address = UnsafeRawPointer(bitPattern: bounds.load(ordering: .acquiring)) {
      let known = Unmanaged<IDBounds>.fromOpaque(address).takeUnretainedValue()
      if known.way == way { return known }
    }
    var range: ClosedRange<MapKey>?
    var (last, ascends, descends): (ClosedRange<MapKey>?, Bool, Bool) = (nil, true, true)
    for index in 0..<slots {
      var part: ClosedRange<MapKey>?
      if height == 0 {
        part = identify(UnsafePointer(elements + index)).map { $0...$0 }
      } else {
        let child = children[index].idBounds(way, identify)
        part = child.range
        (ascends, descends) = (ascends && child.ascends, descends && child.descends)
      }
      guard let part else {
        (ascends, descends) = (false, false)
        continue
      }
      if let last {
        ascends = ascends && last.upperBound < part.lowerBound
        descends = descends && part.upperBound < last.lowerBound
      }
      last = part
      range = range.map { min($0.lowerBound, part.lowerBound)...max($0.upperBound, part.upperBound) } ?? part
    }
    var table: [(id: MapKey, offset: Int)] = []
    if height == Self.tableHeight, !ascends, !descends { table = idTable(identify) }
    let found = IDBounds(range, ascends: ascends, descends: descends, way, table: table)
    let reference = Unmanaged.passRetained(found)
    let (isTaken, _) = bounds.compareExchange(
      expected: 0, desired: UInt(bitPattern: reference.toOpaque()), ordering: .releasing)
    if !isTaken { reference.release() }
    return found
  }

  /// The height of nodes that keep a table where ids stand in no order: it is made anew where an element changes.
  @inlinable static var tableHeight: Int { 2 }

  @inlinable
  func idTable(_ identify: Identify) -> [(id: MapKey, offset: Int)] {
    var table: [(id: MapKey, offset: Int)] = []
    table.reserveCapacity(count)
    var first = 0
    for index in 0..<slots {
      let child = children[index]
      for place in 0..<child.slots {
        let leaf = child.children[place]
        for slot in 0..<leaf.slots {
          if let id = identify(UnsafePointer(leaf.elements + slot)) { table.append((id, first + slot)) }
        }
        first += leaf.slots
      }
    }
    table.sort { $0.id < $1.id || ($0.id == $1.id && $0.offset < $1.offset) }
    return table
  }

  /// Lets go of the bounds; this node must be safe to mutate.
  @inlinable
  @inline(__always)
  func dropBounds() {
    guard Content.mayHaveIDs, bounds.load(ordering: .relaxed) != 0 else { return }
    let known = UnsafeRawPointer(bitPattern: bounds.exchange(0, ordering: .acquiring))
    if let known { Unmanaged<IDBounds>.fromOpaque(known).release() }
  }
}
