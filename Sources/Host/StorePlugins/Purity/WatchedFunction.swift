import LuaRuntime

/// A reducer, projection or `migrate`, which may read what it captures and never change it.
///
/// The code shows assignments to captured locals. A table that the function fills shows only here, at the call that
/// fills it: the action is undone before any journal holds it. Changes by a middleware show in the proof of
/// `plugin test --pure`.
///
/// Of the three, this one alone costs anything while a store runs: a comparison a call, and a digest of the captures at the
/// first 32 calls, then at most at every 64th. A replay runs reducers without what else changed their captures, so that a
/// state of their own would have undo and `goto` show what never was.
final class WatchedFunction {
  let function: LuaFunction
  /// True if the function was seen to change its captures. Its results from then on depend on state that nobody
  /// records.
  @exclusivity(unchecked) private(set) var isImpure = false
  /// The number of the action in which it did so; nil: no action had it called.
  @exclusivity(unchecked) private(set) var guiltyAction: Int?
  /// True if there is nothing that it could change.
  @exclusivity(unchecked) private var capturesNothing = false
  @exclusivity(unchecked) private var calls = 0
  @exclusivity(unchecked) private var nextLook = 1
  @exclusivity(unchecked) private var valuesSeen = 0

  private static let firstCalls = 32
  private static let firstValues = 8192
  private static let period = 64
  /// The cost of a look is spread over this many calls for each value.
  private static let callsForEachValue = 4

  init(_ function: LuaFunction) { self.function = function }

  /// Takes note of what cannot change while the plugin is loaded.
  ///
  /// - Parameter globalsAreFixed: true if no text of the plugin can replace its table of globals.
  func prepare(_ lua: LuaState, globalsAreFixed: Bool) {
    capturesNothing = globalsAreFixed && lua.capturesOnlyGlobals(function)
  }

  /// Counts a call, and answers the digest of what the function captures where this call is looked at.
  @inline(__always)
  func digestBefore(_ purity: Purity, _ lua: LuaState) throws(LuaError) -> LuaState.CaptureDigest? {
    isLookedAt(purity) ? try digest(lua) : nil
  }

  @inline(__always)
  private func isLookedAt(_ purity: Purity) -> Bool {
    guard !capturesNothing else { return false }
    switch purity {
    case .off: return false
    case .always: return true
    case .sampled:
      calls += 1
      return calls == nextLook
    }
  }

  private func digest(_ lua: LuaState) throws(LuaError) -> LuaState.CaptureDigest {
    let digest = try lua.digestOfCaptures(function)
    if calls == nextLook {
      valuesSeen += digest.size
      let isEarly = calls < Self.firstCalls && valuesSeen <= Self.firstValues
      nextLook += isEarly ? 1 : max(Self.period, digest.size * Self.callsForEachValue)
    }
    return digest
  }

  /// The change since before a call, in the captures of the function and the modules that it required, as messages name
  /// it.
  ///
  /// - Parameter digest: of what it captured before the call; nil: nobody looked.
  func change(
    since digest: LuaState.CaptureDigest?, _ modules: RequiredModules, _ purity: Purity, _ lua: LuaState
  ) throws(LuaError) -> String? {
    var changed: String?
    if try modules.takeChanges(lua), purity != .off { changed = "a module that it requires" }
    if let digest, try lua.digestOfCaptures(function) != digest { changed = "a captured local" }
    if changed != nil { isImpure = true }
    return changed
  }

  /// Notes in which action it was seen to do so, the first time.
  func noteGuilt(_ action: Int) {
    if isImpure, guiltyAction == nil { guiltyAction = action }
  }
}
