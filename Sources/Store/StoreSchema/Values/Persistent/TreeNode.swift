import Glibc
import Synchronization

/// A node of the B-tree behind `PersistentList` and `PersistentMap`: a leaf with up to 128 elements, or an inner
/// node with up to 8 children. Extensions add one operation on nodes a file.
///
/// Invariants
/// - A node is mutated only by a caller that has made it uniquely referenced; a shared node never changes.
/// - All leaves have the same depth, except a tail: the last child of a list's root may be a leaf that belongs deeper. An
///   element that is appended to a shared list takes a copy of the root, not of the way down. No node of a tree is empty.
/// - `ends[i]` is the number of elements in the children `0...i`; `separators[i]` belongs to the first element below
///   child `i`.
/// - Nodes split in halves, except where an element is appended: that leaves full nodes behind.
/// - Leaves share memory where one has the elements of the other and those appended since (`LeafHeader`). A leaf that is safe
///   to mutate has its memory alone, and no element behind its own.
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
  /// The address of the bounds of the ids in this subtree, an `IDBounds`, with a reference to it; 0: they are not known. Or one of
  /// the marks in `IDAscent`.
  @usableFromInline let bounds = Atomic<UInt>(0)
  /// The least id and the greatest where `bounds` is such a mark.
  @exclusivity(unchecked) @usableFromInline var ascent = (least: 0, greatest: 0)

  /// A leaf without elements.
  @inlinable
  init(leafCapacity: Int) {
    height = 0
    childShift = 0
    capacity = leafCapacity
    storage = Self.leafMemory(leafCapacity)
  }

  /// A leaf with the elements of another one and the one behind them, in the memory of that.
  @inlinable
  init(behind leaf: TreeNode) {
    height = 0
    childShift = 0
    capacity = leaf.capacity
    storage = leaf.storage
    slots = leaf.slots + 1
    count = slots
    header.pointee.owners.wrappingAdd(1, ordering: .relaxed)
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
    if height == 0 { return dropStorage() }
    // One by one: the runtime's function for several looks up how each is let go of.
    for index in 0..<slots { _ = (children + index).move() }
    separators.deinitialize(count: slots)
    NodeMemory.free(storage, Self.innerAlignment)
  }

  /// Lets go of a leaf's memory. The last owner destroys all elements in it.
  @inlinable
  func dropStorage() {
    let header = header
    guard
      header.pointee.owners.load(ordering: .acquiring) == 1
        || header.pointee.owners.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
    else { return }
    destroyElements(0..<header.pointee.filled.load(ordering: .relaxed))
    NodeMemory.free(storage, Self.leafAlignment)
  }

  /// The end of a node is the same code for all contents. For entries with run-time types it is spelled out: the
  /// runtime's own function looks up how to destroy each part of each of them. Most changes of a plugin's state bring
  /// such entries about.
  @inlinable
  func destroyElements(_ range: Range<Int>) {
    if Element.self == MapContent<MapKey, Value>.Entry.self {
      let entries = UnsafeMutableRawPointer(elements).assumingMemoryBound(to: MapContent<MapKey, Value>.Entry.self)
      for index in range { _ = (entries + index).move() }
    } else {
      (elements + range.lowerBound).deinitialize(count: range.count)
    }
  }

  /// A node with the same contents that shares the children.
  @inlinable
  func copy() -> TreeNode {
    if height == 0 { return copy(capacity: capacity) }
    let copy = TreeNode(height: height)
    Self.copy(children, to: copy.children, count: slots)
    Self.copy(separators, to: copy.separators, count: slots)
    copy.ends.initialize(from: ends, count: slots)
    copy.slots = slots
    copy.count = count
    return copy
  }

  /// A leaf with the same elements in memory of its own.
  @inlinable
  func copy(capacity: Int) -> TreeNode {
    let copy = TreeNode(leafCapacity: capacity)
    Self.copy(elements, to: copy.elements, count: slots)
    copy.setSlots(slots)
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
  @inlinable var elements: UnsafeMutablePointer<Element> {
    (storage + Self.elementsOffset).assumingMemoryBound(to: Element.self)
  }

  /// Stands before the elements of a leaf.
  @inlinable var header: UnsafeMutablePointer<LeafHeader> { storage.assumingMemoryBound(to: LeafHeader.self) }

  @inlinable static var leafAlignment: Int {
    max(MemoryLayout<LeafHeader>.alignment, MemoryLayout<Element>.alignment)
  }

  @inlinable static var elementsOffset: Int { max(MemoryLayout<LeafHeader>.size, MemoryLayout<Element>.alignment) }

  /// The memory of a leaf without elements.
  @inlinable
  static func leafMemory(_ capacity: Int) -> UnsafeMutableRawPointer {
    let memory = NodeMemory.allocate(elementsOffset + capacity * MemoryLayout<Element>.stride, leafAlignment)
    memory.bindMemory(to: LeafHeader.self, capacity: 1).initialize(to: LeafHeader())
    return memory
  }

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

/// The head of a leaf's memory, which a list and its past share.
///
/// A leaf to which an element is appended is not copied for those who have the list as it was: the longer leaf owns the same
/// memory, and each sees as many elements as it has. Only one can be appended behind a leaf, so that a second list that grows
/// from the same past copies. An element that no list has any more may stay until the memory goes.
@usableFromInline
struct LeafHeader: ~Copyable {
  /// The number of leaves in this memory.
  @usableFromInline let owners = Atomic<Int>(1)
  /// The number of elements in it.
  @usableFromInline let filled = Atomic<Int>(0)

  @inlinable
  init() {}
}

extension TreeNode {
  /// Claims the place behind the elements of a leaf; false: there is none, or another leaf has one there.
  @inlinable
  func claimNext() -> Bool {
    slots < capacity
      && header.pointee.filled.compareExchange(expected: slots, desired: slots + 1, ordering: .relaxed).exchanged
  }

  /// Whether the memory of the node is its own. Inner nodes share none.
  @inlinable
  @inline(__always)
  var hasOwnStorage: Bool { height > 0 || header.pointee.owners.load(ordering: .acquiring) == 1 }

  /// Makes the memory of a leaf safe to mutate, where the leaf is.
  @inlinable
  func makeStorageOwn() {
    guard height == 0 else { return }
    let filled = header.pointee.filled.load(ordering: .relaxed)
    if header.pointee.owners.load(ordering: .acquiring) == 1 {
      guard filled > slots else { return }
      destroyElements(slots..<filled)
      return header.pointee.filled.store(slots, ordering: .relaxed)
    }
    let own = Self.leafMemory(capacity)
    Self.copy(elements, to: (own + Self.elementsOffset).assumingMemoryBound(to: Element.self), count: slots)
    dropStorage()
    storage = own
    header.pointee.filled.store(slots, ordering: .relaxed)
  }

  /// Sets the number of elements of a leaf that is safe to mutate.
  @inlinable
  func setSlots(_ number: Int) {
    slots = number
    count = number
    header.pointee.filled.store(number, ordering: .relaxed)
  }

  /// Appends an element to a leaf in its place. The leaf as it was stays for those who have it.
  ///
  /// - Returns: a new leaf behind it, if it is full.
  @inlinable
  static func append(_ element: __owned Element, toLeaf place: inout TreeNode) -> TreeNode? {
    let leaf = Unmanaged.passUnretained(place)
    let slots = leaf._withUnsafeGuaranteedRef { $0.slots }
    if slots == maximumLeafCapacity {
      let next = TreeNode(leafCapacity: maximumLeafCapacity)
      next.insertElement(element, at: 0)
      return next
    }
    let isOwn = isKnownUniquelyReferenced(&place)
    if isOwn {
      leaf._withUnsafeGuaranteedRef { $0.dropBounds() }
      if leaf._withUnsafeGuaranteedRef({ $0.hasOwnStorage }) {
        leaf._withUnsafeGuaranteedRef {
          $0.makeStorageOwn()
          $0.insertElement(element, at: slots)
        }
        return nil
      }
    }
    if leaf._withUnsafeGuaranteedRef({ $0.claimNext() }) {
      let next = leaf._withUnsafeGuaranteedRef { $0.elements + slots }
      next.initialize(to: element)
      if isOwn {
        leaf._withUnsafeGuaranteedRef {
          $0.slots += 1
          $0.count += 1
        }
      } else {
        place = leaf._withUnsafeGuaranteedRef { TreeNode(behind: $0) }
      }
      return nil
    }
    let capacity = min(maximumLeafCapacity, max(slots + 1, leaf._withUnsafeGuaranteedRef { $0.capacity } * 2))
    let longer = leaf._withUnsafeGuaranteedRef { $0.copy(capacity: capacity) }
    longer.insertElement(element, at: slots)
    place = longer
    return nil
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
      Unmanaged.passUnretained(children[index])._withUnsafeGuaranteedRef {
        $0.dropBounds()
        $0.makeStorageOwn()
      }
    } else {
      children[index] = children[index].copy()
    }
  }

  /// Child `index`, where nobody but this node refers to it; else `isOwn` becomes false.
  @inlinable
  @inline(__always)
  func child(_ index: Int, isOwn: inout Bool) -> Unmanaged<TreeNode> {
    isOwn = isOwn && isKnownUniquelyReferenced(&children[index])
    let child = Unmanaged.passUnretained(children[index])
    isOwn = isOwn && child._withUnsafeGuaranteedRef { $0.hasOwnStorage }
    if isOwn { child._withUnsafeGuaranteedRef { $0.dropBounds() } }
    return child
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
  /// Appends an element below an inner node. When the node was full, the new node that is returned belongs right behind it.
  @inlinable
  func append(_ element: __owned Element) -> TreeNode? {
    let last = slots - 1
    let sibling: TreeNode?
    if height == 1 {
      sibling = Self.append(element, toLeaf: &children[last])
    } else {
      makeChildUnique(last)
      sibling = Unmanaged.passUnretained(children[last])._withUnsafeGuaranteedRef { $0.append(element) }
    }
    guard let sibling else {
      ends[last] += 1
      count += 1
      return nil
    }
    return append(child: sibling)
  }

  /// Appends a child. When the node was full, the new node that is returned has the child, and belongs right behind it.
  @inlinable
  func append(child: TreeNode) -> TreeNode? {
    let target = slots == Self.fanOut ? TreeNode(height: height) : self
    target.insertChild(child, at: target.slots)
    target.refreshEnds(from: target.slots - 1)
    return target === self ? nil : target
  }

  /// Appends an element below this root, an inner node. When the root was full, the new node that is returned belongs right
  /// behind it.
  @inlinable
  func appendBelowRoot(_ element: __owned Element) -> TreeNode? {
    guard Content.mayHaveTail, height > 1 else { return append(element) }
    let last = slots - 1
    let next: TreeNode
    if hasTail {
      guard let sibling = Self.append(element, toLeaf: &children[last]) else {
        ends[last] += 1
        count += 1
        return nil
      }
      moveTailDown()
      next = sibling
    } else {
      guard children[last].isLastLeafFull else { return append(element) }
      next = TreeNode(leafCapacity: Self.maximumLeafCapacity)
      next.insertElement(element, at: 0)
    }
    guard slots < Self.fanOut else { return next }
    insertChild(next, at: slots)
    refreshEnds(from: slots - 1)
    return nil
  }

  /// True if the last child of this root is a leaf that belongs deeper.
  @inlinable
  @inline(__always)
  var hasTail: Bool { Content.mayHaveTail && height > 1 && children[slots - 1].height == 0 }

  /// Moves the tail of this root to the depth of the other leaves.
  @inlinable
  func moveTailDown() {
    let tail = children[slots - 1]
    removeChild(at: slots - 1)
    let last = slots - 1
    makeChildUnique(last)
    if let sibling = children[last].append(leaf: tail) { insertChild(sibling, at: slots) }
    refreshEnds(from: last)
  }

  /// Appends a leaf below an inner node. When the node was full, the new node that is returned belongs right behind it.
  @inlinable
  func append(leaf: TreeNode) -> TreeNode? {
    let last = slots - 1
    var sibling: TreeNode? = leaf
    if height > 1 {
      makeChildUnique(last)
      sibling = children[last].append(leaf: leaf)
    }
    guard let sibling else {
      refreshEnds(from: last)
      return nil
    }
    return append(child: sibling)
  }

  /// True if the last leaf below this node has no room.
  @inlinable
  var isLastLeafFull: Bool {
    var node = Unmanaged.passUnretained(self)
    while node._withUnsafeGuaranteedRef({ $0.height }) > 0 {
      node = node._withUnsafeGuaranteedRef { Unmanaged.passUnretained($0.children[$0.slots - 1]) }
    }
    return node._withUnsafeGuaranteedRef { $0.slots } == Self.maximumLeafCapacity
  }

  /// Inserts before `offset`, which is not the end of the tree. When the node was full, its upper part moves to a new node,
  /// which is returned and belongs right behind this one.
  @inlinable
  func insert(_ element: __owned Element, at offset: Int) -> TreeNode? {
    guard height > 0 else { return insertIntoLeaf(element, at: offset) }
    let index = childIndex(at: max(0, offset - 1))
    let local = offset - start(of: index)
    makeChildUnique(index)
    let child = Unmanaged.passUnretained(children[index])
    let sibling = child._withUnsafeGuaranteedRef { $0.insert(element, at: local) }
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
    let right = splitOff(at: slots / 2)
    if index < slots {
      insertChild(sibling, at: index + 1)
      refreshEnds(from: index)
    } else {
      right.insertChild(sibling, at: index + 1 - slots)
      right.refreshEnds()
    }
    return right
  }

  @inlinable
  func insertIntoLeaf(_ element: __owned Element, at offset: Int) -> TreeNode? {
    guard slots == Self.maximumLeafCapacity else {
      insertElement(element, at: offset)
      return nil
    }
    let right = splitOff(at: slots / 2)
    if offset <= slots {
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
    let moved = Self.leafMemory(grown)
    (moved + Self.elementsOffset).assumingMemoryBound(to: Element.self).moveInitialize(from: elements, count: slots)
    NodeMemory.free(storage, Self.leafAlignment)
    storage = moved
    capacity = grown
    header.pointee.filled.store(slots, ordering: .relaxed)
  }

  /// Inserts into a leaf that is not full.
  @inlinable
  func insertElement(_ element: __owned Element, at index: Int) {
    reserve(slots + 1)
    Self.insert(element, in: elements, count: slots, at: index)
    setSlots(slots + 1)
  }

  /// Removes an element of a leaf, which `take` moves out or destroys.
  @inlinable
  func removeElement<R>(at index: Int, take: (UnsafeMutablePointer<Element>) -> R) -> R {
    let place = elements + index
    let taken = take(place)
    setSlots(slots - 1)
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
    if height == 0 {
      setSlots(slots - range.count)
      target.setSlots(target.slots + range.count)
    } else {
      slots -= range.count
      target.slots += range.count
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
  /// True if the root of a tree may have a tail.
  static var mayHaveTail: Bool { get }
}

/// Elements found by position alone.
@usableFromInline
enum ListContent<Element>: TreeContent {
  @inlinable
  static func separator(of element: UnsafePointer<Element>) {}

  /// Numbers and texts have none; told by their size, so that lists of them pay nothing for it.
  @inlinable static var mayHaveIDs: Bool { MemoryLayout<Element>.size > 8 && Element.self != String.self }

  @inlinable static var mayHaveTail: Bool { true }
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

  /// The numbers of entries name a child at each height.
  @inlinable static var mayHaveTail: Bool { false }
}
