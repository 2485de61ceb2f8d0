import Platform
import StoreCore
import StoreSchema

/// The typed handle of a store that a host shares: what a `Store` is for the program that owns one. Its actions stand in the
/// history, and can be taken back, as those of sessions.
public struct HostedStore<Action: SchematicUnion, State: SchematicRecord>: StoreProtocol {
  private let live: LiveStore
  private let erase: @Sendable (Action) -> HostAction
  private let read: @Sendable (HostState) -> State
  private let initial: State

  init(_ live: LiveStore, _ application: Application<Action, State>, _ table: ModuleTable<Action, State>) {
    self.live = live
    erase = HostedApplication.erasing(table)
    read = HostedApplication.reading(application)
    initial = application.initial
  }

  private var root: Store<HostAction, HostState> { live.store }

  /// The way in and a way out, without keeping the store alive, for a bridge to another library.
  public var connection: StoreConnection<Action, State> {
    root.projection(action: erase, state: read).connection(isDifferent: nil)
  }

  /// The state after the last action that was committed. Never waits, not even for the action in progress, so that a health
  /// check answers while a reducer is stuck. Callers that need the effect of their own dispatch read `state`.
  public var lastCommitted: State { live.lastCommitted.state.typed() ?? initial }

  /// Reads part of the state. Waits at most for the action in progress; see ``lastCommitted``.
  public func withState<Result>(_ body: (borrowing State) throws -> Result) rethrows -> Result {
    try root.withState { try body(read(copy $0)) }
  }

  /// Has an action processed, or enqueued where the store is busy (R2).
  ///
  /// - Returns: among others `StoreError.queueFull` and `StoreError.closed`.
  @discardableResult
  public func dispatch(_ action: Action, source: ActionSource) -> DispatchResult {
    root.dispatch(erase(action), source: source)
  }

  /// Has an action processed, or enqueued where the store is busy, under a name of its own: lists show it instead of the file and
  /// the line.
  ///
  /// ```swift
  /// host.store.dispatch(.cart(.add("A-7")), as: "order-17")
  /// ```
  ///
  /// - Parameter name: 1 to 64 of `A-Z a-z 0-9 . _ - @ /`; another name is left out, so that the file and the line are shown.
  @discardableResult
  public func dispatch(
    _ action: Action, as name: String, info: String? = nil, file: String = #fileID, function: String = #function,
    line: Int = #line
  ) -> DispatchResult {
    var source = ActionSource.here(info: info, file: file, function: function, line: line)
    if ActionAuthor.allows(name) { source.author = ActionAuthor(user: SystemUser.current, name: name) }
    return dispatch(action, source: source)
  }

  /// Has an action processed behind what is queued, and waits until it is done.
  @discardableResult
  public func dispatchAndWait(_ dispatched: DispatchedAction<Action>) async -> DispatchResult {
    await root.dispatchAndWait(DispatchedAction(erase(dispatched.action), source: dispatched.source))
  }

  /// Has an action processed behind what is queued, and blocks the thread until it is done: committed, failed or dropped.
  ///
  /// - Returns: among others `StoreError.queueFull` and `StoreError.closed`; `StoreError.busy` on the thread that processes actions,
  ///   such as in a watcher or an effect.
  @available(*, noasync, message: "await dispatchAndWait, which blocks no thread")
  @discardableResult
  public func dispatchAndBlock(_ dispatched: DispatchedAction<Action>) -> DispatchResult {
    root.dispatchAndBlock(DispatchedAction(erase(dispatched.action), source: dispatched.source))
  }

  /// Tells a watcher of the state, now and after every commit that the store's emission policy lets through.
  public func watch(
    _ name: String = "watcher", _ onChange: @escaping @Sendable (Notification<State>) -> Void
  ) -> Subscription {
    root.watch(name, read, isDifferent: nil, onChange)
  }

  /// Tells a watcher of a part of the state, now and after every commit after which it counts as different; `nil`: always.
  public func watch<Part>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part, isDifferent: (@Sendable (Part, Part) -> Bool)?,
    _ onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) -> Subscription {
    root.watch(name, { [read] in part(read($0)) }, isDifferent: isDifferent, onChange)
  }

  /// A view of the store with other actions and another state (R26).
  public func projection<Local: Sendable, Part: Sendable>(
    named name: String?, action: @escaping @Sendable (Local) -> Action?, state: @escaping @Sendable (State) -> Part
  ) -> StoreProjection<Local, Part> {
    root.projection(
      named: name, keeping: live, action: { [erase] in action($0).map(erase) },
      state: { [read] in state(read($0)) })
  }
}
