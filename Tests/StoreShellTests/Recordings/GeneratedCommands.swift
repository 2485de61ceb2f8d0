/// Commands at random over the standard modules and the plugins `bag` and `pomodoro`, with loads, reloads, gates, undo, imports
/// and looks at the past; the same ones for the same seed.
struct GeneratedCommands {
  private var state: UInt64
  private let folder: String
  /// What was asked for and is still to come.
  private var pending: [String] = []

  init(seed: UInt64, folder: String) {
    state = seed
    self.folder = folder
  }

  /// SplitMix64 (Steele, Lea, Flood).
  private mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((z ^ (z >> 31)) % UInt64(bound))
  }

  mutating func next() -> String {
    if let next = pending.popLast() { return next }
    switch below(26) {
    case 0: return "plugin load \(folder)/bag"
    case 1: return "plugin load \(folder)/pomodoro"
    case 2: return "plugin unload \(["bag", "pomodoro"][below(2)])"
    case 3: return "plugin reload \(["bag", "pomodoro"][below(2)])\(below(3) == 0 ? " --reset" : "")"
    case 4: return "plugin \(["enable", "disable"][below(2)]) bag"
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
    case 19: return "dispatch bag.take \(below(6))"
    default: return "dispatch bag.put \(below(6))"
    }
  }
}
