import StoreCore
import TerminalSupport

/// Generated inputs: what a grammar allows, and what a few damages make of it.
struct Fodder {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// A text that is right or has been damaged.
  mutating func damaged(_ text: String) -> [UInt8] {
    var bytes = Array(text.utf8)
    for _ in 0..<random.number(0...3) {
      let at = random.number(0...bytes.count)
      switch random.number(0...5) {
      case 0: bytes.insert(contentsOf: Array(random.pick(Self.splinters).utf8), at: at)
      case 1:
        bytes.insert(contentsOf: random.bytes(1...3).map { $0 == 0x3E || $0 == 0x7C || $0 == 0 ? 0xC3 : $0 }, at: at)
      case 2: bytes.removeSubrange(at..<min(bytes.count, at + random.number(1...5)))
      case 3: bytes = Array(bytes[..<at])
      case 4: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 12)], at: at)
      default: if at < bytes.count { bytes[at] ^= 1 << UInt8(random.number(0...6)) }
      }
    }
    return bytes
  }

  /// A statement of commands that neither leave, nor write files, nor wait for long.
  mutating func statement(depth: Int = 3) -> String {
    switch random.number(0...11) {
    case 0: "show \(path()) --as \(random.pick(["json", "table", "tree", "lua", "raw", "csv", "spark", "jsonl", "x"]))"
    case 1: "dispatch \(action()) \(arguments())"
    case 2: "let \(name()) = \(expression(depth))"
    case 3: "= \(expression(depth))"
    case 4: "echo \(operand(depth)) \(operand(depth))"
    case 5: "log \(random.number(-3...9)) --changed \(path())"
    case 6: "assert \(expression(depth)) -- \(name())"
    case 7: depth > 0 ? "try \(statement(depth: depth - 1))" : "effects"
    case 8: "project \(name()) = \(expression(depth))"
    case 9: "substate add \(name()) --value \(operand(depth)) --replace"
    case 10: random.pick(["undo", "redo", "goto \(random.number(-1...99))", "goto head", "diff 1 2", "why \(path())"])
    default:
      random.pick([
        "describe \(name())", "watch \(path())", "watch stop all", "use \(name())", "use root", "help \(name())",
        "middleware on \(name())", "set \(name()) \(operand(1))", "bind \(name()) \(path()) \(action())",
        "plot \(path())",
        "wait \(random.number(0...99))ms", "skip #\(random.number(0...9))", "bisect \(expression(2))",
        "thunk \(name())",
      ])
    }
  }

  /// A JSON document.
  mutating func json(depth: Int = 3) -> String {
    switch random.number(0...(depth > 0 ? 7 : 4)) {
    case 0: "\(random.number(-1_000_000...1_000_000))"
    case 1: random.pick(["true", "false", "null", "1e999", "-0", "1.5e-3", "9223372036854775808", "NaN", "01"])
    case 2...4: "\"\(text())\""
    case 5: "[\((0..<random.number(0...3)).map { _ in json(depth: depth - 1) }.joined(separator: ","))]"
    default:
      "{\((0..<random.number(0...3)).map { _ in "\"\(name())\":\(json(depth: depth - 1))" }.joined(separator: ", "))}"
    }
  }

  /// A path into the state, right or nearly so.
  mutating func path() -> String {
    (0..<random.number(1...4)).map { index in
      (index == 0 ? "" : ".") + name()
        + (random.number(0...2) > 0
          ? "" : "[\(random.pick(["1", "-1", "0", "*", "id=3", "id=\"x\"", "99999999999999999999", "", "1.5"]))]")
    }.joined()
  }

  mutating func action() -> String {
    random.pick([
      "counter.increment", "counter.setStep", "tasks.add", "tasks.complete", "tasks.remove", "tasks.\(name())", name(),
    ])
  }

  mutating func arguments() -> String {
    (0..<random.number(0...3)).map { _ in random.number(0...1) == 0 ? operand(2) : "\(name())=\(operand(2))" }
      .joined(separator: " ")
  }

  mutating func name() -> String {
    random.pick([
      "counter", "tasks", "value", "step", "items", "title", "id", "by", "to", "open", "summary", "nextId", "done",
      "state", "x",
      "shell", "log", "dispatch", "p", "v1", "\u{E9}t\u{E9}", "nil", "end",
    ])
  }

  mutating func text() -> String {
    (0..<random.number(0...6)).map { _ in
      random.pick([
        "a", " ", "\\n", "\\\"", "\\u00e9", "\\ud83d\\ude00", "\u{4E00}", "e\u{301}", "$", "{", "#", "'", ",", "0",
      ])
    }.joined()
  }

  private mutating func operand(_ depth: Int) -> String {
    switch random.number(0...(depth > 0 ? 9 : 5)) {
    case 0: "\(random.number(-99...99))"
    case 1: "\"\(text())\""
    case 2: "'\(name()) \(name())'"
    case 3:
      random.pick(["true", "nil", "null", "1.5", "-", "--", "500ms", "0x10", "1e400", "$_", "$nowhere", "\\", "#"])
    case 4: name()
    case 5: "$\(name())"
    case 6: "$(\(expression(depth - 1)))"
    case 7: "[\((0..<random.number(0...3)).map { _ in operand(depth - 1) }.joined(separator: ", "))]"
    default: "{\((0..<random.number(0...3)).map { _ in "\(name()) = \(operand(depth - 1))" }.joined(separator: ", "))}"
    }
  }

  private mutating func expression(_ depth: Int) -> String {
    switch random.number(0...(depth > 0 ? 9 : 3)) {
    case 0: "\(random.number(-9...9))"
    case 1: "state.\(path())"
    case 2:
      random.pick([
        "nil", "true", "{}", "\"\(text())\"", "x", "math.huge", "0/0", "#state.tasks.items", "math.mininteger",
      ])
    case 3: name()
    case 4, 5:
      "\(expression(depth - 1)) \(random.pick(["+", "..", "==", "and", "//", "<", "%", "<<"])) \(expression(depth - 1))"
    case 6:
      "\(random.pick(["tostring", "type", "#", "pcall", "error", "next", "string.rep", "select", "not "]))(\(expression(depth - 1)))"
    case 7: "{ \(expression(depth - 1)), \(name()) = \(expression(depth - 1)) }"
    case 8: "(function() return \(expression(depth - 1)) end)()"
    default: "state.tasks.items[\(expression(depth - 1))]"
    }
  }

  private static let splinters = [
    "\"", "'", "[", "]", "{", "}", "(", ")", "$(", ",", ":", "=", "\\", "\n", "\r\n", "\t", "#", "--", "..", "\u{0}",
    "\u{FEFF}",
    "\u{202E}", "99999999999999999999", "-", "null", "[[[[[[[[", "{\"a\":{\"a\":{\"a\":", "\"\"", "--[==[", "--as", " ",
    "%s",
  ]
}
