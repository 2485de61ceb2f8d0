import Glibc

/// The form of a plain statement of one line: its bytes without the values of its arguments. A line of the same form differs in
/// values alone, and has the same names.
struct LineForm {
  /// A place where a value stands.
  private struct Slot {
    /// The end of the bytes before it, among those of the form.
    let end: Int
    let isQuoted: Bool
    /// True if a name stands before it: else it is a number, since another word would be a name.
    let isNamed: Bool
  }

  private var bytes: [UInt8] = []
  private var slots: [Slot] = []
  private let maximumLength: Int

  /// The form of a plain statement; nil: it takes more than one line, or ends the text.
  ///
  /// - Parameters:
  ///   - start: the start of the statement.
  ///   - end: its line end.
  init?(_ view: ByteView, _ tokens: Tokens, from start: Int, to end: Int, maximumLength: Int) {
    guard end < view.count, view[end] == 0x0A else { return nil }
    self.maximumLength = maximumLength
    var passed = start
    for index in 0..<tokens.count {
      let token = tokens[index]
      let (first, last) = (start + token.value.lowerBound, start + token.value.upperBound)
      let isQuoted = token.form == .text
      if isQuoted, view[first - 1] != UInt8(ascii: "\"") { continue }
      switch token.kind {
      case .named: break
      case .value where index > 1 && (isQuoted || Self.isNumber(view, first)): break
      case .value, .flag: continue
      }
      bytes += view[passed..<first]
      slots.append(Slot(end: bytes.count, isQuoted: isQuoted, isNamed: token.kind == .named || isQuoted))
      passed = last
    }
    bytes += view[passed...end]
  }

  /// The line end of a statement of this form that begins at a position; nil: none does, or it takes a closer look.
  func lineEnd(in view: ByteView, from start: Int) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      var (position, passed) = (start, 0)
      for slot in slots {
        guard view.has(bytes[passed..<slot.end], at: position) else { return nil }
        position += slot.end - passed
        passed = slot.end
        let first = position
        if slot.isQuoted {
          position = view.end(ofQuotedFrom: first)
          guard view.isASCII(first..<position) else { return nil }
        } else {
          position = view.end(of: .plain, from: first)
          guard slot.isNamed || Self.isNumber(view, first), view[position - 1] != UInt8(ascii: "&") else { return nil }
        }
      }
      guard view.has(bytes[passed...], at: position) else { return nil }
      let end = position + bytes.count - passed - 1
      return end - start <= maximumLength ? end : nil
    }
  }

  private static func isNumber(_ view: ByteView, _ position: Int) -> Bool {
    guard position + 1 < view.count else { return false }
    return view[position].isDigit || view[position] == UInt8(ascii: "-") && view[position + 1] != UInt8(ascii: "-")
  }
}

extension ByteView {
  /// True if some bytes stand at a position.
  fileprivate func has(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, at position: Int) -> Bool {
    withUnsafeBytes { view in
      guard bytes.count <= view.count - position, let view = view.baseAddress else { return false }
      let bytes = UnsafeBufferPointer(rebasing: bytes)
      return bytes.baseAddress.map { memcmp($0, view + position, bytes.count) == 0 } ?? true
    }
  }
}
