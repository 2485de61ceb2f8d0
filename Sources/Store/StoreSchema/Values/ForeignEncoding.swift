/// Encodings of texts that are no UTF-8, known by their first bytes.
package enum ForeignEncoding {
  /// The encoding of a text that starts with the mark of UTF-16 or UTF-32, or with an ASCII character in UTF-16; nil: none is known.
  package static func name(of bytes: some Sequence<UInt8>) -> String? {
    let first = Array(bytes.prefix(4))
    if first == [0xFF, 0xFE, 0, 0] || first == [0, 0, 0xFE, 0xFF] { return "UTF-32" }
    if first.starts(with: [0xFF, 0xFE]) || first.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
    if first.count == 4, first.count(where: { $0 == 0 }) == 3, first[0] != 0 || first[3] != 0 { return "UTF-32" }
    guard first.count >= 2, first.prefix(2).count(where: { $0 == 0 }) == 1 else { return nil }
    return "UTF-16"
  }

  /// The fault of such a text, in words; nil: it is none.
  package static func fault(of bytes: some Sequence<UInt8>) -> String? {
    name(of: bytes).map { "this is \($0); save it as UTF-8" }
  }
}
