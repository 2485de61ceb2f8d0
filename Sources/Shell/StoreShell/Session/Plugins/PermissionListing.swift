import StorePlugins
import StoreSchema

/// The uses of permissions by plugins: the projection `shell.permissions`.
struct PermissionListing {
  private let plugins: [(name: String, uses: [PermissionUse])]

  /// - Parameter names: the loaded plugins to look at.
  init(_ names: [String], in session: Session) {
    plugins = names.compactMap { name in
      session.store.plugin(named: name).map { (name, $0.permissionUses) }
    }
  }

  /// A table with a row for each permission.
  var reading: Reading {
    let rows = plugins.flatMap { name, uses in
      uses.map { use -> [Value] in
        let needed = use.needed.map(\.description).joined(separator: ", ")
        return [
          .string(name), .string(use.permission.description), .int(use.count), .bool(use.isRequired),
          needed.isEmpty ? .none : .string(needed),
        ]
      }
    }
    return Reading(rows: rows, "Permission", ["plugin", "permission", "uses", "required", "needed"])
  }

  /// The permissions that each plugin could ask for instead, in a line each.
  var proposals: String {
    plugins.map { name, uses in
      var needed: [String] = []
      for permission in uses.flatMap(\.needed).map(\.description) where !needed.contains(permission) {
        needed.append(permission)
      }
      if uses.isEmpty { return "\(name) asks for nothing\n" }
      if needed == uses.map(\.permission.description) { return "\(name) needs all that it asks for\n" }
      return "\(name) needed only \"permissions\": [\(needed.map { "\"\($0)\"" }.joined(separator: ", "))]\n"
    }.joined()
  }
}
