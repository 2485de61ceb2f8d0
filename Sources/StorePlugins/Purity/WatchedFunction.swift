import LuaRuntime

/// A reducer or projection, which may read what it captures and never change it.
final class WatchedFunction {
  let function: LuaFunction
  /// Whether it was seen to change what it captures. What it computes from then on depends on what nobody records.
  private(set) var isImpure = false
  /// Whether there is nothing that it could change.
  private var capturesNothing = false
  private var calls = 0
  private var nextLook = 1
  private var valuesSeen = 0

  private static let firstCalls = 32
  private static let firstValues = 8192
  private static let period = 64
  /// What is looked at in one call is spread over this many calls for each value.
  private static let callsForEachValue = 4

  init(_ function: LuaFunction) { self.function = function }

  /// Takes note of what cannot change while the plugin is loaded.
  ///
  /// - Parameter globalsAreFixed: whether no text of the plugin can replace its table of globals.
  func prepare(_ lua: LuaState, globalsAreFixed: Bool) {
    capturesNothing = globalsAreFixed && lua.capturesOnlyGlobals(function)
  }

  /// Counts a call, and answers the digest of what the function captures where this call is looked at.
  func digestBefore(_ purity: Purity, _ lua: LuaState) throws(LuaError) -> LuaState.CaptureDigest? {
    guard !capturesNothing else { return nil }
    switch purity {
    case .off: return nil
    case .always: return try lua.digestOfCaptures(function)
    case .sampled:
      calls += 1
      guard calls == nextLook else { return nil }
      let digest = try lua.digestOfCaptures(function)
      valuesSeen += digest.size
      let isEarly = calls < Self.firstCalls && valuesSeen <= Self.firstValues
      nextLook += isEarly ? 1 : max(Self.period, digest.size * Self.callsForEachValue)
      return digest
    }
  }

  /// Whether what the function captures is no longer what it was.
  func hasChanged(since digest: LuaState.CaptureDigest, _ lua: LuaState) throws(LuaError) -> Bool {
    isImpure = try lua.digestOfCaptures(function) != digest
    return isImpure
  }
}
