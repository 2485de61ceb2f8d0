import CLua

/// A value of the host as Lua holds it: three plain numbers that the host chooses and Lua only carries about. Lua compares
/// objects by these numbers; handing one out allocates nothing.
public struct LuaObject: Hashable, Sendable {
  @usableFromInline let raw: CLuaObject

  /// An object from its numbers; of each only the low bits count: 4 of `tag`, 24 of `id`, 28 of `generation`.
  @inlinable
  public init(tag: UInt32, id: UInt32, generation: UInt32 = 0) {
    raw =
      UInt64(tag & 0xf) << 52 | UInt64(generation & LuaObject.maximumGeneration) << 24
      | UInt64(id & LuaObject.maximumID)
  }

  @usableFromInline
  init(_ raw: CLuaObject) { self.raw = raw }

  /// The kind of the object.
  @inlinable public var tag: UInt32 { UInt32(truncatingIfNeeded: raw >> 52) }
  /// The number of the object within its kind.
  @inlinable public var id: UInt32 { UInt32(truncatingIfNeeded: raw) & LuaObject.maximumID }
  /// When it was handed out, so that the host can refuse one that Lua kept for too long.
  @inlinable public var generation: UInt32 { UInt32(truncatingIfNeeded: raw >> 24) & LuaObject.maximumGeneration }

  /// The largest `id`.
  @inlinable public static var maximumID: UInt32 { 0xff_ffff }
  /// The largest `generation`.
  @inlinable public static var maximumGeneration: UInt32 { 0xfff_ffff }
}
