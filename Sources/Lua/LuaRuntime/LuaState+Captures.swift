import CLua

extension LuaState {
  /// A number for the captures of a function, and the count of values behind it.
  public struct CaptureDigest: Hashable, Sendable {
    /// The number.
    public let value: UInt64
    /// The number of values visited for it.
    public let size: Int
  }

  /// A number that changes when a captured local changes, or anything in a table, function or coroutine reached from
  /// one. Taken before and after a call, it tells if the function kept state of its own. The global table, the
  /// libraries and what host objects stand for do not count. Of a table it is taken of what it holds.
  public func digestOfCaptures(_ function: LuaReference) throws(LuaError) -> CaptureDigest {
    var digest = CLuaDigest()
    if function.link === link { try check(clua_digestCaptures(machine, function.reference, &digest)) }
    return CaptureDigest(value: digest.value, size: Int(digest.size))
  }
}
