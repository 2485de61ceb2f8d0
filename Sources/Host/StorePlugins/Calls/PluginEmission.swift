import LuaRuntime
import StoreCore
import StoreModules

/// The code that dispatches, and the way its actions take.
final class PluginEmission {
  var unit: String { didSet { recent = nil } }
  /// The key of the definition under which the function stands, where it has no name of its own.
  var function: String
  let kind: ActionSource.Kind
  /// Enqueues; nil: the command host dispatches.
  @exclusivity(unchecked) var emit: ((ActionCall, ActionSource) -> Void)?
  /// The number of actions that the running call has dispatched; a task and a thunk are counted by the second instead.
  @exclusivity(unchecked) var count = DispatchCount()
  /// Starts a task; nil: no task can be started now.
  @exclusivity(unchecked) var start: ((PluginTaskStart) -> Void)?
  /// The element that what is dispatched and started is for; nil: none.
  @exclusivity(unchecked) var element: AddressedElement?
  /// The places that its latest actions came from.
  @exclusivity(unchecked) private var origins = ActionSource.RecentOrigins()
  /// The source of what a named function dispatched last: the next comes from the same place as a rule.
  @exclusivity(unchecked) private var recent: (caller: LuaCall.Caller, source: ActionSource)?

  init(unit: String, function: String, kind: ActionSource.Kind = .plugin) {
    self.unit = unit
    self.function = function
    self.kind = kind
  }

  /// The source of what a Lua function dispatches.
  func source(of caller: LuaCall.Caller?, _ names: FunctionNames, plugin: String) -> ActionSource {
    guard let caller else { return source(file: plugin, function: function, line: 0, plugin: plugin) }
    if let recent, recent.caller === caller { return recent.source }
    let name = names.name(of: caller)
    let source = source(file: caller.chunk, function: name ?? function, line: caller.line, plugin: plugin)
    recent = name == nil ? nil : (caller, source)
    return source
  }

  private func source(file: String, function: String, line: Int, plugin: String) -> ActionSource {
    ActionSource(
      origins.origin(file: file, function: function, kind: kind, plugin: plugin, unit: unit), line: line)
  }
}
