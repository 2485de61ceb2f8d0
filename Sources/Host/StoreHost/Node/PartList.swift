/// Bytes of several parts, each behind its length in four bytes, the lowest first: the form of all that the nodes of a shared store
/// hand on.
struct PartList {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Appends a part.
  ///
  /// - Parameter write: appends its bytes.
  static func append(to out: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
    let place = out.count
    out += [0, 0, 0, 0]
    write(&out)
    let count = UInt32(out.count - place - 4)
    for index in 0..<4 { out[place + index] = UInt8(truncatingIfNeeded: count >> (8 * index)) }
  }

  /// Appends a text as a part.
  static func append(_ text: String, to out: inout [UInt8]) { append(to: &out) { $0 += text.utf8 } }

  /// True if no part is left.
  var isEmpty: Bool { rest.isEmpty }

  /// A byte between parts; nil: none is left.
  mutating func byte() -> UInt8? { rest.popFirst() }

  /// The next part; nil: it is torn, or none is left.
  mutating func next() -> ArraySlice<UInt8>? {
    guard rest.count >= 4 else { return nil }
    let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    rest = rest.dropFirst(4)
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// The next part as a text.
  mutating func text() -> String? { next().map { String(decoding: $0, as: UTF8.self) } }
}
