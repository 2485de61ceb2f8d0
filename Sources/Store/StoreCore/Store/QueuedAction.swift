/// An action that waits in a store's queue.
@usableFromInline
struct QueuedAction<Action: Sendable> {
  @usableFromInline let action: Action
  /// What its context will refer to. It has the source, of which a copy costs as much as this takes to be made.
  @usableFromInline let storage: ActionContextStorage
  @usableFromInline let number: Int
  @usableFromInline let root: Int
  /// Is called once the action is done; what it caused may still wait.
  @usableFromInline let onDone: (@Sendable (DispatchResult) -> Void)?

  @inlinable
  init(
    action: Action, source: consuming ActionSource, number: Int, root: Int,
    onDone: (@Sendable (DispatchResult) -> Void)? = nil
  ) {
    self.action = action
    storage = ActionContextStorage(source: source)
    self.number = number
    self.root = root
    self.onDone = onDone
  }

  /// Where the action comes from.
  @inlinable var source: ActionSource { storage.source }
}

/// What waits in a store's queue.
@usableFromInline
enum Queued<Action: Sendable> {
  case action(QueuedAction<Action>)
  case job(Job)
}

/// What came from other threads while a store was busy.
@usableFromInline
enum Incoming<Action: Sendable>: Sendable {
  /// - root: what an effect of an action counts for, while that action's drain is on; 0: nothing.
  /// - since: when its wait began, while somebody listens to spans.
  case action(Action, ActionSource, root: Int, since: Duration?)
  case job(Job)
  /// A job that takes its place in the order of enqueueing at once, such as what an effect emits.
  case emission(Job)
}

/// Something to run between two actions, on the thread that owns the store.
@usableFromInline
struct Job: @unchecked Sendable {
  // Safe: the thread that brings a job either waits until it has run, so that only one of the two uses what it captures,
  // or hands over what the job alone uses from then on.
  @usableFromInline let run: () -> Void
  /// The root of what enqueued it; 0: none.
  @usableFromInline var root = 0

  @inlinable
  init(run: @escaping () -> Void) { self.run = run }
}
