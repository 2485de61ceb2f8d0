import LuaRuntime

/// A reducer or projection, which may read what it captures and never change it.
final class WatchedFunction {
  let function: LuaFunction
  /// Whether it was seen to change what it captures. What it computes from then on depends on what nobody records.
  private(set) var isImpure = false
  /// Whether there is nothing that it could change.
  private var capturesNothing = false
  private var calls = 0

  private static let firstCalls = 32
  private static let period = 64

  init(_ function: LuaFunction) { self.function = function }

  /// Takes note of what cannot change while the plugin is loaded.
  ///
  /// - Parameter globalsAreFixed: whether no text of the plugin can replace its table of globals.
  func prepare(_ lua: LuaState, globalsAreFixed: Bool) {
    capturesNothing = globalsAreFixed && lua.capturesOnlyGlobals(function)
  }

  /// Counts a call, and answers the digest of what the function captures where this call is looked at.
  func digestBefore(_ purity: Purity, _ lua: LuaState) throws(LuaError) -> UInt64? {
    guard !capturesNothing else { return nil }
    switch purity {
    case .off: return nil
    case .always: break
    case .sampled:
      calls += 1
      guard calls <= Self.firstCalls || calls % Self.period == 0 else { return nil }
    }
    return try lua.digestOfCaptures(function)
  }

  /// Whether what the function captures is no longer what it was.
  func hasChanged(since digest: UInt64, _ lua: LuaState) throws(LuaError) -> Bool {
    isImpure = try lua.digestOfCaptures(function) != digest
    return isImpure
  }
}
