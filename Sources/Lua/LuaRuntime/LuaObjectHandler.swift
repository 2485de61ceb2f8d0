/// The host's side of its objects: what Lua reads, writes, counts and walks when it uses one.
///
/// Arguments and results are valid during the call only. An error thrown here is raised in Lua at the line that used
/// the object. If nothing in Lua catches it, the outermost call throws a ``LuaError`` with it as `underlying`.
public protocol LuaObjectHandler: AnyObject {
  /// `object[key]`: writes one value to `result`; nothing written is nil. A method is a function that is written.
  func get(_ object: LuaObject, key: LuaArgument, into result: inout LuaResult) throws

  /// `object[key] = value`.
  func set(_ object: LuaObject, key: LuaArgument, to value: LuaArgument) throws

  /// `#object`.
  func length(_ object: LuaObject) throws -> Int

  /// `table.insert(object, position, value)`, where elements move up for it, all at once.
  ///
  /// - Returns: false where nothing was done: element by element is the way then.
  func insert(_ value: LuaArgument, into object: LuaObject, at position: Int) throws -> Bool

  /// `table.remove(object, position)`, where elements move down, all at once; the element was read before.
  ///
  /// - Returns: as ``insert(_:into:at:)``.
  func remove(from object: LuaObject, at position: Int) throws -> Bool

  /// A step of `pairs` and `next`: writes the key after `previous` (the first one after nil), then its value. The order
  /// is the host's.
  ///
  /// - Parameter isWalk: true for `pairs`, which passes only keys that it got. `next` passes any key: an unknown one is
  ///   an error, as in Lua.
  /// - Returns: false at the end.
  func next(_ object: LuaObject, after previous: LuaArgument?, isWalk: Bool, into result: inout LuaResult) throws
    -> Bool

  /// `tostring(object)`.
  func describe(_ object: LuaObject) -> String

  /// Makes the window behind an object writable, if that can be.
  func openWindow(_ object: LuaObject)
}
