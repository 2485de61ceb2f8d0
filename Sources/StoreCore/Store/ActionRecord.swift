/// What a store tells its recorder about one action, at its commit or failure.
public struct ActionRecord<Action, State> {
  /// The action.
  public let action: Action
  /// Its number, source and time.
  public let context: ActionContext
  /// The state before reducing.
  public let before: State
  /// The state after; equal to `before` when the action failed.
  public let after: State
  /// Why the action failed, if it did.
  public let failure: (any Error)?

  @inlinable
  init(action: Action, context: ActionContext, before: State, after: State, failure: (any Error)?) {
    self.action = action
    self.context = context
    self.before = before
    self.after = after
    self.failure = failure
  }
}
