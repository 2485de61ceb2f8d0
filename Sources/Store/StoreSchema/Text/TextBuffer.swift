/// Text under way to its reader, as UTF-8. With a sink it is handed on in pieces, so that a long result never stands in
/// memory as a whole.
package struct TextBuffer {
  private static let pieceSize = 1 << 16

  package var bytes: [UInt8] = []
  private let sink: (([UInt8]) -> Void)?

  package init(sink: (([UInt8]) -> Void)? = nil) {
    self.sink = sink
    bytes.reserveCapacity(sink == nil ? 256 : TextBuffer.pieceSize * 2)
  }

  /// Hands on what there is, if that is enough to be worth a call.
  package mutating func passOn() {
    if bytes.count >= TextBuffer.pieceSize { flush() }
  }

  /// Hands on what there is.
  package mutating func flush() {
    guard let sink, !bytes.isEmpty else { return }
    sink(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  package mutating func removeLast(_ count: Int) { bytes.removeLast(count) }

  package mutating func append(_ byte: UInt8) { bytes.append(byte) }

  package mutating func append(_ character: Unicode.Scalar) { bytes.append(UInt8(truncatingIfNeeded: character.value)) }

  package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  package mutating func append(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes.append(contentsOf: bytes) }

  package mutating func append(_ slice: ArraySlice<UInt8>) { bytes.append(contentsOf: slice) }

  package mutating func append(_ number: Int) { JSON.append(number, to: &bytes) }

  package mutating func append(_ path: Path) { path.append(to: &bytes) }

  package mutating func append(_ value: Bool) {
    if value { append("true" as StaticString) } else { append("false" as StaticString) }
  }

  package mutating func append(spaces count: Int) {
    guard count > 0 else { return }
    bytes.append(contentsOf: repeatElement(0x20, count: count))
  }

  /// Appends text in quotes as the command language reads it where a value may stand: a dollar that would be replaced has a backslash
  /// before it.
  package mutating func appendWord(_ text: String) {
    let start = bytes.count
    // Nearly all texts stand for themselves.
    if appendPlain(text, besides: UInt8(ascii: "$")) { return }
    appendQuoted(text)
    guard text.utf8.contains(UInt8(ascii: "$")) else { return }
    let quoted = bytes[start...]
    var word: [UInt8] = []
    for index in quoted.indices {
      if quoted[index] == UInt8(ascii: "$"), index + 1 < quoted.endIndex, Self.isReplaced(before: quoted[index + 1]) {
        word.append(UInt8(ascii: "\\"))
      }
      word.append(quoted[index])
    }
    bytes.replaceSubrange(start..., with: word)
  }

  /// True if a dollar before a byte does not stand for itself.
  private static func isReplaced(before byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
    case UInt8(ascii: "("), UInt8(ascii: "{"): true
    case UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "*"), UInt8(ascii: "#"), UInt8(ascii: "!"): true
    default: false
    }
  }

  /// Appends text in quotes as the command language reads it within brackets: escaped as JSON wants it, and characters that only set the direction
  /// of writing, too.
  package mutating func appendQuoted(_ text: String) {
    if appendPlain(text) { return }
    guard ScalarText.hasDirection(text) else { return JSON.append(quoted: text, to: &bytes) }
    append(ScalarText.quoted(text))
  }

  /// Appends text in quotes, if each of its bytes is of ASCII and stands for itself.
  ///
  /// - Parameter other: another byte that it must not have.
  /// - Returns: false: nothing was appended.
  private mutating func appendPlain(_ text: String, besides other: UInt8 = 0) -> Bool {
    var text = text
    return text.withUTF8 { text in
      guard ScalarText.isPlainASCII(text), !text.contains(other) else { return false }
      bytes.append(UInt8(ascii: "\""))
      bytes.append(contentsOf: text)
      bytes.append(UInt8(ascii: "\""))
      return true
    }
  }

  /// Appends the compact JSON of a value.
  package mutating func append(json value: Value) { JSON.append(value, to: &bytes) }

  package var text: String { String(decoding: bytes, as: UTF8.self) }
}
