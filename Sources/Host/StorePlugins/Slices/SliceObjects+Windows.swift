import LuaRuntime
import StoreSchema

/// Records of the draft whose short fields Lua reads and writes in place (`LuaWindows`). A window is open as long as
/// the address of its record holds. Notes of writes through it are taken back in order with the writes of ``Undo``.
///
/// Nobody comes to share the memory behind a writable window. A record is shared by assigning it somewhere in the
/// draft, or by keeping a value that an assignment replaces. With every assignment time moves on, which shuts all
/// windows.
extension SliceObjects {
  /// Opens the window of a record of the draft. The window is for writing if its fields can be changed in place, since
  /// the way to them and they are nobody else's.
  ///
  /// - Returns: where the fields are, and whether they can be changed there; of what is no record nothing of use.
  @inline(__always)
  @discardableResult
  func showRecord(_ number: Int, _ shape: Unmanaged<SliceShape>, at address: UnsafeMutableRawPointer) -> FoundPart {
    shape._withUnsafeGuaranteedRef { shape in
      guard shape.form == .record else { return FoundPart(address, isOwn: false) }
      let isMutable = nodes[number].isMutable && isInPlace(number)
      let fields: FoundPart
      if !shape.isDynamic {
        fields = FoundPart(address, isOwn: isMutable)
      } else if isMutable {
        fields = RecordAccess.foundFields(address)
      } else {
        fields = FoundPart(UnsafeMutableRawPointer(mutating: RecordAccess.fields(address)), isOwn: false)
      }
      windows.open(number, shape.slots, fields.address, isWritable: fields.isOwn, parts: firstPart(number))
      return fields
    }
  }

  /// Opens the window of a record for writing, where it is still in the draft: elsewhere there is nothing to undo.
  func openWindow(_ object: LuaObject) {
    let number = Int(object.id)
    guard number < nodes.count, nodes[number].draft == draftNumber, isInPlace(number),
      let record = mutableAddress(number)
    else { return }
    nodes[number].shape._withUnsafeGuaranteedRef { shape in
      windows.open(
        number, shape.slots, mutableFields(number, shape, record), isWritable: true, parts: firstPart(number))
    }
  }

  /// Makes nodes for the parts of the draft that Lua finds without asking here, the next numbers.
  ///
  /// - Parameter fields: the address of the fields of the draft, and if they can be changed there.
  func addShownParts(of shape: Unmanaged<SliceShape>, _ fields: FoundPart) {
    shape._withUnsafeGuaranteedRef { shape in
      for number in 0..<shape.shownPartCount {
        let position = shape.shownParts[number]
        let part = shape.part(position)
        nodes.append(
          SliceNode(
            shape: self.shape(of: part), parent: 0, step: .field(position), draft: draftNumber,
            address: fields.address + part.pointee.offset, time: time, isMutable: fields.isOwn,
            generation: generation))
      }
    }
  }

  /// The number of the first part that Lua finds in the window of a node; 0: none.
  @inline(__always)
  private func firstPart(_ number: Int) -> Int { number == 0 && showsParts ? 1 : 0 }
}
