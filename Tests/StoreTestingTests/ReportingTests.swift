import StoreCore
import StoreTesting
import Testing

/// What test stores report to Swift Testing where nobody else wants it.
@Suite struct ReportingTests {
  @Test func aFailureIsAnIssueAtTheLineOfTheStep() throws {
    let issues = Lock<[Issue]>([])
    let store = try DeskStore(initial: Desk(), reducer: Desk.reducer)
    let line = #line + 2
    withKnownIssue {
      store.send(.increment)
    } matching: { issue in
      issues.withLock { $0.append(issue) }
      return true
    }
    let issue = try #require(issues.withLock { $0 }.first)
    #expect(issue.sourceLocation?.line == line)
    #expect(issue.sourceLocation?.fileID == #fileID)
    #expect(issue.severity == .error)
    #expect(
      issue.comments == ["increment changed the state, which was not declared\n  value: expected 0, got 1"])
    #expect(issues.withLock { $0.count } == 1)
  }

  @Test func aTestStoreThatGoesAwayReportsToTheRunningTest() throws {
    let count = Lock(0)
    try withKnownIssue {
      let store = try DeskStore(initial: Desk(), reducer: Desk.reducer, middleware: Desk.middleware())
      store.send(.load) { $0.isLoading = true }
    } matching: { issue in
      count.withLock { $0 += 1 }
      return issue.comments.first?.rawValue.hasPrefix("1 action was emitted and not received") == true
    }
    #expect(count.withLock { $0 } == 1)
  }

  @Test func aNoteIsAWarning() throws {
    let severities = Lock<[Issue.Severity]>([])
    let store = try DeskStore(
      initial: Desk(), reducer: Desk.reducer, exhaustivity: .off(showSkipped: true))
    withKnownIssue {
      store.send(.increment)
    } matching: { issue in
      severities.withLock { $0.append(issue.severity) }
      return true
    }
    #expect(severities.withLock { $0 } == [.warning])
  }
}
