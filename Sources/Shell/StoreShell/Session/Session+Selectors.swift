import ShellLanguage
import StoreSchema

extension Session {
  /// A path with the values of its variables: in `items[id=$n]`, `items[$n]` and `items[id=$(n + 1)]` something stands for
  /// a value, but not in quotes.
  ///
  /// - Throws: ``ShellError`` for a value that a selector cannot hold, and what the variable or the Lua throws.
  func resolvingSelectors(in path: String) throws -> String {
    guard path.utf8.contains(UInt8(ascii: "$")) else { return path }
    let bytes = Array(path.utf8)
    var out: [UInt8] = []
    var position = 0
    while position < bytes.count {
      if [UInt8(ascii: "["), UInt8(ascii: "=")].contains(out.last),
        let (reference, end) = Reference.selector(in: bytes[...], at: position)
      {
        out += Array(try text(of: reference).utf8)
        position = end
        continue
      }
      let end = LuaText.endOfQuotes(in: bytes[...], at: position) ?? (position + 1)
      out += bytes[position..<end]
      position = end
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// The value that stands in a selector, as a path writes it.
  private func text(of reference: Reference) throws -> String {
    let value = try resolve(reference)
    switch value {
    // The result of a division in Lua is a float, even where it is whole.
    case .double(let number): return Int(exactly: number).map { "\($0)" } ?? ScalarText.text(of: number)
    case .string, .int, .decimal, .bool, .none: return JSON.text(of: value)
    default:
      throw ShellError(
        code: .typeMismatch, message: "a selector takes a number or a text, \(reference.text) is \(value.described)")
    }
  }
}

extension Reference {
  /// The reference that is the whole value of a selector at a position, up to its `]`; nil: nothing is.
  fileprivate static func selector(in bytes: ArraySlice<UInt8>, at start: Int) -> (Reference, end: Int)? {
    guard bytes[start] == UInt8(ascii: "$"), start + 1 < bytes.count else { return nil }
    let found: (reference: Reference, end: Int)?
    if bytes[start + 1] == UInt8(ascii: "(") {
      found = LuaText.endOfParentheses(in: bytes, at: start + 1).map { end in
        (.lua(String(decoding: bytes[(start + 2)..<(end - 1)], as: UTF8.self)), end)
      }
    } else {
      let name = bytes[(start + 1)...].prefix { $0.isNameByte }
      found = name.isEmpty ? nil : (.variable(String(decoding: name, as: UTF8.self)), name.endIndex)
    }
    guard let found, found.end < bytes.count, bytes[found.end] == UInt8(ascii: "]") else { return nil }
    return found
  }

  /// The reference as written.
  fileprivate var text: String {
    switch self {
    case .variable(let name): "$\(name)"
    case .lua(let expression): "$(\(expression))"
    }
  }
}
