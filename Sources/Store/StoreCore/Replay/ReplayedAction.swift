/// A recorded action, with the number, source and time that it had.
public struct ReplayedAction<Action> {
  /// The action.
  public let action: Action
  /// The recorded context; reducers see it again, so that time is data to them.
  public let context: ActionContext

  /// Joins the two.
  public init(_ action: Action, context: ActionContext) {
    self.action = action
    self.context = context
  }
}

extension ReplayedAction: Sendable where Action: Sendable {}

/// A recorded action on which a reducer failed.
public struct ReplayError: Error {
  /// The number that the action was recorded with.
  public let number: Int
  /// The place that the action came from when it was recorded.
  public let source: ActionSource
  /// The error that the reducer threw.
  public let cause: any Error
}

extension Reducer {
  /// The state that recorded actions lead to (R27): reducers only, no middleware, no IO, no effects.
  ///
  /// - Throws: ``ReplayError`` at the first action on which a part throws.
  public func replay(
    _ actions: some Sequence<ReplayedAction<Action>>, from state: State
  ) throws(ReplayError) -> State {
    var state = state
    let silent = TracePoint()
    for recorded in actions {
      do {
        try traced(recorded.action, &state, recorded.context, silent)
      } catch {
        throw ReplayError(number: recorded.context.number, source: recorded.context.source, cause: error)
      }
    }
    return state
  }
}
