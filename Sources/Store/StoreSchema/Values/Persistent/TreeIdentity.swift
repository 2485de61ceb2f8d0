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
/// - Of numbers that ascend, as where an element was appended, the node itself keeps the least and the greatest (`IDAscent`) until
///   a search needs more.
@usableFromInline
final class IDBounds: Sendable {
  /// The least id and the greatest; nil: no element has one.
  @usableFromInline let range: ClosedRange<MapKey>?
  /// True if each element has an id that is greater than that of the one before it; and the other way round.
  @usableFromInline let (ascends, descends): (Bool, Bool)
  /// The ids in ascending order, each with the position of its element below the node; empty: they were not put down.
  @usableFromInline let table: [(id: MapKey, offset: Int)]
  /// Of a node of some hundred elements whose ids stand in no order: the same bounds with a table, with a reference to them;
  /// 0: nobody has looked for one of its ids.
  @usableFromInline let tabled = Atomic<UInt>(0)
  /// The way in which the ids are read.
  @usableFromInline let way: IDWay
  /// The bounds of the ids that are read in the other way, with a reference to them; 0: they are not known.
  @usableFromInline let other = Atomic<UInt>(0)

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

  @inlinable
  var copy: IDBounds {
    let copy = IDBounds(range, ascends: ascends, descends: descends, way)
    if let tabled = IDBounds.known(at: tabled) { _ = tabled.isKept(at: copy.tabled) }
    return copy
  }

  @inlinable
  deinit {
    IDBounds.take(from: other)?.release()
    IDBounds.take(from: tabled)?.release()
  }

  /// The bounds that a place names; nil: none.
  @inlinable
  static func known(at place: borrowing Atomic<UInt>) -> IDBounds? { unmanaged(at: place)?.takeUnretainedValue() }

  /// The bounds that a place names, without a claim on them: they stay as long as a list has the node of the place.
  @inlinable
  static func unmanaged(at place: borrowing Atomic<UInt>) -> Unmanaged<IDBounds>? {
    UnsafeRawPointer(bitPattern: place.load(ordering: .acquiring)).map(Unmanaged.fromOpaque)
  }

  /// Takes the reference away that a place holds; nil: none.
  @inlinable
  static func take(from place: borrowing Atomic<UInt>) -> Unmanaged<IDBounds>? {
    let address = place.exchange(0, ordering: .acquiring)
    return address <= IDAscent.kept ? nil : UnsafeRawPointer(bitPattern: address).map(Unmanaged.fromOpaque)
  }

  /// The bounds with an id behind the others; nil: the ids do not ascend with it, or are read in another way.
  @inlinable
  func appending(_ id: MapKey) -> IDBounds? {
    guard ascends, way == .field, let range, range.upperBound < id else { return nil }
    return IDBounds(range.lowerBound...id, ascends: true, descends: false, .field)
  }

  /// The least id and the greatest, where they are numbers that ascend and are read by the field; nil: they are not.
  @inlinable
  var ascent: (least: Int, greatest: Int)? {
    guard ascends, way == .field, case .int(let least)? = range?.lowerBound,
      case .int(let greatest)? = range?.upperBound
    else { return nil }
    return (least, greatest)
  }

  /// Has a place hold the bounds, where it holds none.
  ///
  /// - Returns: false: it holds others.
  @inlinable
  func isKept(at place: borrowing Atomic<UInt>) -> Bool {
    let reference = Unmanaged.passRetained(self)
    let (isKept, _) = place.compareExchange(
      expected: 0, desired: UInt(bitPattern: reference.toOpaque()), ordering: .releasing)
    if !isKept { reference.release() }
    return isKept
  }

  /// The position that a number among the ids would have if they lay evenly; nil: they are in no order, or no such numbers.
  @inlinable
  @inline(__always)
  func likelyOffset(of id: Int, among count: Int, _ way: IDWay) -> Int? {
    guard way == self.way, areOrdered, case .int(let least)? = range?.lowerBound,
      case .int(let greatest)? = range?.upperBound, id >= least, id <= greatest
    else { return nil }
    let (span, isTooWide) = greatest.subtractingReportingOverflow(least)
    let (product, isTooLarge) = (id &- least).multipliedReportingOverflow(by: count - 1)
    guard !isTooWide, !isTooLarge else { return nil }
    let offset = span == 0 ? 0 : product / span
    return ascends ? offset : count - 1 - offset
  }

  /// True if the ids are known to be in order, so that none stands twice.
  @inlinable
  var areOrdered: Bool { ascends || descends }

  /// The positions of the first element of an id in the table, and whether there are more; nil: it has none of that id.
  @inlinable
  func place(of id: MapKey) -> (offset: Int, repeats: Bool)? {
    var (low, high) = (0, table.count)
    while low < high {
      let middle = (low + high) / 2
      if table[middle].id < id { low = middle + 1 } else { high = middle }
    }
    guard low < table.count, table[low].id == id else { return nil }
    return (table[low].offset, low + 1 < table.count && table[low + 1].id == id)
  }
}

/// The marks that a node has in place of the address of bounds: its ids are numbers that ascend and are read by the field.
@usableFromInline
enum IDAscent {
  /// The least and the greatest are being written.
  @inlinable static var claimed: UInt { 1 }
  /// They stand in the node.
  @inlinable static var kept: UInt { 2 }
}

extension TreeNode {
  /// The least id and the greatest, where they are known to be numbers that ascend and are read by the field; nil: they are not.
  @inlinable
  var knownAscent: (least: Int, greatest: Int)? {
    let address = bounds.load(ordering: .acquiring)
    if address == IDAscent.kept { return ascent }
    guard address > IDAscent.kept, let known = UnsafeRawPointer(bitPattern: address) else { return nil }
    return Unmanaged<IDBounds>.fromOpaque(known)._withUnsafeGuaranteedRef { $0.ascent }
  }

  /// True if bounds are kept, or are about to be.
  @inlinable
  var hasBounds: Bool { bounds.load(ordering: .acquiring) != 0 }

  /// Keeps the least id and the greatest, where no bounds are kept.
  @inlinable
  func keep(_ ascent: (least: Int, greatest: Int)) {
    guard bounds.compareExchange(expected: 0, desired: IDAscent.claimed, ordering: .relaxed).exchanged else { return }
    // The one thread that made the mark writes them, before any other reads them.
    self.ascent = ascent
    bounds.store(IDAscent.kept, ordering: .releasing)
  }

  /// The bounds that the node has, without a claim on them; nil: none. They stay as long as a list has the node.
  @inlinable
  var knownBounds: Unmanaged<IDBounds>? {
    let address = bounds.load(ordering: .acquiring)
    if address > IDAscent.kept { return UnsafeRawPointer(bitPattern: address).map(Unmanaged.fromOpaque) }
    return address == IDAscent.kept ? madeBounds : nil
  }

  /// The bounds that say the same as what the node keeps.
  @inlinable
  @inline(never)
  var madeBounds: Unmanaged<IDBounds>? {
    let range = MapKey.int(ascent.least)...MapKey.int(ascent.greatest)
    let made = Unmanaged.passRetained(IDBounds(range, ascends: true, descends: false, .field))
    let (isKept, other) = bounds.compareExchange(
      expected: IDAscent.kept, desired: UInt(bitPattern: made.toOpaque()), ordering: .acquiringAndReleasing)
    if isKept { return made }
    // Another thread was quicker.
    made.release()
    return UnsafeRawPointer(bitPattern: other).map(Unmanaged.fromOpaque)
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
    if bounds.areOrdered {
      let index = firstSlot { isBefore(id, $0, descends: !bounds.ascends, way, identify) }
      guard index < slots else { return nil }
      if height > 0 { return children[index].offset(of: id, way, identify).map { start(of: index) + $0 } }
      return identify(UnsafePointer(elements + index)) == id ? index : nil
    }
    if height == 0 {
      return (0..<slots).first { identify(UnsafePointer(elements + $0)) == id }
    }
    if height == Self.tableHeight { return tabled(bounds, identify).place(of: id)?.offset }
    for index in 0..<slots {
      if let offset = children[index].offset(of: id, way, identify) { return start(of: index) + offset }
    }
    return nil
  }

  /// The position below a node of the element of an id, where the ids are numbers in order and it stands where they would lie if
  /// they lay evenly, as those do which are given one after the other; nil: a search has to tell. A search looks at several
  /// slots of each node, all of them and their bounds in other memory.
  @inlinable
  static func likelyOffset(
    of id: MapKey, from root: Unmanaged<TreeNode>, _ way: IDWay, _ identify: Identify
  ) -> Int? {
    // Without a claim on nodes and bounds: each would be written to.
    guard case .int(let number) = id else { return nil }
    var (node, first) = (root, 0)
    while true {
      let known = node._withUnsafeGuaranteedRef { $0.knownBounds }
      let count = node._withUnsafeGuaranteedRef { $0.count }
      guard let known, let offset = known._withUnsafeGuaranteedRef({ $0.likelyOffset(of: number, among: count, way) })
      else { return nil }
      guard node._withUnsafeGuaranteedRef({ $0.height }) > 0 else {
        return node._withUnsafeGuaranteedRef { identify(UnsafePointer($0.elements + offset)) == id }
          ? first + offset : nil
      }
      node = node._withUnsafeGuaranteedRef { node in
        let slot = node.childIndex(at: offset)
        first += node.start(of: slot)
        return Unmanaged.passUnretained(node.children[slot])
      }
    }
  }

  /// The number of elements that have an id; of more than two, two or more.
  @inlinable
  func occurrences(of id: MapKey, _ way: IDWay, _ identify: Identify) -> Int {
    let bounds = idBounds(way, identify)
    guard bounds.range?.contains(id) == true else { return 0 }
    if bounds.areOrdered { return offset(of: id, way, identify) == nil ? 0 : 1 }
    if let tabled = IDBounds.known(at: bounds.tabled) { return tabled.place(of: id).map { $0.repeats ? 2 : 1 } ?? 0 }
    var found = 0
    for index in 0..<slots where found < 2 {
      if height > 0 {
        found += children[index].occurrences(of: id, way, identify)
      } else if identify(UnsafePointer(elements + index)) == id {
        found += 1
      }
    }
    return found
  }

  /// The first slot that is not before what is looked for, where all that are come first.
  @inlinable
  func firstSlot(_ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (0, slots)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// True if all ids in a slot come before one, in a node whose ids are in order.
  @inlinable
  func isBefore(_ id: MapKey, _ index: Int, descends: Bool, _ way: IDWay, _ identify: Identify) -> Bool {
    guard height > 0 else {
      return identify(UnsafePointer(elements + index)).map { descends ? id < $0 : $0 < id } ?? true
    }
    return children[index].idBounds(way, identify).range.map { descends ? id < $0.lowerBound : $0.upperBound < id }
      ?? true
  }

  /// The bounds of the ids below this node, looked for where they are not known yet.
  @inlinable
  func idBounds(_ way: IDWay, _ identify: Identify) -> IDBounds {
    if let known = knownBounds?.takeUnretainedValue() {
      if known.way == way { return known }
      if let other = IDBounds.known(at: known.other) { return other }
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
    let found = IDBounds(range, ascends: ascends, descends: descends, way)
    if !found.isKept(at: bounds), let known = knownBounds?.takeUnretainedValue(), known.way != way {
      _ = found.isKept(at: known.other)
    }
    return found
  }

  /// The height of nodes that keep a table where ids stand in no order: it is made anew where an element changes.
  @inlinable static var tableHeight: Int { 2 }

  /// The bounds of this node, of that height, with a table of its ids.
  @inlinable
  func tabled(_ bounds: IDBounds, _ identify: Identify) -> IDBounds {
    if let known = IDBounds.known(at: bounds.tabled) { return known }
    let tabled = IDBounds(bounds.range, ascends: false, descends: false, bounds.way, table: idTable(identify))
    _ = tabled.isKept(at: bounds.tabled)
    return tabled
  }

  @inlinable
  func idTable(_ identify: Identify) -> [(id: MapKey, offset: Int)] {
    var table: [(id: MapKey, offset: Int)] = []
    table.reserveCapacity(count)
    noteIDs(in: &table, from: 0, identify)
    table.sort { $0.id < $1.id || ($0.id == $1.id && $0.offset < $1.offset) }
    return table
  }

  /// Notes the ids below this node, whose first element is at a position.
  @inlinable
  func noteIDs(in table: inout [(id: MapKey, offset: Int)], from first: Int, _ identify: Identify) {
    for slot in 0..<slots {
      if height > 0 {
        children[slot].noteIDs(in: &table, from: first + start(of: slot), identify)
      } else if let id = identify(UnsafePointer(elements + slot)) {
        table.append((id, first + slot))
      }
    }
  }

  /// Lets go of the bounds; this node must be safe to mutate.
  @inlinable
  @inline(__always)
  func dropBounds() {
    guard Content.mayHaveIDs, bounds.load(ordering: .relaxed) != 0 else { return }
    IDBounds.take(from: bounds)?.release()
  }
}

extension CountedTree {
  /// The bounds of the ids by their field on the way to an element, the outermost first; empty: not all are known.
  @inlinable
  func idBounds(onWayTo index: Int) -> [IDBounds] {
    guard Content.mayHaveIDs, var node = unmanagedRoot else { return [] }
    var (way, offset): ([IDBounds], Int) = ([], index)
    way.reserveCapacity(node._withUnsafeGuaranteedRef { $0.height } + 1)
    while true {
      let known = node._withUnsafeGuaranteedRef { $0.knownBounds?.takeUnretainedValue() }
      guard let known, let bounds = known.way == .field ? known : IDBounds.known(at: known.other) else { return [] }
      way.append(bounds)
      guard node._withUnsafeGuaranteedRef({ $0.height }) > 0 else { return way }
      node = node._withUnsafeGuaranteedRef { $0.child(at: &offset) }
    }
  }

  /// Takes up the bounds again on the way to an element that was changed in place and has the id that it had.
  @inlinable
  func keep(_ way: inout [IDBounds], onWayTo index: Int) {
    guard var node = unmanagedRoot else { return }
    var offset = index
    for level in way.indices {
      // Of its own: whoever has the list as it was may note there the ids that are read in the other way.
      let own = isKnownUniquelyReferenced(&way[level]) ? way[level] : way[level].copy
      IDBounds.take(from: own.other)?.release()
      node._withUnsafeGuaranteedRef { _ = own.isKept(at: $0.bounds) }
      guard node._withUnsafeGuaranteedRef({ $0.height }) > 0 else { return }
      node = node._withUnsafeGuaranteedRef { $0.child(at: &offset) }
    }
  }
}

/// Alternating between two root nodes.
///
/// Code that looks at the state before and after each change shares the root at every change. Copying and releasing it
/// costs reference counting for all children. But as soon as the state before is released, the former root is nobody's,
/// and differs from the present one by the children changed since. Bringing it up to date is cheaper than another copy.
/// Without it row W5, its limit included, takes 18 % more of the processor.
///
/// Invariants
/// - Only the root of a tree has a former node, from a copy made to change an element until the next change. So what is
///   kept longer than needed is the path to one element, never more.
/// - A former node has none itself.
/// - Only where elements need no release: nobody notices how long they are kept.
extension TreeNode {
  /// A node with the contents of `node` that is safe to mutate, and keeps `node` as its former one.
  @inlinable
  @inline(__always)
  static func successor(of node: consuming TreeNode) -> TreeNode {
    guard node.height > 0, _isPOD(Element.self) else { return node.copy() }
    let successor = node.takeUnusedFormer() ?? node.copy()
    successor.former.store(UInt(bitPattern: Unmanaged.passRetained(node).toOpaque()), ordering: .relaxed)
    return successor
  }

  /// The former node with the contents of this one, if nobody else has it any more. In any case it is not the former
  /// one any longer.
  @inlinable
  @inline(__always)
  func takeUnusedFormer() -> TreeNode? {
    guard var former = takeFormer(), isKnownUniquelyReferenced(&former), former.slots == slots else { return nil }
    former.update(from: self)
    return former
  }

  /// Gives an inner node the contents of another one with as many children.
  @inlinable
  func update(from other: TreeNode) {
    dropBounds()
    for index in 0..<slots where !isSameChild(index, of: other, index) { children[index] = other.children[index] }
    separators.update(from: other.separators, count: slots)
    ends.update(from: other.ends, count: slots)
    count = other.count
  }

  // The one thing about a shared node that changes; atomic, since two threads may be about to copy the node.
  @inlinable
  func takeFormer() -> TreeNode? {
    let address = former.exchange(0, ordering: .acquiringAndReleasing)
    return UnsafeRawPointer(bitPattern: address).map { Unmanaged<TreeNode>.fromOpaque($0).takeRetainedValue() }
  }

  /// Lets go of the former node; this node must be safe to mutate.
  @inlinable
  func dropFormer() {
    if former.load(ordering: .relaxed) != 0 { _ = takeFormer() }
  }
}
