import StoreSchema

/// Draws `auto`, `tree` and `table`: fields below each other, lists of records as tables.
package struct LayoutRenderer {
  private let options: Formatter

  package init(_ options: Formatter) { self.options = options }

  package func write(_ value: Value, to out: inout TextBuffer) {
    switch value {
    case .none, .bool, .int, .double, .decimal: writeLine(value, to: &out)
    case .string(let text):
      // Alone, text is quoted; in a table or a tree it is bare.
      out.appendWord(text)
      out.append("\n" as Unicode.Scalar)
    case .list(let list):
      guard options.format != .tree else {
        writeCount(of: value, to: &out)
        return writeItems(list, indentation: 2, to: &out)
      }
      guard !list.isEmpty else { return writeCount(of: value, to: &out) }
      writeItems(list, indentation: 0, to: &out)
    case .map(let map):
      guard !map.isEmpty else { return writeCount(of: value, to: &out) }
      writeEntries(map, indentation: 0, to: &out)
    case .record(let record):
      if options.format == .table {
        writeItems([value], indentation: 0, to: &out)
      } else {
        writeFields(record.layout.fields, record.values, indentation: 0, to: &out)
      }
    case .variant(let variant):
      _ = out.appendBare(variant.name)
      out.append("\n" as Unicode.Scalar)
      writeFields(variant.payload.layout.fields, variant.payload.values, indentation: 2, to: &out)
    }
  }

  // MARK: Trees

  /// Writes one field a line: the names padded to the widest, then the value; values with parts are indented below.
  private func writeFields(
    _ names: [String], _ values: [Value], indentation: Int, to out: inout TextBuffer
  ) {
    // As it is shown, which is wider where something is escaped.
    var shown = TextBuffer()
    let widest = names.reduce(0) { widest, name in
      shown.removeLast(shown.count)
      return max(widest, shown.appendBare(name))
    }
    for (name, value) in zip(names, values) {
      out.append(spaces: indentation)
      let width = out.appendBare(name)
      let end = out.count
      out.append(spaces: widest - width + 2)
      writeValue(value, indentation: indentation + 2, nameEnd: end, to: &out)
      out.passOn()
    }
  }

  private func writeValue(_ value: Value, indentation: Int, nameEnd: Int, to out: inout TextBuffer) {
    switch value {
    case .none, .bool, .int, .double, .decimal: writeLine(value, to: &out)
    case .string(let text):
      if text.isEmpty { out.removeLast(out.count - nameEnd) }
      writeLine(.string(text), to: &out)
    case .list(let list):
      writeCount(of: value, to: &out)
      writeItems(list, indentation: indentation, to: &out)
    case .map(let map):
      writeCount(of: value, to: &out)
      writeEntries(map, indentation: indentation, to: &out)
    case .record(let record):
      out.removeLast(out.count - nameEnd)
      out.append("\n" as Unicode.Scalar)
      writeFields(record.layout.fields, record.values, indentation: indentation, to: &out)
    case .variant(let variant):
      _ = out.appendBare(variant.name)
      out.append("\n" as Unicode.Scalar)
      writeFields(variant.payload.layout.fields, variant.payload.values, indentation: indentation, to: &out)
    }
  }

  private func writeLine(_ value: Value, to out: inout TextBuffer) {
    _ = Cell.append(value, to: &out)
    out.append("\n" as Unicode.Scalar)
  }

  private func writeCount(of value: Value, to out: inout TextBuffer) {
    switch value {
    case .list(let list): out.append(list.count == 1 ? "1 item\n" : "\(list.count) items\n")
    case .map(let map): out.append(map.count == 1 ? "1 entry\n" : "\(map.count) entries\n")
    default: break
    }
  }

  // MARK: Lists and maps

  /// A table where the elements are records, else one element a line.
  private func writeItems(_ list: PersistentList<Value>, indentation: Int, to out: inout TextBuffer) {
    guard let columns = TableColumns(list) else {
      for element in list {
        out.append(spaces: indentation)
        writeLine(element, to: &out)
        out.passOn()
      }
      return
    }
    writeTable(columns, list, keys: nil, indentation: indentation, to: &out)
  }

  /// A table with the keys in front where the values are records, else one entry a line.
  private func writeEntries(_ map: PersistentMap<MapKey, Value>, indentation: Int, to out: inout TextBuffer) {
    let values = PersistentList(map.values)
    let areRecords = values.allSatisfy { if case .record = $0 { true } else { false } }
    if areRecords, !values.isEmpty, let columns = TableColumns(values) {
      let keys = map.keys.map { Cell.text(of: $0) }
      writeTable(columns, values, keys: keys, indentation: indentation, to: &out)
    } else {
      let names = map.keys.map { Cell.text(of: $0) }
      writeFields(names, Array(values), indentation: indentation, to: &out)
    }
  }

  private func writeTable(
    _ columns: TableColumns, _ rows: PersistentList<Value>, keys: [String]?, indentation: Int,
    to out: inout TextBuffer
  ) {
    let columns = columns.hiding(options.hiddenColumns)
    var table = TextTable(heads: (keys == nil ? [] : ["key"]) + columns.names)
    for (index, row) in rows.enumerated() {
      if let keys { table.append(.string(keys[index])) }
      columns.forEachCell(of: row) { table.append($0) }
    }
    if options.format == .auto, let terminalWidth = options.terminalWidth, table.width + indentation > terminalWidth {
      writeVertically(columns, rows, keys: keys, indentation: indentation, to: &out)
    } else {
      table.write(indentation: indentation, marks: options.marks, to: &out)
    }
  }

  /// A block a row, with a blank line between.
  private func writeVertically(
    _ columns: TableColumns, _ rows: PersistentList<Value>, keys: [String]?, indentation: Int,
    to out: inout TextBuffer
  ) {
    for (index, row) in rows.enumerated() {
      if index > 0 { out.append("\n" as Unicode.Scalar) }
      var names = columns.names
      var values: [Value] = []
      columns.forEachCell(of: row) { values.append($0) }
      if let keys {
        names.insert("key", at: 0)
        values.insert(.string(keys[index]), at: 0)
      }
      writeFields(names, values, indentation: indentation, to: &out)
    }
  }
}
