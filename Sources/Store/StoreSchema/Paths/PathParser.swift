/// The reason why a text is not a path.
public struct PathSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fault, in a sentence.
  public let message: String
  /// The offset of the fault in UTF-8 bytes from the start of the text.
  public let offset: Int
  /// The sentence.
  public var description: String { message }
}

extension Path {
  /// Reads a path such as `tasks.items[id=3].title`, `rounds[-1]`, `items[*].title` or `sections["non-free"]`.
  ///
  /// - Throws: ``PathSyntaxError`` with the byte offset of the fault.
  public init(parsing text: String) throws(PathSyntaxError) {
    var parser = PathParser(bytes: Array(text.utf8))
    steps = try parser.path()
  }
}

private struct PathParser {
  let bytes: [UInt8]
  var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func path() throws(PathSyntaxError) -> [Path.Step] {
    var steps: [Path.Step] = []
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "["):
        steps.append(try selector())
      case UInt8(ascii: ".") where !steps.isEmpty:
        position += 1
        steps.append(.field(try name()))
      default:
        guard steps.isEmpty else { throw fault("expected '.' or '['") }
        steps.append(.field(try name()))
      }
    }
    return steps
  }

  private mutating func name() throws(PathSyntaxError) -> String {
    let start = position
    while position < bytes.count, bytes[position].isNameByte { position += 1 }
    guard position > start else { throw fault("expected a name") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func selector() throws(PathSyntaxError) -> Path.Step {
    let open = position
    position += 1
    let step: Path.Step
    switch peek {
    case UInt8(ascii: "*"):
      position += 1
      step = .all
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      step = .key(.string(try quoted()))
    case let byte? where byte == UInt8(ascii: "-") || byte.isDigit:
      step = try integer()
    default:
      let field = try name()
      guard peek == UInt8(ascii: "=") else { throw fault("expected '=' after '\(field)'") }
      position += 1
      step = .match(field: field, try matchValue())
    }
    guard peek == UInt8(ascii: "]") else {
      if position >= bytes.count { throw PathSyntaxError(message: "this [ is never closed", offset: open) }
      throw fault("expected ']'")
    }
    position += 1
    return step
  }

  private mutating func matchValue() throws(PathSyntaxError) -> Value {
    switch peek {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try quoted())
    default:
      let start = position
      while let byte = peek, byte != UInt8(ascii: "]") { position += 1 }
      let text = String(decoding: bytes[start..<position], as: UTF8.self)
      guard !text.isEmpty else { throw fault("expected a value") }
      return Path.Step.bareValue(text)
    }
  }

  private mutating func integer() throws(PathSyntaxError) -> Path.Step {
    let start = position
    if peek == UInt8(ascii: "-") { position += 1 }
    while let byte = peek, byte.isDigit { position += 1 }
    let digits = String(decoding: bytes[start..<position], as: UTF8.self)
    if let number = Int(digits) { return .index(number) }
    guard digits.isWideInteger else { throw PathSyntaxError(message: "expected an index", offset: start) }
    return .key(.string(digits))
  }

  private mutating func quoted() throws(PathSyntaxError) -> String {
    let open = position
    let quote = bytes[position]
    position += 1
    var out: [UInt8] = []
    while let byte = peek, byte != quote {
      position += 1
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        out += try escape()
      } else {
        out.append(byte)
      }
    }
    guard peek == quote else { throw PathSyntaxError(message: "this quote is never closed", offset: open) }
    position += 1
    return String(decoding: out, as: UTF8.self)
  }

  /// The bytes that the characters behind a backslash stand for: the escapes that ``ScalarText/quoted(_:)`` writes.
  private mutating func escape() throws(PathSyntaxError) -> [UInt8] {
    guard let byte = peek else { throw fault("expected an escape") }
    position += 1
    switch byte {
    // A dollar stands for itself, as in the texts of the command language.
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"): return [byte]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      let digits = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
      guard digits.utf8.count == 4, let code = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(code) else {
        throw fault("expected four hexadecimal digits")
      }
      position += 4
      return Array(String(Character(scalar)).utf8)
    default: throw PathSyntaxError(message: "unknown escape", offset: position - 2)
    }
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func fault(_ message: String) -> PathSyntaxError { PathSyntaxError(message: message, offset: position) }
}

extension Path.Step {
  /// The value that a word without quotes stands for in a match.
  static func bareValue(_ text: String) -> Value {
    switch text {
    case "true", "false": return .bool(text == "true")
    case "nil", "null": return .none
    default:
      if let number = Int(text) { return .int(number) }
      if text.isWideInteger { return .string(text) }
      guard text.utf8.contains(where: { $0.isDigit }), let number = Double(text), number.isFinite else {
        return .string(text)
      }
      return .double(number)
    }
  }
}

extension UInt8 {
  /// True if the byte is an ASCII digit.
  fileprivate var isDigit: Bool { self >= 0x30 && self <= 0x39 }

  /// True if the byte may stand in a name after its first letter.
  fileprivate var isNameByte: Bool {
    (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A || self == 0x5F || (self >= 0x30 && self <= 0x39) || self >= 0x80
  }
}
