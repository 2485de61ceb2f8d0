/// A place in two trees from which they can be compared side by side.
@usableFromInline
enum AlignedRun<Content: TreeContent> {
  /// Both places are at the same offset of one shared subtree, with so many elements before them and so many from
  /// them on: all of these are the same.
  case shared(before: Int, after: Int)
  /// The places are in two leaves; side by side, so many elements can be looked at before them and from them on.
  case separate(
    old: UnsafeMutablePointer<Content.Element>, new: UnsafeMutablePointer<Content.Element>, before: Int, after: Int)

  /// Descends both trees at once. A node is found in both trees at the same height or not at all, so the higher
  /// side goes down first.
  @inlinable
  init(_ oldRoot: TreeNode<Content>, _ oldIndex: Int, _ newRoot: TreeNode<Content>, _ newIndex: Int) {
    var old = oldRoot
    var new = newRoot
    var oldOffset = oldIndex
    var newOffset = newIndex
    while true {
      if old === new && oldOffset == newOffset {
        self = .shared(before: oldOffset, after: old.count - oldOffset)
        return
      }
      let oldHeight = old.height
      let newHeight = new.height
      if oldHeight == 0 && newHeight == 0 { break }
      if oldHeight >= newHeight {
        let child = old.childIndex(at: oldOffset)
        oldOffset -= old.start(of: child)
        old = old.children[child]
      }
      if newHeight >= oldHeight {
        let child = new.childIndex(at: newOffset)
        newOffset -= new.start(of: child)
        new = new.children[child]
      }
    }
    self = .separate(
      old: old.elements + oldOffset, new: new.elements + newOffset,
      before: min(oldOffset, newOffset), after: min(old.slots - oldOffset, new.slots - newOffset))
  }
}
