import StoreCore
import StorePlugins

extension HostedPlugin {
  /// The plugin's interceptors in the shell's chain, the outermost first.
  package static func interceptors(
    _ plugin: Plugin, _ surroundings: PluginSurroundings
  ) -> [Interceptor<HostAction, HostState>] {
    plugin.interceptors.names.indices.map { index in
      Interceptor("\(plugin.module.name).\(plugin.interceptors.names[index])") { attachment in
        { next in { action in intercept(action, attachment, plugin, index, surroundings, next) } }
      }
    }
  }

  private static func intercept(
    _ action: HostAction, _ attachment: Interceptor<HostAction, HostState>.Attachment, _ plugin: Plugin, _ index: Int,
    _ surroundings: PluginSurroundings, _ next: @escaping (HostAction) -> Void
  ) {
    guard let context = attachment.context() else { return }
    // The shell's own switches are the user's: no plugin stands between, or it could not be taken away.
    guard action.shell == nil, !surroundings.strikes.isOut else { return next(action) }
    var hasPassed = false
    do throws(PluginError) {
      try plugin.interceptors.intercept(
        index, action.call, context, view: surroundings.view,
        emit: { attachment.output.dispatch(DispatchedAction(surroundings.typed($0), source: $1)) },
        next: { other in
          hasPassed = true
          next(other.map(surroundings.typed) ?? action)
        })
      surroundings.strikes.ran(in: context.number)
    } catch {
      surroundings.note(error, in: context.number, unit: plugin.interceptors.names[index])
      // The others go on (R29): what fails takes nothing from anybody.
      if !hasPassed { next(action) }
    }
  }
}
