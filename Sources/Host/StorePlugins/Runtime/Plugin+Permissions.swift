/// Which of its permissions the plugin uses.
extension Plugin {
  /// Counts what the plugin uses of its permissions together with what an earlier version has used.
  public func goOnCounting(from earlier: Plugin) {
    calls.permissions.goOn(from: earlier.calls.permissions, reduced: earlier.lifted.map { ($0.module, $0.uses) })
  }

  /// What the plugin has used of its permissions since it was loaded, in the order of its manifest.
  public var permissionUses: [PermissionUse] {
    let required = definition.requiredPermissions(of: module.name)
    return source.manifest.permissions.map { permission in
      calls.permissions.use(of: permission, required: required) { module in
        lifted.reduce(0) { $1.module == module ? $0 + $1.uses : $0 }
      }
    }
  }
}
