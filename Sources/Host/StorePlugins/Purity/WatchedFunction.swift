import LuaRuntime

/// A reducer or projection, which may read what it captures and never change it.
final class WatchedFunction {
  let function: LuaFunction
  /// Whether it was seen to change what it captures. What it computes from then on depends on what nobody records.
  @exclusivity(unchecked) private(set) var isImpure = false
  /// The number of the action in which it did so; nil: no action had it called.
  @exclusivity(unchecked) private(set) var guiltyAction: Int?
  /// Whether it was other code of the plugin that changed what the function captures.
  @exclusivity(unchecked) private(set) var isDisturbed = false
  /// What the function, and what it calls, reads of what is captured, as it was when it was looked at last; nil: it was not.
  @exclusivity(unchecked) private var readings: CaptureReadings?
  /// Whether there is nothing that it could change.
  @exclusivity(unchecked) private var capturesNothing = false
  @exclusivity(unchecked) private var calls = 0
  @exclusivity(unchecked) private var nextLook = 1
  @exclusivity(unchecked) private var valuesSeen = 0

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
    isLookedAt(purity) ? try digest(lua) : nil
  }

  /// Counts a call, and answers whether this call is looked at.
  @inline(__always)
  func isLookedAt(_ purity: Purity) -> Bool {
    guard !capturesNothing else { return false }
    switch purity {
    case .off: return false
    case .always: return true
    case .sampled:
      calls += 1
      return calls == nextLook
    }
  }

  /// The digest of what the function captures, before a call that is looked at.
  func digest(_ lua: LuaState) throws(LuaError) -> LuaState.CaptureDigest {
    let digest = try lua.digestOfCaptures(function)
    if calls == nextLook {
      valuesSeen += digest.size
      let isEarly = calls < Self.firstCalls && valuesSeen <= Self.firstValues
      nextLook += isEarly ? 1 : max(Self.period, digest.size * Self.callsForEachValue)
    }
    return digest
  }

  /// What the function reads of what is captured that is no longer what it was before the last call that was looked at, which
  /// changed nothing: other code of the plugin did. Nil: there is no such thing.
  func disturbance(_ lua: LuaState) throws(LuaError) -> String? {
    guard readings != nil else {
      readings = try CaptureReadings(of: function, lua)
      return nil
    }
    guard let name = try readings?.firstChange(lua) else { return nil }
    isImpure = true
    isDisturbed = true
    return name
  }

  /// Whether what the function captures is no longer what it was.
  func hasChanged(since digest: LuaState.CaptureDigest, _ lua: LuaState) throws(LuaError) -> Bool {
    isImpure = try lua.digestOfCaptures(function) != digest
    return isImpure
  }

  /// Notes that it was seen to change something else that stays.
  func noteImpurity() { isImpure = true }

  /// Notes in which action it was seen to do so, the first time.
  func noteGuilt(_ action: Int) {
    if isImpure, guiltyAction == nil { guiltyAction = action }
  }
}
