import ShellLanguage
import StoreModules
import StorePlugins
import StoreSchema

/// Gives the actions that the records of a file stand for.
protocol RecordReading {
  /// The line on which the record starts that was read last, from 1.
  var line: Int { get }

  /// Reads the part of the file that stands before its records, if it has one.
  ///
  /// - Throws: a ``FileFault``; a `FileError`.
  mutating func begin() throws

  /// The next record.
  ///
  /// - Throws: the fault of the record, after which the next call goes on with the next one; a ``FileFault``; a
  ///   `FileError`.
  mutating func next() throws -> ReadRecord
}

/// What a record is found to be.
enum ReadRecord {
  /// The action that it stands for.
  case action(ActionCall)
  /// One that a condition leaves out.
  case leftOut
  /// None: the file ends.
  case end
}

extension RecordReading {
  mutating func begin() throws {}
}

/// The values of an argument that records most often have, and that are read straight from their bytes.
enum PlainForm {
  /// Any text.
  case text
  /// Integers within bounds.
  case integer(ClosedRange<Int>)
  /// Values that take a closer look.
  case other

  init(_ schema: Schema) {
    switch schema.plainSet {
    case .texts: self = .text
    case .integers(let minimum, let maximum) where minimum <= maximum: self = .integer(minimum...maximum)
    case .integers, nil: self = .other
    }
  }
}

enum RecordFormat: String, CaseIterable {
  /// A JSON object a line.
  case jsonl
  /// A row of values between commas, the first with the names (RFC 4180).
  case csv
  /// The same between tabs.
  case tsv

  /// The format that a file's name says; nil where it says none.
  init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: ".") else { return nil }
    switch fileName[fileName.index(after: dot)...].lowercased() {
    case "jsonl", "ndjson", "json": self = .jsonl
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    default: return nil
    }
  }

  /// The format that the first line with something in it shows: an object, or names between tabs or commas; nil: it shows
  /// none.
  private init?(firstLine: ArraySlice<UInt8>) {
    guard let first = firstLine.first(where: { !$0.isBlank }) else { return nil }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      self = .jsonl
    } else if firstLine.contains(0x09) {
      self = .tsv
    } else if firstLine.contains(UInt8(ascii: ",")) {
      self = .csv
    } else {
      return nil
    }
  }

  /// The formats that a file may have, the likeliest first: by its name, then by its start. For a line that is neither
  /// an object nor has a separator in it JSON comes before a table of one column.
  static func hints(fileName: String, firstLine: ArraySlice<UInt8>?) -> [RecordFormat] {
    let said = [RecordFormat(fileName: fileName), firstLine.flatMap { RecordFormat(firstLine: $0) }].compactMap(\.self)
    return said.isEmpty ? [.jsonl, .csv] : said
  }
}

/// A fault of the file rather than of one of its records. Either the first row of a table names no arguments of the
/// action, or no record has a field that `--map` names.
struct FileFault: Error {
  let error: any Error
}

/// A fault of a record as such, in words.
struct RecordFault: Error {
  let message: String
  /// The advice to the user.
  var hint: String?
  /// The number of lines that the record takes in.
  var lineCount = 1

  /// The same fault of a record that takes in some lines; of several they are named.
  func of(lines: ClosedRange<Int>) -> RecordFault {
    guard lines.count > 1, lineCount == 1 else { return self }
    return RecordFault(
      message: "\(message) (lines \(lines.lowerBound) to \(lines.upperBound))", hint: hint, lineCount: lines.count)
  }
}

extension ColumnComputation {
  /// The columns that Lua set; nil: the record is left out. Of a fault the columns are told that look like numbers and are texts.
  func computed(_ columns: [Column]) throws -> [Column]? {
    do throws(SessionLuaError) {
      return try changes(to: columns)
    } catch {
      guard error.mayDependOnState else { throw error }
      let texts = columns.compactMap { column -> String? in
        guard mentions(column.name), case .string(let text) = column.value, text.looksLikeANumber else { return nil }
        return "\(column.name) is the text \(JSON.text(of: .string(text)))"
      }
      guard !texts.isEmpty else { throw error }
      throw RecordFault(
        message: "\(error.message): \(texts.joined(separator: ", ")), of which decimal(…) makes a number")
    }
  }
}

/// The rule by which the fields of records become the arguments of an action.
struct RecordMapping {
  let type: ActionType
  /// The argument that a field fills, where the names differ.
  let argumentNames: [String: String]
  /// True if fields that the action has no argument for are left out.
  let ignoresOthers: Bool
  /// Lua over the fields, before they become arguments; nil: none is given.
  let computation: ColumnComputation?

  /// A field as Lua computes with it: what reads as a number is a decimal with all its digits. A key such as `007` stays a text.
  static func computed(_ text: String) -> Value {
    guard text.looksLikeANumber, !text.hasLeadingZero else { return .string(text) }
    return DecimalNumber(text).map { .decimal($0) } ?? .string(text)
  }

  /// A number of a record as Lua computes with it; nil: a float tells all of its digits. One that neither holds is a text, of which
  /// Lua makes no number.
  static func computed(number digits: String) -> Value? {
    if let decimal = DecimalNumber(digits) { return .decimal(decimal) }
    let count = digits.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.filter { (0x30...0x39).contains($0) }.count
    return count > 17 ? .string(digits) : nil
  }

  /// The argument that a field fills, or the name of the field where there is none; nil: the field is left out.
  ///
  /// - Throws: ``RecordFault`` where another field fills the argument of that name.
  func argument(of field: String) throws(RecordFault) -> String? {
    if let argument = argumentNames[field] { return argument }
    guard let other = argumentNames.first(where: { $0.value == field })?.key else { return field }
    guard ignoresOthers else {
      throw RecordFault(
        message: "the record has '\(field)', too, but --map fills it from '\(other)'; --ignore-others allows that")
    }
    return nil
  }

  /// Refuses to leave out a field that differs from an argument by case alone.
  func refuseNear(_ name: String) throws(RecordFault) {
    guard let argument = type.fields.first(where: { $0.name.lowercased() == name.lowercased() })?.name,
      argument != name, !argumentNames.values.contains(argument)
    else { return }
    throw RecordFault(
      message: "'\(name)' fills no argument of \(type.fullName)",
      hint: "is '\(argument)' meant? --map \(argument)=\(name)")
  }

  /// The fault of records none of whose fields fills an argument.
  func fillsNothing(_ names: [String]) -> RecordFault {
    RecordFault(
      message: "no field fills an argument of \(type.fullName)",
      hint: names.lazy.compactMap(Self.hint(onDelimiterIn:)).first
        ?? "it takes \(type.fields.map(\.name).joined(separator: ", ")); --map ARGUMENT=FIELD")
  }

  /// The advice on a name that has the sign in it which probably stands between the columns; nil: it has none.
  static func hint(onDelimiterIn name: String) -> String? {
    name.first { ";|\t".contains($0) }.map { sign in
      "are the columns parted by \(sign == "\t" ? "tabs? --delimiter tab" : "'\(sign)'? --delimiter '\(sign)'")"
    }
  }

  /// Makes sure that each field that `--map` names is there.
  ///
  /// - Throws: ``RecordFault`` with the first that is not.
  func requireMapped(among names: [String], called what: String) throws(RecordFault) {
    guard let name = argumentNames.keys.filter({ !names.contains($0) }).min() else { return }
    throw RecordFault(
      message: "there is no \(what) '\(name)', which --map names",
      hint: name.contains(",") && name.contains("=")
        ? "each pair has a --map of its own: --map a=b --map c=d"
        : Suggestion.question(name, among: names)
          ?? (names.isEmpty
            ? nil : "there is \(names.prefix(12).joined(separator: ", "))\(names.count > 12 ? ", …" : "")"))
  }
}
