import StoreCore
import StoreModules
import StorePlugins
import StoreSchema
import StoreUnits

/// An application as the shell's root store sees it, its types erased.
package final class HostedApplication {
  /// A named value that the application's state determines.
  package struct Projection {
    package let module: String
    package let name: String
    package let schema: Schema
    /// True if it depends on the module's slice alone.
    package let isOfSlice: Bool
    package let read: (AppState) -> Value?
  }

  package let initial: AppState
  /// The numbers of its state that give out ids.
  package let sequences: [HostState.Sequence]
  package let modules: [Module]
  package let reducer: Reducer<HostAction, HostState>
  package let units: [HostUnit]
  package let projections: [Projection]
  package let substates: [ApplicationSubstate]
  /// Whether reducers are told when an action happened.
  package let tellsReducersTheTime: Bool
  package let thunks: [Thunk]
  /// The application's own interceptors, the outermost first, those that run its thunks last.
  package let interceptors: [Interceptor<HostAction, HostState>]
  package let commands: [HostedCommand]
  /// When watchers are told, where the application says so itself.
  package let emission: EmissionPolicy<HostState>?
  /// The typed action of a call, whose arguments were checked against its type or are to be.
  package let action: (ActionCall, _ isChecked: Bool) throws(SchemaError) -> AppAction

  /// Lifts an application's reducer and middlewares into the shell's root.
  ///
  /// - Parameter table: its modules: types of actions are told apart by identity, so that a host has one table.
  package init<Action: SchematicUnion, State: SchematicRecord>(
    _ application: Application<Action, State>, _ table: ModuleTable<Action, State>
  ) {
    initial = AppState(application.initial)
    sequences = State.schema.sequences().map { HostState.Sequence(slice: nil, $0) }
    modules = table.modules
    reducer = application.reducer.lift(
      action: { (action: HostAction) in action.kind == .app ? action.typed.typed() : nil },
      visit: { (action: HostAction, state: inout HostState, body) in
        guard action.kind == .app else { return }
        try action.typed.visit { typed in try state.app.modify(State.self) { try body(typed, &$0) } }
      }
    ).taking(kinds: { $0.kind == .app })
    let start = application.initial
    let erase = Self.erasing(table)
    let read = Self.reading(application)
    emission = application.emission?.lift(read)
    units = application.middleware.units.map { unit in
      HostUnit(
        unit.name, origin: .swift,
        Middleware(units: [unit]).lift(
          input: { $0.kind == .app ? $0.typed.typed() : nil }, output: erase, state: read))
    }
    thunks = application.thunks.map { thunk in
      Thunk(module: thunk.module, type: thunk.type) { arguments in
        // The shell has checked them against the same type.
        (try? thunk.make(arguments))?.lift(output: erase, state: read)
      }
    }
    interceptors =
      application.interceptors.map { interceptor in
        interceptor.lift(
          input: { $0.kind == .app ? $0.typed.typed() : nil }, output: erase,
          passing: { came, goesOn in
            let new = erase(goesOn)
            return came == new ? came : new
          }, state: read)
      } + Self.interceptors(of: thunks)
    commands = application.commands.map { command in
      HostedCommand(verb: command.verb, summary: command.summary, fields: command.fields) { arguments, caller in
        try command.run(arguments, CommandContext(caller: caller, start: start, erase: erase))
      }
    }
    // A field of the same name goes first.
    var projections: [Projection] = []
    for projection in application.projections {
      let (module, type) = (projection.module, projection.type)
      guard let owner = table.modules.first(where: { $0.name == module }), owner.hasNamedParts,
        !owner.fields.contains(where: { $0.name == type.name })
      else { continue }
      projections.append(
        Projection(module: module, name: type.name, schema: type.schema, isOfSlice: projection.isOfSlice) {
          $0.typed().map(projection.read)
        })
    }
    self.projections = projections
    substates = application.substates
    tellsReducersTheTime = application.reducer.takesContext || substates.contains(where: \.takesContext)
    action = { (call, isChecked) throws(SchemaError) in AppAction(try table.action(call, isChecked: isChecked)) }
  }

  /// An application with what another has, but for what acts outside of reducers: middlewares, interceptors and thunks.
  package init(reducersOf other: HostedApplication) {
    (initial, sequences, modules, reducer) = (other.initial, other.sequences, other.modules, other.reducer)
    (projections, substates, tellsReducersTheTime) = (other.projections, other.substates, other.tellsReducersTheTime)
    (commands, emission, action) = (other.commands, other.emission, other.action)
    (units, thunks, interceptors) = ([], [], [])
  }
}

extension HostedApplication {
  /// Makes the root's action of a typed one.
  package static func erasing<Action, State>(
    _ table: ModuleTable<Action, State>
  ) -> @Sendable (Action) -> HostAction {
    { action in HostAction(table.call(action) ?? .unknown, AppAction(action)) }
  }

  /// The typed state within the root's, which holds no other application's.
  package static func reading<Action, State>(
    _ application: Application<Action, State>
  ) -> @Sendable (HostState) -> State {
    let start = application.initial
    return { $0.app.typed(or: start) }
  }

  /// The name that two of its generic types share.
  var duplicateType: String? {
    var types = NamedTypes()
    for module in modules {
      if let schema = module.schema { types.add(schema) }
      for field in module.actions.flatMap(\.fields) { types.add(field.schema) }
    }
    return types.duplicate
  }

  /// The actions of the modules and of the substates that may come.
  package var actions: [ActionType] { modules.flatMap(\.actions) + substates.flatMap(\.actions) }

  /// The reducers of the modules and of the substates that may come.
  package var reducers: Reducer<HostAction, HostState> { substates.reduce(reducer) { $0.appending($1.reducer) } }

  /// The typed action of a call: only actions of Swift modules have a place in the application's enum.
  ///
  /// - Parameter isChecked: true where the arguments were checked against the action's type, which is then not done again.
  package func hostAction(_ call: consuming ActionCall, isChecked: Bool = false) throws(SchemaError) -> HostAction {
    guard call.type.position.isEmpty else {
      let app = try action(call, isChecked)
      return HostAction(call, app)
    }
    if substates.isEmpty { return HostAction(call) }
    let call = call
    let substate = substates.first { $0.actions.contains { $0 === call.type } }
    guard let substate else { return HostAction(call) }
    return HostAction(call, ofSubstate: try substate.action(call))
  }

  /// The type of the substates that nobody declared: one object, so that they are known to have the same.
  private static let anyValue = Schema.dynamic(.any)

  /// The type that the substates of a name have; any value where nobody declared it.
  package func substateSchema(_ name: String) -> Schema {
    substates.first { $0.name == name }?.schema ?? Self.anyValue
  }
}

extension ActionCall {
  /// Stands for a typed action that no module declares.
  package static let unknown = ActionCall(ActionType(module: "app", name: "unknown", fields: []), [])
}

extension HostedApplication {
  package struct Thunk: Sendable {
    package let module: String
    package let type: ThunkType
    package let make: @Sendable (Value) -> StoreUnits.Thunk<HostAction, HostState>?
  }

  /// The interceptors that take the thunks of an application's modules and run them, one a module, in the order in which
  /// they come first.
  package static func interceptors(of thunks: [Thunk]) -> [Interceptor<HostAction, HostState>] {
    var modules: [String] = []
    for thunk in thunks where !modules.contains(thunk.module) { modules.append(thunk.module) }
    return modules.map { module in
      let own = Dictionary(
        thunks.filter { $0.module == module }.map { ($0.type.action.name, $0) }, uniquingKeysWith: { first, _ in first }
      )
      let carrier = "thunk:\(module)"
      return .thunks("\(module).\(PluginTasks.thunkUnit)") { action in
        guard action.call.type.module == carrier, let thunk = own[action.call.type.name] else { return nil }
        return thunk.make(.record(action.call.record))
      }
    }
  }
}

extension HostedApplication {
  /// The actions that there are beside some plugins, by full name. What a plugin adds to a module is there as long as the module
  /// is, whichever of them came first.
  package func actionsByName(beside plugins: [Plugin]) -> ActionTable {
    let names = Set(modules.map(\.name) + substates.map(\.name) + plugins.map(\.module.name))
    let added = plugins.flatMap(\.addedActions).filter { names.contains($0.module) }
    let types = actions + plugins.flatMap(\.module.actions) + added
    return ActionTable(types)
  }

  /// What a plugin finds in a store with some plugins: all but itself.
  package func surroundings(of name: String, beside plugins: [Plugin]) -> Plugin.Surroundings {
    let others = plugins.filter { $0.module.name != name }
    let actions = actionsByName(beside: others)
    let modules = modules + others.map(\.module)
    return Plugin.Surroundings(
      action: { actions[$0] }, actionNames: { actions.names }, moduleNames: modules.map(\.name),
      slice: { name in modules.first { $0.name == name }?.schema })
  }
}

extension HostedApplication {
  /// What is wrong with an action that all the same changes nothing or only a part: substates that are not there.
  package func substateFaults(of action: HostAction, in before: HostState) -> [SubstateError] {
    let names: [String]
    switch action.kind {
    case .substate: names = [action.call.type.module]
    // One that a plugin added to what the application declares.
    case .plugin where substates.contains { $0.name == action.call.type.module }:
      names = [action.call.type.module]
    case .shell:
      guard case .substate(.reset(let given))? = action.shell else { return [] }
      names = given
    case .plugin, .app: return []
    }
    return names.filter { name in !before.substates.contains { $0.name == name } }.map { .absent(name: $0) }
  }
}
