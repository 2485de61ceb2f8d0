import StoreSchema

/// Prints values in the forms that `--as` offers.
public struct Formatter: Sendable {
  /// The form.
  public var format: Format
  /// The columns of the terminal; nil where there is none, so that no table is too wide.
  public var terminalWidth: Int?
  /// True if the locale is UTF-8, so that `spark` may draw blocks.
  public var isUTF8: Bool
  /// The marks of the heads of tables.
  public var marks: StyleMarks
  /// The fields of records that `auto` and `table` leave out of the columns of a table.
  public var hiddenColumns: Set<String>

  /// Makes a formatter.
  public init(
    _ format: Format = .auto, terminalWidth: Int? = nil, isUTF8: Bool = true, marks: StyleMarks = .none,
    hiddenColumns: Set<String> = []
  ) {
    self.format = format
    self.terminalWidth = terminalWidth
    self.isUTF8 = isUTF8
    self.marks = marks
    self.hiddenColumns = hiddenColumns
  }

  /// The value as text: whole lines, the last one ended. Without elements, `raw`, `jsonl` and `csv` may have no line.
  ///
  /// - Parameter schema: the value's type, which names the columns where there are no rows.
  /// - Throws: ``ShellError`` where the form does not fit the value: `spark` draws numbers only.
  public func text(of value: Value, _ schema: Schema) throws(ShellError) -> String {
    var out = TextBuffer()
    try write(value, schema, to: &out)
    return out.text
  }

  /// Hands the text on in pieces of some 64 KiB of UTF-8; no piece splits a line of JSON or a row.
  ///
  /// - Throws: ``ShellError`` as ``text(of:_:)`` does, before the first piece.
  public func write(
    _ value: Value, _ schema: Schema, to sink: @escaping (_ piece: [UInt8]) -> Void
  ) throws(ShellError) {
    var out = TextBuffer(sink: sink)
    try write(value, schema, to: &out)
    out.flush()
  }

  private func write(_ value: Value, _ schema: Schema, to out: inout TextBuffer) throws(ShellError) {
    switch format {
    case .auto, .tree, .table: LayoutRenderer(self).write(value, to: &out)
    case .jsonl where CSVRenderer.isEmptyTable(value, schema): return
    case .json, .jsonl: writeJSON(value, to: &out)
    case .lua:
      InlineText.append(value, .lua, to: &out)
      out.append("\n" as Unicode.Scalar)
    case .raw: RawRenderer.write(value, to: &out)
    case .csv: CSVRenderer.write(value, schema, to: &out)
    case .spark: out.append(try Sparkline.text(of: value, isUTF8: isUTF8) + "\n")
    }
  }

  private func writeJSON(_ value: Value, to out: inout TextBuffer) {
    guard case .list(let list) = value else {
      out.append(json: value)
      out.append("\n" as Unicode.Scalar)
      return
    }
    if format == .json { out.append("[" as Unicode.Scalar) }
    var first = true
    for element in list {
      if !first { out.append((format == .json ? "," : "\n") as Unicode.Scalar) }
      first = false
      out.passOn()
      out.append(json: element)
    }
    if format == .json { out.append("]" as Unicode.Scalar) }
    if format == .json || !first { out.append("\n" as Unicode.Scalar) }
  }
}
