/// A place in a Lua state for one value that Lua code gives and gets back: it may be anything, and is never converted.
public final class LuaSlot: LuaReference {
  /// True if nothing is there, which Lua gets as nil.
  @exclusivity(unchecked) public internal(set) var isEmpty = true
  /// True if the value takes memory that counts for other calls.
  @exclusivity(unchecked) var isLong = false
}

extension LuaWriter {
  /// Writes what is in a slot of the same state.
  @inline(__always)
  public mutating func append(_ slot: LuaSlot) {
    if slot.isEmpty { appendNil() } else { append(slot as LuaReference) }
  }
}
