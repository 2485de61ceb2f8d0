import StoreCore

extension LiveStore {
  /// Stops the plugins that failed too often in a row (R29).
  package func stopFaulty() {
    guard attendance.faults.hasPluginToStop.set(false) else { return }
    for hosted in plugins where hosted.strikes.takeOut() {
      let (name, strikes) = (hosted.plugin.module.name, hosted.strikes)
      let note = "\(name) is off after \(PluginStrikes.limit) failures in a row; plugin enable \(name)"
      for client in clients { client.hear(note: note) }
      let action = ShellAction.switchPlugin(name: name, to: .faulted)
      store.dispatch(
        Action(call: action.call, payload: .shell(action)),
        source: ActionSource(
          file: hosted.plugin.source.displayName, function: "", line: 0, kind: .plugin, plugin: name,
          unit: strikes.failedUnit, cause: strikes.lastFailed))
    }
  }
}
