/// An action that waits in a store's queue.
@usableFromInline
struct QueuedAction<Action: Sendable> {
  @usableFromInline let action: Action
  /// The storage that its context will refer to. The storage has the source, as a copy of it costs as much as making
  /// all of this.
  @usableFromInline let storage: ActionContextStorage
  @usableFromInline let number: Int
  @usableFromInline let root: Int
  /// Is called once the action is done; what it caused may still wait.
  @usableFromInline let onDone: (@Sendable (DispatchResult) -> Void)?
  /// True if it leaves room for another one once it is taken from the queue.
  @usableFromInline let takesRoom: Bool
  /// True if the thread that owns the store stays until it is done (R2).
  @usableFromInline var isOwn = false

  @inlinable
  init(
    action: Action, source: consuming ActionSource, number: Int, root: Int, takesRoom: Bool = false,
    onDone: (@Sendable (DispatchResult) -> Void)? = nil
  ) {
    self.action = action
    storage = ActionContextStorage(source: source)
    self.number = number
    self.root = root
    self.takesRoom = takesRoom
    self.onDone = onDone
  }
}

/// An entry of a store's queue.
@usableFromInline
enum Queued<Action: Sendable> {
  case action(QueuedAction<Action>)
  case job(Job)

  /// The root that it counts for; 0: none.
  var root: Int {
    switch self {
    case .action(let action): action.root
    case .job(let job): job.root
    }
  }

  /// True if the thread that owns the store stays until it is done (R2).
  var isOwn: Bool {
    switch self {
    case .action(let action): action.isOwn
    case .job(let job): job.isOwn
    }
  }
}

/// An entry that came from another thread while a store was busy.
@usableFromInline
enum Incoming<Action: Sendable>: Sendable {
  /// - root: the root that an effect of an action counts for, while that action's drain is on; 0: none.
  /// - since: when its wait began, while somebody listens to spans.
  /// - takesRoom: true if it leaves room for another one once it is taken from the queue.
  case action(Action, ActionSource, root: Int, since: Duration?, takesRoom: Bool)
  case job(Job)
  /// A job that goes ahead of the queue: it runs before the next action.
  case visit(Job)
  /// A thread that waits for its turn.
  case turn(TurnWaiter)
  /// A job that takes its place in the order of enqueueing at once, such as an effect's output.
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
  /// True if the thread that owns the store stays until it has run (R2).
  @usableFromInline var isOwn = false
  /// True if it went ahead of the queue.
  @usableFromInline var isVisit = false

  @inlinable
  init(run: @escaping () -> Void) { self.run = run }
}
