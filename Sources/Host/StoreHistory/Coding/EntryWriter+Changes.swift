import StoreSchema

extension EntryWriter {
  /// Appends changes as an array.
  public static func append(_ changes: ArraySlice<Change>, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "["))
    appendElements(changes, to: &out) { append($0, to: &$1) }
    out.append(UInt8(ascii: "]"))
  }

  /// The same with texts of paths that are kept.
  static func append(_ changes: ArraySlice<Change>, _ paths: inout PathTexts, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "["))
    appendElements(changes, to: &out) { paths.append($0, to: &$1) }
    out.append(UInt8(ascii: "]"))
  }

  /// Appends changes as the elements of an array.
  static func appendElements(
    _ changes: ArraySlice<Change>, to out: inout [UInt8], appendPath: (Path, inout [UInt8]) -> Void
  ) {
    for index in changes.indices {
      if index > changes.startIndex { out.append(UInt8(ascii: ",")) }
      append(changes[index], to: &out, appendPath: appendPath)
    }
  }

  /// Appends one change.
  private static func append(_ change: Change, to out: inout [UInt8], appendPath: (Path, inout [UInt8]) -> Void) {
    switch change.kind {
    case .replace: JSON.append("{\"op\":\"replace\",\"path\":\"" as StaticString, to: &out)
    case .add: JSON.append("{\"op\":\"add\",\"path\":\"" as StaticString, to: &out)
    case .remove: JSON.append("{\"op\":\"remove\",\"path\":\"" as StaticString, to: &out)
    case .move: JSON.append("{\"op\":\"move\",\"path\":\"" as StaticString, to: &out)
    }
    appendPath(change.path, &out)
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
    case .move(let position):
      JSON.append(",\"to\":" as StaticString, to: &out)
      JSON.append(position, to: &out)
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
  static func append(_ path: Path, to out: inout [UInt8]) {
    let start = out.count
    for index in path.steps.indices {
      switch path.steps[index] {
      case .field(let name), .key(.string(let name)):
        let isAppended = append(name: name, isFirst: out.count == start, to: &out)
        if !isAppended { append(path.steps[index], from: start, to: &out) }
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
      default: append(path.steps[index], from: start, to: &out)
      }
    }
  }

  /// Appends a step that is a name, as nearly all are, looking at each of its bytes once.
  ///
  /// - Returns: false: it is no name, and nothing was appended.
  private static func append(name: String, isFirst: Bool, to out: inout [UInt8]) -> Bool {
    var name = name
    return name.withUTF8 { bytes in
      guard bytes.isName else { return false }
      if !isFirst { out.append(UInt8(ascii: ".")) }
      out.append(contentsOf: bytes)
      return true
    }
  }

  /// Appends a step of any kind.
  ///
  /// - Parameter start: the start of the path.
  private static func append(_ step: Path.Step, from start: Int, to out: inout [UInt8]) {
    var text = out.count > start ? "." : ""
    let isFirst = text.isEmpty
    step.append(to: &text)
    if !isFirst { text.removeFirst() }
    ScalarText.appendEscaped(text, to: &out)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// True if the bytes are a name in paths, as `String.isName` says.
  fileprivate var isName: Bool {
    guard let first, first < 0x30 || first > 0x39 else { return false }
    for byte in self {
      let isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A || byte == 0x5F
      guard isLetter || byte >= 0x30 && byte <= 0x39 else { return false }
    }
    return true
  }
}
