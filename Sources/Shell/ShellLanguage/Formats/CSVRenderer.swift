import StoreSchema

/// Draws `csv` after RFC 4180: a header, lines that end with CR LF, quotes where they are needed. None is an empty field
/// and empty text a quoted one, so that they can be told apart; what has parts is JSON.
package enum CSVRenderer {
  package static func write(_ value: Value, _ schema: Schema, to out: inout TextBuffer) {
    if isEmptyTable(value, schema) { return }
    switch value {
    case .list(let list):
      if let columns = TableColumns(list) ?? declaredColumns(schema) {
        writeRow(columns.names, to: &out)
        for row in list { write(row, columns, key: nil, to: &out) }
      } else {
        writeRow(["value"], to: &out)
        for element in list {
          append(element, to: &out)
          endRow(&out)
        }
      }
    case .map(let map):
      let values = PersistentList(map.values)
      if let columns = TableColumns(values) {
        writeRow(["key"] + columns.names, to: &out)
        for (key, value) in map { write(value, columns, key: key, to: &out) }
      } else {
        writeRow(["key", "value"], to: &out)
        for (key, value) in map {
          append(key.value, to: &out)
          out.append("," as Unicode.Scalar)
          append(value, to: &out)
          endRow(&out)
        }
      }
    case .record(let record):
      writeRow(record.layout.fields, to: &out)
      write(value, TableColumns(names: record.layout.fields, layout: record.layout), key: nil, to: &out)
    default:
      writeRow(["value"], to: &out)
      append(value, to: &out)
      endRow(&out)
    }
  }

  /// True for an empty table that Lua made: it may be a list or a map, and has no header.
  static func isEmptyTable(_ value: Value, _ schema: Schema) -> Bool {
    switch (value, schema.wrapped.kind) {
    case (.map(let map), .any): map.isEmpty
    case (.list(let list), .any): list.isEmpty
    default: false
    }
  }

  /// The columns that an empty list would have.
  private static func declaredColumns(_ schema: Schema) -> TableColumns? {
    switch schema.kind {
    case .optional(let wrapped): return declaredColumns(wrapped)
    case .list(let element):
      guard case .record(let record) = element.kind else { return nil }
      return TableColumns(names: record.layout.fields, layout: record.layout)
    default: return nil
    }
  }

  private static func writeRow(_ names: [String], to out: inout TextBuffer) {
    for (index, name) in names.enumerated() {
      if index > 0 { out.append("," as Unicode.Scalar) }
      append(.string(name), to: &out)
    }
    endRow(&out)
  }

  private static func write(_ row: Value, _ columns: TableColumns, key: MapKey?, to out: inout TextBuffer) {
    var isFirst = true
    if let key {
      append(key.value, to: &out)
      isFirst = false
    }
    columns.forEachCell(of: row) { cell in
      if !isFirst { out.append("," as Unicode.Scalar) }
      isFirst = false
      append(cell, to: &out)
    }
    endRow(&out)
  }

  private static func endRow(_ out: inout TextBuffer) {
    out.append("\r\n" as StaticString)
    out.passOn()
  }

  private static func append(_ value: Value, to out: inout TextBuffer) {
    switch value {
    case .none: break
    case .bool, .int, .double, .decimal: _ = Cell.append(value, to: &out)
    case .string(let text): append(text, to: &out)
    case .list, .map, .record, .variant: append(JSON.text(of: value), to: &out)
    }
  }

  private static func append(_ text: String, to out: inout TextBuffer) {
    let needsQuotes =
      text.isEmpty || text.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
    guard needsQuotes else {
      out.append(text)
      return
    }
    out.append("\"" as Unicode.Scalar)
    for byte in text.utf8 {
      if byte == 0x22 { out.append(byte) }
      out.append(byte)
    }
    out.append("\"" as Unicode.Scalar)
  }
}
