import DequeModule

// The folders of this target form a circle around `Store`, the only one of the house. A store runs middlewares,
// interceptors, effects and watchers. Each of them acts on the store that runs it: it dispatches, reads the state, or
// ends with it. An interface between the two would have one conformer and a call more on the hottest way of all.

/// Keeps the state before an action for those who look at it, where a copy would have each write copy what it changes.
@usableFromInline
package protocol FormerStates<State>: AnyObject {
  associatedtype State

  /// Begins an action.
  ///
  /// - Returns: the state as it is, whatever becomes of the store's.
  func begin(_ state: inout State) -> State

  /// Ends it: what others have kept of that state by now stays as it is.
  func end(_ state: inout State)
}

/// Holds one state that changes only by actions.
///
/// Actions are taken one at a time, in the order in which they were enqueued (R1, R3). Each goes through all its phases
/// before the next: handle → reduce → commit → notify → IO → subscriptions → done. `dispatch` may be called from any
/// thread; the state never changes under a caller (R2). The idea is Redux's; the phases follow SwiftRex.
/// <doc:Coverage> says of each rule and each feature of these systems what it is here.
///
/// Its properties stand in no parts, since the way of an action looks at most of them; its extensions stand in one file for
/// each phase, each way in and each party that acts on it.
public final class Store<Action: Sendable, State: Sendable>: @unchecked Sendable {
  // Safe: everything below but `ownership`, `room` and `trace` is read and written only by the thread that owns the store,
  // that is between `ownership.tryAcquire()` and `ownership.release()`, or from one thread's `ownership.handOn()` to the
  // other's `ownership.takeOver()` and on. So the exclusivity checks of class properties could find nothing but a reducer
  // that reads the store's state, and that is what `isReducing` is for.
  @usableFromInline let ownership = StoreOwnership<Action>()
  @exclusivity(unchecked) @usableFromInline var current: State
  @exclusivity(unchecked) @usableFromInline var isReducing = false
  @exclusivity(unchecked) @usableFromInline var queue = Deque<Queued<Action>>()
  /// What threads brought to a store that parties share: it waits here, not in the queue, so that an action and all that it causes
  /// is done before another party's turn (R34).
  @exclusivity(unchecked) @usableFromInline var arrivals = Arrivals<Action>()
  /// True if parties share the store.
  @exclusivity(unchecked) @usableFromInline var isShared = false
  /// True once the store takes no actions any more.
  @exclusivity(unchecked) @usableFromInline var isClosed = false
  @exclusivity(unchecked) @usableFromInline var turns = Turns()
  /// The part of the queue that the thread that owns the store stays for: its own, and the consequences (R2).
  @exclusivity(unchecked) @usableFromInline var ownPending = 0
  /// True if new entries are enqueued on behalf of another thread.
  @exclusivity(unchecked) @usableFromInline var isServingOthers = false
  /// True if the thread that owns the store stays to the end of the queue: the worker.
  @exclusivity(unchecked) @usableFromInline var isServingAll = false
  var worker: DrainWorker?
  /// Told of the steps by which threads hand the store over, but for those of the uncontended path; nil: no test asks. Set before
  /// threads share the store.
  @exclusivity(unchecked) var steps: (@Sendable (HandOverStep) -> Void)?
  /// True if this thread holds the turn, and processes nothing at the moment.
  @exclusivity(unchecked) @usableFromInline var isHeld = false
  @usableFromInline let room: QueueRoom?
  @exclusivity(unchecked) @usableFromInline var nextNumber = 1
  /// The number of the action that is processed; 0: none.
  @exclusivity(unchecked) @usableFromInline var processing = 0
  @exclusivity(unchecked) @usableFromInline var processingRoot = 0
  /// The storage that the context of the present action refers to.
  @exclusivity(unchecked) @usableFromInline var contextStorage = ActionContextStorage(source: .nowhere)
  /// The places that the latest actions came from.
  @exclusivity(unchecked) @usableFromInline var recentOrigins = ActionSource.RecentOrigins()
  /// The root that the present job counts for; 0: none.
  @exclusivity(unchecked) @usableFromInline var jobRoot = 0
  /// The number of the first action of the present drain.
  @exclusivity(unchecked) @usableFromInline var drainStart = 1
  @exclusivity(unchecked) @usableFromInline var isAccepting = false
  /// Goes on with a drain, in the code of the module that made the store, which knows its types: another thread of the store's own
  /// does not, and would take five times as long.
  @usableFromInline let drain: (Store<Action, State>) -> StoreError?
  /// The composition for the next action; unmanaged, because counting references to it costs as much as a reducer.
  /// `keptCompositions` makes that safe: it holds the present one and, until the end of an action, its predecessors.
  @exclusivity(unchecked) @usableFromInline var composition: Unmanaged<Composition<Action, State>>
  @exclusivity(unchecked) @usableFromInline var keptCompositions: [Composition<Action, State>]
  /// True while a composition is in use; not to be told from `processing`, which is zero while incoming actions are
  /// accepted.
  @exclusivity(unchecked) @usableFromInline var holdsComposition = false
  /// True if the composition has a short way at present.
  @exclusivity(unchecked) @usableFromInline var isPlain = false
  @usableFromInline var parts: CompositionParts<Action, State>
  @usableFromInline let chain = InterceptorChain<Action, State>()
  @exclusivity(unchecked) @usableFromInline var pendingIO: [IO<Action>] = []
  /// The note of a commit's action, if a watcher wants to know it.
  @exclusivity(unchecked) @usableFromInline var committed: CommittedAction<Action>?
  @usableFromInline let areEqual: (@Sendable (State, State) -> Bool)?
  @usableFromInline let clock: (any StoreClock)?
  @usableFromInline let order: (any StoreOrder)?
  @usableFromInline let trace: TracePoint
  @usableFromInline let effectRuntime: EffectRuntime
  @usableFromInline let owner: OwnerReference<Action, State>
  @exclusivity(unchecked) @usableFromInline var guardrail: RunawayGuard
  @exclusivity(unchecked) @usableFromInline var onLateError: ((any Error) -> Void)?
  @exclusivity(unchecked) @usableFromInline var isInterrupted: (() -> Bool)?
  /// How actions come to a store whose order is that of a shared log; nil: the order is the store's own.
  @exclusivity(unchecked) @usableFromInline var shared: SharedOrder<Action, State>?
  /// Makes actions that waited in the queue anew; nil: they are processed as they came.
  @exclusivity(unchecked) @usableFromInline var renewal: ((Action) -> Action)?
  /// Keeps the state before an action; nil: it is a copy.
  @exclusivity(unchecked) @usableFromInline var formers: (any FormerStates<State>)?

  /// Makes a store.
  ///
  /// - Parameters:
  ///   - initial: the state to start from.
  ///   - reducer: all reducers.
  ///   - middleware: all middlewares.
  ///   - interceptors: all interceptors, the outermost first.
  ///   - emission: when watchers are notified.
  ///   - clock: stamps actions with the time; nil: they bear time zero.
  ///   - areEqual: true for states that traces take for the same; nil: every action counts as a change.
  ///   - runawayLimit: the number of actions that one outside dispatch may cause (R30).
  ///   - queueLimit: how many actions from other threads may wait while the store is busy, at least one: more are refused
  ///     with ``StoreError/queueFull(limit:)``. Actions that others cause always find room. Nil: any number may wait.
  ///   - order: decides what comes first of what several threads brought while the store was busy; nil: what came first.
  /// - Throws: ``StoreError/duplicateUnit(name:)``, ``StoreError/sharedSlice(reducers:state:)``,
  ///   ``StoreError/dispatchWhileBuilding(interceptor:)``.
  @inlinable
  public init(
    initial: State, reducer: Reducer<Action, State>, middleware: Middleware<Action, Action, State> = .identity,
    interceptors: [Interceptor<Action, State>] = [], emission: EmissionPolicy<State>, clock: (any StoreClock)? = nil,
    areEqual: (@Sendable (State, State) -> Bool)? = nil, runawayLimit: Int = 1000, queueLimit: Int? = nil,
    order: (any StoreOrder)? = nil
  ) throws(StoreError) {
    current = initial
    self.order = order
    drain = { store in
      var failure: (any Error)?
      return store.drainRest(watching: nil, &failure)
    }
    room = queueLimit.map { QueueRoom(limit: $0) }
    self.clock = clock
    self.areEqual = areEqual
    guardrail = RunawayGuard(limit: runawayLimit)
    let owner = OwnerReference<Action, State>(ownership.owner)
    self.owner = owner
    trace = TracePoint { job in owner.withStore { $0.later(job) } }
    effectRuntime = EffectRuntime(owner, clock: clock, trace: trace)
    parts = CompositionParts(reducer: reducer, emission: emission)
    let first = parts.composition(trace: trace, isIntercepted: false)
    composition = Unmanaged.passUnretained(first)
    keptCompositions = [first]
    owner.begin(self)
    if let fault = reducer.fault { throw fault }
    parts.attached = try attach(middleware)
    if interceptors.isEmpty { recompose() } else { try replaceInterceptors(interceptors) }
    if parts.supervises { exclusively { reconcileUnits() } }
  }

  deinit {
    worker?.end()
    owner.leave(current)
    for unit in parts.attached { unit.close() }
    for link in chain.attached { link.effects.close() }
  }

  /// Makes a store whose watchers are told when the state differs.
  ///
  /// - Throws: ``StoreError/duplicateUnit(name:)``, ``StoreError/sharedSlice(reducers:state:)``,
  ///   ``StoreError/dispatchWhileBuilding(interceptor:)``.
  @inlinable
  public convenience init(
    initial: State, reducer: Reducer<Action, State>, middleware: Middleware<Action, Action, State> = .identity,
    interceptors: [Interceptor<Action, State>] = [], clock: (any StoreClock)? = nil, runawayLimit: Int = 1000,
    queueLimit: Int? = nil, order: (any StoreOrder)? = nil
  ) throws(StoreError) where State: Equatable {
    try self.init(
      initial: initial, reducer: reducer, middleware: middleware, interceptors: interceptors, emission: .whenDifferent,
      clock: clock, areEqual: { $0 == $1 }, runawayLimit: runawayLimit, queueLimit: queueLimit,
      order: order)
  }

  // MARK: Reading

  /// The state now. On the thread that processes actions: of this moment of the processing (R8). On another thread: as it
  /// is once the action in progress is done; what is queued, such as what this thread has just dispatched, may still wait
  /// (R2). Two stores whose watchers read each other on two threads wait for each other for ever.
  @inlinable
  public var state: State {
    withState { $0 }
  }

  /// Reads part of the state without copying the rest; see ``state``.
  @inlinable
  public func withState<Result>(_ body: (borrowing State) throws -> Result) rethrows -> Result {
    guard ownership.isMine else { return try visit { try body(current) } }
    precondition(!isReducing, "a reducer reads the state of the store that it is part of")
    return try body(current)
  }

  // MARK: Changing the composition

  /// True if a unit states effects that should run: they follow the state at the end of each action.
  public var supervises: Bool { visit { parts.supervises } }

  /// Replaces the middlewares from the next action on. A unit that stays, by identity, stays attached and keeps what it
  /// holds.
  ///
  /// - Parameter reconciling: true if supervised effects follow the state at once, and not with the action under way or
  ///   the next one.
  /// - Throws: ``StoreError/duplicateUnit(name:)``; the composition is then as before.
  @inlinable
  public func replaceMiddleware(
    _ middleware: Middleware<Action, Action, State>, reconciling: Bool = true
  ) throws(StoreError) {
    let result = exclusively { () -> Result<Void, StoreError> in
      do throws(StoreError) {
        let attached = try attach(middleware)
        // Its effects go before its successor's start (R28).
        for old in parts.attached where !attached.contains(where: { $0.unit === old.unit }) { old.close() }
        parts.attached = attached
        recompose()
        if reconciling { reconcileUnits() }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// Replaces the reducers from the next action on.
  ///
  /// - Throws: ``StoreError/sharedSlice(reducers:state:)``; the reducers are then as before.
  public func replaceReducer(_ reducer: Reducer<Action, State>) throws(StoreError) {
    if let fault = reducer.fault { throw fault }
    exclusively {
      parts.reducer = reducer
      recompose()
    }
  }

  /// Replaces the emission policy from the next action on.
  public func setEmission(_ policy: EmissionPolicy<State>) {
    exclusively {
      parts.emission = policy
      recompose()
    }
  }

  /// Sets how many actions one outside dispatch may cause (R30).
  public func setRunawayLimit(_ limit: Int) {
    exclusively { guardrail.limit = limit }
  }

  /// Has the store ask before each action that another one caused whether somebody wants the drain to end. The drain
  /// ends with ``StoreError/interrupted(next:source:)``; the actions processed by then stay.
  public func setInterruption(_ isInterrupted: (() -> Bool)?) {
    exclusively { self.isInterrupted = isInterrupted }
  }

  /// Has every action recorded at its commit or failure. The store then keeps the state before each action while it is
  /// reduced, so collections that grow should be persistent ones.
  public func setRecorder(_ recorder: ((ActionRecord<Action, State>) -> Void)?) {
    setRecorder(
      ofParts: recorder.map { recorder in
        { action, context, before, after, exception in
          recorder(
            ActionRecord(action: action, context: context, before: before, after: after, exception: exception))
        }
      })
  }

  /// The same for a recorder that gets the parts of each record.
  package func setRecorder(ofParts recorder: Composition<Action, State>.Recorder?) {
    exclusively {
      parts.recorder = recorder
      recompose()
    }
  }

  /// Has the state before each action kept by somebody, so that reducers write parts of it in place although it is looked at.
  package func setFormers(_ formers: (any FormerStates<State>)?) { exclusively { self.formers = formers } }

  /// Has what the reducers made of each action checked before its commit: one that throws has failed.
  package func setCheck(_ check: ((_ action: Action, _ before: State, _ after: State) throws -> Void)?) {
    exclusively {
      parts.check = check
      recompose()
    }
  }

  /// Has each action that waited in the queue made anew before it is processed: its parts may have been exchanged meanwhile.
  package func setRenewal(_ renew: @escaping (Action) -> Action) { exclusively { renewal = renew } }

  /// Has the store tell kinds of actions apart: parts that say which kinds they take are asked about no others.
  package func setKinds(_ kind: @escaping @Sendable (Action) -> ActionKind) {
    exclusively {
      parts.kind = kind
      recompose()
    }
  }

  /// Asks the parts anew which kinds of actions they take, from the next action on.
  package func findKindsAnew() { exclusively { recompose() } }

  /// Has every phase of every action reported.
  public func setTrace(_ sink: ((TraceEvent) -> Void)?) {
    exclusively {
      trace.setSink(sink)
      recompose()
    }
  }

  /// Has errors reported that reach no dispatching caller (R7, R30). These are failures of actions that other actions
  /// caused or another thread brought. The ``StoreError`` of a drain that was stopped on behalf of another thread is
  /// reported, too.
  public func setErrorHandler(_ handler: ((any Error) -> Void)?) {
    exclusively { onLateError = handler }
  }

  /// Names the party that shares the store with others: whatever is done to the store by effects, by connections or by its own
  /// thread is done only while the keeper lives, and keeps it alive meanwhile. Once, before others know the store.
  ///
  /// The turn of such a store is held for one action and what that caused (R34): what other threads bring meanwhile waits until
  /// then, so that no party's action comes between an action and its consequences.
  ///
  /// - Parameter find: finds the keeper; nil: it is gone.
  package func setKeeper(_ find: @escaping @Sendable () -> (any AnyObject & Sendable)?) {
    owner.findKeeper = find
    isShared = true
  }

  /// Makes the composition anew, after a change of its parts.
  @usableFromInline
  func recompose() {
    let next = parts.composition(trace: trace, isIntercepted: !chain.isEmpty)
    composition = Unmanaged.passUnretained(next)
    isPlain = next.isPlain && !isClosed
    keptCompositions.append(next)
    if !holdsComposition, !isReducing { dropOldCompositions() }
  }

  /// Lets go of the compositions that were replaced: no action is processed any more that met one of them.
  @usableFromInline
  func dropOldCompositions() { keptCompositions = [keptCompositions[keptCompositions.count - 1]] }

  @inlinable
  func attach(_ middleware: Middleware<Action, Action, State>) throws(StoreError) -> [AttachedUnit<Action, State>] {
    var names = Set<String>()
    for unit in middleware.units where !names.insert(unit.name).inserted {
      throw .duplicateUnit(name: unit.name)
    }
    let reader = StateReader<State> { [owner] in owner.state }
    return middleware.units.map { unit in
      if let attached = parts.attached.first(where: { $0.unit === unit }) { return attached }
      let effects = UnitEffects(unit: unit.name, runtime: effectRuntime)
      let supervision = Supervision<Action>(effects) { [owner] in owner.output(of: $0.number, root: $0.root) }
      let handler = unit.attach(
        MiddlewareUnit<Action, Action, State>.Attachment(
          state: reader, trace: trace, effects: EffectScope(effects), supervise: supervision.add(_:),
          superviseChanges: supervision.add(changes:)))
      return AttachedUnit(unit: unit, effects: effects, supervision: supervision) { action, context, pending in
        if let io = handler(action, context), !io.isNone { pending.append(io) }
      }
    }
  }
}
