import ShellLanguage
import StoreSchema
import StoreShell

/// The result of a step as doors tell it: its name and its seconds, of one that failed `code`, `message` and `details`, and the
/// `output` of the programs that it ran.
extension TestResult {
  private static let passed = layouts(["name", "seconds"])
  private static let skipped = layouts(["name", "seconds", "skipped"])
  private static let failed = layouts(["name", "seconds", "message", "code", "details"])

  /// The layouts of results without and with an output.
  private static func layouts(_ fields: [String]) -> (plain: RecordLayout, withOutput: RecordLayout) {
    (RecordLayout(name: "Step", fields: fields), RecordLayout(name: "Step", fields: fields + ["output"]))
  }

  var value: Value {
    let start: [Value] = [.string(name), seconds.map { .double($0) } ?? .none]
    func record(_ layouts: (plain: RecordLayout, withOutput: RecordLayout), _ more: [Value] = []) -> Value {
      guard !output.isEmpty else { return .record(Record(layouts.plain, start + more)) }
      return .record(Record(layouts.withOutput, start + more + [.string(output)]))
    }
    switch outcome {
    case .passed: return record(Self.passed)
    case .skipped(let reason): return record(Self.skipped, [.string(reason)])
    case .failed(let code, let message, let details):
      let lines = Value.list(PersistentList(details.map { .string($0) }))
      return record(Self.failed, [.string(message), code.map { .string($0) } ?? .none, lines])
    }
  }

  /// Reads one; nil: it is none.
  ///
  /// - Parameters:
  ///   - member: the member of a name.
  ///   - safe: the text as it may be shown.
  init?(_ member: (String) -> Value?, safe: (String) -> String) {
    func text(_ name: String) -> String? { if case .string(let text)? = member(name) { safe(text) } else { nil } }
    guard let name = text("name") else { return nil }
    var seconds: Double?
    switch member("seconds") {
    case .double(let number)?: seconds = number
    case .int(let number)?: seconds = Double(number)
    default: break
    }
    var details: [String] = []
    if case .list(let list)? = member("details") {
      details = list.compactMap { if case .string(let line) = $0 { safe(line) } else { nil } }
    }
    self.init(
      name: name, seconds: seconds,
      outcome: text("message").map { .failed(code: text("code"), message: $0, details: details) }
        ?? text("skipped").map { .skipped($0) } ?? .passed)
    if case .string(let text)? = member("output") { output = SafeText.lines(text) }
  }
}
