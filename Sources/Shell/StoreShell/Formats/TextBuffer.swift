import StoreSchema

/// Text under way to its reader, as UTF-8. With a sink it is handed on in pieces, so that a long result never stands in
/// memory as a whole.
struct TextBuffer {
  private static let pieceSize = 1 << 16

  private(set) var bytes: [UInt8] = []
  private let sink: (([UInt8]) -> Void)?

  init(sink: (([UInt8]) -> Void)? = nil) {
    self.sink = sink
    bytes.reserveCapacity(sink == nil ? 256 : TextBuffer.pieceSize * 2)
  }

  /// Hands on what there is, if that is enough to be worth a call.
  mutating func passOn() {
    if bytes.count >= TextBuffer.pieceSize { flush() }
  }

  /// Hands on what there is.
  mutating func flush() {
    guard let sink, !bytes.isEmpty else { return }
    sink(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func removeLast(_ count: Int) { bytes.removeLast(count) }

  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  mutating func append(_ character: Unicode.Scalar) { bytes.append(UInt8(truncatingIfNeeded: character.value)) }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(_ slice: ArraySlice<UInt8>) { bytes.append(contentsOf: slice) }

  mutating func append(_ number: Int) {
    if number >= 0, number < 10 {
      bytes.append(UInt8(ascii: "0") + UInt8(number))
      return
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = number.magnitude
      var first = digits.count
      repeat {
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        first -= 1
        digits[first] = UInt8(ascii: "0") + UInt8(digit)
        rest = quotient
      } while rest > 0
      if number < 0 { bytes.append(UInt8(ascii: "-")) }
      bytes.append(contentsOf: digits[first...])
    }
  }

  mutating func append(_ value: Bool) {
    if value { append("true" as StaticString) } else { append("false" as StaticString) }
  }

  mutating func append(spaces count: Int) {
    guard count > 0 else { return }
    bytes.append(contentsOf: repeatElement(0x20, count: count))
  }

  /// Appends text in quotes, escaped as JSON wants it.
  mutating func appendQuoted(_ text: String) {
    append("\"" as Unicode.Scalar)
    var text = text
    let isPlain = text.withUTF8 { utf8 in
      for byte in utf8 where !ScalarText.isPlain(byte) { return false }
      bytes.append(contentsOf: utf8)
      return true
    }
    if !isPlain {
      var escaped = ""
      ScalarText.appendEscaped(text, to: &escaped)
      append(escaped)
    }
    append("\"" as Unicode.Scalar)
  }

  /// Appends text without quotes, control characters escaped; returns its columns.
  mutating func appendBare(_ text: String) -> Int {
    var text = text
    let columns = text.withUTF8 { utf8 -> Int? in
      for byte in utf8 where byte < 0x20 || byte >= 0x7F { return nil }
      bytes.append(contentsOf: utf8)
      return utf8.count
    }
    if let columns { return columns }
    var shown = ""
    for scalar in text.unicodeScalars {
      if ScalarText.isControl(scalar) {
        DisplayText.appendEscape(scalar, to: &shown)
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    append(shown)
    return DisplayWidth.of(shown)
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}
