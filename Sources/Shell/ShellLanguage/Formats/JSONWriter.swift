import StoreSchema

/// Writes the JSON of many values of a few types: what `JSON.append` writes, with each type's keys escaped once.
package struct JSONWriter {
  private var layout: RecordLayout?
  /// For each field of the layout `"name":`, with the comma before it.
  private var keys: [[UInt8]] = []

  package mutating func append(_ value: Value, to out: inout TextBuffer) {
    switch value {
    case .none: out.append("null" as StaticString)
    case .bool(let value): out.append(value)
    case .int(let number): out.append(number)
    case .string(let text): out.appendQuoted(text)
    case .record(let record): append(record, to: &out)
    case .list(let list):
      out.append("[" as Unicode.Scalar)
      var first = true
      for element in list {
        if !first { out.append("," as Unicode.Scalar) }
        first = false
        append(element, to: &out)
      }
      out.append("]" as Unicode.Scalar)
    case .double, .map, .variant: out.append(JSON.text(of: value))
    }
  }

  private mutating func append(_ record: Record, to out: inout TextBuffer) {
    // Records inside records take turns here; the keys of the outermost are worth keeping.
    guard layout == nil || layout === record.layout else {
      out.append(JSON.text(of: .record(record)))
      return
    }
    if layout == nil {
      layout = record.layout
      keys = record.layout.fields.enumerated().map { index, name in
        Array(((index > 0 ? "," : "") + ScalarText.quoted(name) + ":").utf8)
      }
    }
    out.append("{" as Unicode.Scalar)
    for index in record.values.indices {
      out.append(keys[index][...])
      append(record.values[index], to: &out)
    }
    out.append("}" as Unicode.Scalar)
  }
}
