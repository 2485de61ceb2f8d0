import LuaRuntime
import StoreSchema

/// The undo of one write to a draft. Undone last first, each write meets the draft as it left it, so that its place is
/// found by the way that led to it.
struct Undo {
  /// The node that was written to.
  let node: Int
  let change: Edit
  /// The number of earlier writes through windows.
  let windowWrites: Int

  /// A write to a node, as what stood there before.
  enum Edit {
    /// A field or an element held this before.
    case assigned(SliceNode.Step, Value)
    /// A field or an element held what this assigns.
    case restored(SliceNode.Step, (UnsafeMutableRawPointer) -> Void)
    /// An element was added at a position.
    case inserted(Int)
    /// An element was taken away from a position.
    case removed(Int, Value)
    /// An entry held this before, or was not there.
    case entry(MapKey, Value?)
  }
}

extension SliceObjects {
  /// Notes the undo of a write. A value that is no longer in the draft needs none.
  @inline(__always)
  func note(_ node: Int, _ change: Undo.Edit) {
    guard isInPlace(node) else { return }
    meter.hold(MemoryLayout<Undo>.stride)
    undos.append(Undo(node: node, change: change, windowWrites: windows.writeCount))
  }

  /// True if a node, and all its parents, are still in place.
  @inline(__always)
  func isInPlace(_ node: Int) -> Bool {
    var current = node
    while current >= 0 {
      guard nodes[current].presence == .inPlace else { return false }
      current = nodes[current].parent
    }
    return true
  }

  /// The number of writes through windows before the last other write.
  private var writesBeforeLast: Int { undos.isEmpty ? 0 : undos[undos.count - 1].windowWrites }

  /// Takes back all writes to the draft.
  func undo() {
    time += 1
    // The former value is of the draft's types and finds its place: nothing here has a reason to fail.
    while true {
      if windows.writeCount > writesBeforeLast, let write = windows.popWrite() {
        try? modify(write.window, isOriginal: true) { try undo(write, $0) }
      } else if let entry = undos.popLast() {
        try? modify(entry.node, isOriginal: true) { try undo(entry, $0) }
      } else {
        break
      }
    }
    time += 1
  }

  private func undo(_ write: LuaWindows.Write, _ record: UnsafeMutableRawPointer) throws {
    let shape = shape(write.window)
    try shape.record.modify(record, write.slot) { write.restore(shape.slots[write.slot], at: $0) }
  }

  private func undo(_ entry: Undo, _ memory: UnsafeMutableRawPointer) throws {
    let shape = shape(entry.node)
    switch (entry.change, shape.form) {
    case (.assigned(.field(let position), let value), .record):
      try shape.record.modify(memory, position) { try shape.fields[position].schema.access.assign(value, $0) }
    case (.assigned(.element(let position), let value), .list):
      try shape.list.modify(memory, position) { try shape.element.pointee.schema.access.assign(value, $0) }
    case (.restored(.field(let position), let restore), .record):
      try shape.record.modify(memory, position) { restore($0) }
    case (.restored(.element(let position), let restore), .list):
      try shape.list.modify(memory, position) { restore($0) }
    case (.inserted(let position), .list): shape.list.remove(memory, position)
    case (.removed(let position, let value), .list): try shape.list.insert(memory, position, value)
    case (.entry(let key, let value?), _): try shape.map.set(memory, key, value)
    case (.entry(let key, nil), _): shape.map.remove(memory, key)
    default: break
    }
  }
}
