import StoreSchema

/// Draws `raw`: text as it is, one element a line, the fields of a record and the entries of a map with tabs.
package enum RawRenderer {
  package static func write(_ value: Value, to out: inout TextBuffer) {
    switch value {
    case .list(let list):
      // Tables of Lua are records without a type.
      let columns = if case .map? = list.first { TableColumns(list) } else { TableColumns?.none }
      for element in list {
        if let columns { writeLine(element, columns, to: &out) } else { writeLine(element, to: &out) }
        out.passOn()
      }
    case .map(let map):
      for (key, value) in map {
        out.append(Cell.text(of: key))
        out.append("\t" as Unicode.Scalar)
        append(value, to: &out)
        out.append("\n" as Unicode.Scalar)
        out.passOn()
      }
    default: writeLine(value, to: &out)
    }
  }

  private static func writeLine(_ value: Value, to out: inout TextBuffer) {
    if case .record(let record) = value {
      for (index, field) in record.values.enumerated() {
        if index > 0 { out.append("\t" as Unicode.Scalar) }
        append(field, to: &out)
      }
    } else {
      append(value, to: &out)
    }
    out.append("\n" as Unicode.Scalar)
  }

  private static func writeLine(_ row: Value, _ columns: TableColumns, to out: inout TextBuffer) {
    var isFirst = true
    columns.forEachCell(of: row) { value in
      if !isFirst { out.append("\t" as Unicode.Scalar) }
      isFirst = false
      append(value, to: &out)
    }
    out.append("\n" as Unicode.Scalar)
  }

  /// Appends a value within a text.
  ///
  /// - Throws: ``ShellError`` for a value with parts, and for nil.
  fileprivate static func append(scalar value: Value, of reference: Reference, to out: inout TextBuffer)
    throws(ShellError)
  {
    let inner = if case .variable(let name) = reference { Int(name) == nil ? name : "arg[\(name)]" } else { "(…)" }
    switch value {
    case .map(let map) where map.isEmpty:
      throw ShellError(
        code: .typeMismatch, message: "\(reference.text) is an empty table, which is no text",
        hint: "$(#\(inner)) counts its items")
    case .list:
      throw ShellError(
        code: .typeMismatch, message: "\(reference.text) is \(value.described), which is no text",
        hint: "$(#\(inner)) counts its items")
    case .map, .record:
      throw ShellError(
        code: .typeMismatch, message: "\(reference.text) is \(value.described), which is no text",
        hint: "$(\(inner).NAME) is one of its entries, show \(reference.text) prints them all")
    case .none:
      throw ShellError(
        code: .typeMismatch, message: "\(reference.text) is nil, which is no text", hint: reference.hintOnNothing)
    default: append(value, to: &out)
    }
  }

  private static func append(_ value: Value, to out: inout TextBuffer) {
    if case .string(let text) = value {
      out.append(text)
    } else {
      _ = Cell.append(value, to: &out)
    }
  }
}

extension Composition {
  /// The text with each value as `raw` prints it.
  ///
  /// - Parameters:
  ///   - selector: the text of a value that is the whole of a selector; nil: it is text as any other.
  ///   - resolve: gives the values, each once, from left to right.
  /// - Throws: ``ShellError`` for a value with parts and for nil, and any error of `resolve`.
  package func text(
    selector: ((Value, Reference) throws -> String)? = nil, resolving resolve: (Reference) throws -> Value
  ) throws -> String {
    var out = TextBuffer()
    for piece in pieces {
      switch piece {
      case .text(let text): out.append(text)
      case .value(let reference, isSelector: true) where selector != nil:
        if let selector { out.append(try selector(resolve(reference), reference)) }
      case .value(let reference, _): try RawRenderer.append(scalar: resolve(reference), of: reference, to: &out)
      }
    }
    return out.text
  }
}
