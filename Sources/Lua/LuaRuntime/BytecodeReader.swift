/// Reads what `lua_dump` of Lua 5.4 writes (`ldump.c` is its description).
///
/// It runs when a plugin is loaded or checked, and never for an action. The proof that a reducer changes no captured local,
/// the sketches of calls and the findings of `plugin check` come from it; no function of Lua tells any of that.
struct BytecodeReader {
  /// An upvalue of a function.
  struct Capture {
    var isLocalOfParent: Bool
    var index: Int
    var name: String
  }

  /// A function, and the functions inside it.
  struct Function {
    var source: String
    var lineDefined: Int
    var parameterCount: Int
    /// True if the function takes any number of arguments.
    var isVariadic: Bool
    var instructions: [Instruction]
    /// The line of each instruction, as far as they are known.
    var lines: [Int]
    /// The constants; nil: one that is no text.
    var constants: [String?]
    var captures: [Capture]
    var inner: [Function]
  }

  /// The bytes are not what this reader knows.
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func read(_ bytes: [UInt8]) throws -> Function {
    var reader = BytecodeReader(bytes)
    try reader.checkHeader()
    return try reader.function()
  }

  private mutating func checkHeader() throws {
    // Signature, version, format, check data, sizes of instruction, integer and number.
    guard bytes.starts(with: [0x1b, 0x4c, 0x75, 0x61, 0x54, 0]), bytes.count > 32,
      bytes[12] == 4, bytes[13] == 8, bytes[14] == 8
    else { throw Malformed() }
    // Behind them a sample integer, a sample number and the number of the main function's upvalues.
    try skip(15 + 8 + 8 + 1)
  }

  private mutating func skip(_ count: Int) throws {
    guard count >= 0, count <= bytes.count - position else { throw Malformed() }
    position += count
  }

  private mutating func byte() throws -> UInt8 {
    let start = position
    try skip(1)
    return bytes[start]
  }

  /// Seven bits a byte, the most significant first; the last one has its top bit set.
  private mutating func size() throws -> Int {
    var value = 0
    while true {
      let next = try byte()
      guard value < 1 << 48 else { throw Malformed() }
      value = value << 7 | Int(next & 0x7f)
      if next & 0x80 != 0 { return value }
    }
  }

  /// Reads the length plus 1, then the bytes; 0 is no string.
  private mutating func text() throws -> String {
    let count = try size()
    guard count > 0 else { return "" }
    let start = position
    try skip(count - 1)
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func instruction() throws -> Instruction {
    let start = position
    try skip(4)
    return Instruction(word: bytes[start..<position].reversed().reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// A constant where it is text, else nil.
  private mutating func constant() throws -> String? {
    switch try byte() {
    case 0x00, 0x01, 0x11: return nil
    case 0x03, 0x13:
      try skip(8)
      return nil
    case 0x04, 0x14: return try text()
    default: throw Malformed()
    }
  }

  private mutating func function() throws -> Function {
    var source = try text()
    if source.hasPrefix("@") || source.hasPrefix("=") { source.removeFirst() }
    let lineDefined = try size()
    _ = try size()
    let parameterCount = Int(try byte())
    let isVariadic = try byte() != 0
    try skip(1)
    var instructions: [Instruction] = []
    for _ in 0..<(try size()) { instructions.append(try instruction()) }
    var constants: [String?] = []
    for _ in 0..<(try size()) { constants.append(try constant()) }
    var captures: [Capture] = []
    for _ in 0..<(try size()) {
      captures.append(Capture(isLocalOfParent: try byte() != 0, index: Int(try byte()), name: ""))
      try skip(1)
    }
    var inner: [Function] = []
    for _ in 0..<(try size()) { inner.append(try function()) }
    let lines = try lines(from: lineDefined)
    for _ in 0..<(try size()) {
      _ = try text()
      _ = try size()
      _ = try size()
    }
    for index in 0..<(try size()) {
      let name = try text()
      if captures.indices.contains(index) { captures[index].name = name }
    }
    return Function(
      source: source, lineDefined: lineDefined, parameterCount: parameterCount, isVariadic: isVariadic,
      instructions: instructions, lines: lines, constants: constants, captures: captures,
      inner: inner)
  }

  /// The line of every instruction: a signed step a byte, and absolute lines where a step does not fit.
  private mutating func lines(from first: Int) throws -> [Int] {
    let count = try size()
    let start = position
    try skip(count)
    let steps = bytes[start..<position].map { Int(Int8(bitPattern: $0)) }
    var absolute: [Int: Int] = [:]
    for _ in 0..<(try size()) { absolute[try size()] = try size() }
    var line = first
    return steps.enumerated().map { index, step in
      line = absolute[index] ?? line + step
      return line
    }
  }
}
