/// A place in two trees from which they can be compared side by side, and how far it goes.
@usableFromInline
enum AlignedRun<Content: TreeContent> {
  /// Both places are at the same offset of shared subtrees, or of leaves in the same memory. So many elements in the direction of the walk, the one at
  /// the place among them, are the same.
  case shared(count: Int)
  /// The places are in two leaves. So many elements in the direction of the walk, the one at the place among them, can
  /// be looked at side by side.
  case separate(
    old: UnsafeMutablePointer<Content.Element>, new: UnsafeMutablePointer<Content.Element>, count: Int)

  /// Descends both trees at once, to places that exist. A node is found in both trees at the same height or not at all, so
  /// the higher side goes down first.
  ///
  /// Roots without a claim on them: counting references would cost more than all the rest.
  @inlinable
  init(
    _ oldRoot: Unmanaged<TreeNode<Content>>, _ oldIndex: Int, _ newRoot: Unmanaged<TreeNode<Content>>, _ newIndex: Int,
    _ direction: TreeDirection
  ) {
    var old = oldRoot
    var new = newRoot
    var oldOffset = oldIndex
    var newOffset = newIndex
    if old.toOpaque() == new.toOpaque(), oldOffset == newOffset {
      let count = old._withUnsafeGuaranteedRef { $0.count }
      self = .shared(count: direction == .forward ? count - oldOffset : oldOffset + 1)
      return
    }
    while true {
      let oldHeight = old._withUnsafeGuaranteedRef { $0.height }
      let newHeight = new._withUnsafeGuaranteedRef { $0.height }
      if oldHeight == newHeight {
        if oldHeight == 0 { break }
        let shared = old._withUnsafeGuaranteedRef { old in
          new._withUnsafeGuaranteedRef { old.sharedCount(from: oldOffset, with: $0, from: newOffset, direction) }
        }
        if shared > 0 {
          self = .shared(count: shared)
          return
        }
      }
      if oldHeight >= newHeight { old = old._withUnsafeGuaranteedRef { $0.child(at: &oldOffset) } }
      if newHeight >= oldHeight { new = new._withUnsafeGuaranteedRef { $0.child(at: &newOffset) } }
    }
    let (oldElements, oldSlots) = old._withUnsafeGuaranteedRef { ($0.elements, $0.slots) }
    let (newElements, newSlots) = new._withUnsafeGuaranteedRef { ($0.elements, $0.slots) }
    let count =
      direction == .forward ? min(oldSlots - oldOffset, newSlots - newOffset) : min(oldOffset, newOffset) + 1
    let (left, right) = (oldElements + oldOffset, newElements + newOffset)
    self = left == right ? .shared(count: count) : .separate(old: left, new: right, count: count)
  }
}

extension AlignedRun {
  /// Descends two trees by one edge, past the children that they share, to the first two leaves that they do not share.
  /// A step a level, where ``init(_:_:_:_:_:)`` begins at the roots each time.
  ///
  /// - Returns: the number of elements passed, and the leaves; nil: the trees are not alike down to there.
  @inlinable
  static func firstLeaves(
    _ oldRoot: Unmanaged<TreeNode<Content>>, _ newRoot: Unmanaged<TreeNode<Content>>, _ direction: TreeDirection
  ) -> (passed: Int, old: Unmanaged<TreeNode<Content>>, new: Unmanaged<TreeNode<Content>>)? {
    var (old, new, passed) = (oldRoot, newRoot, 0)
    while true {
      let pair = old._withUnsafeGuaranteedRef { left in
        new._withUnsafeGuaranteedRef { right -> (Int, Int)? in
          guard left.height == right.height else { return nil }
          if left.height == 0 { return (-1, -1) }
          let (last, otherLast, limit) = (left.slots &- 1, right.slots &- 1, min(left.slots, right.slots))
          var step = 0
          while step < limit {
            let (child, other) = direction == .forward ? (step, step) : (last &- step, otherLast &- step)
            guard left.isSameChild(child, of: right, other) else {
              passed &+= direction == .forward ? left.start(of: child) : left.count &- left.ends[child]
              return (child, other)
            }
            step &+= 1
          }
          return nil
        }
      }
      guard let (child, other) = pair else { return nil }
      if child < 0 { return (passed, old, new) }
      old = old._withUnsafeGuaranteedRef { Unmanaged.passUnretained($0.children[child]) }
      new = new._withUnsafeGuaranteedRef { Unmanaged.passUnretained($0.children[other]) }
    }
  }
}

extension AlignedRun {
  /// Descends two trees of as many elements to the only leaf in which they are not the same.
  ///
  /// - Returns: the number of elements before it, and the leaf of either; nil: the trees are not alike, or differ elsewhere too.
  @inlinable
  static func onlyLeaves(
    _ oldRoot: Unmanaged<TreeNode<Content>>, _ newRoot: Unmanaged<TreeNode<Content>>
  ) -> (passed: Int, old: Unmanaged<TreeNode<Content>>, new: Unmanaged<TreeNode<Content>>)? {
    var (old, new, passed) = (oldRoot, newRoot, 0)
    while true {
      let child = old._withUnsafeGuaranteedRef { left in
        new._withUnsafeGuaranteedRef { right -> Int? in
          guard left.height == right.height, left.slots == right.slots else { return nil }
          if left.height == 0 { return -1 }
          var (first, last) = (0, left.slots &- 1)
          while first < last, left.isSameChild(first, of: right, first) { first &+= 1 }
          while first < last, left.isSameChild(last, of: right, last) { last &-= 1 }
          passed &+= left.start(of: first)
          return first == last ? first : nil
        }
      }
      guard let child else { return nil }
      if child < 0 { return (passed, old, new) }
      old = old._withUnsafeGuaranteedRef { Unmanaged.passUnretained($0.children[child]) }
      new = new._withUnsafeGuaranteedRef { Unmanaged.passUnretained($0.children[child]) }
    }
  }
}

/// The direction in which two trees are walked.
@usableFromInline
enum TreeDirection {
  case forward
  case backward
}

extension TreeNode {
  /// The number of elements in a direction, from the one at `offset` on, that this inner node and another of the same
  /// height share. Their children are the same nodes there. Zero: the elements at the offsets are not in one shared
  /// child, at the same place.
  @inlinable
  func sharedCount(from offset: Int, with other: TreeNode, from otherOffset: Int, _ direction: TreeDirection) -> Int {
    let first = childIndex(at: offset)
    let otherFirst = other.childIndex(at: otherOffset)
    let local = offset &- start(of: first)
    guard local == otherOffset &- other.start(of: otherFirst), isSameChild(first, of: other, otherFirst) else {
      return 0
    }
    var run = 1
    switch direction {
    case .forward:
      let limit = min(slots &- first, other.slots &- otherFirst)
      while run < limit, isSameChild(first &+ run, of: other, otherFirst &+ run) { run &+= 1 }
      return ends[first &+ run &- 1] &- offset
    case .backward:
      let limit = min(first, otherFirst) &+ 1
      while run < limit, isSameChild(first &- run, of: other, otherFirst &- run) { run &+= 1 }
      return offset &- start(of: first &- run &+ 1) &+ 1
    }
  }

  @inlinable
  func isSameChild(_ index: Int, of other: TreeNode, _ otherIndex: Int) -> Bool {
    children[index] === other.children[otherIndex]
  }
}
