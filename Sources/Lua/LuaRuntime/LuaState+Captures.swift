import CLua

extension LuaState {
  /// What a function captures, in a number, and how many values that is.
  public struct CaptureDigest: Hashable, Sendable {
    /// The number.
    public let value: UInt64
    /// How many values were looked at for it.
    public let size: Int
  }

  /// A number that changes when a local that the function captures changes, or anything in a table, function or coroutine
  /// that is reached from one: taken before and after a call it tells whether the function kept state of its own. The
  /// global table, the libraries and what host objects stand for do not count.
  /// Of a table it is taken of what it holds.
  public func digestOfCaptures(_ function: LuaReference) throws(LuaError) -> CaptureDigest {
    var digest = CLuaDigest()
    if function.link === link { try check(clua_digestCaptures(machine, function.reference, &digest)) }
    return CaptureDigest(value: digest.value, size: Int(digest.size))
  }
}
