import StoreCore
import StoreModules
import StorePlugins
import StoreSchema

/// The meaning of the name of an action.
enum ActionMeaning {
  case type(ActionType)
  /// A projection maps the action to nothing (R26).
  case dropped(by: String)
}

extension Session {
  /// The path that a path stands for: within what `use` chose where it leads somewhere there, else from the root.
  func scoped(_ path: Path) -> Path {
    guard !names.scope.isEmpty, path.steps.first != .field("shell") else { return path }
    let inner = names.scope + path
    guard (try? type(at: inner)) == nil, case .field(let name) = path.steps.first else { return inner }
    let isKnown =
      store.modules.contains { $0.name == name } || names.projection(name) != nil || names.binding(name) != nil
    return isKnown ? path : inner
  }

  /// True if names of actions may have other meanings than in the store.
  var hasNames: Bool { !names.scope.isEmpty || !names.projections.isEmpty }

  /// The action that a name stands for: of what `use` chose, of a projection, or by its full name.
  func actionTarget(_ name: String) -> ActionMeaning? {
    if case .field(let scope) = names.scope.steps.first, let target = target(scope, name, depth: 0) { return target }
    return target(name, depth: 0)
  }

  private func target(_ name: String, depth: Int) -> ActionMeaning? {
    if let type = store.action(named: name) { return .type(type) }
    guard let dot = name.firstIndex(of: ".") else { return nil }
    return target(String(name[..<dot]), String(name[name.index(after: dot)...]), depth: depth)
  }

  private func target(_ owner: String, _ name: String, depth: Int) -> ActionMeaning? {
    guard let projection = names.projection(owner) else {
      return store.action(named: "\(owner).\(name)").map { .type($0) }
    }
    guard depth < 16, let mapped = projection.actions?.first(where: { $0.name == name }) else { return nil }
    guard let inner = mapped.target else { return .dropped(by: owner) }
    return target(inner, depth: depth + 1)
  }

  /// The names by which actions can be called now, the shorter ones first.
  var actionNames: [String] {
    let full = store.modules.flatMap(\.actions).map(\.fullName)
    let projected = names.projections.flatMap { projection in
      (projection.actions ?? []).map { "\(projection.name).\($0.name)" }
    }
    guard case .field(let scope) = names.scope.steps.first else { return full + projected }
    let short = (full + projected).filter { $0.hasPrefix("\(scope).") }.map { String($0.dropFirst(scope.count + 1)) }
    return short + full + projected
  }
}
