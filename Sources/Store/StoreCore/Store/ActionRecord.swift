/// The report of a store to its recorder about one action, at its commit, failure or end.
public struct ActionRecord<Action, State> {
  /// The action that went on to the reducers.
  public let action: Action
  /// Its number, source and time.
  public let context: ActionContext
  /// The state before reducing.
  public let before: State
  /// The state after; equal to `before` when the action failed.
  public let after: State
  /// The error that the action failed with, if it did.
  public let failure: (any Error)?
  /// The action as it was dispatched, where an interceptor passed on another; actions that are not `Equatable` all count
  /// as the same.
  @inlinable public var original: Action? { interception?.original }
  /// The interceptor that dropped the action, if one did.
  @inlinable public var droppedBy: String? { interception?.droppedBy }
  @usableFromInline let interception: Interception?

  /// What interceptors made of an action, of which most records have nothing.
  @usableFromInline
  final class Interception {
    @usableFromInline let original: Action?
    @usableFromInline let droppedBy: String?

    @usableFromInline
    init(original: Action?, droppedBy: String?) { (self.original, self.droppedBy) = (original, droppedBy) }
  }

  @inlinable
  init(
    action: Action, context: ActionContext, before: consuming State, after: consuming State, failure: (any Error)?,
    original: Action? = nil, droppedBy: String? = nil
  ) {
    self.action = action
    self.context = context
    self.before = before
    self.after = after
    self.failure = failure
    interception =
      original == nil && droppedBy == nil ? nil : Interception(original: original, droppedBy: droppedBy)
  }
}
