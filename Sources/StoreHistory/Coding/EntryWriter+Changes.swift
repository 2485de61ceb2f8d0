import StoreSchema

extension EntryWriter {
  /// Appends changes as an array.
  public static func append(_ changes: ArraySlice<Change>, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "["))
    for index in changes.indices {
      if index > changes.startIndex { out.append(UInt8(ascii: ",")) }
      append(changes[index], to: &out)
    }
    out.append(UInt8(ascii: "]"))
  }

  /// Appends one change.
  public static func append(_ change: Change, to out: inout [UInt8]) {
    switch change.kind {
    case .replace: JSON.append("{\"op\":\"replace\",\"path\":\"" as StaticString, to: &out)
    case .add: JSON.append("{\"op\":\"add\",\"path\":\"" as StaticString, to: &out)
    case .remove: JSON.append("{\"op\":\"remove\",\"path\":\"" as StaticString, to: &out)
    }
    append(change.path, to: &out)
    out.append(UInt8(ascii: "\""))
    switch change.kind {
    case .replace(let from, let to):
      JSON.append(",\"from\":" as StaticString, to: &out)
      JSON.append(from, to: &out)
      JSON.append(",\"to\":" as StaticString, to: &out)
      JSON.append(to, to: &out)
    case .add(let value):
      JSON.append(",\"to\":" as StaticString, to: &out)
      JSON.append(value, to: &out)
    case .remove(let value):
      JSON.append(",\"from\":" as StaticString, to: &out)
      JSON.append(value, to: &out)
    }
    if !change.positions.isEmpty {
      JSON.append(",\"positions\":[" as StaticString, to: &out)
      for index in change.positions.indices {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        JSON.append(change.positions[index], to: &out)
      }
      out.append(UInt8(ascii: "]"))
    }
    if change.isInPlace { JSON.append(",\"inPlace\":true" as StaticString, to: &out) }
    out.append(UInt8(ascii: "}"))
  }

  /// Appends a path as users write it, as the inside of a JSON text.
  private static func append(_ path: Path, to out: inout [UInt8]) {
    let start = out.count
    for step in path.steps {
      switch step {
      case .field(let name) where name.isName, .key(.string(let name)) where name.isName:
        if out.count > start { out.append(UInt8(ascii: ".")) }
        JSON.append(bare: name, to: &out)
      case .index(let index), .key(.int(let index)):
        out.append(UInt8(ascii: "["))
        JSON.append(index, to: &out)
        out.append(UInt8(ascii: "]"))
      case .match(let field, .int(let id)) where field.isName:
        out.append(UInt8(ascii: "["))
        JSON.append(bare: field, to: &out)
        out.append(UInt8(ascii: "="))
        JSON.append(id, to: &out)
        out.append(UInt8(ascii: "]"))
      default:
        var text = out.count > start ? "." : ""
        let isFirst = text.isEmpty
        step.append(to: &text)
        if !isFirst { text.removeFirst() }
        var escaped = ""
        ScalarText.appendEscaped(text, to: &escaped)
        JSON.append(bare: escaped, to: &out)
      }
    }
  }
}
