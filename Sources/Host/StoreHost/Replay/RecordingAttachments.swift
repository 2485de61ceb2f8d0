import StoreCore
import StoreHistory
import StorePlugins
import StoreSchema

/// The parts of a recording's actions that are no arguments: plugins from their files, and the states that restores return to.
package final class RecordingAttachments: RerunAttachments {
  /// Finds a plugin's files.
  ///
  /// - Parameters:
  ///   - name: the plugin's name.
  ///   - recorded: which version of it was recorded.
  ///   - kept: its code as the recording holds it.
  package typealias Locate = (_ name: String, _ recorded: RecordingHeader.Plugin?, _ kept: KeptCode?) throws ->
    PluginSource

  package struct KeptCode {
    package let source: PluginSource
    /// True if the recording holds no later version of the plugin.
    package let isLatest: Bool
  }

  /// The plugins whose code is not what was recorded, by name.
  package private(set) var edited: [String: PluginSource] = [:]
  /// The action that is run.
  var recorded: RecordedEntry?
  private let host: LiveStore
  private let header: RecordingHeader
  private let locate: Locate
  /// The points that later restores return to, the next one last.
  @exclusivity(unchecked) private var targets: [Int]
  private var returns: [Int: (state: HostState, plugins: [HostedPlugin])] = [:]

  /// - Parameter targets: the points that the recording's restores return to.
  init(_ host: LiveStore, _ header: RecordingHeader, targets: Set<Int>, locate: @escaping Locate) {
    self.host = host
    self.header = header
    self.targets = targets.filter { $0 >= header.start }.sorted(by: >)
    self.locate = locate
  }

  /// The state in which the recording begins.
  ///
  /// - Throws: `SchemaError` where the recorded state does not fit the types; `PluginError` where a plugin cannot be loaded.
  func start() throws -> Rerun {
    let application = host.application
    var rerun = Rerun(application, host.initialState, [], isRepeat: true)
    for loaded in header.loaded {
      let recorded = header.plugins.first { $0.name == loaded.name && $0.digest == loaded.digest }
      // What they refer to may come later among them, or be gone.
      try rerun.take(
        try arrival(loaded.name, recorded?.version ?? "", digest: loaded.digest, in: rerun, mayLack: true))
      guard let condition = ShellState.Condition(rawValue: loaded.condition), condition != .on else { continue }
      try rerun.perform(.switchPlugin(name: loaded.name, to: condition), from: .here())
    }
    var state = rerun.state
    if case .map(let slices) = header.state {
      state.addSubstates(header.substates, in: slices, type: application.substateSchema)
    }
    try state.setSlices(fromJSON: header.state)
    state.shell.goneSequences = header.goneSequences
    rerun.move(to: state)
    return rerun
  }

  /// True if an action of the recording returns to the point after this one. A caller asks before ``notePoint(_:_:)``, since a call of that
  /// copies a rerun.
  func wantsPoint(_ number: Int) -> Bool { targets.last.map { $0 <= number } ?? false }

  /// Keeps the point after an action where something returns to it. A number that no action has stands for the one before.
  func notePoint(_ number: Int, _ rerun: Rerun) {
    while let target = targets.last, target <= number {
      targets.removeLast()
      returns[target] = (rerun.state, rerun.plugins)
    }
  }

  package func arrival(by entry: LoggedEntry, in rerun: Rerun) throws -> Rerun.Arrival? {
    guard case .string(let name)? = entry.arguments.values.first,
      case .string(let version)? = entry.arguments.values.last
    else { return nil }
    var arrival = try arrival(name, version, digest: entry.digest ?? "", in: rerun)
    guard entry.action == ShellAction.Types.reloadPlugin.fullName else { return arrival }
    guard rerun.plugins.contains(where: { $0.plugin.module.name == name }) else {
      throw HostError(code: .badRecording, message: "plugin '\(name)' is reloaded before it is loaded")
    }
    // Only the outcome tells whether the state was reset.
    if let slice = arrival.slice, let recorded {
      let running = rerun.state.plugins.first { $0.name == name }
      // In company the sequences went on.
      for start in [slice, slice.raisingSequences(to: running)] where !arrival.isReset {
        arrival.isReset =
          recorded.hashes[name] == SliceHash(of: start.value).value
          || recorded.hasReset(from: running, to: start)
        if arrival.isReset { arrival.slice = start }
      }
    }
    return arrival
  }

  private func source(_ name: String, _ recorded: RecordingHeader.Plugin?) throws -> PluginSource {
    try locate(name, recorded, recorded.flatMap(kept))
  }

  private func kept(_ plugin: RecordingHeader.Plugin) -> KeptCode? {
    guard let code = header.code.first(where: { $0.digest == plugin.digest }),
      let source = try? PluginSource(
        kept: code.files.map { ($0.path, $0.bytes) }, of: plugin.directory, displayedAs: plugin.name),
      source.digest == plugin.digest
    else { return nil }
    return KeptCode(source: source, isLatest: header.plugins.last { $0.name == plugin.name } == plugin)
  }

  /// Throws before anything runs where the code of a plugin is nowhere, with all that is missing.
  func requireCode() throws {
    var missing: [(plugin: RecordingHeader.Plugin, error: any Error)] = []
    for plugin in header.plugins {
      do {
        _ = try source(plugin.name, plugin)
      } catch {
        missing.append((plugin, error))
      }
    }
    guard let first = missing.first else { return }
    guard missing.count > 1 else { throw first.error }
    let names = missing.map { "\($0.plugin.name) \($0.plugin.version) (\($0.plugin.directory))" }
    throw HostError(
      code: ErrorCode.of(first.error),
      message: "the recording needs plugins that are nowhere: \(names.joined(separator: ", "))",
      hint: "a recording that is exported by this program holds their code")
  }

  private func arrival(
    _ name: String, _ version: String, digest: String, in rerun: Rerun, mayLack: Bool = false
  ) throws -> Rerun.Arrival {
    let source = try source(name, header.plugins.first { $0.name == name && $0.digest == digest })
    if source.digest != digest { edited[name] = source }
    var surroundings = host.application.surroundings(of: name, beside: rerun.plugins.map(\.plugin))
    surroundings.mayLack = mayLack
    let plugin = try Plugin(loading: source, into: surroundings)
    plugin.purity = host.purity
    return Rerun.Arrival(
      hosted: HostedPlugin(plugin, host.surroundings(for: name), reducersAlone: true),
      loaded: ShellState.LoadedPlugin(name: name, version: version, digest: source.digest),
      slice: plugin.module.schema.map { PluginSlice(name: name, schema: $0, value: plugin.initialState) })
  }

  package func point(
    after entry: LoggedEntry, in rerun: Rerun
  ) throws -> (state: HostState, plugins: [HostedPlugin])? {
    if entry.action == ShellAction.Types.restore.fullName, case .int(let target)? = entry.arguments.values.first {
      guard let point = returns[target] else {
        throw HostError(
          code: .badRecording, message: "#\(entry.number) returns to #\(target), which is not recorded")
      }
      // A sequence falls as far as it did when it was recorded.
      let changed = Dictionary(entry.changes.map { ($0.path, $0.kind) }, uniquingKeysWith: { $1 })
      var (state, plugins) = point
      state.raiseSequences(to: rerun.state) { changed[$0] == nil }
      for path in state.sequences.map(\.path) {
        if case .replace(_, let number)? = changed[path] { state.setSequence(at: path, to: number) }
      }
      return (state, plugins)
    }
    var state = rerun.state
    try state.apply(entry.changes)
    try state.takeSubstates(importedBy: entry, type: host.application.substateSchema)
    return (state, rerun.plugins)
  }
}

extension RecordedEntry {
  /// Whether what a reload changed in a slice is what leads to how it starts. Of a slice that had another type before, as one that
  /// gets a field, changes do not tell that.
  fileprivate func hasReset(from running: PluginSlice?, to initial: PluginSlice) -> Bool {
    let recorded = entry.changes.filter { $0.module == initial.name }
    guard let running, running.hasType(of: initial), !recorded.isEmpty else { return false }
    return withUnsafePointer(to: running.value) { running in
      withUnsafePointer(to: initial.value) {
        initial.schema.changes(from: running, to: $0, at: Path([.field(initial.name)])) == recorded
      }
    }
  }
}

extension RecordingAttachments {
  /// What a difference may come from; nil where all plugins are what they were.
  var editedPlugins: String? {
    guard !edited.isEmpty else { return nil }
    return edited.sorted { $0.key < $1.key }.map { name, source in
      "\(name) has changed since the recording (\(source.displayName))"
    }.joined(separator: "; ")
  }
}
