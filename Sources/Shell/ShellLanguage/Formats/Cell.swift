import StoreSchema

/// Values as they stand in a table or a tree: text bare, none as `-`, what has parts on one line.
package enum Cell {
  /// Appends the value; returns its columns.
  package static func append(_ value: Value, to out: inout TextBuffer) -> Int {
    let start = out.count
    switch value {
    case .none: out.append("-" as Unicode.Scalar)
    case .bool(let value): out.append(value)
    case .int(let number): out.append(number)
    case .double(let number): out.append(ScalarText.text(of: number))
    case .decimal(let number): out.append(number.description)
    case .string(let text): return out.appendBare(text)
    case .list, .map, .record, .variant: return out.appendBare(InlineText.text(of: value))
    }
    return out.count - start
  }

  package static func text(of key: MapKey) -> String {
    switch key {
    case .int(let number): number.description
    case .string(let text): text
    }
  }
}
