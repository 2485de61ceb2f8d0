import StorePlugins

/// How a plugin's edited version takes the place of the one before.
extension HostState {
  /// Puts what a plugin has in the state where it was: its slice keeps its place among the slices, its gates keep how they
  /// stand. A plugin that was stopped because it failed runs again; one that somebody switched off stays off.
  package mutating func replacePlugin(
    _ plugin: ShellState.LoadedPlugin, _ slice: PluginSlice?, _ gates: [ShellState.Gate]
  ) {
    guard let index = shell.plugins.firstIndex(where: { $0.name == plugin.name }) else { return }
    shell.plugins[index].version = plugin.version
    shell.plugins[index].digest = plugin.digest
    if shell.plugins[index].condition == .faulted { shell.plugins[index].condition = .on }
    replaceSlice(of: plugin.name, slice, earlier: Set(shell.plugins[..<index].map(\.name)))
    shell.replaceGates(of: plugin.name, gates)
  }

  /// Takes note of the code that a plugin runs. Where that is not the code of before, its gates are those that it declares.
  package mutating func note(_ source: PluginSource, gates: [ShellState.Gate]) {
    let name = source.manifest.name
    guard let index = shell.plugins.firstIndex(where: { $0.name == name }),
      shell.plugins[index].digest != source.digest
    else { return }
    shell.plugins[index].version = source.manifest.version
    shell.plugins[index].digest = source.digest
    shell.replaceGates(of: name, gates)
  }

  private mutating func replaceSlice(of name: String, _ slice: PluginSlice?, earlier: Set<String>) {
    plugins.removeAll { $0.name == name }
    guard let slice else { return }
    let index = plugins.firstIndex { !earlier.contains($0.name) } ?? plugins.endIndex
    plugins.insert(slice, at: index)
  }
}

extension ShellState {
  fileprivate mutating func replaceGates(of plugin: String, _ new: [Gate]) {
    let place = gates.firstIndex { $0.plugin == plugin } ?? gates.endIndex
    let old = Dictionary(gates.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    gates.removeAll { gate in gate.plugin == plugin || new.contains { $0.name == gate.name } }
    let kept = new.map { gate in old[gate.name].map(gate.following) ?? gate }
    gates.insert(contentsOf: kept, at: min(place, gates.endIndex))
  }
}
