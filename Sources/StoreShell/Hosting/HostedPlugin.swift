import StoreCore
import StorePlugins
import StoreSchema

/// A plugin in the shell's root: one reducer over its slice, and a gated unit for each of its middlewares.
struct HostedPlugin {
  let plugin: Plugin
  let reducer: Reducer<HostAction, HostState>
  let units: [HostUnit]

  /// - Parameters:
  ///   - view: the live state.
  ///   - typed: makes the root action of a call that the plugin dispatches.
  init(
    _ plugin: Plugin, view: any StateView, typed: @escaping (ActionCall) -> HostAction,
    faults: FaultBox
  ) {
    self.plugin = plugin
    reducer = Self.reducer(plugin)
    let context = UnitContext(view: view, typed: typed, faults: faults)
    units = plugin.units.indices.map { Self.unit(plugin, $0, context) }
  }

  /// What the plugin's units share.
  private struct UnitContext: @unchecked Sendable {
    // Safe: used on the thread that owns the host, by units that run there.
    let view: any StateView
    let typed: (ActionCall) -> HostAction
    let faults: FaultBox
  }

  private static func reducer(_ plugin: Plugin) -> Reducer<HostAction, HostState> {
    (0..<plugin.liftedCount).reduce(ownReducer(plugin)) { $0.appending(lifted(plugin, $1)) }
  }

  private static func lifted(_ plugin: Plugin, _ index: Int) -> Reducer<HostAction, HostState> {
    Reducer<ActionCall, HostState>.throwing(plugin.module.name) { call, state, context in
      guard let module = plugin.module(ofLifted: index, for: call.type) else { return }
      try state.modifySlice(module) { schema, slice in
        try plugin.reduce(
          lifted: index, call, number: context.number, time: context.time, source: context.source, schema: schema,
          slice: slice)
      }
    }.lift(
      action: { (action: HostAction) in
        plugin.module(ofLifted: index, for: action.call.type) == nil ? nil : action.call
      }, modify: { (state: inout HostState, body) in try body(&state) })
  }

  private static func ownReducer(_ plugin: Plugin) -> Reducer<HostAction, HostState> {
    let name = plugin.module.name
    return Reducer<ActionCall, Value>.throwing(name) { call, slice, context in
      try plugin.reduce(
        call, number: context.number, time: context.time, source: context.source, slice: &slice)
    }.lift(
      action: { (action: HostAction) in plugin.reduces(action.call.type) ? action.call : nil },
      modify: { (state: inout HostState, body) in
        guard let index = state.plugins.firstIndex(where: { $0.name == name }) else { return }
        try body(&state.plugins[index].value)
      })
  }

  private static func unit(_ plugin: Plugin, _ index: Int, _ context: UnitContext) -> HostUnit {
    let type = plugin.units[index]
    let name = plugin.module.name
    let fullName = "\(name).\(type.name)"
    let middleware = Middleware<ActionCall, HostAction, Value>(fullName) { call, action, _ in
      do throws(PluginError) {
        let kept = try plugin.before(unit: index, call, action, view: context.view)
        guard plugin.hasAfter(unit: index) else { return .none }
        return IO { output in
          do throws(PluginError) {
            try plugin.after(unit: index, call, action, kept: kept, view: context.view) { call, source in
              output.dispatch(DispatchedAction(context.typed(call), source: source))
            }
          } catch {
            context.faults.note(error)
          }
        }
      } catch {
        context.faults.note(error)
        return .none
      }
    }
    return HostUnit(
      fullName, origin: .lua, startsOpen: type.isOpen, accepts: { plugin.accepts($0.call.type, unit: index) },
      middleware.lift(
        input: { (action: HostAction) in action.call },
        output: { $0 },
        // The middleware reads by its view; this is what traces show that it sees.
        state: { (state: HostState) in state.value { plugin.source.manifest.mayRead($0) } }))
  }
}
