/// Values on one line, as the command language or Lua reads them back.
package enum InlineText {
  /// Whose spelling is used.
  package enum Spelling {
    /// The command language's, where a value may stand: `[1, 2]`, `{ a = 1 }`, a text with `\$` for a dollar that would be replaced.
    case language
    /// The command language's within brackets, where no dollar is replaced.
    case data
    /// Lua's: `{ 1, 2 }`, `{ a = 1 }`.
    case lua
  }

  package static func text(of value: Value, spelling: Spelling = .language) -> String {
    var out = TextBuffer()
    append(value, spelling, to: &out)
    return out.text
  }

  package static func append(_ value: Value, _ spelling: Spelling, to out: inout TextBuffer) {
    // The most frequent one, without a look at the others.
    if case .int(let number) = value, spelling != .lua { return out.append(number) }
    if spelling == .language {
      guard case .string(let text) = value else { return append(value, .data, to: &out) }
      return out.appendWord(text)
    }
    switch value {
    case .none: out.append("nil" as StaticString)
    case .bool(let value): out.append(value)
    case .int(let number):
      // Lua reads the digits of the smallest integer as a float.
      if number == .min, spelling == .lua {
        out.append("math.mininteger" as StaticString)
      } else {
        out.append(number)
      }
    case .double(let number): append(number, spelling, to: &out)
    case .decimal(let number):
      let digits = number.description
      out.append(spelling == .lua ? "decimal(\"\(digits)\")" : digits)
    case .string(let text): append(text, spelling, to: &out)
    case .list(let list):
      guard !list.isEmpty else {
        out.append(spelling == .lua ? "{}" : "[]" as StaticString)
        return
      }
      out.append(spelling == .lua ? "{ " : "[" as StaticString)
      var first = true
      for element in list {
        if !first { out.append(", " as StaticString) }
        first = false
        append(element, spelling, to: &out)
      }
      out.append(spelling == .lua ? " }" : "]" as StaticString)
    case .map(let map):
      var braces = Braces()
      for (key, value) in map {
        braces.next(&out)
        append(key, spelling, to: &out)
        append(value, spelling, to: &out)
      }
      braces.close(&out)
    case .record(let record): append(record, spelling, to: &out)
    case .variant(let variant):
      out.append("{ " as StaticString)
      append(MapKey.string(variant.name), spelling, to: &out)
      append(variant.payload, spelling, to: &out)
      out.append(" }" as StaticString)
    }
  }

  private static func append(_ record: Record, _ spelling: Spelling, to out: inout TextBuffer) {
    var braces = Braces()
    for (index, name) in record.layout.fields.enumerated() {
      braces.next(&out)
      append(MapKey.string(name), spelling, to: &out)
      append(record.values[index], spelling, to: &out)
    }
    braces.close(&out)
  }

  /// The braces and commas of a record: `{ a = 1, b = 2 }`, or `{}` without fields.
  private struct Braces {
    private var isEmpty = true

    mutating func next(_ out: inout TextBuffer) {
      out.append(isEmpty ? "{ " : ", " as StaticString)
      isEmpty = false
    }

    func close(_ out: inout TextBuffer) { out.append(isEmpty ? "{}" : " }" as StaticString) }
  }

  private static func append(_ key: MapKey, _ spelling: Spelling, to out: inout TextBuffer) {
    switch key {
    case .string(let name) where name.isName && !(spelling == .lua && name.isLuaKeyword):
      out.append(name)
    case .string(let name):
      out.append("[" as Unicode.Scalar)
      append(name, spelling, to: &out)
      out.append("]" as Unicode.Scalar)
    case .int(let number):
      out.append("[" as Unicode.Scalar)
      out.append(number)
      out.append("]" as Unicode.Scalar)
    }
    out.append(" = " as StaticString)
  }

  private static func append(_ number: Double, _ spelling: Spelling, to out: inout TextBuffer) {
    guard spelling == .lua, !number.isFinite else {
      out.append(ScalarText.text(of: number))
      return
    }
    out.append(number.isNaN ? "0/0" : number > 0 ? "1/0" : "-1/0" as StaticString)
  }

  private static func append(_ text: String, _ spelling: Spelling, to out: inout TextBuffer) {
    let dollar = UInt8(ascii: "$")
    guard spelling == .lua,
      !text.utf8.allSatisfy({ ScalarText.isPlain($0) && $0 != dollar }) || ScalarText.hasDirection(text)
    else {
      out.appendQuoted(text)
      return
    }
    // Lua has no \u00XX, only \u{XX}.
    out.append("\"" as Unicode.Scalar)
    for scalar in text.unicodeScalars {
      // A variable's name in a text of Lua would be a mistake.
      if scalar == "$" {
        out.append("\\x24" as StaticString)
      } else if scalar == "\"" || scalar == "\\" {
        out.append("\\" as Unicode.Scalar)
        out.append(scalar)
      } else if ScalarText.isControl(scalar) || ScalarText.isOfDirection(scalar) {
        var escape = ""
        ScalarText.appendEscape(scalar, to: &escape)
        out.append(escape)
      } else {
        out.append(String(scalar))
      }
    }
    out.append("\"" as Unicode.Scalar)
  }
}

extension ScalarText {
  package static func appendEscape(_ scalar: Unicode.Scalar, to out: inout String) {
    switch scalar {
    case "\n": out += "\\n"
    case "\t": out += "\\t"
    case "\r": out += "\\r"
    default: out += "\\u{\(String(scalar.value, radix: 16))}"
    }
  }
}

extension String {
  /// True if the text is a word of Lua that names nothing (Lua 5.4 reference manual, 3.1). Code reaches a field of such
  /// a name by `state["end"]` only.
  package var isLuaKeyword: Bool { Self.luaKeywords.contains(self) }

  private static let luaKeywords: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local",
    "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]
}
