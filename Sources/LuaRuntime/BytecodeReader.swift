/// Reads what `lua_dump` of Lua 5.4 writes (`ldump.c` is its description), as far as assignments to captured locals need.
struct BytecodeReader {
  /// One upvalue of a function.
  struct Capture {
    var isLocalOfParent: Bool
    var index: Int
    var name: String
  }

  /// One function: where it assigns to its upvalues, and the functions inside it.
  struct Function {
    var source: String
    var assignments: [(capture: Int, line: Int)]
    var captures: [Capture]
    var inner: [Function]
  }

  /// The bytes are not what this reader knows.
  struct Malformed: Error {}

  /// The opcode that assigns to an upvalue, and the bits of an instruction that name it.
  private static let setUpvalue: UInt32 = 10
  private static let opcodeMask: UInt32 = 0x7f
  private static let captureShift: UInt32 = 16

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

  /// One more than the length, then the bytes; 0 is no string.
  private mutating func text() throws -> String {
    let count = try size()
    guard count > 0 else { return "" }
    let start = position
    try skip(count - 1)
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func instruction() throws -> UInt32 {
    let start = position
    try skip(4)
    return bytes[start..<position].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private mutating func skipConstant() throws {
    switch try byte() {
    case 0x00, 0x01, 0x11: break
    case 0x03, 0x13: try skip(8)
    case 0x04, 0x14: _ = try text()
    default: throw Malformed()
    }
  }

  private mutating func function() throws -> Function {
    var source = try text()
    if source.hasPrefix("@") || source.hasPrefix("=") { source.removeFirst() }
    let lineDefined = try size()
    _ = try size()
    try skip(3)
    var writes: [(capture: Int, instruction: Int)] = []
    for index in 0..<(try size()) {
      let instruction = try instruction()
      if instruction & Self.opcodeMask == Self.setUpvalue {
        writes.append((Int(instruction >> Self.captureShift & 0xff), index))
      }
    }
    for _ in 0..<(try size()) { try skipConstant() }
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
    let assignments = writes.map { ($0.capture, lines.indices.contains($0.instruction) ? lines[$0.instruction] : 0) }
    return Function(source: source, assignments: assignments, captures: captures, inner: inner)
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
