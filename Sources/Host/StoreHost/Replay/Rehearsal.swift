import StoreCore
import StoreHistory
import StoreModules
import StorePlugins

/// What an action would do to a state: it was processed by a store of its own, which is gone. Reducers and the middlewares of
/// plugins ran. Middlewares and interceptors in Swift may reach outside, and did not run. Tasks did not start.
package struct Rehearsal {
  package let report: DispatchReport
  /// The actions that it would cause, in order.
  package let caused: [LoggedEntry]
  /// The names of the middlewares and interceptors that did not run, in the order of the store.
  package let leftOut: [String]
  /// The tasks that it would start or ask for, `PLUGIN.UNIT/KEY`, and thunks.
  package let tasks: [String]
}

extension StoreClient {
  /// Finds what an action would do to the state that is shown. Nothing happens to the store.
  ///
  /// - Parameter interrupting: handed what stops the Lua that runs meanwhile, from any thread; an empty list at the end.
  /// - Throws: the client's refusal, and the fault of a plugin that cannot be loaded again.
  package func rehearse(
    _ action: HostAction, _ source: ActionSource, interrupting: ([@Sendable () -> Void]) -> Void
  ) throws -> Rehearsal {
    if let refused = refusal?(action.call.type.fullName) { throw refused }
    let (point, number) = turn {
      (past.map { ShownPoint(past: $0) } ?? live.present, past?.number ?? live.history.head)
    }
    let clock = VirtualClock()
    clock.goOn(from: live.clock.now)
    let tasks = RehearsedTasks()
    let stage = try LiveStore(
      HostedApplication(reducersOf: live.application), program: live.program, hasStoreOption: false, clock: clock)
    defer { interrupting([]) }
    try stage.stand(at: point, behind: number, rehearsing: tasks)
    interrupting(stage.plugins.map { $0.plugin.interrupt })
    let call = action.call
    let report = try stage.turn {
      // The types of a plugin's actions are those of the plugin that runs.
      guard let type = stage.actionsByName[call.type.fullName] else { throw HostError.isNotRunning(call.type.module) }
      let own = try stage.application.hostAction(ActionCall(type, call.arguments), isChecked: true)
      return stage.dispatch(own, source)
    }
    return Rehearsal(
      report: report, caused: stage.history.log.entries(from: number + 2).map { $0 },
      leftOut: live.application.units.map(\.name).filter { point.state.shell.isOpen($0) }
        + live.application.interceptors.map(\.name), tasks: tasks.names)
  }
}

extension LiveStore {
  /// Stands at a point of another store, with the plugins of that.
  fileprivate func stand(at point: ShownPoint, behind number: Int, rehearsing tasks: RehearsedTasks) throws {
    try turn {
      rehearsal = tasks
      try PluginOrder.make(point.plugins.map(\.plugin.source)) { source, mayLack in
        let lacksUnits = point.plugins.contains { $0.lacksUnits && $0.plugin.source == source }
        try host(source, mayLack: mayLack, isGranted: !lacksUnits)
      }
      let order = point.plugins.map(\.plugin.module.name)
      plugins = order.compactMap { name in plugins.first { $0.plugin.module.name == name } }
      try recompose(reconciling: false)
      rebindPlugins()
      try stand(at: point.state, behind: number)
      history = History(of: point.state, after: number, endedBy: attendance.interruption)
      // All of it is printed.
      history.limits = HistoryLimits(entries: .max, bytes: .max)
      recordedHead.number = number
    }
  }
}

extension HostError {
  fileprivate static func isNotRunning(_ plugin: String) -> HostError {
    HostError(
      code: .unknownAction, message: "the plugin '\(plugin)' was not loaded at this point",
      hint: "goto head returns to the present")
  }
}
