import CLua

/// A value of the host as Lua holds it: three plain numbers that the host chooses and Lua only carries about.
public struct LuaObject: Hashable, Sendable {
  /// What kind of thing it is.
  public var tag: UInt32
  /// Which one it is.
  public var id: UInt32
  /// When it was handed out, so that the host can refuse one that Lua kept for too long.
  public var generation: UInt32

  /// An object from its numbers.
  public init(tag: UInt32, id: UInt32, generation: UInt32 = 0) {
    self.tag = tag
    self.id = id
    self.generation = generation
  }

  @usableFromInline
  init(_ object: CLuaObject) {
    self.init(tag: object.tag, id: object.id, generation: object.generation)
  }

  @usableFromInline
  var raw: CLuaObject { CLuaObject(tag: tag, id: id, generation: generation) }
}
