/// The tree as a value: positions, in-place access, insertion and removal. Copies share nodes; a mutation copies
/// the nodes on its path that are shared, and no others.
@usableFromInline
struct CountedTree<Content: TreeContent> {
  @usableFromInline typealias Node = TreeNode<Content>
  @usableFromInline typealias Element = Content.Element

  @usableFromInline var root: Node?

  @inlinable
  init() {}

  @inlinable var count: Int { root?.count ?? 0 }

  @inlinable
  func isIdentical(to other: Self) -> Bool { root === other.root }

  /// The root without a claim on it: descending costs no reference counting while `self` keeps the nodes alive.
  @inlinable var unmanagedRoot: Unmanaged<Node>? {
    guard let root else { return nil }
    return Unmanaged.passUnretained(root)
  }

  /// Makes the root safe to mutate.
  /// - Parameter keepsFormer: true if a copy may keep the node that it is made of, because it stays the root.
  @inlinable
  mutating func makeRootUnique(keepsFormer: Bool = false) {
    if isKnownUniquelyReferenced(&root) {
      unmanagedRoot?._withUnsafeGuaranteedRef {
        $0.dropFormer()
        $0.dropBounds()
        $0.makeStorageOwn()
      }
    } else if let node = root.take() {
      root = keepsFormer ? Node.successor(of: node) : node.copy()
    }
  }

  /// Makes the root safe to mutate, without a tail.
  @inlinable
  mutating func makeRootRegular() {
    makeRootUnique()
    unmanagedRoot?._withUnsafeGuaranteedRef { if $0.hasTail { $0.moveTailDown() } }
  }

  /// The address of the element at `index`, valid as long as the tree is neither mutated nor released.
  @inlinable
  func element(at index: Int) -> UnsafeMutablePointer<Element> {
    let run = leaf(at: index)
    return run.elements + run.offset
  }

  /// The leaf that holds the element at `index`: its elements, their number, and the element's place among them.
  @inlinable
  func leaf(at index: Int) -> (elements: UnsafeMutablePointer<Element>, count: Int, offset: Int) {
    guard var node = unmanagedRoot, index >= 0, index < count else { preconditionFailure("Index out of range") }
    var offset = index
    while node._withUnsafeGuaranteedRef({ $0.height }) > 0 {
      node = node._withUnsafeGuaranteedRef { $0.child(at: &offset) }
    }
    return node._withUnsafeGuaranteedRef { ($0.elements, $0.slots, offset) }
  }

  /// The address of the element at `index`, to be changed in place; copies shared nodes on the way.
  @inlinable
  mutating func mutableElement(at index: Int) -> UnsafeMutablePointer<Element> {
    makeRootUnique(keepsFormer: true)
    guard var node = unmanagedRoot, index >= 0, index < count else { preconditionFailure("Index out of range") }
    var offset = index
    while node._withUnsafeGuaranteedRef({ $0.height }) > 0 {
      node = node._withUnsafeGuaranteedRef { $0.uniqueChild(at: &offset) }
    }
    return node._withUnsafeGuaranteedRef { $0.elements + offset }
  }

  /// The address of the element at `index`, with a flag: true if it can be changed there, as all nodes on the way are
  /// this tree's own. Copies nothing.
  @inlinable
  mutating func findElement(at index: Int) -> (element: UnsafeMutablePointer<Element>, isOwn: Bool) {
    guard var node = unmanagedRoot, index >= 0, index < count else { preconditionFailure("Index out of range") }
    var isOwn = isKnownUniquelyReferenced(&root) && node._withUnsafeGuaranteedRef { $0.hasOwnStorage }
    if isOwn { node._withUnsafeGuaranteedRef { $0.dropBounds() } }
    var offset = index
    while node._withUnsafeGuaranteedRef({ $0.height }) > 0 {
      node = node._withUnsafeGuaranteedRef { node in
        let child = node.childIndex(at: offset)
        offset &-= node.start(of: child)
        return node.child(child, isOwn: &isOwn)
      }
    }
    return (node._withUnsafeGuaranteedRef { $0.elements + offset }, isOwn)
  }

  /// The address of the element of a number (`TreeNode.numberShift`), to be changed in place; copies shared nodes on
  /// the way.
  @inlinable
  mutating func mutableElement(numbered number: Int) -> UnsafeMutablePointer<Element> {
    makeRootUnique(keepsFormer: true)
    guard var node = unmanagedRoot else { preconditionFailure("No such element") }
    while true {
      let height = node._withUnsafeGuaranteedRef { $0.height }
      let index = Node.index(of: number, atHeight: height)
      precondition(index < node._withUnsafeGuaranteedRef { $0.slots }, "No such element")
      if height == 0 { return node._withUnsafeGuaranteedRef { $0.elements + index } }
      node = node._withUnsafeGuaranteedRef { node in
        node.makeChildUnique(index)
        return Unmanaged.passUnretained(node.children[index])
      }
    }
  }

  /// Inserts before `index`, which may be `count`.
  @inlinable
  mutating func insert(_ element: __owned Element, at index: Int) {
    precondition(index >= 0 && index <= count, "Index out of range")
    if index == count { return append(element) }
    makeRootRegular()
    grow(by: unmanagedRoot?._withUnsafeGuaranteedRef { $0.insert(element, at: index) })
  }

  /// Inserts behind all others.
  @inlinable
  mutating func append(_ element: __owned Element) {
    if unmanagedRoot?._withUnsafeGuaranteedRef({ $0.height > 0 }) ?? false {
      makeRootUnique()
      // Taken out and put back: in a closure the element would be a copy.
      guard let node = root.take() else { return }
      let sibling = node.appendBelowRoot(element)
      root = node
      return grow(by: sibling)
    }
    var leaf = root.take() ?? Node(leafCapacity: 4)
    let sibling = Node.append(element, toLeaf: &leaf)
    root = leaf
    grow(by: sibling)
  }

  /// Puts a root above the present one and a new node behind that.
  @inlinable
  mutating func grow(by sibling: Node?) {
    guard let sibling, let node = root else { return }
    let parent = Node(height: node.height + 1)
    parent.insertChild(node, at: 0)
    parent.insertChild(sibling, at: 1)
    parent.refreshEnds()
    root = parent
  }

  @inlinable
  mutating func remove(at index: Int) -> Element { remove(at: index, take: { $0.move() }) }

  /// Removes the element at `index`, which `take` moves out or destroys.
  @inlinable
  mutating func remove<R>(at index: Int, take: (UnsafeMutablePointer<Element>) -> R) -> R {
    makeRootRegular()
    guard let node = root, index >= 0, index < node.count else { preconditionFailure("Index out of range") }
    let taken = node.remove(at: index, take: take)
    while let node = root, node.height > 0, node.slots == 1 { root = node.children.pointee }
    if node.count == 0 { root = nil }
    return taken
  }
}
