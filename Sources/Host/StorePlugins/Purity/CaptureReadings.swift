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

  /// So many are looked at, and so many values in them; what a function reads beyond is left out.
  private static let most = 200
  private static let mostValues = 100_000

  /// Looks at all that is read.
  init(of function: LuaFunction, _ lua: LuaState) throws(LuaError) {
    var pending: [(function: LuaFunction, caller: String?)] = [(function, nil)]
    var seen: Set<UInt64> = []
    var values = 0
    while let (function, caller) = pending.popLast() {
      for use in lua.captureUses(of: function) {
        guard readings.count < Self.most, values < Self.mostValues else { return }
        let look = try lua.look(at: use, of: function)
        values += look.size
        guard look.size > 0 else { continue }
        let name = caller.map { "'\(use.text)' of '\($0)'" } ?? "'\(use.text)'"
        readings.append(Reading(function: function, use: use, name: name, digest: look.digest))
        if let code = look.code, seen.insert(look.digest).inserted { pending.append((code, use.text)) }
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
