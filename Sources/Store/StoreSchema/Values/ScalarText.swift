/// Scalars as the shell and JSON write them.
public enum ScalarText {
  /// Text in double quotes. Quotes, backslashes and control characters are escaped as JSON and Lua 5.4 both read them
  /// where they can (`\n`, `\t`, `\r`, else `\u00XX`).
  public static func quoted(_ text: String) -> String {
    if isPlain(text) { return "\"" + text + "\"" }
    var out: [UInt8] = []
    out.reserveCapacity(text.utf8.count + 16)
    out.append(UInt8(ascii: "\""))
    appendEscaped(text, to: &out)
    out.append(UInt8(ascii: "\""))
    return String(decoding: out, as: UTF8.self)
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

  /// Appends text with quotes, backslashes and control characters escaped, without the quotes around it.
  public static func appendEscaped(_ text: String, to out: inout String) {
    guard !isPlain(text) else {
      out += text
      return
    }
    var bytes: [UInt8] = []
    appendEscaped(text, to: &bytes)
    out += String(decoding: bytes, as: UTF8.self)
  }

  /// The same as UTF-8: runs of bytes that stand for themselves are copied as they are.
  package static func appendEscaped(_ text: String, to out: inout [UInt8]) {
    var text = text
    text.withUTF8 { bytes in
      var (start, index) = (0, 0)
      while index < bytes.count {
        let byte = bytes[index]
        guard !isPlain(byte) else {
          index += 1
          continue
        }
        var control = byte
        if byte == 0xC2 {
          // The second byte of such a control character is its number.
          control = bytes[index + 1]
          guard control < 0xA0 else {
            index += 2
            continue
          }
        }
        out.append(contentsOf: bytes[start..<index])
        index += byte == 0xC2 ? 2 : 1
        start = index
        out.append(UInt8(ascii: "\\"))
        switch control {
        case 0x22, 0x5C: out.append(control)
        case 0x0A: out.append(UInt8(ascii: "n"))
        case 0x0D: out.append(UInt8(ascii: "r"))
        case 0x09: out.append(UInt8(ascii: "t"))
        default:
          out.append(contentsOf: "u00".utf8)
          for digit in [control >> 4, control & 15] {
            out.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
          }
        }
      }
      out.append(contentsOf: bytes[start...])
    }
  }

  /// A number as Lua prints it: the shortest text that reads back the same, with `.0` if it is whole. Also `inf`,
  /// `-inf` and `nan`.
  public static func text(of number: Double) -> String {
    number.isNaN ? "nan" : number.description
  }
}
