import Synchronization

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Lets what a store owns reach it without keeping it alive.
@usableFromInline
final class OwnerReference<Action: Sendable, State: Sendable>: @unchecked Sendable {
  // Safe: `unretained` and `findKeeper` are set before the store is handed out. `last` is written once, before `hasLeft` is set,
  // and read only after.
  /// Leads to the store from any thread.
  private let lease = Lease<Store<Action, State>>()
  /// The store for the thread that owns it: the party that made the thread the owner holds the store meanwhile.
  @exclusivity(unchecked) @usableFromInline var unretained: Unmanaged<Store<Action, State>>?
  /// Finds the party that shares the store with others, and that its units speak to: while anything is done to the store, it is
  /// there. Nil: there is none.
  @exclusivity(unchecked) var findKeeper: (@Sendable () -> (any AnyObject & Sendable)?)?
  @usableFromInline let thread: OwningThread
  private var last: State?
  private let hasLeft = Atomic<Bool>(false)

  @usableFromInline
  init(_ thread: OwningThread) { self.thread = thread }

  /// True if this thread owns the store.
  @inlinable var isMine: Bool { thread.isMine }

  /// Leads those who may outlive the store to it.
  @usableFromInline
  func begin(_ store: Store<Action, State>) {
    unretained = Unmanaged.passUnretained(store)
    lease.begin(store)
  }

  /// Runs a closure with the store; nil where it is gone. To go by the lease takes ten times as long as to find out that there is
  /// no need to.
  @inlinable
  @inline(__always)
  func withStore<Result>(_ body: (Store<Action, State>) -> Result) -> Result? {
    if isMine, let unretained { return unretained._withUnsafeGuaranteedRef(body) }
    guard let (store, keeper) = held() else { return nil }
    return withExtendedLifetime(keeper) { body(store) }
  }

  /// The store with its keeper; nil where either is gone.
  @usableFromInline
  func held() -> (Store<Action, State>, keeper: (any AnyObject & Sendable)?)? {
    let keeper = findKeeper?()
    guard let store = lease.object, keeper != nil || findKeeper == nil else { return nil }
    return (store, keeper)
  }

  /// Enqueues what units emit because of an action.
  @inlinable
  func output(of number: Int, root: Int) -> ActionHandler<Action> {
    // By way of this, whose weak reference is there already: to make one takes as long as a small unit.
    ActionHandler { [self] dispatched in
      withStore { _ = $0.emit(dispatched.action, dispatched.source, cause: number, root: root) }
    }
  }

  /// The store's state; of a store that is gone, its last one: an effect may still be on its way to its end.
  @inlinable var state: State {
    if isMine, let unretained { return unretained._withUnsafeGuaranteedRef { $0.state } }
    return stateFromElsewhere
  }

  /// The state, for a thread that does not own the store.
  @usableFromInline var stateFromElsewhere: State {
    if let state = withStore({ $0.state }) { return state }
    // A store that is about to go with its keeper has nothing left to do.
    return lease.object?.state ?? lastState
  }

  private var lastState: State {
    while true {
      if hasLeft.load(ordering: .acquiring), let last { return last }
      // The store is being released on another thread at this moment.
      sched_yield()
    }
  }

  /// Keeps the last state of a store that goes.
  @usableFromInline
  func leave(_ state: State) {
    lease.end()
    last = state
    hasLeft.store(true, ordering: .releasing)
  }
}
