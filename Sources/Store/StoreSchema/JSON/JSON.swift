/// JSON text out of values and values out of JSON text (RFC 8259).
public enum JSON {
  /// The compact JSON of a value: keys in schema order, a nil optional as `null`, numbers that read back the same. Those
  /// that JSON has no way to write stand as the texts `"inf"`, `"-inf"` and `"nan"`, so that ``Schema/value(fromJSON:)``
  /// reads back every value of a type.
  public static func text(of value: Value) -> String {
    var out = ""
    append(value, to: &out)
    return out
  }

  /// Appends the compact JSON of a value, as ``text(of:)`` writes it.
  public static func append(_ value: Value, to out: inout String) {
    switch value {
    case .none: out += "null"
    case .bool(let value): out += value ? "true" : "false"
    case .int(let value): out += value.description
    case .double(let value):
      let text = ScalarText.text(of: value)
      out += value.isFinite ? text : "\"\(text)\""
    case .string(let text): appendQuoted(text, to: &out)
    case .list(let list):
      out += "["
      var first = true
      for value in list {
        if !first { out += "," }
        first = false
        append(value, to: &out)
      }
      out += "]"
    case .map(let map):
      out += "{"
      var first = true
      for (key, value) in map {
        if !first { out += "," }
        first = false
        switch key {
        case .int(let key): out += "\"\(key)\""
        case .string(let key): appendQuoted(key, to: &out)
        }
        out += ":"
        append(value, to: &out)
      }
      out += "}"
    case .record(let record): append(record, to: &out)
    case .variant(let variant):
      out += "{"
      appendQuoted(variant.name, to: &out)
      out += ":"
      append(variant.payload, to: &out)
      out += "}"
    }
  }

  private static func append(_ record: Record, to out: inout String) {
    out += "{"
    for (index, name) in record.layout.fields.enumerated() {
      if index > 0 { out += "," }
      appendQuoted(name, to: &out)
      out += ":"
      append(record.values[index], to: &out)
    }
    out += "}"
  }

  private static func appendQuoted(_ text: String, to out: inout String) {
    out += "\""
    ScalarText.appendEscaped(text, to: &out)
    out += "\""
  }
}
