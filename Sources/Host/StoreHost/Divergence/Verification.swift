import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

/// `plugin reload --verify`: whether an edited plugin makes the same of the last actions. They are read on a snapshot and run in Lua
/// states of the client's own, without the turn.
extension StoreClient {
  /// Puts a plugin's edited version in its place, by a recorded action (R28), once both versions have answered the last actions alike
  /// where that is asked. Where anything is wrong with it, all stays as it was.
  package func reload(
    _ source: PluginSource, _ options: PluginReloadOptions, from actionSource: ActionSource
  ) throws -> PluginReloadReport {
    while true {
      let verified = try options.verifies.map { try verify(source, last: $0) }
      let report = try change { live in
        try live.reload(source, options, verified: verified, from: actionSource)
      }
      if let report { return report }
    }
  }

  /// Runs the last actions through both versions of a plugin, those since its state has had the type that it has now.
  ///
  /// - Returns: how many actions were compared, and the digest of the version that runs.
  /// - Throws: the first divergence as an error; `PluginError` where the edited version cannot be loaded, or a state of the time cannot
  ///   be made one of it; what reading older actions throws.
  private func verify(_ source: PluginSource, last count: Int) throws -> (count: Int, digest: String) {
    let (name, moment) = (source.manifest.name, Moment(of: self))
    let olds = try plugins(moment.points.versions(at: moment.head))
    guard let index = olds.firstIndex(where: { $0.plugin.module.name == name }) else {
      throw turnAnywhere { live.unknownPlugin(name) }
    }
    let old = olds[index].plugin
    var news = olds
    news.remove(at: index)
    // Its `migrate` is called for each state of the time; what it says is not heard.
    let edited = try live.revive(source, beside: news, mayLack: false, isHeard: false)
    news.insert(edited, at: index)
    let new = edited.plugin
    let recording = RecordedStates(
      try entries(of: name, last: count, at: moment), upTo: try moment.state(at: moment.head), keeping: [name])
    func rerun(_ plugins: [HostedPlugin], _ running: Rerun.Running) -> Rerun {
      Rerun(live.application, recording.start, plugins, running: running)
    }
    var before = (all: rerun(olds, .all), alone: rerun(olds, .only(name)))
    var after = (all: rerun(news, .all), alone: rerun(news, .only(name)))
    let version = old.source.manifest.version
    var (compared, found): (Int, Divergence?) = (0, nil)
    try recording.walk { entry, state in
      try interruption.check()
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
        found = try Divergence(of: entry, lines) { try moment.entry($0) }
        return false
      }
      compared += 1
      return true
    }
    if let found { throw found.error(name, differsFrom: "that of the previous version") }
    return (compared, old.source.digest)
  }

  /// The last entries, as far as a plugin's state had its present type: earlier it had another one, or was not there.
  private func entries(of plugin: String, last count: Int, at moment: Moment) throws -> [LoggedEntry] {
    guard let start = moment.points.start(ofStateTypeOf: plugin) else { return [] }
    let first = max(start, moment.oldestEntry, moment.head - count) + 1
    return first <= moment.head ? try moment.entries(first...moment.head) : []
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

/// Reloading plugins: an edited version is made ready beside the one that runs, and takes its place in the commit of one
/// action (R28).
extension LiveStore {
  /// Puts a plugin's edited version in its place, by a recorded action (R28). Where anything is wrong with it, all stays as
  /// it was.
  ///
  /// - Parameter verified: how many actions both versions have answered alike, and the digest of the one that runs, where that was
  ///   asked.
  /// - Returns: nil: another version has come, to which nothing was compared.
  func reload(
    _ source: PluginSource, _ options: PluginReloadOptions, verified: (count: Int, digest: String)?,
    from actionSource: ActionSource
  ) throws -> PluginReloadReport? {
    try turn {
      let name = source.manifest.name
      func running() throws -> HostedPlugin {
        guard let running = plugins.first(where: { $0.plugin.module.name == name }) else { throw unknownPlugin(name) }
        return running
      }
      _ = try running()
      let plugin = try Plugin(loading: source, into: surroundings(of: name))
      try plugin.checkLibraries()
      try prepare(plugin)
      let onLoad = try onLoadCall(of: plugin)
      try node?.publish(source)
      let hosted = HostedPlugin(plugin, surroundings(for: name))
      plugin.purity = purity
      let loaded = ShellState.LoadedPlugin(name: name, version: source.manifest.version, digest: plugin.source.digest)
      var isOfOther = false
      var outcome = PluginReloadReport.StateOutcome.new
      var changesType = false
      func action() throws -> ShellAction {
        let old = try running()
        isOfOther = verified.map { $0.digest != old.plugin.source.digest } ?? false
        if isOfOther { throw HostError(code: .failed, message: "another version of \(name) has come") }
        try refuseClashes(hosted, replacing: old)
        let slice = store.withState { state in state.plugins.first { $0.name == name } }
        let version = old.plugin.source.manifest.version
        let value =
          options.resets
          ? plugin.module.schema.map { _ in plugin.initialState }
          : try plugin.migration.state(from: slice?.value, version: version)
        var next: PluginSlice?
        if let schema = plugin.module.schema, let value { next = PluginSlice(name: name, schema: schema, value: value) }
        outcome =
          options.resets || slice == nil || next == nil
          ? .new : plugin.migration.migrates(slice?.value, from: version) ? .migrated : .kept
        changesType = slice?.schema.shape != next?.schema.shape
        upkeep.replacement = PluginReplacement(hosted: hosted, slice: next)
        return .reloadPlugin(loaded, slice: next, gates: hosted.gates)
      }
      let report: DispatchReport
      do {
        report = try dispatch(actionSource, action)
      } catch  where isOfOther {
        return nil
      }
      guard plugins.contains(where: { $0.plugin === plugin }) else {
        if isOfOther { return nil }
        if !report.mayYetHappen { upkeep.replacement = nil }
        throw report.failure
          ?? PluginError(.load, of: name, "an interceptor dropped the reload", hint: "plugin list shows the plugins")
      }
      upkeep.failedReloads[name] = nil
      return PluginReloadReport(
        plugin: plugin, report: finishLoading(hosted, onLoad, report, actionSource), state: outcome,
        changesType: changesType, verified: verified?.count)
    }
  }

  /// Refuses names that somebody else has taken since the plugin was loaded: nothing may fail once the exchange has begun.
  private func refuseClashes(_ new: HostedPlugin, replacing old: HostedPlugin) throws {
    try refuseTakenActions(new.plugin)
    let names = Set(hostUnits.map(\.name)).subtracting(old.units.map(\.name))
    if let unit = new.units.first(where: { names.contains($0.name) }) {
      throw StoreError.duplicateUnit(name: unit.name)
    }
  }
}
