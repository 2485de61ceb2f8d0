import Observation

/// A store as a view on the main actor sees it: its state can be observed (`Observation`), and actions are dispatched to it.
///
/// ```swift
/// let movies = store.projection(action: \.movies, state: \.movies).observable()
/// withObservationTracking { label.text = movies.title } onChange: { … }
/// movies.dispatch(.select(id))
/// ```
///
/// The state shown changes on the main actor's own turn, and at once where ``dispatch(_:info:file:function:line:)`` here
/// changed it; in the midst of a change, right behind that. It never changes while a view is being drawn. The idea is SwiftRex's `asObservableViewModel`.
@MainActor
@dynamicMemberLookup
public final class ObservableProjection<Action: Sendable, State: Sendable>: Observable {
  private let registrar = ObservationRegistrar()
  private let handle: any StoreHandle<Action, State>
  private let connection: StoreConnection<Action, State>
  private var shown: State
  private var inbox: MainActorInbox<State>?
  private var watching: Subscription?

  init(_ handle: any StoreHandle<Action, State>, isDifferent: (@Sendable (State, State) -> Bool)?) {
    self.handle = handle
    connection = handle.connection("observable", { $0 }, isDifferent: isDifferent)
    shown = handle.state
    (watching, inbox) = handle.watchOnMain("observable", { $0 }, isDifferent: isDifferent) { [weak self] in
      self?.show($0)
    }
  }

  /// The state that is shown; whoever reads it under observation is told when it changes.
  public var state: State {
    registrar.access(self, keyPath: \.state)
    return shown
  }

  /// A part of the state that is shown.
  public subscript<Part>(dynamicMember path: KeyPath<State, Part>) -> Part { state[keyPath: path] }

  /// Dispatches an action and shows what it led to; nil where a projection's map drops it.
  @discardableResult
  public func dispatch(
    _ action: Action, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> DispatchResult? {
    let source = ActionSource.here(info: info, file: file, function: function, line: line)
    let result = connection.dispatch(DispatchedAction(action, source: source))
    inbox?.deliver()
    return result
  }

  private func show(_ state: State) { registrar.withMutation(of: self, keyPath: \.state) { shown = state } }
}

extension StoreHandle where State: Equatable {
  /// The store, or this view of it, as something to observe on the main actor, which is told when the state differs.
  @MainActor
  public func observable() -> ObservableProjection<Action, State> {
    ObservableProjection(self, isDifferent: { $0 != $1 })
  }
}

extension StoreHandle {
  /// The store, or this view of it, as something to observe on the main actor.
  ///
  /// - Parameter isDifferent: true if observers are told of the change from one state to another; nil: they are told
  ///   after each commit that the store's emission policy lets through.
  @MainActor
  public func observable(
    isDifferent: (@Sendable (State, State) -> Bool)?
  ) -> ObservableProjection<Action, State> {
    ObservableProjection(self, isDifferent: isDifferent)
  }
}
