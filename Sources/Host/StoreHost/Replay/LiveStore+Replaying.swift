import StoreCore
import StoreHistory
import StorePlugins
import StoreSchema

extension LiveStore {
  /// The state that the store began with.
  package var initialState: HostState {
    var initial = HostState(app: application.initial)
    if let emission = application.emission { initial.shell.emission = emission.name }
    let added = Set(plugins.flatMap(\.units).map(\.name))
    initial.shell.gates = hostUnits.filter { !added.contains($0.name) }.map {
      ShellState.Gate(name: $0.name, isOpen: $0.startsOpen)
    }
    return initial
  }

  /// Makes what a recording led to the present, and its actions the history. Watchers are told once (R27).
  package func adopt(_ recording: ReplayedRecording) throws {
    try turn {
      let before = store.withState { $0 }
      for old in plugins {
        do throws(PluginError) {
          try old.plugin.unload(view: view)
        } catch {
          attendance.faults.note(error)
        }
        for unit in old.units { store.cancelEffects(unit: unit.name) }
      }
      plugins = recording.plugins
      for hosted in plugins {
        hosted.strikes.set(isStopped: recording.state.shell.condition(of: hosted.plugin.module.name) != .on)
      }
      collectActions()
      try recompose()
      rebindPlugins()
      history = recording.history
      recordedHead.number = history.head
      for entry in history.log.entries { names.note(entry.source) }
      if let file = journal?.journal {
        history.older = JournalEntries(file, oldest: recording.start, of: self)
      }
      timeline = recording.timeline
      for client in clients { client.joinAnew(behind: history.head) }
      // No reducer knows the action; it brings the state and the number to go on from.
      if let time = history.log.last?.time { (clock as? any ContinuingClock)?.goOn(from: max(time, clock.now)) }
      let last = ActionContext(number: recording.history.head, source: .here(), time: clock.now, root: 0)
      noteAll(recording.state)
      try store.replay(
        CollectionOfOne(ReplayedAction(HostAction(call: .unknown, payload: .plugin), context: last)),
        from: recording.state)
      follow(nil, from: before, to: recording.state)
      _ = attendance.faults.hasPluginToStop.set(false)
    }
  }
}
