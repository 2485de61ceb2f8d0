import StoreCore
import TerminalSupport

/// What a person, a cat on the keyboard or a hostile clipboard does to a prompt, one deed after the other as a seed says.
struct Mischief {
  /// One deed.
  enum Deed {
    /// Presses keys.
    case keys([UInt8])
    /// Makes the window as wide as this.
    case width(Int)
    /// Looks on for some milliseconds.
    case rest(Int32)
  }

  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func next() -> Deed {
    switch random.number(0...99) {
    case 0..<22: .keys(Array(random.pick(Self.commands).utf8) + [0x0D])
    case 22..<34: .keys(Array(random.pick(Self.halves).utf8))
    case 34..<50: .keys([random.pick(Self.controls)])
    case 50..<62: .keys([0x1B] + Array(random.pick(Self.sequences).utf8))
    case 62..<68: .keys([0x1B, random.pick(Self.controls)])
    case 68..<74: .keys([0x12] + Array(random.pick(["di", "ec", "=", "zzz", "\u{7F}"]).utf8))
    case 74..<80: .keys(bytes(1...12))
    case 80..<86: .keys([3])
    case 86..<91: .width(random.number(1...250))
    case 91..<99: .rest(Int32(random.number(0...12)))
    default: .keys(paste(bytes: random.number(1...4000)))
    }
  }

  /// A paste of many bytes while the window is dragged wider and narrower, and now and then Ctrl-C is pressed.
  mutating func pasteWhileResizing(bytes count: Int) -> [Deed] {
    var rest = paste(bytes: count)[...]
    var deeds: [Deed] = []
    while !rest.isEmpty {
      let size = random.number(1...100_000)
      deeds.append(.keys(Array(rest.prefix(size))))
      rest = rest.dropFirst(size)
      deeds.append(random.number(0...19) == 0 ? .keys([3]) : .width(random.number(1...250)))
    }
    return deeds
  }

  /// A paste: of one line, of commands, or of any bytes; in brackets or not.
  private mutating func paste(bytes count: Int) -> [UInt8] {
    var text: [UInt8] = []
    switch random.number(0...3) {
    case 0: text = [UInt8](repeating: UInt8(ascii: "x"), count: count)
    case 1: text = bytes(count...count)
    default:
      // Lines as long as the terminal takes while a command runs.
      let line = Array("dispatch tasks.add title=\(String(repeating: "long ", count: random.number(1...780)))".utf8)
      while text.count < count { text += line + [0x0D] }
    }
    return random.number(0...1) == 0 ? text : Array("\u{1B}[200~".utf8) + text + Array("\u{1B}[201~".utf8)
  }

  /// The keys that leave the program (the terminal keeps a Ctrl-D that is typed ahead as a NUL), stop it or kill it, and
  /// the one that stops the terminal.
  private static let excluded: [UInt8] = [0x00, 0x04, 0x13, 0x1A, 0x1C]

  /// Bytes of any value, but for the excluded ones.
  private mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
    random.bytes(count).map { Self.excluded.contains($0) ? 0xFF : $0 }
  }

  private static let controls: [UInt8] = (0...31).filter { !excluded.contains($0) } + [0x7F]

  private static let sequences = [
    "[A", "[B", "[C", "[D", "[H", "[F", "[3~", "[200~", "[201~", "[1;5C", "[<0;3;3M", "[?", "OP", "OH", "b", "f", "d",
    "u",
    "c", "l", "t", ".", "_", "*", "?", "=", "9", "-", "#", "\\", "<", ">", "y", "\u{7F}", "99\u{1B}99x",
  ]

  private static let commands = [
    "dispatch counter.increment", "dispatch counter.incremnt", "dispatch tasks.add title=\"a task\"", "show tasks",
    "show",
    "= state.counter.value * 2", "= (1 +", "lua while true do end", "wait 20ms", "wait until false", "log 5",
    "describe tasks",
    "echo \u{4E00}\u{1F600}e\u{301}", "echo \"open", "undo", "redo", "effects", "history", "help dispatch",
    "let n = {1, 2}",
    "show counter --json", "try show nowhere", "trace on", "trace off", "", "   ", "source nowhere.stsh",
    "show tasks > out.txt",
    "watch tasks.items", "watch stop all", "watch counter.value", "project p = #state.tasks.items",
    "plot state.counter.value",
  ]

  private static let halves = [
    "dis\t", "dispatch \t\t", "dispatch counter.\t", "show tasks.\t\t", "= state.\t", "dispatch tasks.add t\t",
    "show $(st\t",
    "\u{5B57}\u{7B26}", "e\u{301}\u{200D}", "a long line that wraps at a narrow window and goes on after it ", "\"",
    "(", "\\",
    "source \t\t", "help \t\t", "\t", "\t\t\t", "set \t\t", "--\t\t", "plugin load /\t\t",
  ]
}

extension Mischief.Deed {
  /// Does it.
  func perform(at terminal: Terminal) {
    switch self {
    case .keys(let keys): terminal.type(keys)
    case .width(let columns): terminal.resize(columns: columns)
    case .rest(let milliseconds): terminal.lookOn(milliseconds: milliseconds)
    }
  }
}
