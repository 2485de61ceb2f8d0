import StoreSchema

package struct TestResult: Sendable {
  package let name: String
  /// The file that it stands in, or another group; nil: none.
  package var group: String?
  /// The time that it took; nil: nobody knows.
  package var seconds: Double?
  /// The way in which it ended.
  package let outcome: Outcome
  /// The output of the programs that it ran; empty: there was none.
  package var output = ""

  /// The ways in which a test ends.
  package enum Outcome: Sendable {
    case passed
    case skipped(String)
    /// With the code of the error, its message and further lines.
    case failed(code: String?, message: String, details: [String])
  }

  package init(name: String, group: String? = nil, seconds: Double? = nil, outcome: Outcome) {
    self.name = name
    self.group = group
    self.seconds = seconds
    self.outcome = outcome
  }
}

/// The forms in which other programs read the results of tests.
package enum TestReportForm: String, CaseIterable, Sendable {
  /// The XML of JUnit, as CI services read it.
  case junit
  /// The Test Anything Protocol, version 13.
  case tap

  /// True if a report may begin with some bytes, of which a few hundred tell.
  package static func isReport(_ start: [UInt8]) -> Bool {
    let text = String(decoding: start, as: UTF8.self)
    guard text.hasPrefix("<?xml"), let end = text.firstRange(of: "?>")?.upperBound else {
      return text.hasPrefix("TAP version ")
    }
    return text[end...].drop(while: \.isWhitespace).hasPrefix("<testsuite")
  }

  /// The text of a report.
  ///
  /// - Parameter suite: the name of the tests as a whole.
  package func text(of results: [TestResult], suite: String) -> String {
    switch self {
    case .junit: JUnitText.text(of: results, suite: suite)
    case .tap: TAPText.text(of: results)
    }
  }
}

private enum JUnitText {
  static func text(of results: [TestResult], suite: String) -> String {
    let failures = results.count { if case .failed = $0.outcome { true } else { false } }
    let skipped = results.count { if case .skipped = $0.outcome { true } else { false } }
    let time = results.compactMap(\.seconds).reduce(0, +)
    let counts = "tests=\"\(results.count)\" failures=\"\(failures)\" errors=\"0\" skipped=\"\(skipped)\""
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
    text += "  <testsuite name=\"\(escaped(suite))\" \(counts) time=\"\(shown(time))\">\n"
    for result in results {
      let time = result.seconds.map { " time=\"\(shown($0))\"" } ?? ""
      let group = escaped(result.group ?? suite)
      text += "    <testcase classname=\"\(group)\" name=\"\(escaped(result.name))\"\(time)"
      switch result.outcome {
      case .passed where result.output.isEmpty: text += "/>\n"
      case .passed: text += ">\n\(output(of: result))    </testcase>\n"
      case .skipped(let reason): text += ">\n      <skipped message=\"\(escaped(reason))\"/>\n    </testcase>\n"
      case .failed(let code, let message, let details):
        let type = code.map { " type=\"\(escaped($0))\"" } ?? ""
        let body = ([message] + details).joined(separator: "\n")
        text += ">\n      <failure message=\"\(escaped(message))\"\(type)>\(escaped(body))</failure>\n"
        text += "\(output(of: result))    </testcase>\n"
      }
    }
    return text + "  </testsuite>\n</testsuites>\n"
  }

  private static func output(of result: TestResult) -> String {
    result.output.isEmpty ? "" : "      <system-out>\(escaped(result.output))</system-out>\n"
  }

  private static func shown(_ seconds: Double) -> String {
    let milliseconds = Int((max(0, seconds) * 1000).rounded())
    let fraction = String(milliseconds % 1000)
    return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
  }

  /// A text for XML 1.0, which has no place for most control characters. None of them is written.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\n": escaped += "&#10;"
      case "\u{7F}"..."\u{9F}": escaped += "\u{FFFD}"
      case "\t", "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
        escaped.unicodeScalars.append(scalar)
      default: escaped += "\u{FFFD}"
      }
    }
    return escaped
  }
}

private enum TAPText {
  static func text(of results: [TestResult]) -> String {
    var text = "TAP version 13\n1..\(results.count)\n"
    for (index, result) in results.enumerated() {
      let name = "\(index + 1) - \(named(result))"
      switch result.outcome {
      case .passed: text += "ok \(name)\n"
      case .skipped(let reason): text += "ok \(name) # SKIP \(line(reason))\n"
      case .failed(let code, let message, let details):
        text += "not ok \(name)\n  ---\n  message: \(ScalarText.quoted(message))\n"
        if let code { text += "  code: \(ScalarText.quoted(code))\n" }
        if !details.isEmpty { text += "  details:\n" + details.map { "    - \(ScalarText.quoted($0))\n" }.joined() }
        text += "  ...\n"
      }
      for line in result.output.split(whereSeparator: \.isNewline) {
        text += "# \(DisplayText.printable(String(line)))\n"
      }
    }
    return text
  }

  private static func named(_ result: TestResult) -> String {
    line((result.group.map { "\($0): " } ?? "") + result.name)
  }

  /// A text on one line, in which a # begins no directive, and control characters are escaped.
  private static func line(_ text: String) -> String {
    let line = text.replacing("\\", with: "\\\\").replacing("#", with: "\\#").split(whereSeparator: \.isNewline)
      .joined(separator: " ")
    return DisplayText.printable(line)
  }
}
