import StoreHistory
import StoreSchema

/// Modules that an imported file names: they stand as it has them, though that may have changed nothing of them.
package enum ImportedModules {
  /// The argument by which an import tells them; there is none where the file names all that were there.
  package static let field = Field("modules", .dynamic(.optional(.dynamic(.list(String.schema)))))

  package static func argument(_ names: [String]?) -> Value {
    names.map { .texts($0) } ?? .none
  }

  /// The modules that a recorded import named; nil: all that were there.
  package static func named(by entry: LoggedEntry) -> Set<String>? {
    guard case .list(let names)? = entry.arguments[field.name] else { return nil }
    return Set(names.compactMap(\.text))
  }
}

extension HostState {
  /// Those of the modules with state and the substates that a file names; nil: all.
  package func modules(namedIn names: Set<String>) -> [String]? {
    let all = slices.map(\.name) + substates.map(\.name)
    let named = all.filter(names.contains)
    return named.count == all.count ? nil : named
  }
}

extension PersistentMap<MapKey, Value> {
  package var names: Set<String> {
    Set(compactMap { key, _ in if case .string(let name) = key { name } else { nil } })
  }
}
