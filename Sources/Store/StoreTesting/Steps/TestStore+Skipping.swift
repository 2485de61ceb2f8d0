import StoreCore

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
