import Platform
import StoreHistory
import StorePlugins

/// The code of a plugin as the nodes of a shared store hand it on: by its digest (R46).
struct NodeCode {
  let folder: String
  let files: [(path: String, bytes: [UInt8])]

  init(_ source: PluginSource) {
    (folder, files) = (Files.absolute(source.folder), source.files.map { ($0.path, $0.bytes) })
  }

  /// The folder, then the path and the content of each file.
  var bytes: [UInt8] {
    var out: [UInt8] = []
    PartList.append(folder, to: &out)
    for file in files {
      PartList.append(file.path, to: &out)
      PartList.append(to: &out) { $0 += file.bytes }
    }
    return out
  }

  /// Reads what ``bytes`` wrote; nil: it is something else.
  init?(_ bytes: [UInt8]) {
    var parts = PartList(bytes[...])
    guard let folder = parts.text() else { return nil }
    var files: [(path: String, bytes: [UInt8])] = []
    while !parts.isEmpty {
      guard let path = parts.text(), let content = parts.next() else { return nil }
      files.append((path, Array(content)))
    }
    (self.folder, self.files) = (folder, files)
  }
}

/// Plugins that other nodes load, reload and take away.
extension LiveStore {
  /// Makes a plugin of another node ready. Its middlewares and tasks stay away where this node's user has not granted what it asks for
  /// (R46).
  func hostShared(_ source: PluginSource, isGranted: Bool) throws -> HostedPlugin {
    let name = source.manifest.name
    var surroundings = surroundings(of: name)
    surroundings.mayLack = true
    let plugin = try Plugin(loading: source, into: surroundings)
    try prepare(plugin)
    plugin.purity = purity
    return HostedPlugin(plugin, self.surroundings(for: name), reducersAlone: !isGranted)
  }

  /// Puts a plugin of another node beside the others, before the action that brings it.
  func addShared(_ hosted: HostedPlugin) throws {
    plugins.removeAll { $0.plugin.module.name == hosted.plugin.module.name }
    plugins.append(hosted)
    collectActions()
    try recompose(reconciling: false)
    rebindPlugins()
  }

  /// Brings the middlewares and tasks of plugins that came without them and have what they ask for by now (R46).
  func bringUnits(where isGranted: (PluginSource) -> Bool) throws {
    for (index, old) in plugins.enumerated() where old.lacksUnits && isGranted(old.plugin.source) {
      plugins[index] = try hostShared(old.plugin.source, isGranted: true)
      do throws(PluginError) { try old.plugin.unload(view: view) } catch { attendance.faults.note(error) }
    }
    collectActions()
    moveGates(store.state.shell)
    try recompose()
    rebindPlugins()
    timeline.note(plugins, after: head, oldest: history.oldest)
  }

  /// Takes away a plugin that another node has unloaded.
  func removeShared(_ name: String) {
    guard let hosted = plugins.first(where: { $0.plugin.module.name == name }) else { return }
    do throws(PluginError) { try hosted.plugin.unload(view: view) } catch { attendance.faults.note(error) }
    plugins.removeAll { $0.plugin.module.name == name }
    collectActions()
    do { try recompose(reconciling: false) } catch { attendance.faults.note(error) }
    rebindPlugins()
  }
}
