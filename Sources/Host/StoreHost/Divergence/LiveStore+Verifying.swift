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
    let olds = self.plugins
    guard let index = olds.firstIndex(where: { $0.plugin === old }) else { throw unknownPlugin(name) }
    var news = olds
    news[index] = HostedPlugin(new, surroundings(for: name), reducersAlone: true)
    func rerun(_ plugins: [HostedPlugin], _ running: Rerun.Running) -> Rerun {
      Rerun(application, recording.start, plugins, running: running)
    }
    var before = (all: rerun(olds, .all), alone: rerun(olds, .only(name)))
    var after = (all: rerun(news, .all), alone: rerun(news, .only(name)))
    defer { rebindPlugins() }
    let version = old.source.manifest.version
    var (compared, found): (Int, Divergence?) = (0, nil)
    try recording.walk { entry, state in
      var reference = before.all.meets(entry, in: state)
      switch reference {
      case .unknown, .idle: return true
      default: break
      }
      // Another plugin may have stood still then, or have run other code: where it fails now, the action is compared without.
      let isAlone = reference.reason(of: entry) != nil && entry.failure == nil
      if isAlone {
        reference = before.alone.meets(entry, in: state)
        // What was applied then cannot be done again.
        if reference.reason(of: entry) != nil { return true }
      }
      let handed = try state.handed(to: new, from: version)
      let candidate = isAlone ? after.alone.meets(entry, in: handed) : after.all.meets(entry, in: handed)
      var lines: [String] = []
      switch (reference.reason(of: entry), candidate.reason(of: entry)) {
      case (nil, nil):
        let expected = isAlone ? before.alone.state : before.all.state
        lines = HostState.changes(
          from: try expected.handed(to: new, from: version), to: isAlone ? after.alone.state : after.all.state
        ).map(\.text)
      case (let reason?, nil): lines = ["the previous version failed: \(reason)"]
      case (nil, let reason?): lines = ["the edited version failed: \(reason)"]
      default: break
      }
      guard lines.isEmpty else {
        found = Divergence(of: entry, lines) { self.recent($0) }
        return false
      }
      compared += 1
      return true
    }
    if let found { throw found.error(name, differsFrom: "that of the previous version") }
    return compared
  }

  /// The last entries, as far as a plugin's state had its present type: earlier it had another one, or was not there.
  private func entries(of plugin: Plugin, last count: Int) throws -> [LoggedEntry] {
    guard let start = timeline.start(ofStateTypeOf: plugin.module.name) else { return [] }
    let first = max(start, oldestEntry, head - count) + 1
    var entries: [LoggedEntry] = []
    guard first <= head else { return entries }
    try history.visit(first...head) { entry in
      entries.append(entry)
      return true
    }
    return entries
  }
}

extension Rerun {
  /// Runs an action in a state of the time.
  fileprivate mutating func meets(_ entry: LoggedEntry, in state: HostState) -> Outcome {
    bind()
    move(to: state)
    return reduce(entry)
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
