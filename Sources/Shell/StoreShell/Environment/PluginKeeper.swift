import Platform
import ShellLanguage
import StoreCore
import StoreHost
import StorePlugins

/// Reloads saved plugins (`set plugin.watch on`) of a store that is open to others, on a thread of its own: no session has to be
/// awake for it. All sessions are told.
package final class PluginKeeper: Sendable {
  private let live: Lease<LiveStore>
  private let options: SessionOptions
  private let state = Lock(State())
  /// Signalled when there may be other folders to watch, and at the end.
  private let signal = Pipe()

  private struct State {
    /// Says which plugins were saved; nil: nobody wants to know.
    var watch: PluginWatch?
    var hasEnded = false
  }

  /// Keeps the plugins of a store, where nobody else does.
  ///
  /// - Parameter options: what says which permissions are granted.
  package init(_ live: LiveStore, options: SessionOptions) {
    (self.live, self.options) = (live.lease, options)
    if let signal { for end in [signal.read, signal.write] { _ = fcntl(end, F_SETFL, O_NONBLOCK) } }
    let isFirst = live.keepPlugins { [weak self] in self?.look() }
    if isFirst { look() } else { state.withLock { $0.hasEnded = true } }
  }

  deinit { signal?.close() }

  /// Ends it; the sessions then look for themselves.
  package func end() {
    let wasOpen = state.withLock { state in
      defer { state.hasEnded = true }
      return !state.hasEnded
    }
    guard wasOpen else { return }
    live.object?.keepPlugins(nil)
    wake()
  }

  private func wake() { _ = write(signal?.write ?? -1, [1], 1) }

  /// Begins to watch the plugins of now if that is wanted: what is saved from here on is found. Called in the turn.
  private func look() {
    guard let live = live.object, live.watchesPlugins else { return wake() }
    let sources = live.sources
    let starts = state.withLock { state in
      guard !state.hasEnded else { return false }
      let isFirst = state.watch == nil
      let watch = state.watch ?? PluginWatch()
      watch.follow(sources)
      state.watch = watch
      return isFirst
    }
    guard starts else { return wake() }
    guard let thread = try? WorkerThread({ self.work() }) else { return state.withLock { $0.watch = nil } }
    thread.detach()
  }

  private func work() {
    while let (findings, descriptor, wait) = next() {
      if let live = live.object {
        for finding in findings { take(finding, live) }
      }
      var sources = [signal?.read ?? -1, descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let milliseconds = wait.map { Int32($0 / .milliseconds(1)) + 1 } ?? -1
      poll(&sources, 2, milliseconds)
      var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
      while read(sources[0].fd, &bytes, bytes.count) > 0 {}
    }
  }

  /// What was saved, the descriptor that tells of more, and the time until there may be another finding; nil: nobody wants to know
  /// any more, and the next one who does starts another thread.
  private func next() -> (findings: [PluginWatch.Finding], descriptor: Int32, wait: Duration?)? {
    let isWanted = live.object?.watchesPlugins ?? false
    return state.withLock { state in
      guard isWanted, !state.hasEnded, let watch = state.watch else {
        state.watch = nil
        return nil
      }
      let findings = watch.take(after: PluginWatch.pause)
      return (findings, watch.descriptor, watch.untilReady)
    }
  }

  private func take(_ finding: PluginWatch.Finding, _ live: LiveStore) {
    switch finding {
    case .saved(let folder):
      for plugin in live.plugins(from: folder) where !live.runs(plugin) { live.tell(of: reloaded(plugin, live)) }
    case .gone(let folder):
      for plugin in live.plugins(from: folder) { live.tell(of: SavedPlugin(absent: plugin)) }
    }
  }

  private func reloaded(_ plugin: Plugin, _ live: LiveStore) -> SavedPlugin {
    SavedPlugin(plugin) {
      try live.reload(plugin, grant: { try grant($0, to: plugin) }) { source in
        try live.reloadSaved(source, from: SavedPlugin.source(of: plugin))
      }
    }
  }

  /// Throws where a version asks for more than what runs has and what the program was granted for it.
  private func grant(_ source: PluginSource, to plugin: Plugin) throws(PluginError) {
    let has = plugin.source.manifest.permissions
    let missing = source.manifest.permissions.filter {
      !has.contains($0) && options.grantOrigin(of: $0, to: source) == .no
    }
    guard !missing.isEmpty else { return }
    let name = source.manifest.name
    throw PluginError(
      .grant, "\(name) asks for \(missing.map(\.description).joined(separator: ", ")); not granted",
      hint: "plugin grant \(source.folder), or run with --grant \(name)")
  }
}

extension SavedPlugin {
  /// The source of the reload of a plugin that was saved.
  static func source(of plugin: Plugin) -> ActionSource {
    ActionSource(
      file: plugin.source.displayName, function: "watch", line: 0, kind: .plugin, plugin: plugin.module.name,
      unit: "watch")
  }

  /// What became of one that is reloaded.
  init(_ plugin: Plugin, reload: () throws -> PluginReloadReport) {
    let (name, version) = (plugin.module.name, plugin.source.manifest.version)
    do {
      let report = try reload()
      if let failure = report.report.failure { throw failure }
      self.init(
        name: name, version: report.plugin.source.manifest.version, entry: report.report.entry, details: report.details,
        errors: report.report.faults)
    } catch {
      self.init(name: name, version: version, entry: nil, details: [], errors: [error])
    }
  }

  /// One whose files are gone.
  init(absent plugin: Plugin) {
    let error = PluginError(
      .load, of: plugin.module.name, "\(plugin.source.folder) has no plugin.json and init.lua any more",
      hint: "the version that was loaded is still active; it is reloaded once they are back")
    self.init(
      name: plugin.module.name, version: plugin.source.manifest.version, entry: nil, details: [], errors: [error])
  }
}

extension LiveStore {
  /// The plugins that were loaded from a folder.
  func plugins(from folder: String) -> [Plugin] {
    sources.filter { $0.folder == folder }.compactMap { plugin(named: $0.manifest.name) }
  }

  /// True if what stands in a plugin's folder is what runs, and was not refused since.
  func runs(_ plugin: Plugin) -> Bool {
    !hasFailedReload(of: plugin.module.name)
      && (try? plugin.source.readAgain().digest) == plugin.source.digest
  }

  /// Reads a plugin's folder again and has it reloaded.
  ///
  /// - Parameters:
  ///   - plugin: the version that runs.
  ///   - grant: throws where the plugin may not have what it asks for.
  ///   - reload: puts it in its place.
  /// - Throws: ``ShellError``; the version before is then still active.
  func reload(
    _ plugin: Plugin, grant: (PluginSource) throws -> Void, _ reload: (PluginSource) throws -> PluginReloadReport
  ) throws -> PluginReloadReport {
    let name = plugin.module.name
    do {
      let source = try plugin.source.readAgain().bounded(by: state.shell.ceiling)
      guard source.manifest.name == name else {
        throw PluginError(
          .load, of: name, "\(source.displayName)/plugin.json now has the name '\(source.manifest.name)'",
          hint: "plugin unload \(name), then load the folder")
      }
      try grant(source)
      return try reload(source)
    } catch {
      noteFailedReload(of: name)
      let refusal = ShellError(refusing: error)
      // The hint of a misfit says which version runs.
      throw (error as? PluginError)?.code == .misfit ? refusal : refusal.leavingPreviousVersion
    }
  }
}
