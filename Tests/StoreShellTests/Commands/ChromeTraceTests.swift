import StoreSchema
import Testing

@testable import StoreShell

/// `trace on --spans FILE`.
@Suite struct ChromeTraceTests {
  /// The events of a trace, each by the names of its fields.
  private func events(_ shell: Shell, _ file: String) throws -> [[String: Value]] {
    let text = try #require(shell.contents(file))
    guard case .list(let list) = try JSON.value(of: Array(text.utf8)) else { throw Shell.Failure() }
    return try list.map { event in
      guard case .map(let map) = event else { throw Shell.Failure() }
      var fields: [String: Value] = [:]
      for (key, value) in map {
        if case .string(let name) = key { fields[name] = value }
      }
      return fields
    }
  }

  @Test func spansNestAndArrowsLeadToWhatWasCaused() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin { actions = { { name = "go" } }, middleware = { { name = "m", after = function(_, ctx)
        ctx:dispatch("tasks.add", { title = "a" })
      end } } }
      """, permissions: #"["dispatch:tasks.add"]"#)
    let path = "\(shell.folder)/t.json"
    let outcome = try shell.type(
      "plugin load \(folder)", "trace on --spans \(path)", "trace", "dispatch p.go --quiet", "trace off", "trace")
    #expect(outcome.output.hasSuffix("\ntrace is on\nwrote the spans of 2 actions to \(path)\ntrace is off\n"))
    #expect(outcome.errors == "")
    var spans: [(begin: Double, end: Double, phase: Value?)] = []
    for event in try events(shell, "t.json") where event["ph"] == .string("X") {
      guard case (.double(let begin), .double(let duration)) = (event["ts"], event["dur"]) else {
        throw Shell.Failure()
      }
      spans.append((begin, begin + duration, event["cat"]))
    }
    // A phase ends before the action that it is of.
    let actions = spans.filter { $0.phase == .string("action") }
    #expect(actions.count == 2)
    #expect(spans.allSatisfy { span in actions.contains { $0.begin <= span.begin && span.end <= $0.end + 0.001 } })
    let arrows = try events(shell, "t.json").filter { $0["cat"] == .string("cause") }
    #expect(arrows.map { $0["ph"] } == [.string("s"), .string("f")])
    #expect(arrows.map { $0["id"] } == [.int(3), .int(3)])
  }

  @Test func aTraceEndsWithTheSession() throws {
    let shell = try Shell()
    _ = try shell.type("trace on --spans \(shell.folder)/t.json", "dispatch counter.increment")
    #expect(shell.contents("t.json") == nil)
    #expect(shell.session.endTrace() == 0)
    #expect(try !events(shell, "t.json").isEmpty)
  }

  @Test func misuseIsExplained() throws {
    let shell = try Shell()
    let missing = try shell.type("trace on --spans \(shell.folder)/no/t.json")
    #expect(missing.errors.contains("error[no-such-file]: "))
    for command in ["trace --spans x", "trace off --spans x", "trace on --stable --spans x"] {
      #expect(try shell.type(command).errors.contains("error[unexpected-argument]: --spans needs trace on"))
    }
    #expect(try shell.type("trace").output == "trace is off\n")
  }
}
