import LuaRuntime
import StoreModules
import StoreSchema

/// The declarations of a plugin's `init.lua`, read and checked.
struct PluginDefinition {
  /// The type of the slice; nil: the plugin has no state.
  var schema: Schema?
  /// The slice to start from.
  var initial: Value = .none
  var actions: [ActionType] = []
  /// Reducers by the full name of the action that they answer.
  var reducers: [String: WatchedFunction] = [:]
  var lifted: [Lifted] = []
  /// The outermost first.
  var interceptors: [InterceptorEntry] = []
  var thunks: [Thunk] = []
  var bridges: [Bridge] = []
  var transitions: [Transition] = []
  var middleware: [Unit] = []
  var projections: [Projection] = []
  var commands: [Command] = []
  var onUnload: LuaFunction?
  /// Makes an earlier version's state one of this version.
  var migrate: WatchedFunction?
  /// The action to dispatch after loading.
  var onLoad: ActionType?

  /// The name, in traces, gates and listings, of the unit of the bridges within the plugin.
  static let bridgeUnit = "bridge"
  /// The same of the unit of the transitions.
  static let transitionUnit = "transitions"

  /// The names of the fields of the slice.
  var fieldNames: [String] {
    guard case .record(let record) = schema?.kind else { return [] }
    return record.layout.fields
  }

  /// The actions that it adds to other modules.
  var addedActions: [ActionType] { lifted.filter(\.declaresAction).map(\.action) }

  /// All actions that it declares.
  var ownActions: [ActionType] { actions + addedActions }

  /// The functions that must be pure.
  var watched: [WatchedFunction] {
    Array(reducers.values) + lifted.map(\.function) + projections.map(\.function) + (migrate.map { [$0] } ?? [])
  }

  /// A middleware.
  struct Unit {
    let name: String
    let isOpen: Bool
    /// The rule that moves its gate besides; nil: only the shell does.
    let rule: GateRule?
    /// The elements for which it runs, one by one; nil: it runs once.
    let each: ElementRule?
    let on: Filter
    let before: LuaFunction?
    let after: LuaFunction?
    let supervise: LuaFunction?
    /// The tasks that it has for the entries of a map; nil: none.
    let entryTasks: EntryTasks?

    /// True if it has tasks that follow the state.
    var supervises: Bool { supervise != nil || entryTasks != nil }
  }

  /// A task for each entry of a map: `supervise = { over = PATH, at = FIELD, task = function(task, key, value) … end }`.
  struct EntryTasks {
    /// The map.
    let path: Path
    /// The work, which gets the key and the value that it started for.
    let task: LuaFunction
    /// The field of an entry with which its task starts anew; nil: whatever changes in an entry leaves its task alone.
    let reset: String?
    /// The field of an entry with the time at which its task starts; nil: tasks start with their entries.
    let at: String?
  }

  /// The actions that a middleware sees.
  struct Filter {
    var names: Set<String> = []
    var modules: Set<String> = []

    func accepts(_ type: ActionType) -> Bool { modules.contains(type.module) || names.contains(type.fullName) }
  }

  /// A reducer over another module's slice.
  struct Lifted {
    /// The module whose slice it changes.
    let module: String
    let action: ActionType
    /// True if the plugin adds the action to the module.
    let declaresAction: Bool
    let function: WatchedFunction
  }

  /// A projection.
  struct Projection {
    let type: ProjectionType
    let function: WatchedFunction
  }

  /// A command.
  struct Command {
    let type: CommandType
    let run: LuaFunction
  }
}

/// The permissions that the definition needs.
extension PluginDefinition {
  /// The permissions without which the definition is refused, or could do nothing of what it declares.
  func requiredPermissions(of plugin: String) -> Set<Permission> {
    var modules = Set(reducers.keys.compactMap { $0.split(separator: ".").first.map(String.init) })
    for unit in middleware {
      modules.formUnion(unit.on.modules)
      modules.formUnion(unit.on.names.compactMap { $0.split(separator: ".").first.map(String.init) })
    }
    modules.formUnion(lifted.filter { $0.action.module != $0.module }.map(\.action.module))
    modules.formUnion(bridges.map(\.from.module))
    for transition in transitions {
      if case .field(let module) = transition.at.steps.first { modules.insert(module) }
    }
    modules.remove(plugin)
    var permissions = Set(modules.map { Permission.read(module: $0) })
    permissions.formUnion(lifted.map { .reduce(module: $0.module) })
    let added = lifted.filter(\.declaresAction).map(\.action.fullName)
    permissions.formUnion(
      (bridges.map(\.to) + transitions.map(\.action) + [onLoad].compactMap(\.self))
        .filter { $0.module != plugin && !added.contains($0.fullName) }
        .map { .dispatch(module: $0.module, action: $0.name) })
    if !interceptors.isEmpty { permissions.insert(.intercept) }
    if middleware.contains(where: { $0.supervises }) { permissions.insert(.timers) }
    return permissions
  }
}
