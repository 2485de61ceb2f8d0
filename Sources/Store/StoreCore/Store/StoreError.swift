/// Misuse that a store refuses; the store stays usable.
public enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Two units have one name.
  case duplicateUnit(name: String)
  /// Two generic types of a hosted store have one name, arguments and all, and hold other values.
  case duplicateType(name: String)
  /// Reducers were lifted by a key path that goes through a class reference. Copies of the state would share their slice: a
  /// failure could not be undone (R7), watchers and replays would see states change that are past.
  case sharedSlice(reducers: [String], state: String)
  /// An outside dispatch caused more actions than the store allows (R30).
  ///
  /// - next: the text of the next action, which was dropped with the rest of the queue.
  /// - source: the place that the action comes from.
  /// - chain: the numbers of the causes, the nearest first, at most ten of them.
  case runaway(limit: Int, next: String, source: ActionSource, chain: [Int])
  /// Somebody asked for the drain to end: what had been processed stays.
  ///
  /// - next: the text of the next action, which was dropped with the rest of the queue.
  /// - source: the place that the action comes from.
  case interrupted(next: String, source: ActionSource)
  /// An interceptor dispatched while the chain of interceptors was being built (R5).
  case dispatchWhileBuilding(interceptor: String)
  /// An interceptor called `next` twice for one action, or when no action was on its way through it.
  case nextOutOfTurn(interceptor: String)
  /// The dispatcher was cancelled before, or its store is gone.
  case cancelled
  /// This thread processes an action of the store: a reducer dispatched, or what was asked for would wait for itself.
  case busy
  /// The host that shares the store with others was closed.
  case closed
  /// The store is busy, and as many actions wait as its queue may hold (R2): this one was not enqueued.
  case queueFull(limit: Int)

  /// The sentence.
  public var description: String { message }

  /// A sentence: what happened and what to look at.
  public var message: String {
    switch self {
    case .duplicateUnit(let name): return "two units are named '\(name)'; names must be unique in a store"
    case .duplicateType(let name):
      return "two types are named '\(name)', and hold other values; rename an argument of one, or the type itself"
    case .sharedSlice(let reducers, let state):
      let names = reducers.map { "'\($0)'" }.joined(separator: ", ")
      return
        "the slice of reducer \(names) in '\(state)' lies behind a class reference, so that copies of the state share it; "
        + "make the class a struct, or lift by get and set and let set put in a new object"
    case .dispatchWhileBuilding(let interceptor):
      return "interceptor '\(interceptor)' dispatches while the chain is being built; dispatch in answer to an action"
    case .nextOutOfTurn(let interceptor):
      return "interceptor '\(interceptor)' calls next out of turn; call it once, before its function returns"
    case .queueFull(let limit):
      return "the queue is full: \(limit) actions wait already; dispatch again once the store has caught up"
    case .cancelled: return "the task that dispatches was cancelled"
    case .busy:
      return "this thread is processing an action of the store: a reducer cannot dispatch, "
        + "a middleware or an effect can; a watcher or an effect cannot wait for another action, use dispatch, which enqueues it"
    case .closed: return "the store was closed by the program that owns it"
    case .interrupted(let next, let source):
      return "interrupted before \(next) from \(source.file):\(source.line); the rest of the queue was dropped"
    case .runaway(let limit, let next, let source, let chain):
      let causes = chain.map { "#\($0)" }.joined(separator: " <- ")
      return "more than \(limit) actions caused by one dispatch; stopped before \(next) "
        + "from \(source.file):\(source.line), caused by \(causes); the rest of the queue was dropped"
    }
  }
}
