import ShellLanguage
import StoreSchema

/// The result of a step as doors tell it: its name and its seconds, and of one that failed `code`, `message` and `details`.
extension TestResult {
  private static let passed = RecordLayout(name: "Step", fields: ["name", "seconds"])
  private static let skipped = RecordLayout(name: "Step", fields: ["name", "seconds", "skipped"])
  private static let failed = RecordLayout(name: "Step", fields: ["name", "seconds", "message", "code", "details"])

  var value: Value {
    let start: [Value] = [.string(name), seconds.map { .double($0) } ?? .none]
    switch outcome {
    case .passed: return .record(Record(Self.passed, start))
    case .skipped(let reason): return .record(Record(Self.skipped, start + [.string(reason)]))
    case .failed(let code, let message, let details):
      let lines = Value.list(PersistentList(details.map { .string($0) }))
      return .record(Record(Self.failed, start + [.string(message), code.map { .string($0) } ?? .none, lines]))
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
  }
}
