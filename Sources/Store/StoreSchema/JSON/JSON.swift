/// JSON text out of values and values out of JSON text (RFC 8259).
public enum JSON {
  /// The compact JSON of a value: keys in schema order, a nil optional as `null`, numbers that read back the same.
  /// Numbers that JSON cannot write stand as the texts `"inf"`, `"-inf"` and `"nan"`. So ``Schema/value(fromJSON:)``
  /// reads back every value of a type.
  public static func text(of value: Value) -> String {
    var out: [UInt8] = []
    append(value, to: &out)
    return String(decoding: out, as: UTF8.self)
  }
}

extension JSON {
  /// The content of a member: a value, or JSON that is written already.
  package enum Content {
    case value(Value)
    case json(String)

    package static func flag(_ flag: Bool) -> Content { .value(.bool(flag)) }
    package static func number(_ number: Int) -> Content { .value(.int(number)) }
    package static func text(_ text: String) -> Content { .value(.string(text)) }
    package static func texts(_ texts: [String]) -> Content { .value(.texts(texts)) }
  }

  /// The text of an object. Members that are nil are left out.
  package static func object(_ members: KeyValuePairs<StaticString, Content?>) -> String {
    var out: [UInt8] = []
    append(members, to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  /// Appends an object. Members that are nil are left out.
  package static func append(_ members: KeyValuePairs<StaticString, Content?>, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "{"))
    let start = out.count
    for (name, content) in members {
      guard let content else { continue }
      append(out.count == start ? "\"" : ",\"" as StaticString, to: &out)
      append(name, to: &out)
      append("\":" as StaticString, to: &out)
      switch content {
      case .value(let value): append(value, to: &out)
      case .json(let json): append(bare: json, to: &out)
      }
    }
    out.append(UInt8(ascii: "}"))
  }

  /// Appends a list of objects.
  package static func append<Element>(
    list elements: some Sequence<Element>, to out: inout [UInt8],
    _ members: (Element) -> KeyValuePairs<StaticString, Content?>
  ) {
    out.append(UInt8(ascii: "["))
    var isFirst = true
    for element in elements {
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      append(members(element), to: &out)
    }
    out.append(UInt8(ascii: "]"))
  }
}
