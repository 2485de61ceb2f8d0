import StorePlugins

/// Finds the plugins that a plugin names in its permissions.
struct PluginDependencies {
  private let session: Session
  /// True if each must have been granted what it asks for.
  private let needGrants: Bool

  init(_ session: Session, needGrants: Bool) { (self.session, self.needGrants) = (session, needGrants) }

  /// A plugin behind those that it needs. A plugin that cannot be found is left out:
  /// this one may do without it.
  func sources(for source: PluginSource) throws -> [PluginSource] {
    var found: [PluginSource] = []
    try add(source, to: &found, ancestors: [])
    return found
  }

  private func add(_ source: PluginSource, to found: inout [PluginSource], ancestors: [String]) throws {
    let name = source.manifest.name
    guard !ancestors.contains(name), !found.contains(where: { $0.manifest.name == name }) else { return }
    for module in source.manifest.permissions.compactMap(\.module) {
      if let needed = needed(module) { try add(needed, to: &found, ancestors: ancestors + [name]) }
    }
    try session.requireFreeName(source)
    if needGrants { try session.grant(source) }
    found.append(source)
  }

  private func needed(_ module: String) -> PluginSource? {
    if let loaded = session.store.plugin(named: module) {
      return try? PluginSource(folder: loaded.source.folder, displayedAs: loaded.source.displayName)
    }
    guard !session.store.modules.contains(where: { $0.name == module }) else { return nil }
    return try? PluginLocator(session.options).source(module)
  }
}
