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
  @inlinable public var failure: (any Error)? { exception?.failure }
  /// The action as it was dispatched, where an interceptor passed on another; actions that are not `Equatable` all count
  /// as the same.
  @inlinable public var original: Action? { exception?.original }
  /// The interceptor that dropped the action, if one did.
  @inlinable public var droppedBy: String? { exception?.droppedBy }
  @usableFromInline package let exception: Exception?

  /// What is to say of an action that was not committed as it came.
  @usableFromInline
  package final class Exception {
    @usableFromInline package let failure: (any Error)?
    @usableFromInline package let original: Action?
    @usableFromInline package let droppedBy: String?

    @usableFromInline
    init(failure: (any Error)?, original: Action?, droppedBy: String?) {
      (self.failure, self.original, self.droppedBy) = (failure, original, droppedBy)
    }

    /// - Returns: nil where there is nothing to say.
    @inlinable
    static func of(failure: (any Error)? = nil, original: Action? = nil, droppedBy: String? = nil) -> Exception? {
      failure == nil && original == nil && droppedBy == nil
        ? nil : Exception(failure: failure, original: original, droppedBy: droppedBy)
    }
  }

  @inlinable
  init(
    action: Action, context: ActionContext, before: consuming State, after: consuming State, exception: Exception? = nil
  ) {
    self.action = action
    self.context = context
    self.before = before
    self.after = after
    self.exception = exception
  }
}
