extension StoreConnection {
  /// Dispatches the actions of an asynchronous sequence as they come, until it ends, the task is cancelled or the store is
  /// gone. While the store's queue is full it takes none (R2). An action that is dispatched when nobody takes actions any more ends it; waiting for the next one is ended by
  /// cancelling the task.
  ///
  /// - Parameter actions: each has the line of this call as its source, of kind `effect`.
  /// - Throws: the sequence's error.
  public nonisolated(nonsending) func dispatch<Actions: AsyncSequence>(
    each actions: Actions, info: String? = nil, file: String = #fileID, function: String = #function,
    line: Int = #line
  ) async throws(Actions.Failure) where Actions.Element == Action {
    let source = ActionSource(file: file, function: function, line: line, info: info, kind: .effect)
    for try await action in actions {
      guard await pass(DispatchedAction(action, source: source)) else { return }
    }
  }

  /// Dispatches the actions of an asynchronous sequence as they come, each with the source that it bears; see
  /// ``dispatch(each:info:file:function:line:)``.
  ///
  /// - Throws: the sequence's error.
  public nonisolated(nonsending) func dispatch<Actions: AsyncSequence>(
    each actions: Actions
  ) async throws(Actions.Failure) where Actions.Element == DispatchedAction<Action> {
    for try await dispatched in actions {
      guard await pass(dispatched) else { return }
    }
  }

  /// Dispatches one action of a sequence, once the store's queue has room for it.
  ///
  /// - Returns: true if the next one is wanted.
  private nonisolated(nonsending) func pass(_ dispatched: DispatchedAction<Action>) async -> Bool {
    while !Task.isCancelled, isOpen() {
      guard case .stopped(.queueFull)? = dispatch(dispatched)?.outcome else { return true }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return false
  }
}
