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
    storage = UnsafeMutableRawPointer(UnsafeMutablePointer<Element>.allocate(capacity: leafCapacity))
  }

  /// An inner node without children.
  @inlinable
  init(height: Int) {
    self.height = height
    childShift = Self.leafShift + Self.fanOutShift * (height - 1)
    capacity = Self.fanOut
    storage = UnsafeMutableRawPointer.allocate(
      byteCount: Self.separatorsOffset + Self.fanOut * MemoryLayout<Content.Separator>.stride,
      alignment: max(MemoryLayout<TreeNode>.alignment, MemoryLayout<Content.Separator>.alignment))
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
    storage.deallocate()
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
