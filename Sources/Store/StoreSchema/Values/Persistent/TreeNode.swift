import Glibc
import Synchronization

/// A node of the B-tree behind `PersistentList` and `PersistentMap`: a leaf with up to 128 elements, or an inner
/// node with up to 8 children. Extensions add one operation on nodes a file.
///
/// Invariants
/// - A node is mutated only by a caller that has made it uniquely referenced; a shared node never changes.
/// - All leaves have the same depth, and no node of a tree is empty.
/// - `ends[i]` is the number of elements in the children `0...i`; `separators[i]` belongs to the first element below
///   child `i`.
/// - Nodes split in halves, except on the right edge of the tree, where the left part stays full: appending
///   leaves full nodes behind.
///
/// The variables opt out of dynamic exclusivity checks: each access is a single load or store, and the first
/// invariant excludes a second party.
@usableFromInline
final class TreeNode<Content: TreeContent> {
  @usableFromInline typealias Element = Content.Element

  /// Zero for a leaf.
  @usableFromInline let height: Int
  /// A child of this node holds at most `1 << childShift` elements.
  @usableFromInline let childShift: Int
  /// The elements in this subtree.
  @exclusivity(unchecked) @usableFromInline var count = 0
  /// The elements of a leaf, or the children of an inner node.
  @exclusivity(unchecked) @usableFromInline var slots = 0
  @exclusivity(unchecked) @usableFromInline var capacity: Int
  @exclusivity(unchecked) @usableFromInline var storage: UnsafeMutableRawPointer
  /// The address of the node that this one, a root, is a changed copy of, with a reference to it; 0: none is kept.
  @usableFromInline let former = Atomic<UInt>(0)
  /// The address of the bounds of the ids in this subtree, an `IDBounds`, with a reference to it; 0: they are not known.
  @usableFromInline let bounds = Atomic<UInt>(0)

  /// A leaf without elements.
  @inlinable
  init(leafCapacity: Int) {
    height = 0
    childShift = 0
    capacity = leafCapacity
    storage = NodeMemory.allocate(leafCapacity * MemoryLayout<Element>.stride, MemoryLayout<Element>.alignment)
  }

  /// An inner node without children.
  @inlinable
  init(height: Int) {
    self.height = height
    childShift = Self.leafShift + Self.fanOutShift * (height - 1)
    capacity = Self.fanOut
    storage = NodeMemory.allocate(
      Self.separatorsOffset + Self.fanOut * MemoryLayout<Content.Separator>.stride, Self.innerAlignment)
  }

  @inlinable
  deinit {
    dropFormer()
    dropBounds()
    if height == 0 {
      destroyElements()
    } else {
      children.deinitialize(count: slots)
      separators.deinitialize(count: slots)
    }
    NodeMemory.free(storage, height == 0 ? MemoryLayout<Element>.alignment : Self.innerAlignment)
  }

  /// The end of a node is the same code for all contents. For entries with run-time types it is spelled out: the
  /// runtime's own function looks up how to destroy each part of each of them. Most changes of a plugin's state bring
  /// such entries about.
  @inlinable
  func destroyElements() {
    if Element.self == MapContent<MapKey, Value>.Entry.self {
      let entries = storage.assumingMemoryBound(to: MapContent<MapKey, Value>.Entry.self)
      for index in 0..<slots { _ = (entries + index).move() }
    } else {
      elements.deinitialize(count: slots)
    }
  }

  /// A node with the same contents that shares the children.
  @inlinable
  func copy() -> TreeNode {
    let copy = height == 0 ? TreeNode(leafCapacity: capacity) : TreeNode(height: height)
    if height == 0 {
      Self.copy(elements, to: copy.elements, count: slots)
    } else {
      Self.copy(children, to: copy.children, count: slots)
      Self.copy(separators, to: copy.separators, count: slots)
      copy.ends.initialize(from: ends, count: slots)
    }
    copy.slots = slots
    copy.count = count
    return copy
  }

  /// Copies slots one by one if copying takes more than moving bytes. The runtime's function for many looks up how it
  /// is done for each part of each of them.
  @inlinable
  static func copy<Slot>(_ source: UnsafeMutablePointer<Slot>, to target: UnsafeMutablePointer<Slot>, count: Int) {
    if _isPOD(Slot.self) { return target.initialize(from: source, count: count) }
    for index in 0..<count { (target + index).initialize(to: source[index]) }
  }
}

// MARK: - Layout

extension TreeNode {
  @inlinable static var fanOutShift: Int { 3 }
  @inlinable static var fanOut: Int { 1 << fanOutShift }

  /// A leaf holds at most `1 << leafShift` elements: 16 to 128, in about a kilobyte. Half of that if copying an element
  /// counts references, so that copying a shared leaf stays cheap.
  @inlinable static var leafShift: Int {
    let bytes = _isPOD(Element.self) ? 1024 : 512
    let fitting = max(16, min(128, bytes / max(1, MemoryLayout<Element>.stride)))
    return Int.bitWidth - 1 - fitting.leadingZeroBitCount
  }

  @inlinable static var maximumLeafCapacity: Int { 1 << leafShift }

  @inlinable var maximumSlots: Int { height == 0 ? Self.maximumLeafCapacity : Self.fanOut }

  /// The elements of a leaf.
  @inlinable var elements: UnsafeMutablePointer<Element> { storage.assumingMemoryBound(to: Element.self) }

  /// The children of an inner node.
  @inlinable var children: UnsafeMutablePointer<TreeNode> { storage.assumingMemoryBound(to: TreeNode.self) }

  /// The running totals of an inner node, behind its children.
  @inlinable var ends: UnsafeMutablePointer<Int> {
    (storage + Self.fanOut * MemoryLayout<TreeNode>.stride).assumingMemoryBound(to: Int.self)
  }

  /// The separators of the children of an inner node, behind the running totals. Apart, so that copying the children
  /// needs no look at the type of a separator.
  @inlinable var separators: UnsafeMutablePointer<Content.Separator> {
    (storage + Self.separatorsOffset).assumingMemoryBound(to: Content.Separator.self)
  }

  @inlinable static var innerAlignment: Int {
    max(MemoryLayout<TreeNode>.alignment, MemoryLayout<Content.Separator>.alignment)
  }

  @inlinable static var separatorsOffset: Int {
    let end = fanOut * (MemoryLayout<TreeNode>.stride + MemoryLayout<Int>.stride)
    let alignment = MemoryLayout<Content.Separator>.alignment
    return (end + alignment - 1) / alignment * alignment
  }

  /// The separator of the first element of a node that is not empty.
  @inlinable var firstSeparator: Content.Separator {
    height == 0 ? Content.separator(of: elements) : separators.pointee
  }
}

/// The memory of nodes. Swift's own function asks for an alignment, which takes the system twice the instructions.
@usableFromInline
enum NodeMemory {
  /// The alignment of all that `malloc` gives.
  private static var usualAlignment: Int { 16 }

  @usableFromInline
  static func allocate(_ byteCount: Int, _ alignment: Int) -> UnsafeMutableRawPointer {
    guard alignment <= usualAlignment, let memory = malloc(byteCount) else {
      return .allocate(byteCount: byteCount, alignment: alignment)
    }
    return memory
  }

  @usableFromInline
  static func free(_ memory: UnsafeMutableRawPointer, _ alignment: Int) {
    if alignment <= usualAlignment { Glibc.free(memory) } else { memory.deallocate() }
  }
}

// MARK: - Descending

extension TreeNode {
  /// The child of an inner node that holds the element at `offset`.
  @inlinable
  func childIndex(at offset: Int) -> Int {
    let ends = ends
    var index = offset &>> childShift
    while ends[index] <= offset { index &+= 1 }
    return index
  }

  /// The number of elements before child `index`.
  @inlinable
  func start(of index: Int) -> Int { index == 0 ? 0 : ends[index &- 1] }

  /// The child of an inner node that holds the element at `offset`, which becomes an offset in the child.
  @inlinable
  func child(at offset: inout Int) -> Unmanaged<TreeNode> {
    let index = childIndex(at: offset)
    offset &-= start(of: index)
    return Unmanaged.passUnretained(children[index])
  }

  /// The same, with the child safe to mutate; this node must be so already.
  @inlinable
  func uniqueChild(at offset: inout Int) -> Unmanaged<TreeNode> {
    let index = childIndex(at: offset)
    offset &-= start(of: index)
    makeChildUnique(index)
    return Unmanaged.passUnretained(children[index])
  }

  /// Makes child `index` safe to mutate; this node must be so already.
  @inlinable
  func makeChildUnique(_ index: Int) {
    if isKnownUniquelyReferenced(&children[index]) {
      children[index].dropBounds()
    } else {
      children[index] = children[index].copy()
    }
  }

  /// Child `index`, where nobody but this node refers to it; else `isOwn` becomes false.
  @inlinable
  @inline(__always)
  func child(_ index: Int, isOwn: inout Bool) -> Unmanaged<TreeNode> {
    isOwn = isOwn && isKnownUniquelyReferenced(&children[index])
    if isOwn { children[index].dropBounds() }
    return Unmanaged.passUnretained(children[index])
  }
}

// MARK: - Numbers

/// The place of an element as a number. The lowest bits are its position in the leaf, the higher ones those of the
/// children on the way, the root's on top. Unlike a rank it leads to the element without a look at any totals.
extension TreeNode {
  /// The shift of the numbers of the children next to the leaves.
  @inlinable static var numberShift: Int { 7 }

  /// The position of an element, or of the child on the way to it, in the node at a height.
  @inlinable
  @inline(__always)
  static func index(of number: Int, atHeight height: Int) -> Int {
    height == 0
      ? number & ((1 << numberShift) - 1) : number >> (numberShift + fanOutShift * (height - 1)) & (fanOut - 1)
  }
}

/// Insertion and removal below a uniquely referenced node.
extension TreeNode {
  /// Inserts before `offset`. When the node was full, its upper part moves to a new node, which is returned and
  /// belongs right behind this one.
  /// - Parameter isLast: true if this node is on the right edge of the tree.
  @inlinable
  func insert(_ element: __owned Element, at offset: Int, isLast: Bool) -> TreeNode? {
    guard height > 0 else { return insertIntoLeaf(element, at: offset, isLast: isLast) }
    let index = childIndex(at: max(0, offset - 1))
    let local = offset - start(of: index)
    makeChildUnique(index)
    let child = Unmanaged.passUnretained(children[index])
    let sibling = child._withUnsafeGuaranteedRef {
      $0.insert(element, at: local, isLast: isLast && index == slots - 1)
    }
    if local == 0 { separators[index] = children[index].firstSeparator }
    guard let sibling else {
      for later in index..<slots { ends[later] += 1 }
      count += 1
      return nil
    }
    guard slots == Self.fanOut else {
      insertChild(sibling, at: index + 1)
      refreshEnds(from: index)
      return nil
    }
    let right = splitOff(at: isLast && index == slots - 1 ? slots : slots / 2)
    if index < slots && right.slots > 0 {
      insertChild(sibling, at: index + 1)
      refreshEnds(from: index)
    } else {
      right.insertChild(sibling, at: index + 1 - slots)
      right.refreshEnds()
    }
    return right
  }

  @inlinable
  func insertIntoLeaf(_ element: __owned Element, at offset: Int, isLast: Bool) -> TreeNode? {
    guard slots == Self.maximumLeafCapacity else {
      insertElement(element, at: offset)
      return nil
    }
    let right = splitOff(at: isLast && offset == slots ? slots : slots / 2)
    if offset <= slots && right.slots > 0 {
      insertElement(element, at: offset)
    } else {
      right.insertElement(element, at: offset - slots)
    }
    return right
  }

  /// Moves the slots from `position` on to a new node.
  @inlinable
  func splitOff(at position: Int) -> TreeNode {
    let right = height == 0 ? TreeNode(leafCapacity: capacity) : TreeNode(height: height)
    moveSlots(position..<slots, to: right, at: 0)
    return right
  }

  /// Removes the element at `offset`, which `take` moves out or destroys. The node may be left with few slots or
  /// none: its parent rebalances it.
  @inlinable
  func remove<R>(at offset: Int, take: (UnsafeMutablePointer<Element>) -> R) -> R {
    guard height > 0 else { return removeElement(at: offset, take: take) }
    let index = childIndex(at: offset)
    let local = offset - start(of: index)
    makeChildUnique(index)
    let child = Unmanaged.passUnretained(children[index])
    let taken = child._withUnsafeGuaranteedRef { $0.remove(at: local, take: take) }
    for later in index..<slots { ends[later] -= 1 }
    count -= 1
    if child._withUnsafeGuaranteedRef({ $0.slots < $0.maximumSlots / 4 }) {
      rebalance(index)
    } else if local == 0 {
      separators[index] = children[index].firstSeparator
    }
    return taken
  }

  /// Drops child `index` if it is empty, and otherwise merges it with a neighbour or takes slots from it.
  @inlinable
  func rebalance(_ index: Int) {
    if children[index].slots == 0 {
      removeChild(at: index)
      refreshEnds()
      return
    }
    separators[index] = children[index].firstSeparator
    guard slots > 1 else { return }
    let position = max(0, index - 1)
    makeChildUnique(position)
    makeChildUnique(position + 1)
    let left = children[position]
    let right = children[position + 1]
    let total = left.slots + right.slots
    if total <= left.maximumSlots {
      right.moveSlots(0..<right.slots, to: left, at: left.slots)
      removeChild(at: position + 1)
    } else {
      if left.slots < right.slots {
        right.moveSlots(0..<(right.slots - total / 2), to: left, at: left.slots)
      } else {
        left.moveSlots((total / 2)..<left.slots, to: right, at: 0)
      }
      separators[position + 1] = right.firstSeparator
    }
    refreshEnds(from: position)
  }
}

/// Binary search by key.
extension TreeNode {
  /// The last child of an inner node whose first key is not above the wanted one; the first child for a key below all.
  @inlinable
  @inline(__always)
  func childIndex<Key, Value>(
    isAbove: (UnsafePointer<Key>) -> Bool
  ) -> Int where Content == MapContent<Key, Value> {
    let separators = separators
    var low = 1
    var high = slots
    while low < high {
      let middle = (low &+ high) &>> 1
      if isAbove(separators + middle) { high = middle } else { low = middle &+ 1 }
    }
    return low &- 1
  }

  /// The first element of a leaf whose key is not below the one that is looked for, or `slots`.
  @inlinable
  @inline(__always)
  func elementIndex<Key, Value>(
    isBelow: (UnsafePointer<Key>) -> Bool
  ) -> Int where Content == MapContent<Key, Value> {
    let elements = elements
    var low = 0
    var high = slots
    while low < high {
      let middle = (low &+ high) &>> 1
      if isBelow(PersistentMap<Key, Value>.key(of: elements + middle)) { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}

/// Moving elements and children within a node and between nodes. Both nodes must be uniquely referenced.
extension TreeNode {
  /// Makes room for `newCapacity` elements in a leaf; an inner node always has room for all its children.
  @inlinable
  func reserve(_ newCapacity: Int) {
    guard newCapacity > capacity else { return }
    let grown = min(Self.maximumLeafCapacity, max(newCapacity, capacity * 2))
    let moved = UnsafeMutablePointer<Element>.allocate(capacity: grown)
    moved.moveInitialize(from: elements, count: slots)
    storage.deallocate()
    storage = UnsafeMutableRawPointer(moved)
    capacity = grown
  }

  /// Inserts into a leaf that is not full.
  @inlinable
  func insertElement(_ element: __owned Element, at index: Int) {
    reserve(slots + 1)
    Self.insert(element, in: elements, count: slots, at: index)
    slots += 1
    count += 1
  }

  /// Removes an element of a leaf, which `take` moves out or destroys.
  @inlinable
  func removeElement<R>(at index: Int, take: (UnsafeMutablePointer<Element>) -> R) -> R {
    let place = elements + index
    let taken = take(place)
    slots -= 1
    count -= 1
    place.moveInitialize(from: place + 1, count: slots - index)
    return taken
  }

  /// Inserts into an inner node that is not full; `ends` and `count` are the caller's to refresh.
  @inlinable
  func insertChild(_ node: TreeNode, at index: Int) {
    Self.insert(node, in: children, count: slots, at: index)
    Self.insert(node.firstSeparator, in: separators, count: slots, at: index)
    slots += 1
  }

  /// Removes a child; `ends` and `count` are the caller's to refresh.
  @inlinable
  func removeChild(at index: Int) {
    Self.remove(from: children, count: slots, at: index)
    Self.remove(from: separators, count: slots, at: index)
    slots -= 1
  }

  @inlinable
  static func insert<Slot>(_ slot: __owned Slot, in slots: UnsafeMutablePointer<Slot>, count: Int, at index: Int) {
    let place = slots + index
    (place + 1).moveInitialize(from: place, count: count - index)
    place.initialize(to: slot)
  }

  @inlinable
  static func remove<Slot>(from slots: UnsafeMutablePointer<Slot>, count: Int, at index: Int) {
    let place = slots + index
    place.deinitialize(count: 1)
    place.moveInitialize(from: place + 1, count: count - 1 - index)
  }

  /// Recomputes the running totals of an inner node from child `index` on.
  @inlinable
  func refreshEnds(from index: Int = 0) {
    var total = start(of: index)
    for child in index..<max(index, slots) {
      total += children[child].count
      ends[child] = total
    }
    count = total
  }

  /// Moves the slots of `range` to `target`, a node of the same height, in front of its slot `index`.
  @inlinable
  func moveSlots(_ range: Range<Int>, to target: TreeNode, at index: Int) {
    if height == 0 {
      target.reserve(target.slots + range.count)
      Self.move(range, of: elements, count: slots, to: target.elements, count: target.slots, at: index)
    } else {
      Self.move(range, of: children, count: slots, to: target.children, count: target.slots, at: index)
      Self.move(range, of: separators, count: slots, to: target.separators, count: target.slots, at: index)
    }
    slots -= range.count
    target.slots += range.count
    if height == 0 {
      count = slots
      target.count = target.slots
    } else {
      refreshEnds()
      target.refreshEnds()
    }
  }

  @inlinable
  static func move<Slot>(
    _ range: Range<Int>, of source: UnsafeMutablePointer<Slot>, count sourceCount: Int,
    to target: UnsafeMutablePointer<Slot>, count targetCount: Int, at index: Int
  ) {
    let gap = target + index
    (gap + range.count).moveInitialize(from: gap, count: targetCount - index)
    gap.moveInitialize(from: source + range.lowerBound, count: range.count)
    (source + range.lowerBound).moveInitialize(
      from: source + range.upperBound, count: sourceCount - range.upperBound)
  }
}

/// The content of a `TreeNode`: the type of its elements, and the note that an inner node keeps of each child. The note
/// saves a search the look into the child.
@usableFromInline
protocol TreeContent {
  associatedtype Element
  /// A copy of the part of a child's first element that orders it; empty where elements have a position only.
  associatedtype Separator

  static func separator(of element: UnsafePointer<Element>) -> Separator

  /// True if elements may have an id by which they are looked for.
  static var mayHaveIDs: Bool { get }
}

/// Elements found by position alone.
@usableFromInline
enum ListContent<Element>: TreeContent {
  @inlinable
  static func separator(of element: UnsafePointer<Element>) {}

  /// Numbers and texts have none; told by their size, so that lists of them pay nothing for it.
  @inlinable static var mayHaveIDs: Bool { MemoryLayout<Element>.size > 8 && Element.self != String.self }
}

/// Entries that stand in ascending order of their keys.
@usableFromInline
enum MapContent<Key: Comparable, Value>: TreeContent {
  @usableFromInline
  struct Entry {
    @usableFromInline var key: Key
    @usableFromInline var value: Value

    @inlinable
    init(key: Key, value: Value) {
      self.key = key
      self.value = value
    }
  }

  @usableFromInline typealias Element = Entry

  @inlinable
  static func separator(of element: UnsafePointer<Entry>) -> Key { element.pointee.key }

  /// The entries have keys.
  @inlinable static var mayHaveIDs: Bool { false }
}
