import StoreCore
import StorePlugins
import StoreSchema

/// A store of your own, as you hand it to the shell: nothing in its types knows of the shell.
///
/// The fields of `State` and the cases of `Action` are its modules: `State.counter` and `Action.counter(CounterAction)`
/// make the module `counter`, with the actions `counter.increment` and so on.
public struct Application<Action: SchematicUnion, State: SchematicRecord>: Sendable {
  /// The state to start from.
  public let initial: State
  /// All reducers.
  public let reducer: Reducer<Action, State>
  /// All middlewares; each gets a gate of its own.
  public let middleware: Middleware<Action, Action, State>
  /// Named values that the state determines.
  public let projections: [ApplicationProjection<State>]

  /// The reducers of substates that may come and go.
  public let substates: [ApplicationSubstate]

  /// Describes a store.
  public init(
    initial: State, reducer: Reducer<Action, State>, middleware: Middleware<Action, Action, State> = .identity,
    projections: [ApplicationProjection<State>] = [], substates: [ApplicationSubstate] = []
  ) {
    self.substates = substates
    self.initial = initial
    self.reducer = reducer
    self.middleware = middleware
    self.projections = projections
  }
}

/// A named value that the state of an application determines, such as `tasks.open`.
public struct ApplicationProjection<State: Sendable>: Sendable {
  let module: String
  let type: ProjectionType
  let read: @Sendable (State) -> Value

  /// Declares a projection of a module.
  ///
  /// - Parameters:
  ///   - name: the projection's name within the module.
  ///   - module: the module's name.
  ///   - read: computes it.
  public init<Result: Schematic>(
    _ name: String, of module: String, _ read: @escaping @Sendable (State) -> Result
  ) {
    self.module = module
    type = ProjectionType(name: name, schema: Result.schema.dynamic)
    self.read = { read($0).schemaValue }
  }
}
