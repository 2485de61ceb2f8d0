import LuaRuntime
import StoreSchema

/// Records of the draft whose short fields Lua reads and writes in place (`LuaWindows`). A window is open for as long as the
/// address of its record holds; what is noted of a write through it is taken back in order with the writes of ``Undo``.
///
/// Nobody comes to share the memory behind a window that is writable: a record is shared by assigning it somewhere in the
/// draft, or by keeping what an assignment replaces, and with every assignment time moves on, which shuts all windows.
extension SliceObjects {
  /// Opens the window of a record of the draft for reading, where it has fields to show.
  @inline(__always)
  func showRecord(_ number: Int, _ shape: Unmanaged<SliceShape>, at address: UnsafeRawPointer) {
    shape._withUnsafeGuaranteedRef { shape in
      guard shape.slots.count > 0 else { return }
      windows.open(
        number, shape.slots, shape.isDynamic ? RecordAccess.fields(address) : address, isWritable: false)
    }
  }

  /// Opens the window of a record for writing, where it is still in the draft: elsewhere there is nothing to undo.
  func openWindow(_ object: LuaObject) {
    let number = Int(object.id)
    guard number < nodes.count, nodes[number].draft == draftNumber, isInPlace(number),
      let record = mutableAddress(number)
    else { return }
    nodes[number].shape._withUnsafeGuaranteedRef { shape in
      windows.open(number, shape.slots, mutableFields(number, shape, record), isWritable: true)
    }
  }
}
