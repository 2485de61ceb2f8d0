/// A call of a function in a Lua text, as far as its arguments are written out there. Nothing of the text runs.
package struct LuaCall {
  /// An argument: texts that stand there literally, and the expressions between them, as in `"a" .. x`.
  package struct Argument {
    package enum Piece: Hashable {
      case text(String)
      /// An expression, as it is written.
      case value(String)
    }

    package let pieces: [Piece]

    /// True if it may stand for several values, or for none, where it is the last one.
    package var isOpen: Bool {
      guard pieces.count == 1, case .value(let text) = pieces[0] else { return false }
      return text.hasSuffix("...") || text.hasSuffix(")")
    }
  }

  package let name: String
  /// The arguments; of a call with one table the elements of that.
  package private(set) var arguments: [Argument] = []
  package private(set) var fields: [(name: String, value: Argument)] = []
  /// True if the table has a key that is neither a name nor a position.
  package private(set) var hasOtherKeys = false

  /// The calls of functions of some names in a text, also those within others. A method or a field of the same name is none of them.
  package static func all(of names: Set<String>, in text: String) -> [LuaCall] {
    let bytes = Array(text.utf8)[...]
    return LuaText.places(ofGlobals: names, in: bytes).compactMap { name, range in
      LuaCall(name, in: bytes, behind: range.upperBound)
    }
  }

  private init?(_ name: String, in bytes: ArraySlice<UInt8>, behind end: Int) {
    self.name = name
    guard let open = bytes[end...].firstIndex(where: { !$0.isBlankOrNewline }) else { return nil }
    switch bytes[open] {
    case UInt8(ascii: "("):
      guard let inside = Self.inside(bytes, at: open) else { return nil }
      let parts = Self.parts(of: inside)
      if parts.count == 1, let table = Self.table(parts[0]) {
        take(table)
      } else {
        arguments = parts.map(Self.argument)
      }
    case UInt8(ascii: "{"):
      guard let inside = Self.inside(bytes, at: open) else { return nil }
      take(inside)
    default:
      guard case .skipped(let close) = LuaText.piece(in: bytes, at: open), bytes[open] != UInt8(ascii: "-") else {
        return nil
      }
      arguments = [Self.argument(bytes[open..<close])]
    }
  }

  /// Takes the elements and the fields of a table.
  private mutating func take(_ table: ArraySlice<UInt8>) {
    for part in Self.parts(of: table) {
      let name = part.prefix { $0.isNameByte }
      let rest = part[name.endIndex...].drop { $0.isBlankOrNewline }
      if !name.isEmpty, rest.first == UInt8(ascii: "="), rest.dropFirst().first != UInt8(ascii: "=") {
        fields.append((String(decoding: name, as: UTF8.self), Self.argument(rest.dropFirst())))
      } else if part.first == UInt8(ascii: "["), case .code = LuaText.piece(in: part, at: part.startIndex) {
        hasOtherKeys = true
      } else {
        arguments.append(Self.argument(part))
      }
    }
  }

  /// The text within the bracket at a position; nil: nothing closes it.
  private static func inside(_ bytes: ArraySlice<UInt8>, at open: Int) -> ArraySlice<UInt8>? {
    var close: Int?
    walk(bytes[open...]) { position, depth in
      if depth == 0, position > open { close = position }
      return close == nil
    }
    return close.map { bytes[(open + 1)..<$0] }
  }

  /// The text within the braces that a text is; nil: it is something else.
  private static func table(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard bytes.first == UInt8(ascii: "{"), let inside = inside(bytes, at: bytes.startIndex),
      inside.endIndex == bytes.endIndex - 1
    else { return nil }
    return inside
  }

  /// Goes over the code of a text, and tells the number of brackets that are open behind each byte.
  private static func walk(_ bytes: ArraySlice<UInt8>, _ goesOn: (_ position: Int, _ depth: Int) -> Bool) {
    var (position, depth) = (bytes.startIndex, 0)
    while position < bytes.endIndex {
      switch LuaText.piece(in: bytes, at: position) {
      case .skipped(let end), .comment(let end): position = end
      case .unfinished: return
      case .code:
        switch bytes[position] {
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
        guard goesOn(position, depth) else { return }
        position += 1
      }
    }
  }

  /// The parts of a list that commas separate, without blanks around them.
  private static func parts(of bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var (parts, start): ([ArraySlice<UInt8>], Int) = ([], bytes.startIndex)
    walk(bytes) { position, depth in
      if depth == 0, bytes[position] == UInt8(ascii: ",") || bytes[position] == UInt8(ascii: ";") {
        parts.append(bytes[start..<position])
        start = position + 1
      }
      return true
    }
    parts.append(bytes[start...])
    let trimmed = parts.map(trimmed)
    return trimmed.last?.isEmpty == true ? trimmed.dropLast() : trimmed
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes.drop { $0.isBlankOrNewline }
    while bytes.last?.isBlankOrNewline == true { bytes.removeLast() }
    return bytes
  }

  /// An argument, whose parts `..` puts together.
  private static func argument(_ bytes: ArraySlice<UInt8>) -> Argument {
    var (parts, start, passed): ([ArraySlice<UInt8>], Int, Int) = ([], bytes.startIndex, bytes.startIndex)
    let dot = UInt8(ascii: ".")
    walk(bytes) { position, depth in
      guard depth == 0, position >= passed, bytes[position] == dot else { return true }
      let dots = bytes[position...].prefix { $0 == dot }
      passed = dots.endIndex
      if dots.count == 2 {
        parts.append(bytes[start..<position])
        start = passed
      }
      return true
    }
    parts.append(bytes[start...])
    return Argument(pieces: parts.map(trimmed).map(piece))
  }

  private static func piece(_ bytes: ArraySlice<UInt8>) -> Argument.Piece {
    if let text = literal(bytes) { return .text(text) }
    if !bytes.isEmpty, bytes.allSatisfy(\.isDigit), let number = Int(String(decoding: bytes, as: UTF8.self)) {
      return .text("\(number)")
    }
    return .value(String(decoding: bytes, as: UTF8.self))
  }

  /// The text that a string of Lua stands for; nil: it is none, or holds bytes that are no text.
  private static func literal(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let first = bytes.first, first != UInt8(ascii: "-"),
      case .skipped(let end) = LuaText.piece(in: bytes, at: bytes.startIndex), end == bytes.endIndex
    else { return nil }
    guard first == UInt8(ascii: "[") else { return unescaped(bytes.dropFirst().dropLast()) }
    let equals = bytes.dropFirst().prefix { $0 == UInt8(ascii: "=") }.count
    var content = bytes.dropFirst(equals + 2).dropLast(equals + 2)
    // A line end right behind the bracket is no part of it.
    if content.first == UInt8(ascii: "\r") { content.removeFirst() }
    if content.first == UInt8(ascii: "\n") { content.removeFirst() }
    return String(validating: content, as: UTF8.self)
  }

  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.contains(UInt8(ascii: "\\")) else { return String(validating: bytes, as: UTF8.self) }
    var (text, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes)
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        text.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "n"), UInt8(ascii: "\n"): text.append(0x0A)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): text.append(escape)
      case UInt8(ascii: "x"):
        guard let number = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
        text.append(number)
        rest = rest.dropFirst(2)
      case _ where escape.isDigit:
        let digits = [escape] + rest.prefix(2).prefix { $0.isDigit }
        guard let number = UInt8(String(decoding: digits, as: UTF8.self)) else { return nil }
        text.append(number)
        rest = rest.dropFirst(digits.count - 1)
      // The others are rare.
      default: return nil
      }
    }
    return String(validating: text, as: UTF8.self)
  }
}
