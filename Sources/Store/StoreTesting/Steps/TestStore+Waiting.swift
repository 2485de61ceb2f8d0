import StoreCore
import StoreSchema

// Effects that leave the store's thread emit when they will: these steps wait for them, in real time.

extension TestStore {
  /// Waits until an action was emitted, then receives it as `receive` without a time-out does.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - expected: its expected outcome.
  ///   - timeout: the real time after which nothing more is waited for.
  public nonisolated(nonsending) func receive(
    _ action: Action, _ expected: ExpectedOutcome<State> = .unchanged, timeout: Duration, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line
  ) async where Action: Equatable {
    await waitForEmission(timeout) { $0 == action }
    receive(action, expected, fileID: fileID, filePath: filePath, line: line)
  }

  /// Waits until an action was emitted, receives it, and compares the state with the one before, changed as declared.
  public nonisolated(nonsending) func receive(
    _ action: Action, timeout: Duration, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    _ change: @escaping (inout State) throws -> Void
  ) async where Action: Equatable {
    await waitForEmission(timeout) { $0 == action }
    receive(action, fileID: fileID, filePath: filePath, line: line, change)
  }

  /// Waits until an action was emitted, then receives it as one of a case.
  ///
  /// - Returns: the case's payload; nil where the action was another one, or there was none.
  @discardableResult
  public nonisolated(nonsending) func receive<Payload>(
    _ path: KeyPath<Action.Cases, CasePath<Action, Payload>>, _ expected: ExpectedOutcome<State> = .unchanged,
    timeout: Duration, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line
  ) async -> Payload? where Action: CasePathable {
    await waitForEmission(timeout) { $0.is(path) }
    return receive(path, expected, fileID: fileID, filePath: filePath, line: line)
  }

  /// Waits until an action was emitted, receives it as one of a case, and compares the state with the one before, changed as
  /// declared.
  ///
  /// - Returns: the case's payload; nil where the action was another one, or there was none.
  @discardableResult
  public nonisolated(nonsending) func receive<Payload>(
    _ path: KeyPath<Action.Cases, CasePath<Action, Payload>>, timeout: Duration, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, _ change: @escaping (inout State) throws -> Void
  ) async -> Payload? where Action: CasePathable {
    await waitForEmission(timeout) { $0.is(path) }
    return receive(path, fileID: fileID, filePath: filePath, line: line, change)
  }

  /// Waits until an action was emitted, then receives it as one for which a predicate holds.
  ///
  /// - Returns: the action; nil where the predicate did not hold, or there was none.
  @discardableResult
  public nonisolated(nonsending) func receive(
    where predicate: (Action) -> Bool, _ expected: ExpectedOutcome<State> = .unchanged, timeout: Duration,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line
  ) async -> Action? {
    await waitForEmission(timeout, predicate)
    return receive(where: predicate, expected, fileID: fileID, filePath: filePath, line: line)
  }

  /// Waits until effects that leave the store's thread have ended, then ends the test.
  ///
  /// - Parameter timeout: the real time after which nothing more is waited for.
  public nonisolated(nonsending) func finish(
    timeout: Duration, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line
  ) async {
    await wait(timeout) { store.effects.allSatisfy(\.isSupervised) }
    finish(fileID: fileID, filePath: filePath, line: line)
  }

  /// Waits until the next step has something to receive: any action, and where the test is not exhaustive, one that
  /// matches.
  private nonisolated(nonsending) func waitForEmission(_ timeout: Duration, _ matches: (Action) -> Bool) async {
    await wait(timeout) {
      exhaustivity.isOn ? !waiting.isEmpty : waiting.contains { matches($0.action) }
    }
  }

  private nonisolated(nonsending) func wait(_ timeout: Duration, until isDone: () -> Bool) async {
    let end = ContinuousClock.now + timeout
    while !isDone(), ContinuousClock.now < end, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(1))
    }
  }
}
