@testable import StoreShell

/// Commands at random over the standard modules, substates and the plugins `bag`, `lift` and `pomodoro`, with loads, reloads,
/// gates, undo, imports and looks at the past; the same ones for the same seed.
struct GeneratedCommands {
  private var state: UInt64
  private let folder: String
  private let hasLimits: Bool
  /// What was asked for and is still to come.
  private var pending: [String] = []

  /// - Parameter hasLimits: whether memory may be told to let go of what is older.
  init(seed: UInt64, folder: String, hasLimits: Bool = true) {
    state = seed
    self.folder = folder
    self.hasLimits = hasLimits
  }

  /// The plugins that need to be granted.
  static let grants: Set<String> = ["lift", "pomodoro"]

  /// Puts the plugins into a session's folder.
  static func prepare(_ shell: Shell) throws {
    try shell.copyPlugin("pomodoro")
    _ = try shell.plugin("bag", RecordingTests.bag)
    _ = try shell.plugin("lift", lift, permissions: #"["reduce:counter"]"#)
  }

  /// Reduces another module's slice, one of Swift.
  private static let lift = """
    return plugin {
      lifted = {
        { at = "counter", on = "counter.double", args = { field("times", int()) },
          reduce = function(s, a) s.value = s.value * 2 * a.times end },
        { at = "counter", on = "counter.increment", reduce = function(s) s.step = s.step + 1 end },
      },
    }
    """

  /// SeededGenerator (Steele, Lea, Flood).
  private mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((z ^ (z >> 31)) % UInt64(bound))
  }

  mutating func next() -> String {
    if let next = pending.popLast() { return next }
    switch below(32) {
    case 0: return "plugin load \(folder)/bag"
    case 1: return "plugin load \(folder)/pomodoro"
    case 2: return "plugin unload \(["bag", "lift", "pomodoro"][below(3)])"
    case 3: return "plugin reload \(["bag", "lift", "pomodoro"][below(3)])\(below(3) == 0 ? " --reset" : "")"
    case 4: return "plugin \(["enable", "disable"][below(2)]) \(["bag", "lift"][below(2)])"
    case 5: return "middleware \(["on", "off"][below(2)]) \(["logger", "pomodoro.clock"][below(2)])"
    case 6: return "dispatch pomodoro.start minutes=\(below(3)) task=\(below(4))"
    case 7: return "wait \(below(900))00ms"
    case 8: return "undo \(1 + below(3))"
    case 9: return "redo"
    case 10: return "undo --to \(below(30))"
    case 11: return "set \(["emit always", "emit whenDifferent", "runaway 200"][below(3)])"
    case 12: return "export state \(folder)/s\(below(2)).json"
    case 13: return "import state \(folder)/s\(below(2)).json"
    case 14: return "dispatch counter.increment by=\(below(9))"
    case 15: return "dispatch tasks.add \(["milk", "\"a \\\"b\\\"\"", "é"][below(3)]) --info note"
    case 16: return "dispatch tasks.complete \(below(4))"
    case 17: return "dispatch tasks.remove \(below(4))"
    case 18: return "dispatch bag.tick"
    case 24:
      pending = ["goto head", "dispatch counter.increment", "show --as json"]
      return "goto \(below(40))"
    case 25:
      pending = ["goto head", "unskip #\(below(20))", "skip #\(below(20))"]
      return "skip #\(below(20))"
    case 26: return hasLimits ? "set journal.limit \(1 + below(20))" : "set journal.limit 500"
    case 27: return "substate add \(["cart", "note"][below(2)]) --value \(below(9))\(below(2) == 0 ? " --replace" : "")"
    case 28: return "substate reset\(["", " cart", " note"][below(3)])"
    case 29: return "plugin load \(folder)/lift"
    case 30: return "dispatch counter.double \(below(3))"
    case 19: return "dispatch bag.take \(below(6))"
    default: return "dispatch bag.put \(below(6))"
    }
  }
}
