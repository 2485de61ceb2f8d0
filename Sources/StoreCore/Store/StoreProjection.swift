/// A view of a store with other actions and another state (R26). It owns nothing: state is mapped on every read, actions are
/// mapped before they are enqueued, and an action that maps to nil is not enqueued at all.
public struct StoreProjection<Action: Sendable, State: Sendable>: Sendable {
  private let read: @Sendable () -> State
  private let send: @Sendable (Action, ActionSource) -> DispatchResult?
  private let subscribe:
    @Sendable (String, @escaping @Sendable (Notification<State>) -> Void, (@Sendable (State, State) -> Bool)?) -> Subscription

  init(
    read: @escaping @Sendable () -> State,
    send: @escaping @Sendable (Action, ActionSource) -> DispatchResult?,
    subscribe:
      @escaping @Sendable (
        String, @escaping @Sendable (Notification<State>) -> Void, (@Sendable (State, State) -> Bool)?
      ) -> Subscription
  ) {
    self.read = read
    self.send = send
    self.subscribe = subscribe
  }

  /// The state now, mapped.
  public var state: State { read() }

  /// Maps an action and has it processed; nil where the map drops it.
  @discardableResult
  public func dispatch(
    _ action: Action, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> DispatchResult? {
    send(action, .here(info: info, file: file, function: function, line: line))
  }

  /// Maps an action from a known source and has it processed; nil where the map drops it.
  @discardableResult
  public func dispatch(_ action: Action, source: ActionSource) -> DispatchResult? { send(action, source) }

  /// Tells a watcher of the projected state, now and after every commit that changed it.
  public func watch(
    _ name: String = "watcher", _ onChange: @escaping @Sendable (Notification<State>) -> Void
  ) -> Subscription where State: Equatable {
    subscribe(name, onChange, { $0 != $1 })
  }

  /// A view of this view.
  public func projection<Local: Sendable, Part: Sendable>(
    action: @escaping @Sendable (Local) -> Action?, state: @escaping @Sendable (State) -> Part
  ) -> StoreProjection<Local, Part> {
    let (read, send, subscribe) = (self.read, self.send, self.subscribe)
    return StoreProjection<Local, Part>(
      read: { state(read()) },
      send: { local, source in action(local).flatMap { send($0, source) } },
      subscribe: { name, onChange, isDifferent in
        // Told of every commit below, the projection itself compares what it shows.
        let gate = ProjectedChanges(isDifferent: isDifferent, onChange: onChange)
        return subscribe(name, { notification in gate.tell(state(notification.new), notification.context) }, nil)
      })
  }
}

/// Lets through what differs from what was last let through.
private final class ProjectedChanges<Part: Sendable>: @unchecked Sendable {
  // Safe: told only by the thread that owns the store's queue.
  private var last: Part?
  private let isDifferent: (@Sendable (Part, Part) -> Bool)?
  private let onChange: @Sendable (Notification<Part>) -> Void

  init(
    isDifferent: (@Sendable (Part, Part) -> Bool)?, onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) {
    self.isDifferent = isDifferent
    self.onChange = onChange
  }

  func tell(_ new: Part, _ context: ActionContext?) {
    if let last, let isDifferent, !isDifferent(last, new) { return }
    let old = last
    last = new
    onChange(Notification(old: old, new: new, context: context))
  }
}

extension Store {
  /// A view of the store with other actions and another state.
  ///
  /// - Parameters:
  ///   - action: the store's action for one of the view's; nil drops it before it is enqueued.
  ///   - state: what the view shows of the state.
  public func projection<Local: Sendable, Part: Sendable>(
    action: @escaping @Sendable (Local) -> Action?, state: @escaping @Sendable (State) -> Part
  ) -> StoreProjection<Local, Part> {
    StoreProjection<Local, Part>(
      read: { self.withState { state($0) } },
      send: { [self] local, source in
        guard let global = action(local) else {
          exclusively { trace.report(.dropped(what: local, reason: "projection")) }
          return nil
        }
        return dispatch(global, source: source)
      },
      subscribe: { name, onChange, isDifferent in
        self.watch(name, state, isDifferent: isDifferent, onChange)
      })
  }
}
