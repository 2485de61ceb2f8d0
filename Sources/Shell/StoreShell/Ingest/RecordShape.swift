import Platform
import ShellLanguage
import StorePlugins
import StoreSchema

/// How a file is to be read, as the flags of `ingest` say it.
struct RecordShape {
  /// The format of its records; nil: its name and start say it.
  var format: RecordFormat?
  /// The bytes between and around the fields of a table; nil: as the format has them.
  var delimiter: UInt8?
  var quote: Quote?
  var header = CellHeader.firstRow
  var lines = LineForm.none

  /// The byte around fields.
  enum Quote {
    case none
    case byte(UInt8)
  }

  /// What each line is by itself.
  enum LineForm {
    /// Nothing: records are read by their format.
    case none
    /// One field.
    case whole
    /// A line of a web server's log.
    case webLog(isCombined: Bool)
    /// What a pattern takes apart.
    case pattern(LinePattern)
  }

  /// True if something is said that only a table has.
  private var isOfTable: Bool {
    if case .firstRow = header { delimiter != nil || quote != nil } else { true }
  }

  /// The format of a file.
  ///
  /// - Parameter hints: the formats that its name and its start show.
  func format(shown hints: [RecordFormat]) -> RecordFormat {
    format ?? (isOfTable ? hints.first { $0 != .jsonl } ?? .csv : hints.first ?? .jsonl)
  }

  /// True if each line is taken by itself.
  var isOfLines: Bool { if case .none = lines { false } else { true } }

  func records(
    of reader: LineReader, _ format: RecordFormat, _ mapping: RecordMapping, program: String
  ) -> any RecordReading {
    switch lines {
    case .whole: return TableRecords(LineRows(lines: reader), header: .names(["line"]), mapping: mapping)
    case .webLog(let isCombined):
      let rows = WebLogRows(lines: reader, isCombined: isCombined)
      return TableRecords(rows, header: .form(rows.names), mapping: mapping)
    case .pattern(let pattern):
      let rows = PatternRows(lines: reader, pattern: pattern)
      return TableRecords(rows, header: .names(pattern.names), mapping: mapping)
    case .none: break
    }
    if case .jsonl = format { return JSONRecords(lines: reader, mapping: mapping, program: program) }
    var mark: UInt8? = UInt8(ascii: "\"")
    switch quote {
    case .none?: mark = nil
    case .byte(let byte)?: mark = byte
    case nil: break
    }
    let separator = delimiter ?? (format == .tsv ? 0x09 : UInt8(ascii: ","))
    return TableRecords(TableRows(lines: reader, separator: separator, quote: mark), header: header, mapping: mapping)
  }
}

extension CommandReader {
  func recordShape() throws -> Given<RecordShape> {
    let ofTables = ["delimiter", "quote", "header"].filter(has)
    let ofLines = ["lines", "match"].filter(has)
    if let first = ofLines.first, let other = (["format"] + ofTables + ofLines.dropFirst()).first(where: has) {
      throw fault(.unexpectedArgument, "--\(first) and --\(other) cannot be combined", of: other, status: 2)
    }
    var shape = Given.known(RecordShape())
    func add(_ name: String, _ set: @escaping (inout RecordShape, String) throws -> Void) throws {
      guard let text = try self.text(of: name) else { return }
      shape = try shape.with(text).map { given in
        var shape = given.0
        try set(&shape, given.1)
        return shape
      }
    }
    if has("lines") { shape = .known(RecordShape(lines: .whole)) }
    try add("format") { [self] shape, name in
      guard let format = RecordFormat(rawValue: name) else {
        throw ShellError(
          code: .unknownFormat, message: "records are jsonl, csv or tsv, not '\(name)'", place: place(of: "format"),
          hint: ["common", "combined"].contains(name) ? "a web server's log: --match \(name)" : nil, status: 2)
      }
      guard format != .jsonl || ofTables.isEmpty else {
        throw fault(.unexpectedArgument, "--\(ofTables[0]) is for tables, not for JSON", of: ofTables[0], status: 2)
      }
      shape.format = format
    }
    try add("delimiter") { [self] shape, text in
      shape.delimiter = try byte(text == "tab" ? "\t" : text, of: "delimiter")
    }
    try add("quote") { [self] shape, text in
      shape.quote = text == "none" ? RecordShape.Quote.none : .byte(try byte(text, of: "quote"))
    }
    try add("header") { [self] shape, text in
      let names = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
      guard text == "none" || names.allSatisfy({ !$0.isEmpty }) else {
        throw fault(.typeMismatch, "--header takes none, or names between commas, not '\(text)'", of: "header")
      }
      shape.header = text == "none" ? .order : .names(names)
    }
    try add("match") { [self] shape, text in
      switch text {
      case "common": shape.lines = .webLog(isCombined: false)
      case "combined": shape.lines = .webLog(isCombined: true)
      default:
        do throws(LinePattern.Fault) {
          shape.lines = .pattern(try LinePattern(text))
        } catch {
          throw ShellError(
            code: .typeMismatch, message: "--match: \(error.message)", place: place(of: "match"),
            hint: Suggestion.question(text, among: ["common", "combined"])
              ?? "common, combined, or a Lua pattern with named parts: '^(?<name>%S+) (?<rest>.*)$'")
        }
      }
    }
    guard !ofTables.isEmpty else { return shape }
    return try shape.map { [self] shape in
      if shape.format == .tsv, let delimiter = shape.delimiter, delimiter != 0x09 {
        throw fault(
          .unexpectedArgument, "tsv has tabs between its fields; csv takes --delimiter", of: "delimiter", status: 2)
      }
      let separator = shape.delimiter ?? (shape.format == .tsv ? 0x09 : UInt8(ascii: ","))
      if case .byte(separator)? = shape.quote {
        throw fault(
          .unexpectedArgument, "--quote names the character that stands between the fields", of: "quote", status: 2)
      }
      return shape
    }
  }

  /// The one byte that a flag names.
  private func byte(_ text: String, of flag: String) throws -> UInt8 {
    guard text.utf8.count == 1, let byte = text.utf8.first, byte != 0x0A, byte != 0x0D else {
      throw fault(.typeMismatch, "--\(flag) takes one character, not '\(text)'", of: flag)
    }
    return byte
  }
}
