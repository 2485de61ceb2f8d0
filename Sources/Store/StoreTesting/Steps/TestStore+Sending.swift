import StoreCore

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
