import ShellLanguage
import StoreSchema

/// The records of an `ingest`, counted.
struct IngestTally {
  var count = 0
  var first: Int?
  var last = 0
  /// The number of records that were left out.
  private(set) var bad = 0
  /// The number of lines that these take in, and the first of them.
  private var badLines = 0
  private var firstBadLine = 0
  /// The number of ingested records that had errors beside their actions, that of dropped ones, and the code of the first.
  private var faulty = 0
  private var faultyDropped = 0
  private var code: ErrorCode?
  /// The number of records as whose actions interceptors passed on others, and the names of these.
  private(set) var replaced = 0
  private var replacements: Set<String> = []
  /// The number of blank lines that were passed over.
  var blank = 0
  /// The number of records that a condition left out.
  var filtered = 0
  /// The number of records that interceptors took, and the names of these.
  private(set) var dropped = 0
  private var interceptors: Set<String> = []

  private static let layout = RecordLayout(
    name: "Ingestion", fields: ["action", "records", "first", "last", "bad", "dropped", "blank", "replaced"])

  /// The number of records whose actions were processed.
  var processed: Int { count + dropped + replaced }

  /// True if there was nothing but blank lines.
  private var isEmpty: Bool { processed + bad + filtered == 0 }

  /// The number of records beside which something went wrong.
  var besides: Int { faulty + faultyDropped }

  mutating func drop(by interceptor: String) {
    dropped += 1
    interceptors.insert(interceptor)
  }

  mutating func replace(by action: String) {
    replaced += 1
    replacements.insert(action)
  }

  /// Takes note of a record that was left out, or beside which something went wrong.
  mutating func note(_ record: BadRecord) {
    if record.code != nil {
      if record.isIngested { faulty += 1 } else { faultyDropped += 1 }
      code = code ?? record.code
    } else {
      if bad == 0 { firstBadLine = record.line }
      bad += 1
      badLines += record.lineCount
    }
  }

  func value(_ action: String) -> Value {
    let numbers = first.map { [Value.int($0), .int(last)] } ?? [.none, .none]
    return .record(
      Record(
        Self.layout,
        [.string(action), .int(count)] + numbers + [.int(bad), .int(dropped), .int(blank), .int(replaced)]))
  }

  /// The records that interceptors took, and those that became other actions by them, in a sentence each.
  func remarks(of file: String) -> [String] {
    var texts: [String] = []
    if dropped > 0 {
      texts.append("\(Self.records(dropped)) of \(file) dropped by \(interceptors.sorted().joined(separator: ", "))")
    }
    if replaced > 0 {
      texts.append("\(Self.records(replaced)) of \(file) went on as \(replacements.sorted().joined(separator: ", "))")
    }
    if filtered > 0 { texts.append("\(Self.records(filtered)) of \(file) left out by --where") }
    return texts
  }

  /// The blank lines that were passed over, in words.
  func blankText(of file: String) -> String { "\(blank) blank \(blank == 1 ? "line" : "lines") of \(file) left out" }

  /// The bad records, in a sentence; nil: there are none.
  func badText(of file: String) -> String? {
    guard bad > 0 else { return nil }
    let lines = badLines > bad ? ", \(badLines) lines" : ""
    return "\(Self.records(bad, "bad ")) of \(file) left out\(lines), the first at \(file):\(firstBadLine)"
  }

  /// What was not ingested as it should be, in a sentence each.
  func failures(of file: String, isBadExpected: Bool = false) -> [String] {
    var texts: [String] = []
    if !isBadExpected, let text = badText(of: file) { texts.append(text) }
    if faulty > 0 { texts.append("\(Self.records(faulty)) of \(file) ingested, with errors besides") }
    if faultyDropped > 0 { texts.append("\(Self.records(faultyDropped)) of \(file) dropped, with errors besides") }
    return texts
  }

  /// The error of an `ingest` that went on after bad records; nil: there was none.
  func error(of file: String, isBadExpected: Bool) -> ShellError? {
    // Of an empty file no record was good.
    if isEmpty { return ShellError(code: .badRecord, message: "\(file) has no records") }
    let failures = failures(of: file, isBadExpected: isBadExpected)
    guard let first = failures.first else { return nil }
    return ShellError(
      code: bad > 0 && !isBadExpected ? .badRecord : code ?? .badRecord, message: first,
      details: Array(failures.dropFirst()))
  }

  private static func records(_ count: Int, _ kind: String = "") -> String {
    "\(count) \(kind)\(count == 1 ? "record" : "records")"
  }
}
