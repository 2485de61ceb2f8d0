import StoreCore
import StorePlugins
import StoreSchema

/// A plugin in the shell's root: one reducer over its slice, and a gated unit for each of its middlewares.
struct HostedPlugin {
  let plugin: Plugin
  let reducer: Reducer<HostAction, HostState>
  let strikes: PluginStrikes
  let units: [HostUnit]

  /// - Parameters:
  ///   - view: the live state.
  ///   - typed: makes the root action of a call that the plugin dispatches.
  init(
    _ plugin: Plugin, view: any StateView, typed: @escaping (ActionCall) -> HostAction,
    faults: FaultBox
  ) {
    self.plugin = plugin
    let strikes = PluginStrikes(faults)
    self.strikes = strikes
    reducer = Self.reducer(plugin, strikes)
    let context = UnitContext(view: view, typed: typed, faults: faults, strikes: strikes)
    units = plugin.units.indices.map { Self.unit(plugin, $0, context) }
  }

  /// What the plugin's units share.
  private struct UnitContext: @unchecked Sendable {
    // Safe: used on the thread that owns the host, by units that run there.
    let view: any StateView
    let typed: (ActionCall) -> HostAction
    let faults: FaultBox
    let strikes: PluginStrikes

    func note(_ error: PluginError, in number: Int, unit: String) {
      faults.note(error)
      strikes.failed(in: number, unit: unit)
    }
  }

  private static func reducer(_ plugin: Plugin, _ strikes: PluginStrikes) -> Reducer<HostAction, HostState> {
    (0..<plugin.liftedCount).reduce(ownReducer(plugin, strikes)) { $0.appending(lifted(plugin, $1, strikes)) }
  }

  private static func lifted(
    _ plugin: Plugin, _ index: Int, _ strikes: PluginStrikes
  ) -> Reducer<HostAction, HostState> {
    Reducer<ActionCall, HostState>.throwing(plugin.module.name) { call, state, context in
      guard let module = plugin.module(ofLifted: index, for: call.type) else { return }
      try state.modifySlice(module) { schema, slice in
        try strikes.counting(context.number, "reducer") {
          try plugin.reduce(lifted: index, call, context: context, schema: schema, slice: slice)
        }
      }
    }.lift(
      action: { (action: HostAction) in
        strikes.isStopped || plugin.module(ofLifted: index, for: action.call.type) == nil ? nil : action.call
      }, modify: { (state: inout HostState, body) in try body(&state) })
  }

  private static func ownReducer(_ plugin: Plugin, _ strikes: PluginStrikes) -> Reducer<HostAction, HostState> {
    let name = plugin.module.name
    return Reducer<ActionCall, Value>.throwing(name) { call, slice, context in
      try strikes.counting(context.number, "reducer") {
        try plugin.reduce(call, context: context, slice: &slice)
      }
    }.lift(
      action: { (action: HostAction) in
        plugin.reduces(action.call.type) && !strikes.isStopped ? action.call : nil
      },
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
        context.strikes.ran(in: action.number)
        guard plugin.hasAfter(unit: index) else { return .none }
        return IO { output in
          do throws(PluginError) {
            try plugin.after(unit: index, call, action, kept: kept, view: context.view) { call, source in
              output.dispatch(DispatchedAction(context.typed(call), source: source))
            }
          } catch {
            context.note(error, in: action.number, unit: type.name)
          }
        }
      } catch {
        context.note(error, in: action.number, unit: type.name)
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
