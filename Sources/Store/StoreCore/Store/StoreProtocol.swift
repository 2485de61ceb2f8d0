/// A store as the code that owns one sees it: a ``Store``, or the typed handle of one that a host shares with others. Code that
/// is written for the protocol takes either.
///
/// All of it may be called from any thread. A store is busy only while it processes an action (R2).
public protocol StoreProtocol<Action, State>: StoreHandle {
  /// The way in and a way out, without keeping the store alive, for a bridge to another library.
  var connection: StoreConnection<Action, State> { get }

  /// Reads part of the state without copying the rest.
  func withState<Result>(_ body: (borrowing State) throws -> Result) rethrows -> Result

  /// Has an action from a known source processed, or enqueued where the store is busy.
  @discardableResult
  func dispatch(_ action: Action, source: ActionSource) -> DispatchResult

  /// Has an action processed behind what is queued, and waits until it is done: committed, failed or dropped. This never blocks the
  /// thread.
  @discardableResult
  func dispatchAndWait(_ dispatched: DispatchedAction<Action>) async -> DispatchResult

  /// Has an action processed behind what is queued, and blocks the thread until it is done: committed, failed or dropped. Actions
  /// that it caused may still wait in the queue.
  ///
  /// - Returns: ``StoreError/busy`` on the thread that processes actions, which would wait for itself.
  @available(*, noasync, message: "await dispatchAndWait, which blocks no thread")
  @discardableResult
  func dispatchAndBlock(_ dispatched: DispatchedAction<Action>) -> DispatchResult

  /// Tells a watcher of the state, now and after every commit that the store's emission policy lets through.
  ///
  /// - Parameters:
  ///   - name: the name in traces.
  ///   - onChange: runs on the thread that processes actions, one call at a time, and may dispatch.
  func watch(_ name: String, _ onChange: @escaping @Sendable (Notification<State>) -> Void) -> Subscription

  /// Tells a watcher of a part of the state, now and after every commit after which it counts as different; `nil`: always.
  func watch<Part>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part, isDifferent: (@Sendable (Part, Part) -> Bool)?,
    _ onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) -> Subscription

  /// A view of the store with other actions and another state (R26).
  ///
  /// - Parameters:
  ///   - name: the name in traces of dropped actions.
  ///   - action: the store's action for one of the view's; nil drops it before it is enqueued.
  ///   - state: the part of the state that the view shows.
  func projection<Local: Sendable, Part: Sendable>(
    named name: String?, action: @escaping @Sendable (Local) -> Action?, state: @escaping @Sendable (State) -> Part
  ) -> StoreProjection<Local, Part>
}

extension Store: StoreProtocol {}

extension StoreProtocol {
  /// The state now. Waits at most for the action in progress, never for those that are queued.
  public var state: State { withState { copy $0 } }

  /// Has an action processed, or enqueued where the store is busy.
  @discardableResult
  public func dispatch(
    _ action: Action, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> DispatchResult {
    dispatch(action, source: .here(info: info, file: file, function: function, line: line))
  }

  /// Has an action processed behind what is queued, and waits until it is done.
  @discardableResult
  public func dispatchAndWait(
    _ action: Action, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) async -> DispatchResult {
    await dispatchAndWait(
      DispatchedAction(action, source: .here(info: info, file: file, function: function, line: line)))
  }

  /// Has an action processed behind what is queued, and blocks the thread until it is done: for threads that must know
  /// whether a reducer took it.
  ///
  /// ```swift
  /// switch store.dispatchAndBlock(.reserve(item: 7, quantity: 2)).outcome {
  /// case .done: "ok"
  /// case .failed(let error): "\(error)"
  /// default: "try again"
  /// }
  /// ```
  @available(*, noasync, message: "await dispatchAndWait, which blocks no thread")
  @discardableResult
  public func dispatchAndBlock(
    _ action: Action, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> DispatchResult {
    dispatchAndBlock(DispatchedAction(action, source: .here(info: info, file: file, function: function, line: line)))
  }

  /// Tells a watcher of a part of the state, now and after every commit that changed it.
  public func watch<Part: Equatable & Sendable>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part,
    _ onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) -> Subscription {
    watch(name, part, isDifferent: { $0 != $1 }, onChange)
  }

  /// Tells a watcher without a name of its own: `store.watch(\.count) { … }`.
  public func watch<Part: Equatable & Sendable>(
    _ part: @escaping @Sendable (State) -> Part, _ onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) -> Subscription {
    watch("watcher", part, onChange)
  }

  /// The connection to a part of the state; see ``StoreHandle/connection(_:_:isDifferent:)``.
  public func connection<Part: Sendable>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part, isDifferent: (@Sendable (Part, Part) -> Bool)?
  ) -> StoreConnection<Action, Part> {
    projection(action: { $0 }, state: part).connection(name, { $0 }, isDifferent: isDifferent)
  }

  /// A view of the store with the same state and other actions, or the other way round (R26).
  public func projection<Local: Sendable, Part: Sendable>(
    action: @escaping @Sendable (Local) -> Action?, state: @escaping @Sendable (State) -> Part
  ) -> StoreProjection<Local, Part> {
    projection(named: nil, action: action, state: state)
  }
}
