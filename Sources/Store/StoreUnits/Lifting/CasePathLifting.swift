import StoreCore
import StoreSchema

extension Reducer {
  /// Makes this reducer one of a larger state by a case path and a key path (R14): `lift(action: \.tasks.edit, state: \.tasks)`.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this reducer's; other cases skip it.
  ///   - state: the slice, changed in place.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> {
    lift(action: GlobalAction.cases[keyPath: action].extract, state: state)
  }

  /// Makes this reducer one of a store with more actions and the same state: `lift(action: \.tasks)`.
  ///
  /// - Parameter action: the case of the global action that holds this reducer's; other cases skip it.
  @inlinable
  public func lift<GlobalAction: CasePathable>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>
  ) -> Reducer<GlobalAction, State> {
    lift(action: GlobalAction.cases[keyPath: action].extract)
  }

  /// Makes this reducer one of a larger state that may hold a slice or not.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this reducer's; other cases skip it.
  ///   - state: the slice, changed in place.
  @inlinable
  public func liftOptional<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: WritableKeyPath<GlobalState, State?> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> {
    liftOptional(action: GlobalAction.cases[keyPath: action].extract, state: state)
  }

  /// Makes this reducer one of a larger state, on one element (R17): `lift(action: \.list.row, element: .of(\.rows))`.
  ///
  /// - Parameters:
  ///   - action: the case that says which element and what is done to it; other cases skip the reducer.
  ///   - elements: the way to the elements.
  @inlinable
  public func lift<GlobalAction: CasePathable, Elements: StateFocus>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, ElementAction<Elements.Key, Action>>>,
    element elements: Elements
  ) -> Reducer<GlobalAction, Elements.Whole> where Elements.Part == State, Elements.Key: Hashable & SendableMetatype {
    lift(action: GlobalAction.cases[keyPath: action].extract, element: elements)
  }

  /// Makes this reducer one of a larger state, on every element (R17).
  ///
  /// - Parameters:
  ///   - action: the case that holds the elements' action; other cases skip the reducer.
  ///   - elements: the way to the elements.
  @inlinable
  public func lift<GlobalAction: CasePathable, Elements: ElementsFocus>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>, each elements: Elements
  ) -> Reducer<GlobalAction, Elements.Whole> where Elements.Part == State {
    lift(action: GlobalAction.cases[keyPath: action].extract, each: elements)
  }

  /// Makes this reducer one of an enum: it runs on the payload of one case while the state is that case, and does nothing
  /// otherwise.
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the reducer is skipped.
  ///   - state: the case, changed in place.
  @inlinable
  public func liftCase<GlobalAction, GlobalState: CasePathable>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    state: KeyPath<GlobalState.Cases, CasePath<GlobalState, State>>
  ) -> Reducer<GlobalAction, GlobalState> {
    lift(
      action: { global in action(global).map { ((), $0) } }, focus: CaseFocus(GlobalState.cases[keyPath: state]))
  }

  /// Makes this reducer one of an enum, by a case of the actions and a case of the state.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this reducer's; other cases skip it.
  ///   - state: the case, changed in place.
  @inlinable
  public func liftCase<GlobalAction: CasePathable, GlobalState: CasePathable>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: KeyPath<GlobalState.Cases, CasePath<GlobalState, State>>
  ) -> Reducer<GlobalAction, GlobalState> {
    liftCase(action: GlobalAction.cases[keyPath: action].extract, state: state)
  }
}

extension Reducer {
  /// Says the words of a reducer's lift, where the compiler would find no such function.
  @available(*, unavailable, message: "a reducer dispatches nothing: lift it by 'action:' and 'state:'")
  public func lift<GlobalAction: CasePathable, GlobalState>(
    input: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> { .identity }

  /// Says which case is meant, where the compiler would find fault with key paths.
  @available(
    *, unavailable,
    message: "the case that 'action:' names holds other actions than this reducer takes: name the case of its actions"
  )
  public func lift<GlobalAction: CasePathable, Other, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Other>>,
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> { .identity }

  /// Says which field is meant, where the compiler would find fault with key paths.
  @available(
    *, unavailable,
    message: "the field that 'state:' names holds another state than this reducer changes: name the field of its state"
  )
  public func lift<GlobalAction: CasePathable, Other, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: WritableKeyPath<GlobalState, Other> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> { .identity }
}

extension Middleware {
  /// Makes this middleware one of a larger store by case paths and a key path (R14):
  /// `lift(input: \.tasks, output: \.tasks, state: \.tasks)`.
  ///
  /// - Parameters:
  ///   - input: the case of the global action that holds this middleware's; other cases skip it.
  ///   - output: the case that wraps what it dispatches.
  ///   - state: the slice.
  @inlinable
  public func lift<GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, Output>>,
    state: KeyPath<GlobalState, State> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> {
    lift(
      input: GlobalInput.cases[keyPath: input].extract, output: GlobalOutput.cases[keyPath: output].embed,
      state: reading(state))
  }

  /// Makes this middleware one of a larger state that may hold a slice or not; see `liftOptional(input:output:state:)` of
  /// StoreCore.
  ///
  /// - Parameters:
  ///   - input: the case of the global action that holds this middleware's; other cases skip it.
  ///   - output: the case that wraps what it dispatches.
  ///   - state: the slice.
  @inlinable
  public func liftOptional<GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, Output>>,
    state: KeyPath<GlobalState, State?> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> {
    liftOptional(
      input: GlobalInput.cases[keyPath: input].extract, output: GlobalOutput.cases[keyPath: output].embed,
      state: reading(state))
  }

  /// Makes this middleware one of an enum: it runs on the payload of one case while the state is that case, and does nothing
  /// otherwise. Its effects end when the state becomes another case.
  ///
  /// - Parameters:
  ///   - input: the local action in a global one, or nil: the middleware is skipped.
  ///   - output: the global action that stands for a local one.
  ///   - state: the case.
  @inlinable
  public func liftCase<GlobalInput, GlobalOutput, GlobalState: CasePathable>(
    input: @escaping @Sendable (GlobalInput) -> Input?, output: @escaping @Sendable (Output) -> GlobalOutput,
    state: KeyPath<GlobalState.Cases, CasePath<GlobalState, State>>
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> {
    liftOptional(input: input, output: output, state: GlobalState.cases[keyPath: state].extract)
  }

  /// Makes this middleware one of an enum, by cases of the actions and a case of the state.
  ///
  /// - Parameters:
  ///   - input: the case of the global action that holds this middleware's; other cases skip it.
  ///   - output: the case that wraps what it dispatches.
  ///   - state: the case.
  @inlinable
  public func liftCase<GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState: CasePathable>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, Output>>,
    state: KeyPath<GlobalState.Cases, CasePath<GlobalState, State>>
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> {
    liftCase(
      input: GlobalInput.cases[keyPath: input].extract, output: GlobalOutput.cases[keyPath: output].embed, state: state)
  }
}

extension Middleware where Input == Output {
  /// Makes a middleware whose actions go in and out one of a larger store: `lift(action: \.tasks, state: \.tasks)`.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this middleware's, in and out; other cases skip it.
  ///   - state: the slice.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Input>>, state: KeyPath<GlobalState, State> & Sendable
  ) -> Middleware<GlobalAction, GlobalAction, GlobalState> {
    lift(input: action, output: action, state: state)
  }

  /// Says which case is meant, where the compiler would find fault with key paths.
  @available(
    *, unavailable,
    message:
      "the case that 'action:' names holds other actions than this middleware takes: name the case of its actions"
  )
  public func lift<GlobalAction: CasePathable, Other, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Other>>, state: KeyPath<GlobalState, State> & Sendable
  ) -> Middleware<GlobalAction, GlobalAction, GlobalState> { .identity }

  /// Says which field is meant, where the compiler would find fault with key paths.
  @available(
    *, unavailable,
    message: "the field that 'state:' names holds another state than this middleware reads: name the field of its state"
  )
  public func lift<GlobalAction: CasePathable, Other, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Input>>, state: KeyPath<GlobalState, Other> & Sendable
  ) -> Middleware<GlobalAction, GlobalAction, GlobalState> { .identity }

  /// Makes a middleware whose actions go in and out one of a store with more actions and the same state:
  /// `lift(action: \.tasks)`.
  ///
  /// - Parameter action: the case of the global action that holds this middleware's, in and out; other cases skip it.
  @inlinable
  public func lift<GlobalAction: CasePathable>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Input>>
  ) -> Middleware<GlobalAction, GlobalAction, State> {
    let path = GlobalAction.cases[keyPath: action]
    return lift(input: path.extract, output: path.embed, state: { $0 })
  }
}

extension Middleware where Output == Never {
  /// Makes a middleware that cannot dispatch (R15) one of a larger store by a case path and a key path.
  ///
  /// - Parameters:
  ///   - input: the case of the global action that holds this middleware's; other cases skip it.
  ///   - output: the larger store's actions.
  ///   - state: the slice.
  @inlinable
  public func lift<GlobalInput: CasePathable, GlobalOutput, GlobalState>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>, to output: GlobalOutput.Type = GlobalOutput.self,
    state: KeyPath<GlobalState, State> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> {
    lift(input: GlobalInput.cases[keyPath: input].extract, to: output, state: reading(state))
  }
}

extension Middleware {
  /// Says that an output map is missing, where the compiler would find fault with the types.
  @available(
    *, unavailable,
    message: "this middleware dispatches actions: say by 'output:' which case of the larger store's wraps them"
  )
  public func lift<GlobalInput: CasePathable, GlobalState>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>, state: KeyPath<GlobalState, State> & Sendable
  ) -> Middleware<GlobalInput, GlobalInput, GlobalState> { .identity }

  /// Says the words of this middleware's lift, where the compiler would find fault with the types.
  @available(
    *, unavailable,
    message:
      "this middleware's actions in and out are of two types: say by 'input:' and 'output:' which cases hold them"
  )
  public func lift<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Input>>, state: KeyPath<GlobalState, State> & Sendable
  ) -> Middleware<GlobalAction, GlobalAction, GlobalState> { .identity }
}

extension MiddlewareReader {
  /// Makes this reader's middleware one of a larger store by case paths and a key path, before it is built (R14). For
  /// example `lift(input: \.tasks, output: \.tasks, state: \.tasks)`.
  ///
  /// - Parameters:
  ///   - input: the case of the global action that holds this middleware's; other cases skip it.
  ///   - output: the case that wraps what it dispatches.
  ///   - state: the slice.
  @inlinable
  public func lift<GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, Output>>,
    state: KeyPath<GlobalState, State> & Sendable
  ) -> MiddlewareReader<Dependencies, GlobalInput, GlobalOutput, GlobalState> {
    lift(
      input: GlobalInput.cases[keyPath: input].extract, output: GlobalOutput.cases[keyPath: output].embed,
      state: reading(state))
  }
}

extension Handler {
  /// Makes this handler one of a larger store by a case path and a key path (R14): `lift(action: \.tasks, state: \.tasks)`.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this handler's, in and out; other cases skip it.
  ///   - state: the slice.
  @inlinable
  public func lift<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Handler<GlobalAction, GlobalState> {
    let path = GlobalAction.cases[keyPath: action]
    return lift(action: path.extract, embed: path.embed, state: state)
  }

  /// Makes this handler one of a store with more actions and the same state: `lift(action: \.tasks)`.
  ///
  /// - Parameter action: the case of the global action that holds this handler's, in and out; other cases skip it.
  @inlinable
  public func lift<GlobalAction: CasePathable>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>
  ) -> Handler<GlobalAction, State> {
    Handler<GlobalAction, State>(reducer: reducer.lift(action: action), middleware: middleware.lift(action: action))
  }

  /// Makes this handler one of a larger state that may hold a slice or not.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this handler's, in and out; other cases skip it.
  ///   - state: the slice.
  @inlinable
  public func liftOptional<GlobalAction: CasePathable, GlobalState>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: WritableKeyPath<GlobalState, State?> & Sendable
  ) -> Handler<GlobalAction, GlobalState> {
    let path = GlobalAction.cases[keyPath: action]
    return liftOptional(action: path.extract, embed: path.embed, state: state)
  }

  /// Makes this handler one of an enum: it runs on the payload of one case while the state is that case, and does nothing
  /// otherwise.
  ///
  /// - Parameters:
  ///   - action: the case of the global action that holds this handler's, in and out; other cases skip it.
  ///   - state: the case.
  @inlinable
  public func liftCase<GlobalAction: CasePathable, GlobalState: CasePathable>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, Action>>,
    state: KeyPath<GlobalState.Cases, CasePath<GlobalState, State>>
  ) -> Handler<GlobalAction, GlobalState> {
    let path = GlobalAction.cases[keyPath: action]
    return Handler<GlobalAction, GlobalState>(
      reducer: reducer.liftCase(action: path.extract, state: state),
      middleware: middleware.liftCase(input: path.extract, output: path.embed, state: state))
  }

  /// Makes this handler one of a larger state, on one element: `lift(action: \.row, element: .of(\.rows))`.
  ///
  /// - Parameters:
  ///   - action: the case that says which element and what is done to it, in and out; other cases skip the handler.
  ///   - elements: the way to the elements.
  @inlinable
  public func lift<GlobalAction: CasePathable, Elements: StateFocus & ElementReading>(
    action: KeyPath<GlobalAction.Cases, CasePath<GlobalAction, ElementAction<Elements.ID, Action>>>,
    element elements: Elements
  ) -> Handler<GlobalAction, Elements.Whole>
  where Elements.Part == State, Elements.Element == State, Elements.Key == Elements.ID {
    let path = GlobalAction.cases[keyPath: action]
    return lift(action: path.extract, embed: path.embeddingElement(), element: elements)
  }
}

extension StoreProtocol {
  /// A view of one module of the store (R26): `projection(action: \.movies, state: \.movies)`.
  ///
  /// - Parameters:
  ///   - action: the case that wraps the view's actions.
  ///   - state: the slice that the view shows.
  public func projection<Local: Sendable, Part: Sendable>(
    action: KeyPath<Action.Cases, CasePath<Action, Local>>, state: KeyPath<State, Part> & Sendable
  ) -> StoreProjection<Local, Part> where Action: CasePathable {
    let embed = Action.cases[keyPath: action].embed
    return projection(action: { embed($0) }, state: reading(state))
  }
}

extension Store {
  /// Binds something of the state to the case that sets it: `binding(\.movies.filter, set: \.movies.setFilter)`.
  ///
  /// - Parameters:
  ///   - get: the value in the state.
  ///   - action: the case that holds a new value.
  public func binding<Value: Equatable & Sendable>(
    _ get: @escaping @Sendable (State) -> Value, set action: KeyPath<Action.Cases, CasePath<Action, Value>>
  ) -> Binding<Value> where Action: CasePathable {
    binding(get, set: Action.cases[keyPath: action].embed)
  }
}

extension StoreProjection {
  /// A view of one module of this view.
  ///
  /// - Parameters:
  ///   - action: the case that wraps the new view's actions.
  ///   - state: the slice that the new view shows.
  public func projection<Local: Sendable, Part: Sendable>(
    action: KeyPath<Action.Cases, CasePath<Action, Local>>, state: KeyPath<State, Part> & Sendable
  ) -> StoreProjection<Local, Part> where Action: CasePathable {
    let embed = Action.cases[keyPath: action].embed
    return projection(action: { embed($0) }, state: reading(state))
  }

  /// Binds something of the projected state to the case of the view's actions that sets it.
  ///
  /// - Parameters:
  ///   - get: the value in the projected state.
  ///   - action: the case that holds a new value.
  public func binding<Value: Equatable & Sendable>(
    _ get: @escaping @Sendable (State) -> Value, set action: KeyPath<Action.Cases, CasePath<Action, Value>>
  ) -> Binding<Value> where Action: CasePathable {
    binding(get, set: Action.cases[keyPath: action].embed)
  }
}

extension CasePath {
  /// Changes the payload in place, where the value is this very case.
  ///
  /// The enum gives its payload away meanwhile, so that what the payload holds has one owner and is not copied.
  ///
  /// - Returns: the closure's result, or nil if the value is another case.
  @inlinable
  public func modify<Result>(_ root: inout Root, _ body: (inout Payload) throws -> Result) rethrows -> Result? {
    try withUnsafeMutablePointer(to: &root) { place in
      guard var payload = take(from: place) else { return nil }
      defer { place.initialize(to: embed(payload)) }
      return try body(&payload)
    }
  }

  /// The payload, moved out of its place, which then holds nothing; nil where the value is another case, which stays.
  @inlinable
  func take(from place: UnsafeMutablePointer<Root>) -> Payload? {
    let root = place.move()
    if let payload = extract(root) { return payload }
    place.initialize(to: root)
    return nil
  }
}

/// The way to the payload of one case of an enum.
@usableFromInline
struct CaseFocus<Whole, Part>: StateFocus {
  @usableFromInline let path: CasePath<Whole, Part>

  @inlinable
  init(_ path: CasePath<Whole, Part>) { self.path = path }

  @inlinable
  func modify(_ whole: inout Whole, at key: Void, _ body: (inout Part) throws -> Void) rethrows {
    try path.modify(&whole, body)
  }
}
