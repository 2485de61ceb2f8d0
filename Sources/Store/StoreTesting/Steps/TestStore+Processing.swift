import StoreCore

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
