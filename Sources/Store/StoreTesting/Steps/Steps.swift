import StoreCore
import StoreSchema

struct ActionPattern<Action, Part> {
  /// The pattern's text in failures.
  let text: String
  /// The part of an action that the step gives back, or nil where the action is another one.
  let match: (Action) -> Part?
}

extension TestStore {
  /// Dispatches an action as the test's own, and compares the outcome with the expected one. Actions emitted meanwhile
  /// wait to be received.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - expected: its expected outcome.
  ///   - source: the place that it comes from; nil: the line of this step.
  public func send(
    _ action: Action, _ expected: ExpectedOutcome<State> = .unchanged, source: ActionSource? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line)
    begin(location)
    receiveBeforeSending(action, at: location)
    let source = source ?? ActionSource(file: fileID, function: "send", line: line)
    process(Emission(dispatched: DispatchedAction(action, source: source), unit: ""), expected, at: location)
    end(location)
  }

  /// Dispatches an action, and compares the state with the one before, changed as declared.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - source: the place that it comes from; nil: the line of this step.
  ///   - change: turns the state before into the expected one.
  public func send(
    _ action: Action, source: ActionSource? = nil, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, _ change: @escaping (inout State) throws -> Void
  ) {
    send(
      action, .changing(fileID: fileID, filePath: filePath, line: line, change), source: source, fileID: fileID,
      filePath: filePath, line: line)
  }

  private func receiveBeforeSending(_ action: Action, at location: TestLocation) {
    let waiting = waiting
    guard !waiting.isEmpty else { return }
    guard exhaustivity.isOn else { return skipAll(at: location) }
    let what = waiting.count == 1 ? "1 action waits" : "\(waiting.count) actions wait"
    fail(
      "\(action) is sent while \(what) to be received", waiting.map { "\($0.action), \($0.origin)" }, at: location)
  }
}

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

extension TestStore {
  /// Has the store process an action; what is emitted meanwhile goes back to the same root.
  private func dispatch(_ emission: Emission<Action>) -> DispatchResult.Outcome {
    let root = emission.root ?? 0
    let result = store.dispatch(emission.dispatched, root: root)
    emission.onDone?(result)
    collector.settle(root: root == 0 ? result.number ?? 0 : root)
    return result.outcome
  }

  /// Has an emission processed, whatever becomes of it.
  func processUnchecked(_ emission: Emission<Action>) { _ = dispatch(emission) }

  /// Has the store process an action, and compares the outcome with the expected one.
  func process(_ emission: Emission<Action>, _ expected: ExpectedOutcome<State>, at location: TestLocation) {
    let action = emission.action
    let before = state
    let outcome = dispatch(emission)
    switch (outcome, expected.kind) {
    case (.done, .unchanged): compareUnchanged("\(action)", before: before, at: location)
    case (.done, .changing(let change)):
      compare(change, of: "\(action)", before: before, at: expected.location ?? location)
    case (.done, .throwing(let error, _)):
      fail("expected \(action) to fail with \(error), but it was committed", at: location)
    case (.done, .dropped(let name)):
      fail("expected \(action) to be dropped by '\(name)', but it was committed", at: location)
    case (.failed(let error), .throwing(let text, let matches)):
      if !matches(error) { fail("expected \(action) to fail with \(text), got \(error)", at: location) }
    case (.failed(let error), _): fail("\(action) failed: \(error)", at: location)
    case (.dropped(let name), .dropped(let expected)):
      if name != expected {
        fail("expected \(action) to be dropped by '\(expected)', but '\(name)' dropped it", at: location)
      }
    case (.dropped(let name), _): fail("\(action) was dropped by interceptor '\(name)'", at: location)
    case (.stopped(let error), _): fail("\(action) was stopped: \(error.message)", at: location)
    case (.queued, _): fail("\(action) was only enqueued: a step was taken while the store is busy", at: location)
    }
  }

  /// Compares the state with the one before, changed as declared.
  ///
  /// - Parameter what: the name of the cause, for messages.
  func compare(_ change: (inout State) throws -> Void, of what: String, before: State, at location: TestLocation) {
    let after = state
    var expected = exhaustivity.isOn ? before : after
    do {
      try change(&expected)
    } catch {
      return fail("the declared change of \(what) threw: \(error)", at: location)
    }
    let lines = comparison.lines(expected, after)
    guard lines.isEmpty else { return fail("the state after \(what) is not as expected", lines, at: location) }
    if exhaustivity.isOn {
      guard comparison.lines(before, after).isEmpty else { return }
      fail("a change was declared for \(what), but nothing changed", at: location)
    } else {
      noteUndeclared(change, of: what, before: before, after: after, at: location)
    }
  }

  /// Notes what changed besides what was declared.
  private func noteUndeclared(
    _ change: (inout State) throws -> Void, of what: String, before: State, after: State, at location: TestLocation
  ) {
    guard exhaustivity == .off(showSkipped: true) else { return }
    var declared = before
    // The closure did not throw a moment ago; if it does now, there is nothing to compare with.
    guard (try? change(&declared)) != nil else { return }
    let lines = comparison.lines(declared, after)
    if !lines.isEmpty { skipOrFail("what \(what) changed besides", lines, at: location) }
  }

  /// Compares the state with the one before, where no change was declared.
  func compareUnchanged(_ what: String, before: State, at location: TestLocation) {
    let lines = comparison.lines(before, state)
    if !lines.isEmpty { skipOrFail("\(what) changed the state, which was not declared", lines, at: location) }
  }
}

extension TestStore {
  /// Runs code between two actions, such as one that answers a request or moves a gate. Actions that units emit
  /// meanwhile wait to be received.
  ///
  /// - Parameters:
  ///   - change: turns the state before into the expected one, where the code dispatches on the store itself; nil: nothing
  ///     may change.
  ///   - body: the code.
  /// - Returns: the result of the code.
  @discardableResult
  public func perform<Result>(
    changing change: ((inout State) throws -> Void)? = nil, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, _ body: () throws -> Result
  ) rethrows -> Result {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line)
    begin(location)
    let before = state
    defer {
      if let change {
        compare(change, of: "this step", before: before, at: location)
      } else {
        compareUnchanged("this step", before: before, at: location)
      }
      end(location)
    }
    return try body()
  }

  /// Moves the virtual clock. Effects that wake up meanwhile run before this returns; what they emit waits to be received.
  ///
  /// - Parameter duration: the distance; a negative one counts as none.
  public func advance(
    by duration: Duration, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line)
    perform(fileID: fileID, filePath: filePath, line: line) {
      guard let clock = clock as? VirtualClock else {
        return fail("the clock of this test store is not a VirtualClock", at: location)
      }
      clock.advance(by: duration)
    }
  }
}

extension TestStore {
  /// Has all actions that were emitted and not received processed unchecked, and what they cause.
  public func skipReceivedActions(fileID: String = #fileID, filePath: String = #filePath, line: Int = #line) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line)
    begin(location)
    if waiting.isEmpty { skipOrFail("no action waits to be received", at: location) }
    skipAll(at: location)
    end(location)
  }

  /// Has all that waits processed unchecked.
  func skipAll(at location: TestLocation) { _ = skip(at: location) { _ in false } }

  /// Has what waits processed unchecked, up to the first action that matches.
  ///
  /// - Returns: that action's emission, not processed yet.
  func skip(at location: TestLocation, until matches: (Action) -> Bool) -> Emission<Action>? {
    for _ in 0..<runawayLimit {
      guard let emission = collector.takeFirst() else { return nil }
      if matches(emission.action) { return emission }
      skipOrNote(emission, at: location)
    }
    if !waiting.isEmpty {
      fail("more than \(runawayLimit) actions were skipped in one step, each emitted by another", at: location)
    }
    return nil
  }

  private func skipOrNote(_ emission: Emission<Action>, at location: TestLocation) {
    let before = state
    processUnchecked(emission)
    // An exhaustive test says itself that it skips.
    guard !exhaustivity.isOn else { return }
    skipOrFail("\(emission.action), \(emission.origin)", comparison.lines(before, state), at: location)
  }

  /// Cancels the effects that run or wait, and closes long-lived ones: they are not meant to end in this test.
  ///
  /// - Parameters:
  ///   - unit: a unit's name; nil: those of all units.
  ///   - token: the text of a token or id; nil: all of the unit's.
  public func cancelEffects(
    unit: String? = nil, token: String? = nil, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line)
    begin(location)
    if !store.cancelEffects(unit: unit, token: token) {
      skipOrFail("no effect runs that could be cancelled", at: location)
    }
    end(location)
  }
}

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
