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

extension Store {
  /// Runs recorded actions through the reducers only, all or nothing (R27): no interceptor, middleware or IO sees them, and
  /// they are not recorded anew. Watchers are told once, at the end; supervised effects then follow the new state. The next
  /// action's number follows the last one here.
  ///
  /// - Parameters:
  ///   - actions: the recorded actions.
  ///   - state: the state to start from; nil: the present one.
  ///   - number: the number of the last action before them, which led to that state.
  ///   - reconciling: true if supervised effects follow the new state at once, and not with ``reconcileEffects()`` or
  ///     the next action.
  /// - Throws: ``ReplayError`` where a reducer fails, ``StoreError/busy`` within the processing of an
  ///   action; the store is then as before.
  public func replay(
    _ actions: some Collection<ReplayedAction<Action>>, from state: State? = nil, after number: Int = 0,
    reconciling: Bool = true
  ) throws {
    try exclusively {
      if holdsComposition || isReducing { throw StoreError.busy }
      isReducing = true
      let result = Result { try parts.reducer.replay(actions, from: state ?? current) }
      isReducing = false
      let before = current
      current = try result.get()
      let last = actions.map(\.context).max { $0.number < $1.number }
      let context = last ?? ActionContext(number: number, source: .here(), time: .zero, root: number)
      nextNumber = max(nextNumber, context.number + 1)
      // A watcher may have the composition replaced.
      holdsComposition = true
      composition._withUnsafeGuaranteedRef { notify(context, $0, before, current) }
      holdsComposition = false
      dropOldCompositions()
      if reconciling { reconcileUnits() }
    }
  }
}
