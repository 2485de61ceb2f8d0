import StoreCore

/// An application's state with substates beside it (R23).
public struct Substated<State> {
  /// The application's state.
  public var app: State
  /// The substates.
  public var substates = Substates()

  /// A state without substates.
  public init(_ app: State) { self.app = app }
}

extension Substated: Sendable where State: Sendable {}
extension Substated: Equatable where State: Equatable {}

extension Substated: CustomStringConvertible {
  /// The application's state and the substates.
  public var description: String { "\(app) \(substates)" }
}

/// An action of the application, or one about substates, which the application's reducers never get.
public enum SubstatedAction<Action> {
  /// An action of the application.
  case app(Action)
  /// An action about substates.
  case substates(SubstateAction)

  /// The application's action, if it is one.
  @inlinable public var app: Action? {
    if case .app(let action) = self { action } else { nil }
  }

  /// The action about substates, if it is one.
  @inlinable public var substates: SubstateAction? {
    if case .substates(let action) = self { action } else { nil }
  }
}

extension SubstatedAction: Sendable where Action: Sendable {}

extension SubstatedAction: CustomStringConvertible {
  /// The action's own text.
  public var description: String {
    switch self {
    case .app(let action): "\(action)"
    case .substates(let action): "\(action)"
    }
  }
}

extension Reducer {
  /// This reducer of an application in a store that also holds substates.
  public func substated(_ substates: SubstateReducers) -> Reducer<SubstatedAction<Action>, Substated<State>> {
    lift(action: { (action: SubstatedAction<Action>) in action.app }, state: \Substated<State>.app)
      .appending(substates.reducer.lift(action: { $0.substates }, state: \.substates))
  }
}

extension Middleware where Input == Output {
  /// This middleware of an application in a store that also holds substates.
  ///
  /// - Parameters:
  ///   - substates: the reducers that the store has for substates.
  ///   - report: gets what was wrong with an action about substates that changed nothing; see
  ///     ``SubstateReducers/reporter(_:)``.
  public func substated(
    _ substates: SubstateReducers, report: @escaping @Sendable (SubstateError, ActionContext) -> Void
  ) -> Middleware<SubstatedAction<Input>, SubstatedAction<Input>, Substated<State>> {
    lift(
      input: { (action: SubstatedAction<Input>) in action.app }, output: { SubstatedAction<Input>.app($0) },
      state: { (state: Substated<State>) in state.app }
    )
    .appending(
      substates.reporter(report).lift(
        input: { (action: SubstatedAction<Input>) in action.substates }, to: SubstatedAction<Input>.self,
        state: { (state: Substated<State>) in state.substates }))
  }
}
