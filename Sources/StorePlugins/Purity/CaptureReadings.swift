import LuaRuntime

/// What a function reads that is no argument, and what the functions that it calls read: variables that they capture, and fields
/// of tables in those. What is there besides, such as a field of a table that other code keeps its own in, does not count.
struct CaptureReadings {
  private struct Reading {
    let function: LuaFunction
    let use: LuaState.CaptureUse
    /// How messages name it.
    let name: String
    let digest: UInt64
  }

  private var readings: [Reading] = []

  /// So many are looked at; a function that reads more is looked at in part.
  private static let most = 200

  /// Looks at all that is read.
  init(of function: LuaFunction, _ lua: LuaState) throws(LuaError) {
    var pending: [(function: LuaFunction, caller: String?)] = [(function, nil)]
    var seen: Set<UInt64> = []
    while let (function, caller) = pending.popLast(), readings.count < Self.most {
      for use in lua.captureUses(of: function) {
        let (digest, code) = try lua.look(at: use, of: function)
        let name = use.field.map { "\(use.name).\($0)" } ?? use.name
        readings.append(
          Reading(
            function: function, use: use, name: caller.map { "'\(name)' of '\($0)'" } ?? "'\(name)'", digest: digest))
        if let code, seen.insert(digest).inserted { pending.append((code, name)) }
      }
    }
  }

  /// The first that has changed, by its name.
  func firstChange(_ lua: LuaState) throws(LuaError) -> String? {
    for reading in readings {
      if try lua.look(at: reading.use, of: reading.function).digest != reading.digest { return reading.name }
    }
    return nil
  }
}
