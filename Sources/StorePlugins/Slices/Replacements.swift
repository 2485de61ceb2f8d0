import StoreSchema

/// The parts of a draft that were overwritten or taken away during a call, with what stood there. An object that Lua
/// got for such a part keeps standing for the old value, as a Lua table would: so `a[1], a[2] = a[2], a[1]` and
/// `table.sort` do on a list of records what they do on plain tables.
struct Replacements {
  private var list: [Replacement] = []

  private struct Replacement {
    let parent: Int
    let step: SliceNode.Step
    /// What stood there; nil where its memory is no ``Value``, which cannot be kept.
    let old: Value?
  }

  /// How many parts were replaced so far: what a new node has seen.
  var count: Int { list.count }

  /// Notes that a part is about to be overwritten or taken away.
  mutating func note(_ parent: Int, _ step: SliceNode.Step, old: Value?) {
    list.append(Replacement(parent: parent, step: step, old: old))
  }

  /// Forgets everything.
  mutating func removeAll() { list.removeAll(keepingCapacity: true) }

  /// Brings a node up to date: where it, or a node that it is a part of, was replaced since it was last looked at, it
  /// leaves the draft together with the value that it stands for.
  func settle(_ index: Int, in nodes: [SliceNode]) {
    let (parent, seen) = (nodes[index].parent, nodes[index].seen)
    guard parent >= 0, seen < list.count else { return }
    settle(parent, in: nodes)
    nodes[index].seen = list.count
    for replaced in list[seen...]
    where replaced.step == nodes[index].step && isSamePlace(replaced.parent, parent, in: nodes) {
      nodes[index].leave(with: replaced.old)
      return
    }
  }

  private func isSamePlace(_ left: Int, _ right: Int, in nodes: [SliceNode]) -> Bool {
    if left == right { return true }
    let (first, second) = (nodes[left], nodes[right])
    return first.step == second.step && first.parent >= 0 && second.parent >= 0
      && isSamePlace(first.parent, second.parent, in: nodes)
  }
}

/// The value of a part that is no longer in the draft.
final class LoosePart {
  var value: Value

  init(_ value: Value) { self.value = value }
}
