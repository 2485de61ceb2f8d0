import LuaRuntime
import StoreSchema

/// A copy of a value whose parts are not reached where they are.
struct WholePart {
  /// The value as it stood there.
  private let original: CopiedPart
  /// The number of bytes that it takes; 0: bytes do not tell.
  private let byteCount: Int
  /// The value as Lua reads it, a ``Value``.
  let value: CopiedPart

  init(_ value: Value, of schema: Schema, at address: UnsafeRawPointer) {
    original = schema.access.copy(address)
    byteCount = schema.access.byteCount
    self.value = withUnsafePointer(to: value) { Schema.dynamic(.any).access.copy(UnsafeRawPointer($0)) }
  }

  /// True if what stands at an address is known to be the same.
  func isCopy(of address: UnsafeRawPointer) -> Bool {
    // The copy holds what it refers to, so that nothing else can stand there.
    byteCount > 0
      && UnsafeRawBufferPointer(start: original.address, count: byteCount)
        .elementsEqual(UnsafeRawBufferPointer(start: address, count: byteCount))
  }
}

/// Lua's reads of values whose parts a Swift type changes together only: sets, ranges, types of one's own that are written as
/// lists or records. Lua gets a copy, which it reads as it does a part in place.
extension SliceObjects {
  /// Writes such a field or element.
  func writeWhole(
    _ part: UnsafeMutablePointer<SlicePart>, _ address: UnsafeRawPointer, _ parent: Int, _ step: SliceNode.Step,
    to result: inout LuaResult
  ) {
    withWhole(part.pointee, address) { schema, place in
      let known = copy(parent, step, of: place)
      result.append(known.map(object) ?? copy(part, schema, place, parent, step))
    }
  }

  /// Writes such an entry.
  func writeWhole(
    _ part: UnsafeMutablePointer<SlicePart>, _ address: UnsafeRawPointer, _ parent: Int, _ key: MapKey,
    to result: inout LuaResult
  ) {
    withWhole(part.pointee, address) { schema, place in
      if let known = copy(parent, key, of: place) { return result.append(object(known)) }
      meter.hold(key.heldBytes)
      keys.append(key)
      result.append(copy(part, schema, place, parent, .entry(keys.count - 1)))
    }
  }

  /// Hands out the value at an address and its type, through an optional.
  private func withWhole(_ part: SlicePart, _ address: UnsafeRawPointer, _ body: (Schema, UnsafeRawPointer) -> Void) {
    let schema = part.schema.unwrapped
    guard part.form == .optionalParts, case .optional(let access) = part.schema.access.parts else {
      return body(schema, address)
    }
    _ = access.read(address) { body(schema, $0) }
  }

  /// The object for a copy of what stands at an address.
  private func copy(
    _ part: UnsafeMutablePointer<SlicePart>, _ schema: Schema, _ address: UnsafeRawPointer, _ parent: Int,
    _ step: SliceNode.Step
  ) -> LuaObject {
    let value = schema.access.read(address)
    let extent = value.extent
    meter.work(extent)
    meter.hold(extent * MemoryLayout<Value>.stride + MemoryLayout<WholePart>.stride + MemoryLayout<SliceNode>.stride)
    wholes.append(WholePart(value, of: schema, at: address))
    let object = addPart(shape(of: part), parent, step, Place())
    // Not from the start: its parts have no place in the slice.
    nodes[Int(object.id)].presence = .whole(wholes.count - 1)
    nodes[Int(object.id)].time = 0
    return object
  }

  /// Refuses a write to a part of such a value, which would be one to the copy.
  func requireParts(_ number: Int) throws {
    var current = number
    while current >= 0 {
      if case .whole = nodes[current].presence {
        throw LuaFailure("\(label(current)) changes as a whole: assign a new value to it, not to its parts")
      }
      current = nodes[current].parent
    }
  }
}
