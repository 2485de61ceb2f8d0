import StoreCore

/// Something to do that dispatches actions, carried by an action of its own (R20). The action passes the interceptors,
/// and the one made by ``StoreCore/Interceptor/thunks(_:_:)`` takes it, so that it never reaches the reducers. The idea
/// is redux-thunk's.
public struct Thunk<Action: Sendable, State: Sendable>: Sendable {
  /// The name in listings and traces.
  public let name: String
  let body: @Sendable (ThunkContext<Action, State>) async -> Void

  /// A thunk that calls a closure, on the thread that owns the store: at once up to where it first waits, then between two
  /// actions.
  public init(_ name: String, _ body: @escaping @Sendable (ThunkContext<Action, State>) async -> Void) {
    self.name = name
    self.body = body
  }
}

extension Thunk: CustomStringConvertible {
  /// The name, marked as a thunk's.
  public var description: String { "thunk:\(name)" }
}

/// The tools of a thunk.
public struct ThunkContext<Action: Sendable, State: Sendable>: Sendable {
  /// Reads the state of that moment.
  public let state: StateReader<State>
  let effect: EffectContext<Void, Action>
  let wait: @Sendable (DispatchedAction<Action>) async -> DispatchResult

  /// Enqueues an action; it passes the whole chain of interceptors.
  public func dispatch(
    _ action: Action, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) {
    effect.send(DispatchedAction(action, source: .here(info: info, file: file, function: function, line: line)))
  }

  /// Enqueues an action, and waits until it is done: what ``state`` gives then shows its effect.
  @discardableResult
  public func dispatchAndWait(
    _ action: Action, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) async -> DispatchResult {
    await wait(
      DispatchedAction(action, source: .here(info: info, file: file, function: function, line: line)))
  }

  /// Waits on the store's clock.
  ///
  /// - Throws: where the thunk is cancelled.
  public func sleep(for duration: Duration) async throws(CancellationError) { try await effect.sleep(for: duration) }

  /// True if the thunk was cancelled: its actions are dropped.
  public var isCancelled: Bool { effect.isCancelled }
}
