/// The work of a middleware after the reducers: a description that the store runs once the action is committed (R8,
/// R9). The idea is SwiftRex's `IO`.
public struct IO<Output> {
  @usableFromInline let body: ((ActionHandler<Output>) -> Void)?

  /// Something to do after the commit; the handler enqueues actions.
  @inlinable
  public init(_ body: @escaping (ActionHandler<Output>) -> Void) { self.body = body }

  @inlinable
  init(body: ((ActionHandler<Output>) -> Void)?) { self.body = body }

  /// Nothing to do.
  @inlinable public static var none: IO { IO(body: nil) }

  /// True if there is nothing to do.
  @inlinable public var isNone: Bool { body == nil }

  /// Runs it against a handler.
  @inlinable
  public func run(_ output: ActionHandler<Output>) { body?(output) }

  /// This, then another.
  @inlinable
  public func appending(_ other: IO) -> IO {
    guard let body else { return other }
    guard let next = other.body else { return self }
    return IO { output in
      body(output)
      next(output)
    }
  }

  /// The same with every action that it emits mapped; sources stay (R13).
  @inlinable
  public func map<Other>(_ transform: @escaping @Sendable (Output) -> Other) -> IO<Other> {
    guard let body else { return .none }
    return IO<Other> { output in body(output.contramap(transform)) }
  }

  /// The same with every action that it emits turned into something to do against the same handler.
  @inlinable
  public func flatMap<Other>(
    _ transform: @escaping @Sendable (DispatchedAction<Output>) -> IO<Other>
  ) -> IO<Other> {
    guard let body else { return .none }
    return IO<Other> { output in
      body(ActionHandler { dispatched in transform(dispatched).run(output) })
    }
  }
}

/// Accepts actions on behalf of a store: what is emitted is enqueued behind what is already queued (R19). May be kept and
/// used later and from any thread.
public struct ActionHandler<Action>: Sendable {
  @usableFromInline let send: @Sendable (DispatchedAction<Action>) -> Void

  /// A handler that does this with every action.
  @inlinable
  public init(_ send: @escaping @Sendable (DispatchedAction<Action>) -> Void) { self.send = send }

  /// Enqueues an action.
  @inlinable
  public func dispatch(
    _ action: Action, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) {
    send(DispatchedAction(action, source: .here(info: info, file: file, function: function, line: line)))
  }

  /// Enqueues an action with a source of its own.
  @inlinable
  public func dispatch(_ dispatched: DispatchedAction<Action>) { send(dispatched) }

  /// A handler of other actions, each mapped to one of these.
  @inlinable
  public func contramap<Other>(_ transform: @escaping @Sendable (Other) -> Action) -> ActionHandler<Other> {
    ActionHandler<Other> { send($0.map(transform)) }
  }
}
