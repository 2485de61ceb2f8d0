import ShellLanguage
import StoreSchema

/// The form in which a line asks for its result.
struct ResultForm {
  /// The format; nil: that of the session.
  fileprivate let format: Given<Format>?

  static var ofSession: ResultForm { ResultForm(format: nil) }

  /// The form that the ending of a file's name says; JSON where it says none.
  ///
  /// - Throws: ``ShellError`` for an ending that is no form.
  static func named(by file: String, at place: ShellError.Place) throws -> ResultForm {
    guard let ending = FileEnding.of(file) else { return ResultForm(format: .known(.json)) }
    if let format = Format(rawValue: FileEnding.synonyms[ending] ?? ending) {
      return ResultForm(format: .known(format))
    }
    throw FileEnding.unknown(ending, of: "a value", forms: Format.allCases.map(\.rawValue), at: place)
  }
}

/// The endings of names of files, which say in which form a file is written.
enum FileEnding {
  /// Other names of a form.
  static let synonyms = ["ndjson": "jsonl"]

  /// Endings of recordings and texts, which say nothing of a form.
  private static let silent: Set = ["rec", "log", "txt", "out", "tmp", "bak"]

  /// The ending in small letters; nil: the name says nothing of a form, as `run.rec`.
  static func of(_ file: String) -> String? {
    let name = file.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    let ending = name[name.index(after: dot)...].lowercased()
    let isWord =
      ending.contains { $0.isLetter } && ending.allSatisfy { $0.isLetter || $0.isNumber } && !silent.contains(ending)
    return isWord ? ending : nil
  }

  /// The error for an ending that is no form of what is written.
  static func unknown(_ ending: String, of what: String, forms: [String], at place: ShellError.Place) -> ShellError {
    ShellError(
      code: .unknownFormat, message: "the name ends with .\(ending), and \(what) has no form '\(ending)'", place: place,
      hint: "end the name with another form, or say one: --as \(forms.joined(separator: ", "))", status: 2)
  }
}

/// The listing of a command that stands alone.
struct CommandListing {
  let reading: Reading
  /// The columns that are not shown.
  var hiding: Set<String> = []
  /// What it is a list of, in words; nil: it is never empty.
  let noun: String?

  init(_ reading: Reading, hiding: Set<String> = [], of noun: String? = nil) {
    self.reading = reading
    self.hiding = hiding
    self.noun = noun
  }

  /// True if there is nothing in it.
  fileprivate var isEmpty: Bool {
    switch reading.value {
    case .list(let list): list.isEmpty
    case .map(let map): map.isEmpty
    case .record(let record): record.values.isEmpty
    default: false
    }
  }
}

extension CommandReader {
  /// The form that `--as` and `--json` ask for.
  func form() throws -> ResultForm {
    if has("json") { return ResultForm(format: .known(.json)) }
    let place = place(of: "as")
    return ResultForm(
      format: try text(of: "as")?.map { name in
        if let format = Format(rawValue: name) { return format }
        let names = Format.allCases.map(\.rawValue)
        let hint = Suggestion.nearest(to: name, among: names).map { "did you mean \($0)?" }
        throw ShellError(
          code: .unknownFormat, message: "there is no format '\(name)'", place: place,
          hint: hint ?? "formats are \(names.joined(separator: ", "))", status: 2)
      })
  }
}

extension Session {
  func format(_ form: ResultForm) throws -> Format { try givenFormat(form) ?? options.format }

  /// The format that a line asks for; nil: none.
  func givenFormat(_ form: ResultForm) throws -> Format? { try form.format?.value(in: self) }

  /// Returns true if a result is asked for in words, as a person reads it best, and not as a value.
  func isInWords(_ form: ResultForm) throws -> Bool { try format(form) == .auto && !answersInJSON }

  /// Returns true if a result is asked for as JSON.
  func isInJSON(_ form: ResultForm) throws -> Bool { try answersInJSON || [.json, .jsonl].contains(format(form)) }

  /// Returns true if a result is a table or a layout that no file or command gets: somebody reads it.
  func isForPerson(_ form: ResultForm) throws -> Bool {
    try [.auto, .table].contains(format(form)) && !answersInJSON && !console.isCapturing
  }

  /// Answers with a value, printed as asked for.
  func answer(
    _ reading: Reading, as form: ResultForm, hiding hiddenColumns: Set<String> = []
  ) throws -> CommandResult {
    let format = try format(form)
    outcome.lastValue = reading.value
    guard !answersInJSON else { return CommandResult(json: JSON.text(of: reading.value)) }
    var formatter = formatter(format)
    formatter.hiddenColumns = hiddenColumns
    console.write(try formatter.text(of: reading.value, reading.schema))
    return .none
  }

  /// Answers with some elements of a list or a map, and tells a person how many there are.
  func answer(_ narrowed: Narrowing.Outcome, as form: ResultForm) throws -> CommandResult {
    var result: CommandResult
    if try isForPerson(form) {
      if narrowed.count > 0 { _ = try answer(narrowed.reading, as: form) }
      outcome.lastValue = narrowed.reading.value
      result = answer(narrowed.counts + "\n")
    } else {
      result = try answer(narrowed.reading, as: form)
    }
    result.notes += narrowed.notes
    return result
  }

  func answer(
    _ listing: (Session) throws -> CommandListing, as form: ResultForm
  ) throws -> CommandResult {
    let isInWords = try isInWords(form)
    let listing = try listing(self)
    if isInWords, listing.isEmpty, let noun = listing.noun {
      return answer("(no \(noun))\n", for: listing.reading.value)
    }
    return try answer(listing.reading, as: form, hiding: listing.hiding)
  }

  /// Answers with lines; with `--json` they are a text.
  func answer(_ text: String) -> CommandResult {
    answer(text, for: .string(String(text.last == "\n" ? text.dropLast() : text[...])))
  }

  /// Answers with words, which stand for a value where data is wanted.
  func answer(_ words: String, for value: @autoclosure () throws -> Value) rethrows -> CommandResult {
    if !answersInJSON { console.write(words) }
    return CommandResult(json: givesData ? JSON.text(of: try value()) : nil)
  }

  /// Answers with a text that is a value: bare where no form is asked for.
  func answer(value text: String, as form: ResultForm) throws -> CommandResult {
    guard try format(form) == .auto else {
      return try answer(Reading(text: text), as: form)
    }
    outcome.lastValue = .string(text)
    return answer(text + "\n")
  }
}
