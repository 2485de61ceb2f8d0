import ShellLanguage
import StoreHost
import StorePlugins
import StoreSchema

struct PluginTestReport {
  struct Line {
    /// The file that it stands in, within the plugin's folder.
    let file: String
    let outcome: PluginTestOutcome

    init(file: String, _ outcome: PluginTestOutcome) {
      self.file = file
      self.outcome = outcome
    }
  }

  /// The findings about the reducers.
  struct PurityResult {
    var fault: PurityFault?
    /// The number of actions of tests that were reduced again.
    let recorded: Int
    /// The number of these that had worked there.
    let recordedWorking: Int
    /// The number of made-up actions.
    private(set) var generated = 0
    /// The number of made-up actions that failed, in both states alike.
    private(set) var generatedFailing = 0
    /// The first of them, and why it failed.
    private(set) var firstFailure: String?

    /// Takes note of a made-up action.
    ///
    /// - Parameter failure: it and why it failed, in words; nil: it worked.
    mutating func addGenerated(failure: @autoclosure () -> String?) {
      generated += 1
      guard let failure = failure() else { return }
      generatedFailing += 1
      firstFailure = firstFailure ?? failure
    }

    /// True if none of the made-up actions worked.
    var generatedAllFail: Bool { generated > 0 && generatedFailing == generated }

    /// True if no tried action worked, so that nothing is shown.
    var showsNothing: Bool { fault == nil && recordedWorking == 0 && generatedAllFail }
  }

  let plugin: String
  /// The names of all tests that there are; nil: not even a file.
  let names: [String]?
  /// The text that the names of those that run have to hold.
  let filter: String?
  private(set) var lines: [Line] = []
  /// The number of actions of tests that were reduced again, and the number of these that had worked.
  private(set) var recorded = (all: 0, working: 0)
  var purity: PurityResult?

  init(plugin: String, names: [String]?, filter: String?) {
    self.plugin = plugin
    self.names = names
    self.filter = filter
  }

  mutating func add(_ line: Line, recorded entries: [PurityProof.Recorded], _ tell: (Line) -> Void) {
    lines.append(line)
    recorded.all += entries.count
    recorded.working += entries.count { $0.failure == nil }
    tell(line)
  }

  var ran: Int { lines.count }
  var failed: Int { lines.count { if case .failed = $0.outcome.result { true } else { false } } }
  var skipped: Int { lines.count { if case .skipped = $0.outcome.result { true } else { false } } }

  /// Why the command fails; nil: it does not.
  var error: ShellError? {
    if lines.isEmpty {
      if let filter, let names, !names.isEmpty {
        return ShellError(
          code: .pluginTest,
          message: "\(plugin): the name of no test holds '\(filter)'",
          hint: "there are \(names.prefix(5).map { "'\($0)'" }.joined(separator: ", "))\(names.count > 5 ? ", …" : "")")
      }
      let hint = names == nil ? "write tests/\(plugin)_test.lua: test(\"it counts\", function(t) … end)" : nil
      return ShellError(code: .pluginTest, message: "\(plugin): there is no test to run", hint: hint)
    }
    guard failed == 0 else {
      return ShellError(code: .pluginTest, message: "\(plugin): \(failed) of \(ran) tests failed")
    }
    guard purity?.fault == nil else {
      return ShellError(code: .pluginTest, message: "\(plugin): a reducer is not pure")
    }
    guard purity?.showsNothing != true else {
      return ShellError(
        code: .pluginTest, message: "\(plugin): no action worked, so nothing shows its reducers to be pure",
        hint: "write a test that dispatches what works; its actions are reduced again")
    }
    return nil
  }

  // MARK: Text

  /// The text that is printed when all tests have run.
  var ending: String {
    var text = ""
    if let purity {
      if let fault = purity.fault {
        text += Self.lines("FAIL pure: \(fault.action)") + Self.lines("  \(fault.message)")
        for detail in fault.details { text += Self.lines("    \(detail)") }
        if !fault.origin.isEmpty { text += Self.lines("  \(fault.origin)") }
      } else if purity.showsNothing {
        text += "FAIL pure: \(purity.recorded) recorded and \(purity.generated) generated actions,"
        text += " all of which failed\n"
        if let first = purity.firstFailure { text += Self.lines("  \(first)") }
      } else {
        text += "ok   pure: \(purity.recorded) recorded and \(purity.generated) generated actions, twice the same"
        text += purity.generatedAllFail ? "; each of the latter failed\n" : "\n"
      }
    }
    guard ran > 0 else { return text }
    text += "\(ran - failed - skipped) passed, \(failed) failed"
    if skipped > 0 { text += ", \(skipped) skipped" }
    return text + "\n"
  }

  /// Lines as they are printed: none of the control characters that a plugin wrote reaches the terminal.
  static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { DisplayText.printable($0) + "\n" }.joined()
  }

  // MARK: JSON

  /// The same as data.
  var value: Value {
    var fields: [(String, Value)] = [
      ("plugin", .string(plugin)), ("passed", .int(ran - failed - skipped)), ("failed", .int(failed)),
      ("skipped", .int(skipped)), ("tests", .list(PersistentList(lines.map(\.value)))),
    ]
    if let purity {
      let fault = purity.fault.map { fault in
        Value.members([
          ("action", .string(fault.action)), ("message", .string(fault.message)),
          ("details", .texts(fault.details)), ("origin", .string(fault.origin)),
        ])
      }
      fields.append(
        (
          "pure",
          .members([
            ("ok", .bool(purity.fault == nil && !purity.showsNothing)), ("recorded", .int(purity.recorded)),
            ("generated", .int(purity.generated)), ("failed", .int(purity.generatedFailing)),
            ("fault", fault ?? .none),
          ])
        ))
    }
    return .members(fields)
  }
}

extension PluginTestReport {
  /// The results as other programs read them.
  var results: [TestResult] {
    lines.map { line in
      switch line.outcome.result {
      case .passed: TestResult(name: line.outcome.name, group: line.file, outcome: .passed)
      case .skipped(let reason): TestResult(name: line.outcome.name, group: line.file, outcome: .skipped(reason))
      case .failed(let failure):
        TestResult(
          name: line.outcome.name, group: line.file,
          outcome: .failed(code: failure.code?.rawValue, message: "\(failure)", details: failure.details))
      }
    }
  }
}

extension PluginTestReport.Line {
  /// The lines that are printed of the test.
  var text: String {
    var text: String
    switch outcome.result {
    case .passed: text = PluginTestReport.lines("ok   \(outcome.name)")
    case .skipped(let reason): text = PluginTestReport.lines("skip \(outcome.name): \(reason)")
    case .failed(let failure):
      text = PluginTestReport.lines("FAIL \(outcome.name)") + PluginTestReport.lines("  \(failure)")
      for detail in failure.details { text += PluginTestReport.lines("    \(detail)") }
    }
    for line in outcome.lines { text += PluginTestReport.lines("  | " + line.replacing("\n", with: "\n  | ")) }
    return text
  }

  fileprivate var value: Value {
    var fields: [(String, Value)] = [("file", .string(file)), ("name", .string(outcome.name))]
    switch outcome.result {
    case .passed: fields.append(("status", .string("passed")))
    case .skipped(let reason): fields += [("status", .string("skipped")), ("message", .string(reason))]
    case .failed(let failure):
      fields += [
        ("status", .string("failed")), ("line", failure.place.map { .int($0.line) } ?? .none),
        ("code", failure.code.map { .string($0.rawValue) } ?? .none), ("message", .string(failure.message)),
        ("details", .texts(failure.details)),
      ]
    }
    if !outcome.lines.isEmpty { fields.append(("printed", .texts(outcome.lines))) }
    return .members(fields)
  }
}
