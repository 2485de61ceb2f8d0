import StoreCore
import StoreModules
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
  /// Interceptors around all phases of its actions (R5), the outermost first.
  public let interceptors: [Interceptor<Action, State>]
  /// Named values that the state determines.
  public let projections: [ApplicationProjection<State>]
  /// Thunks of its modules.
  public let thunks: [ApplicationThunk<Action, State>]
  /// Names for values of the state and the actions that set them.
  public let bindings: [ApplicationBinding]
  /// Commands beside those of the shell.
  public let commands: [ApplicationCommand<Action, State>]
  /// The reducers of substates that may come and go.
  public let substates: [ApplicationSubstate]
  /// When watchers are told (R10); nil: when the state differs.
  public let emission: EmissionPolicy<State>?

  /// Describes a store. Only the state and the reducer are needed.
  public init(
    initial: State, reducer: Reducer<Action, State>, middleware: Middleware<Action, Action, State> = .identity,
    interceptors: [Interceptor<Action, State>] = [], projections: [ApplicationProjection<State>] = [],
    substates: [ApplicationSubstate] = [], thunks: [ApplicationThunk<Action, State>] = [],
    bindings: [ApplicationBinding] = [], commands: [ApplicationCommand<Action, State>] = [],
    emission: EmissionPolicy<State>? = nil
  ) {
    self.emission = emission
    self.substates = substates
    self.initial = initial
    self.reducer = reducer
    self.middleware = middleware
    self.interceptors = interceptors
    self.projections = projections
    self.thunks = thunks
    self.bindings = bindings
    self.commands = commands
  }
}

/// A named value that the state of an application determines, such as `tasks.open`.
public struct ApplicationProjection<State: Sendable>: Sendable {
  package let module: String
  package let type: ProjectionType
  /// True if it depends on the module's slice alone.
  package let isOfSlice: Bool
  package let read: @Sendable (State) -> Value

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
    isOfSlice = false
    self.read = { read($0).schemaValue }
  }

  /// Declares a projection that a module's slice alone determines: who watches it has it computed only when that has changed.
  ///
  /// - Parameters:
  ///   - name: the projection's name within the module.
  ///   - slice: the module: a stored property of the state. Another key path is a fault of the program, which it ends.
  ///   - read: computes it.
  public init<Slice, Result: Schematic>(
    _ name: String, of slice: KeyPath<State, Slice> & Sendable, _ read: @escaping @Sendable (Slice) -> Result
  ) where State: SchematicRecord {
    guard let offset = MemoryLayout<State>.offset(of: slice), let module = State.schema.field(at: offset) else {
      preconditionFailure("the slice of a projection is a stored property of the state: \(slice)")
    }
    self.module = module
    type = ProjectionType(name: name, schema: Result.schema.dynamic)
    isOfSlice = true
    let part = reading(slice)
    self.read = { read(part($0)).schemaValue }
  }
}
