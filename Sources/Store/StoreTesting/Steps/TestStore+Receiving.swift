import StoreCore
import StoreSchema

extension TestStore {
  /// Takes the oldest action that was emitted and not received yet, which must be equal to this one. Has it processed,
  /// and compares the outcome with the expected one. Another action is a failure, and is processed nevertheless.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - expected: its expected outcome.
  ///   - duration: the time by which the virtual clock may be moved until something is emitted.
  public func receive(
    _ action: Action, _ expected: ExpectedOutcome<State> = .unchanged, within duration: Duration = .zero,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line
  ) where Action: Equatable {
    let pattern = ActionPattern<Action, Void>(text: "\(action)") { $0 == action ? () : nil }
    receive(pattern, expected, duration, at: TestLocation(fileID: fileID, filePath: filePath, line: line))
  }

  /// Receives an action, and compares the state with the one before, changed as declared.
  public func receive(
    _ action: Action, within duration: Duration = .zero, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, _ change: @escaping (inout State) throws -> Void
  ) where Action: Equatable {
    receive(
      action, .changing(fileID: fileID, filePath: filePath, line: line, change), within: duration, fileID: fileID,
      filePath: filePath, line: line)
  }

  /// Receives an action of one case: `let found = store.receive(\.found)`.
  ///
  /// - Returns: the case's payload; nil where the action was another one, or there was none.
  @discardableResult
  public func receive<Payload>(
    _ path: KeyPath<Action.Cases, CasePath<Action, Payload>>, _ expected: ExpectedOutcome<State> = .unchanged,
    within duration: Duration = .zero, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line
  ) -> Payload? where Action: CasePathable {
    let casePath = Action.cases[keyPath: path]
    let pattern = ActionPattern<Action, Payload>(text: "case \(casePath.caseName)", match: casePath.extract)
    return receive(pattern, expected, duration, at: TestLocation(fileID: fileID, filePath: filePath, line: line))
  }

  /// Receives an action of one case, and compares the state with the one before, changed as declared.
  ///
  /// - Returns: the case's payload; nil where the action was another one, or there was none.
  @discardableResult
  public func receive<Payload>(
    _ path: KeyPath<Action.Cases, CasePath<Action, Payload>>, within duration: Duration = .zero,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    _ change: @escaping (inout State) throws -> Void
  ) -> Payload? where Action: CasePathable {
    receive(
      path, .changing(fileID: fileID, filePath: filePath, line: line, change), within: duration, fileID: fileID,
      filePath: filePath, line: line)
  }

  /// Receives an action for which a predicate holds.
  ///
  /// - Returns: the action; nil where the predicate did not hold, or there was none.
  @discardableResult
  public func receive(
    where predicate: (Action) -> Bool, _ expected: ExpectedOutcome<State> = .unchanged,
    within duration: Duration = .zero, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line
  ) -> Action? {
    withoutActuallyEscaping(predicate) { predicate in
      let pattern = ActionPattern<Action, Action>(text: "an action that matches") { predicate($0) ? $0 : nil }
      return receive(
        pattern, expected, duration, at: TestLocation(fileID: fileID, filePath: filePath, line: line))
    }
  }

  private func receive<Part>(
    _ pattern: ActionPattern<Action, Part>, _ expected: ExpectedOutcome<State>, _ duration: Duration,
    at location: TestLocation
  ) -> Part? {
    begin(location)
    defer { end(location) }
    guard let emission = firstEmission(pattern, duration, at: location) else {
      fail(
        "expected to receive \(pattern.text), but nothing was emitted",
        store.effects.map { "still runs: \($0.line)" }, at: location)
      return nil
    }
    guard let part = pattern.match(emission.action) else {
      fail("expected to receive \(pattern.text), got \(emission.action)", [emission.origin], at: location)
      processUnchecked(emission)
      return nil
    }
    process(emission, expected, at: location)
    return part
  }

  /// The next emission, the virtual clock moved from deadline to deadline until there is one.
  private func firstEmission<Part>(
    _ pattern: ActionPattern<Action, Part>, _ duration: Duration, at location: TestLocation
  ) -> Emission<Action>? {
    let end = clock.now + duration
    while true {
      if let emission = next(pattern, at: location) { return emission }
      guard let clock = clock as? VirtualClock, let deadline = clock.nextDeadline, deadline <= end, duration > .zero
      else { return nil }
      clock.advance(by: deadline - clock.now)
      collector.settle(root: 0)
    }
  }

  /// The oldest emission; where the test is not exhaustive the oldest that matches, those before it processed unchecked.
  private func next<Part>(_ pattern: ActionPattern<Action, Part>, at location: TestLocation) -> Emission<Action>? {
    guard !exhaustivity.isOn else { return collector.takeFirst() }
    return skip(at: location) { pattern.match($0) != nil }
  }
}
