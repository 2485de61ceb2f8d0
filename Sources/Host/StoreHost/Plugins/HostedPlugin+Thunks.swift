import StoreCore
import StoreModules
import StorePlugins
import StoreSchema

extension HostedPlugin {
  /// The interceptor that takes the plugin's thunks and runs them (R20); nil where it declares none. It stands behind the
  /// plugin's own interceptors.
  package static func thunks(_ plugin: Plugin, _ surroundings: PluginSurroundings) -> Interceptor<
    HostAction, HostState
  >? {
    guard !plugin.tasks.thunkTypes.isEmpty else { return nil }
    return Interceptor("\(plugin.module.name).\(PluginTasks.thunkUnit)") { action, context, attachment, next in
      guard plugin.tasks.isThunk(action.call.type) else { return next(action) }
      let key = "\(action.call.type.name)#\(context.number)"
      let run = ThunkRun(plugin, surroundings, action.call, key) { await attachment.dispatchAndWait($0, of: context) }
      attachment.effects.start(
        Effect<Void, HostAction>.runAtOnce { await run.run($0) }.token(key), dependencies: (), context: context,
        output: attachment.output(of: context))
    }
  }
}

/// One thunk of a plugin, run as an effect of its interceptor.
private struct ThunkRun: @unchecked Sendable {
  // Safe: used by the thread that holds the turn, where effects run too.
  let plugin: Plugin
  let surroundings: PluginSurroundings
  let call: ActionCall
  let key: String
  let wait: (DispatchedAction<HostAction>) async -> DispatchResult

  init(
    _ plugin: Plugin, _ surroundings: PluginSurroundings, _ call: ActionCall, _ key: String,
    wait: @escaping (DispatchedAction<HostAction>) async -> DispatchResult
  ) {
    self.plugin = plugin
    self.surroundings = surroundings
    self.call = call
    self.key = key
    self.wait = wait
  }

  func run(_ effect: EffectContext<Void, HostAction>) async {
    do throws(PluginError) {
      let thunk = try plugin.tasks.begin(thunk: call, key: key)
      try await drive(thunk, effect)
      thunk.close(view: surroundings.view)
    } catch {
      // The log has the action only once it was taken, and the thunk begins before.
      let action = ActionText.brief(call.type.fullName, arguments: call.record)
      surroundings.note(
        error, unit: PluginTasks.thunkUnit, startedBy: effect.action.number,
        "#\(effect.action.number) \(action) (\(effect.action.source.short))")
    }
  }

  private func drive(_ thunk: PluginThunk, _ effect: EffectContext<Void, HostAction>) async throws(PluginError) {
    var failure: String?
    while !effect.isCancelled {
      let step = try thunk.resume(failure: failure, view: surroundings.view) { call, source in
        effect.send(DispatchedAction(surroundings.typed(call), source: source))
      }
      guard case .dispatch(let call, let source) = step else { return }
      failure = await wait(DispatchedAction(surroundings.typed(call), source: source)).thunkFailure
    }
  }
}

extension DispatchResult {
  /// Why an action was not committed, in words for the thunk that waited for it.
  fileprivate var thunkFailure: String? {
    switch outcome {
    case .done, .queued: nil
    case .dropped(let interceptor): "dropped by \(interceptor)"
    case .failed(let error): HostError(describing: error).message
    case .stopped(let error): error.message
    }
  }
}
