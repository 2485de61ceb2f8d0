/// The permissions that the definition needs.
extension PluginDefinition {
  /// The permissions without which the definition is refused, or could do nothing of what it declares.
  func requiredPermissions(of plugin: String) -> Set<Permission> {
    var modules = Set(reducers.keys.compactMap { $0.split(separator: ".").first.map(String.init) })
    for unit in middleware {
      modules.formUnion(unit.on.modules)
      modules.formUnion(unit.on.names.compactMap { $0.split(separator: ".").first.map(String.init) })
    }
    modules.formUnion(lifted.filter { $0.action.module != $0.module }.map(\.action.module))
    modules.formUnion(bridges.map(\.from.module))
    for transition in transitions {
      if case .field(let module) = transition.at.steps.first { modules.insert(module) }
    }
    modules.remove(plugin)
    var permissions = Set(modules.map { Permission.read(module: $0) })
    permissions.formUnion(lifted.map { .reduce(module: $0.module) })
    let added = lifted.filter(\.declaresAction).map(\.action.fullName)
    permissions.formUnion(
      (bridges.map(\.to) + transitions.map(\.action) + [onLoad].compactMap(\.self))
        .filter { $0.module != plugin && !added.contains($0.fullName) }
        .map { .dispatch(module: $0.module, action: $0.name) })
    if !interceptors.isEmpty { permissions.insert(.intercept) }
    if middleware.contains(where: { $0.supervises }) { permissions.insert(.timers) }
    return permissions
  }
}
