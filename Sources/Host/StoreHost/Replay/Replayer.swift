import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

/// Runs a recording's actions through the reducers only (R27), beside any store: no middleware, no IO, no effects. A plugin
/// that a recorded action loads comes with its schema and reducers alone; it dispatches nothing, so nothing is granted.
package final class Replayer {
  /// Finds a plugin's files.
  ///
  /// - Parameters:
  ///   - name: the plugin's name.
  ///   - recorded: which version of it was recorded.
  package typealias Locate = (_ name: String, _ recorded: RecordingHeader.Plugin?) throws -> PluginSource

  /// What became of one action.
  package struct Outcome {
    /// The action as it went now.
    package let entry: LoggedEntry
    /// The slices that it changed or brought, or that are as the recording says, each with its hash.
    package let hashes: [(module: String, hash: UInt64)]
    /// The slices of plugins that it brought: their hashes tell all of what became of them.
    package let arrived: [String]
  }

  /// The state that the actions so far led to.
  package private(set) var state: HostState
  /// The plugins that are loaded in it.
  package private(set) var plugins: [HostedPlugin] = []
  /// Which plugins were loaded when.
  package let timeline = PluginTimeline()
  /// The plugins whose code is not what was recorded, by name.
  package private(set) var edited: [String: PluginSource] = [:]
  private let host: LiveStore
  private let header: RecordingHeader
  private let locate: Locate
  /// The points that later restores return to, the next one last.
  private var targets: [Int]
  private var returns: [Int: (state: HostState, plugins: [HostedPlugin])] = [:]
  private var reducer: Reducer<HostAction, HostState>
  private var types = ActionTable()
  private var hashes = SliceHashes()
  private var finder = DifferenceFinder()

  /// Begins where a recording begins.
  ///
  /// - Parameters:
  ///   - host: whose application's reducers run.
  ///   - targets: the points that the recording's restores return to.
  /// - Throws: `SchemaError` where the recorded state does not fit the types; `PluginError` where a plugin cannot be loaded.
  package init(_ host: LiveStore, _ header: RecordingHeader, targets: Set<Int>, locate: @escaping Locate) throws {
    self.host = host
    self.header = header
    self.targets = targets.filter { $0 >= header.start }.sorted(by: >)
    self.locate = locate
    reducer = host.application.reducers
    state = host.initialState
    for loaded in header.loaded {
      let recorded = header.plugins.first { $0.name == loaded.name && $0.digest == loaded.digest }
      // What they refer to may come later among them, or be gone.
      try load(loaded.name, version: recorded?.version ?? "", digest: loaded.digest, mayLack: true)
      guard let condition = ShellState.Condition(rawValue: loaded.condition), condition != .on else { continue }
      try ShellAction.switchPlugin(name: loaded.name, to: condition).reduce(&state)
    }
    compose()
    if case .map(let slices) = header.state {
      state.addSubstates(header.substates, in: slices, type: host.application.substateSchema)
    }
    try state.setSlices(fromJSON: header.state)
    hashes = SliceHashes(state)
    timeline.note(plugins, after: header.start, oldest: header.start)
    notePoint(header.start)
  }

  /// Keeps the point after an action where something returns to it. A number that no action has stands for the one before.
  private func notePoint(_ number: Int) {
    while let target = targets.last, target <= number {
      targets.removeLast()
      returns[target] = (state, plugins)
    }
  }

  /// The types by which the next entry is read.
  package var reader: EntryReader {
    EntryReader(
      EntryTypes(
        action: { [unowned self] name in
          type(named: name).map { EntryTypes.ActionShape(fields: $0.fields, layout: $0.layout) }
        },
        slice: { [unowned self] name in
          var found: Schema?
          _ = state.readSlice(name) { schema, _ in found = schema }
          return found
        }))
  }

  private func type(named name: String) -> ActionType? {
    types[name] ?? ShellAction.types[name] ?? host.application.thunkType(name, of: plugins)
  }

  // MARK: Running

  /// Runs an action.
  ///
  /// - Throws: ``HostError`` where it cannot be run at all: nobody knows it, or the plugin that it loads is not there.
  package func run(_ recorded: RecordedEntry) throws -> Outcome {
    let before = state
    let entry = recorded.entry
    notePoint(entry.number - 1)
    var failure: String?
    if entry.droppedBy == nil {
      if entry.action.hasPrefix("shell.") {
        if entry.failure == nil { try runShellAction(recorded) } else { failure = entry.failure }
      } else if entry.wasInterrupted {
        failure = entry.failure
      } else {
        failure = try reduce(entry)
      }
    }
    let changes = failure == nil ? HostState.changes(from: before, to: state, by: &finder) : []
    if entry.isWhole { timeline.note(plugins, after: entry.number, oldest: header.start) }
    notePoint(entry.number)
    let hashes = follow(recorded, changes, from: before)
    return Outcome(
      entry: entry.replayed(changes: changes, failure: failure),
      hashes: hashes,
      arrived: state.arrivedSlices(since: before).map(\.name))
  }

  /// Takes an action's changes into the hashes.
  ///
  /// - Returns: the slices that were changed or that arrived, each with its new hash.
  private func follow(
    _ recorded: RecordedEntry, _ changes: [Change], from before: HostState
  ) -> [(module: String, hash: UInt64)] {
    // By other actions no slice arrives.
    guard recorded.entry.action.hasPrefix("shell.") else { return hashes.follow(changes, from: before, to: state) }
    var unbroken = hashes
    _ = unbroken.add(changes)
    var known = hashes.follow(changes, from: before, to: state)
    // Whether a slice that comes back with another plugin of its name is told of as one that arrives, with a hash of its own,
    // depends on how the plugin was there when that was written. Either hash says what the slice is.
    for slice in state.plugins {
      let index = known.firstIndex { $0.module == slice.name }
      let now = index.map { known[$0].hash }
      guard recorded.hashes[slice.name] != now else { continue }
      if let hash = recorded.hashes[slice.name] {
        var afresh = hashes
        afresh.start(slice.name, slice.value)
        guard let source = [unbroken, afresh].first(where: { $0[slice.name] == hash }) else { continue }
        hashes.take(slice.name, from: source)
        if let index { known[index].hash = hash } else { known.append((slice.name, hash)) }
      } else if let index, !changes.contains(where: { $0.module == slice.name }), unbroken[slice.name] != nil {
        hashes.take(slice.name, from: unbroken)
        known.remove(at: index)
      }
    }
    return known
  }

  private func reduce(_ entry: LoggedEntry) throws -> String? {
    if state.shell.leavesIdle(entry) { return entry.failure }
    guard let type = types[entry.action] else {
      let hint = Suggestion.question(entry.action, among: types.names)
      throw HostError(code: .badRecording, message: "unknown action '\(entry.action)'", hint: hint)
    }
    let action = try host.application.hostAction(ActionCall(type, entry.arguments.values))
    let context = ActionContext(number: entry.number, source: entry.source, time: entry.time, root: entry.number)
    for hosted in plugins { hosted.plugin.repeatsWhatEnded = entry.failure == nil }
    defer { for hosted in plugins { hosted.plugin.repeatsWhatEnded = false } }
    do {
      state = try reducer.replay(CollectionOfOne(ReplayedAction(action, context: context)), from: state)
      return nil
    } catch {
      return ErrorCode.of(error.cause).rawValue
    }
  }

  private func compose() {
    types = host.application.actionsByName(beside: plugins.map(\.plugin))
    for hosted in plugins {
      hosted.strikes.set(isStopped: state.shell.condition(of: hosted.plugin.module.name) != .on)
    }
    reducer = HostedPlugin.reducers(plugins.map { ($0.plugin, $0.strikes) }, behind: host.application.reducers)
    for hosted in plugins { hosted.plugin.rebind { [types] in types[$0] } }
  }

  // MARK: What the shell did

  private func runShellAction(_ recorded: RecordedEntry) throws {
    let entry = recorded.entry
    if let change = try SubstateChange(entry, type: host.application.substateSchema) {
      return try change.reduce(&state)
    }
    switch (entry.action, entry.arguments.values.first, entry.arguments.values.last) {
    case (ShellAction.Types.setGate.fullName, .string(let name)?, .bool(let isOpen)?):
      try ShellAction.setGate(name: name, isOpen: isOpen).reduce(&state)
    case (ShellAction.Types.moveGate.fullName, .string(let name)?, .bool(let isOpen)?):
      try ShellAction.moveGate(name: name, isOpen: isOpen).reduce(&state)
    case (ShellAction.Types.setRule.fullName, .string(let name)?, let rule?):
      try ShellAction.setRule(name: name, GateRule(rule)).reduce(&state)
    case (ShellAction.Types.loadPlugin.fullName, .string(let name)?, .string(let version)?):
      try load(name, version: version, digest: entry.digest ?? "")
    case (ShellAction.Types.reloadPlugin.fullName, .string(let name)?, .string(let version)?):
      try reload(recorded, name, version: version, digest: entry.digest ?? "")
    case (ShellAction.Types.unloadPlugin.fullName, .string(let name)?, _):
      try ShellAction.unloadPlugin(name: name).reduce(&state)
      plugins.removeAll { $0.plugin.module.name == name }
    case (ShellAction.Types.enablePlugin.fullName, .string(let name)?, _):
      try ShellAction.switchPlugin(name: name, to: .on).reduce(&state)
    case (ShellAction.Types.disablePlugin.fullName, .string(let name)?, _):
      try ShellAction.switchPlugin(name: name, to: .off).reduce(&state)
    case (ShellAction.Types.faultPlugin.fullName, .string(let name)?, _):
      try ShellAction.switchPlugin(name: name, to: .faulted).reduce(&state)
    case (ShellAction.Types.set.fullName, .string(let name)?, .string(let value)?):
      try ShellAction(setting: name, to: value, in: state)?.reduce(&state, from: entry.source)
    case (ShellAction.Types.restore.fullName, .int(let target)?, _):
      guard let point = returns[target] else {
        throw HostError(
          code: .badRecording, message: "#\(entry.number) returns to #\(target), which is not recorded")
      }
      (state, plugins) = point
    default:
      try state.apply(entry.changes)
      try state.takeSubstates(importedBy: entry, type: host.application.substateSchema)
    }
    compose()
  }

  private func source(_ name: String, digest: String) throws -> PluginSource {
    let source = try locate(name, header.plugins.first { $0.name == name && $0.digest == digest })
    if source.digest != digest { edited[name] = source }
    return source
  }

  private func plugin(_ source: PluginSource, mayLack: Bool = false) throws -> Plugin {
    var surroundings = host.application.surroundings(of: source.manifest.name, beside: plugins.map(\.plugin))
    surroundings.mayLack = mayLack
    let plugin = try Plugin(loading: source, into: surroundings)
    plugin.purity = host.purity
    return plugin
  }

  private func load(_ name: String, version: String, digest: String, mayLack: Bool = false) throws {
    compose()
    let source = try source(name, digest: digest)
    let plugin = try plugin(source, mayLack: mayLack)
    let hosted = HostedPlugin(plugin, host.surroundings(for: name), reducersAlone: true)
    plugins.append(hosted)
    let slice = plugin.module.schema.map { PluginSlice(name: name, schema: $0, value: plugin.initialState) }
    try ShellAction.loadPlugin(
      ShellState.LoadedPlugin(name: name, version: version, digest: source.digest), slice: slice, gates: hosted.gates
    ).reduce(&state)
  }

  private func reload(_ recorded: RecordedEntry, _ name: String, version: String, digest: String) throws {
    let hash = recorded.hashes[name]
    guard let index = plugins.firstIndex(where: { $0.plugin.module.name == name }) else {
      throw HostError(code: .badRecording, message: "plugin '\(name)' is reloaded before it is loaded")
    }
    let old = plugins[index].plugin
    let source = try source(name, digest: digest)
    let plugin = try plugin(source)
    let hosted = HostedPlugin(plugin, host.surroundings(for: name), reducersAlone: true)
    plugins[index] = hosted
    var slice: PluginSlice?
    if let schema = plugin.module.schema {
      let running = state.plugins.first { $0.name == name }?.value
      var value = plugin.initialState
      // Only the outcome tells whether the state was reset.
      let isReset = hash == SliceHash(of: value).value || recorded.hasReset(name, from: running, to: value, schema)
      if !isReset {
        value = try plugin.migration.state(from: running, version: old.source.manifest.version) ?? value
      }
      slice = PluginSlice(name: name, schema: schema, value: value)
    }
    try ShellAction.reloadPlugin(
      ShellState.LoadedPlugin(name: name, version: version, digest: source.digest), slice: slice, gates: hosted.gates
    ).reduce(&state)
  }
}

extension RecordedEntry {
  /// Whether what a reload changed in a slice, which is of the same type as before, is what leads to how it starts.
  fileprivate func hasReset(_ name: String, from running: Value?, to initial: Value, _ schema: Schema) -> Bool {
    let recorded = entry.changes.filter { $0.module == name }
    guard let running, !recorded.isEmpty else { return false }
    return withUnsafePointer(to: running) { running in
      withUnsafePointer(to: initial) { schema.changes(from: running, to: $0, at: Path([.field(name)])) == recorded }
    }
  }
}
