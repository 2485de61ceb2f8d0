import StoreHistory
import StorePlugins
import StoreSchema

/// `plugin reload --verify`: whether an edited plugin makes the same of the last actions.
extension LiveStore {
  /// Runs the last actions through both versions of a plugin, those since its state has had the type that it has now.
  ///
  /// - Returns: how many actions were compared.
  /// - Throws: the first divergence as an error; `PluginError` where a state of the time cannot be made one of the edited
  ///   version; what reading older actions throws.
  package func verify(_ new: Plugin, replacing old: Plugin, last count: Int) throws -> Int {
    let name = new.module.name
    // Its `migrate` is called for each state of the time, and has said what it has to say about the present one.
    attendance.isMuted = true
    defer { attendance.isMuted = false }
    let recording = RecordedStates(
      try entries(of: old, last: count), upTo: store.withState { $0 }, keeping: [name])
    let (olds, news) = (plugins.map(\.plugin), plugins.map { $0.plugin === old ? new : $0.plugin })
    let before = (all: ReplayLogic(application, olds), alone: ReplayLogic(application, olds, running: [old]))
    let after = (all: ReplayLogic(application, news), alone: ReplayLogic(application, news, running: [new]))
    // Another plugin may have stood still then, or have run other code: where it fails now, the action is compared without.
    var isAlone = false
    defer { rebindPlugins() }
    let version = old.source.manifest.version
    let finder = DivergenceFinder(
      reference: { entry, state in
        guard before.all.knows(entry), entry.droppedBy == nil else { return nil }
        before.all.bind()
        var outcome = before.all.outcome(of: entry, in: state)
        isAlone = false
        if case .failure = outcome, entry.failure == nil {
          isAlone = true
          outcome = before.alone.outcome(of: entry, in: state)
          // What was applied then cannot be done again.
          if case .failure = outcome { return nil }
        }
        guard case .state(let state) = outcome else { return outcome }
        return .state(try state.handed(to: new, from: version))
      },
      candidate: { entry, state in
        after.all.bind()
        let logic = isAlone ? after.alone : after.all
        return logic.outcome(of: entry, in: try state.handed(to: new, from: version))
      },
      names: ("the previous version", "the edited version"), entry: { [unowned self] in recent($0) })
    let (divergence, compared) = try finder.first(in: recording)
    if let divergence { throw divergence.error(name, differsFrom: "that of the previous version") }
    return compared
  }

  /// The last entries, as far as a plugin's state had its present type: earlier it had another one, or was not there.
  private func entries(of plugin: Plugin, last count: Int) throws -> [LoggedEntry] {
    guard let start = timeline.start(ofStateTypeOf: plugin.module.name) else { return [] }
    let first = max(start, oldestEntry, head - count) + 1
    var entries: [LoggedEntry] = []
    guard first <= head else { return entries }
    try visit(first...head) { entry in
      entries.append(entry)
      return true
    }
    return entries
  }
}

extension HostState {
  /// The state with a plugin's slice as an edited version of the plugin takes it over.
  fileprivate func handed(to plugin: Plugin, from version: String) throws(PluginError) -> HostState {
    let name = plugin.module.name
    var state = self
    let old = plugins.first { $0.name == name }
    let value = try plugin.migration.state(from: old?.value, version: version)
    let index = plugins.firstIndex { $0.name == name } ?? plugins.endIndex
    state.plugins.removeAll { $0.name == name }
    guard let schema = plugin.module.schema, let value else { return state }
    state.plugins.insert(PluginSlice(name: name, schema: schema, value: value), at: min(index, state.plugins.endIndex))
    return state
  }
}
