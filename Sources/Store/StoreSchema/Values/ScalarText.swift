/// Scalars as the shell and JSON write them.
public enum ScalarText {
  /// Text in double quotes. Quotes, backslashes, control characters and characters that only set the direction of writing are
  /// escaped as JSON and Lua 5.4 both read them where they can (`\n`, `\t`, `\r`, else `\u` and four digits).
  public static func quoted(_ text: String) -> String {
    var out = "\""
    out.reserveCapacity(text.utf8.count + 2)
    appendEscaped(text, to: &out)
    out += "\""
    return out
  }

  /// Texts in a row, with a separator between them. The first call of the standard library's `joined` looks types up by name, which took
  /// a start 200,000 instructions.
  package static func joined(_ texts: [String], by separator: String) -> String {
    var out = ""
    for index in texts.indices {
      if index > 0 { out += separator }
      out += texts[index]
    }
    return out
  }

  /// True if a byte of UTF-8 stands for itself in quotes. 0xC2 leads the control characters of eight bits, which
  /// terminals obey too. It also leads signs such as `°`, which are only looked at more closely.
  @inlinable @inline(__always)
  public static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x22 && byte != 0x5C && byte != 0x7F && byte != 0xC2
  }

  /// True if each byte of a text is known to stand for itself in quotes.
  static func isPlain(_ text: String) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isPlain) } ?? false
  }

  /// True if a character may make a terminal do something else than show it.
  @inlinable
  public static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (scalar.value >= 0x7F && scalar.value < 0xA0)
  }

  /// True for a character that only sets the direction of writing (Unicode Standard Annex #9, table 4): what stands beside it
  /// would seem to be another text.
  package static func isOfDirection(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// True if a text has such a character.
  package static func hasDirection(_ text: String) -> Bool {
    // The first bytes that they have in UTF-8.
    text.utf8.contains { $0 == 0xD8 || $0 == 0xE2 } && text.unicodeScalars.contains(where: isOfDirection)
  }

  /// Appends text as ``quoted(_:)`` writes it, without the quotes around it.
  public static func appendEscaped(_ text: String, to out: inout String) {
    guard !hasDirection(text) else {
      for scalar in text.unicodeScalars {
        guard isOfDirection(scalar) else {
          appendEscaped(String(scalar), to: &out)
          continue
        }
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
      return
    }
    guard !isPlain(text) else {
      out += text
      return
    }
    var bytes: [UInt8] = []
    appendEscaped(text, to: &bytes)
    out += String(decoding: bytes, as: UTF8.self)
  }

  /// Appends text as JSON has it, as UTF-8, without the quotes around it: runs of bytes that stand for themselves are copied.
  package static func appendEscaped(_ text: String, to out: inout [UInt8]) { writeEscaped(text, to: &out) }

  static func writeEscaped(_ text: String, to out: inout some ByteSink & ~Copyable) {
    // A copy would count a reference to a text that many entries share.
    guard text.utf8.withContiguousStorageIfAvailable({ writeEscaped($0, to: &out) }) == nil else { return }
    var text = text
    text.withUTF8 { writeEscaped($0, to: &out) }
  }

  /// The same, for the bytes of a text.
  package static func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    writeEscaped(bytes, to: &out)
  }

  private static func writeEscaped(_ bytes: UnsafeBufferPointer<UInt8>, to out: inout some ByteSink & ~Copyable) {
    var (start, index) = (0, 0)
    while true {
      passPlain(bytes, &index)
      guard index < bytes.count else { break }
      let byte = bytes[index]
      var control = byte
      if byte == 0xC2 {
        // The second byte of such a control character is its number.
        control = index + 1 < bytes.count ? bytes[index + 1] : 0xA0
        guard control < 0xA0 else {
          index += 2
          continue
        }
      }
      out.append(UnsafeBufferPointer(rebasing: bytes[start..<index]))
      index += byte == 0xC2 ? 2 : 1
      start = index
      out.append(UInt8(ascii: "\\"))
      switch control {
      case 0x22, 0x5C: out.append(control)
      case 0x0A: out.append(UInt8(ascii: "n"))
      case 0x0D: out.append(UInt8(ascii: "r"))
      case 0x09: out.append(UInt8(ascii: "t"))
      default:
        out.append("u00" as StaticString)
        for digit in [control >> 4, control & 15] {
          out.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
        }
      }
    }
    out.append(UnsafeBufferPointer(rebasing: bytes[start...]))
  }

  /// Passes over bytes that stand for themselves, eight at a time where all of them are of ASCII.
  private static func passPlain(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    guard let base = UnsafeRawPointer(bytes.baseAddress) else { return }
    while index < bytes.count {
      while index + 8 <= bytes.count, arePlain(base.loadUnaligned(fromByteOffset: index, as: UInt64.self)) {
        index += 8
      }
      if index + 8 > bytes.count, index >= 8, areLastPlain(bytes) {
        index = bytes.count
        return
      }
      let end = min(index + 8, bytes.count)
      while index < end {
        guard isPlain(bytes[index]) else { return }
        index += 1
      }
    }
  }

  /// True if each byte is of ASCII and stands for itself in quotes.
  @inline(__always)
  static func isPlainASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = UnsafeRawPointer(bytes.baseAddress) else { return true }
    var index = 0
    while index + 8 <= bytes.count {
      guard arePlain(base.loadUnaligned(fromByteOffset: index, as: UInt64.self)) else { return false }
      index += 8
    }
    if index >= 8 { return areLastPlain(bytes) }
    return bytes.allSatisfy { $0 < 0x80 && isPlain($0) }
  }

  /// The same of the last eight of eight bytes or more.
  private static func areLastPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let last = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
    return arePlain(last)
  }

  /// True if each of eight bytes is of ASCII and stands for itself in quotes: a byte that is zero, or below another, shows in its
  /// highest bit once one, or that, is taken from it (S. E. Anderson, Bit Twiddling Hacks).
  private static func arePlain(_ bytes: UInt64) -> Bool {
    let (ones, highest): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    let (quote, backslash, delete) = (bytes ^ (ones * 0x22), bytes ^ (ones * 0x5C), bytes ^ (ones * 0x7F))
    let found = (bytes &- ones * 0x20) | (quote &- ones) | (backslash &- ones) | (delete &- ones) | bytes
    return found & highest == 0
  }

  /// A number as Lua prints it: the shortest text that reads back the same, with `.0` if it is whole. Also `inf`,
  /// `-inf` and `nan`.
  public static func text(of number: Double) -> String {
    number.isNaN ? "nan" : number.description
  }
}
