import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

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

extension Session {
  /// The value at a path: in the store, or among the shell's own listings.
  ///
  /// - Parameter kept: the last reading there; nil: there was none.
  func read(_ path: Path, after kept: KeptReading? = nil) throws -> Reading {
    guard path.steps.first == .field("shell") else {
      return try readNamed(path) ?? store.read(path, after: kept)
    }
    guard path.steps.count > 1 else { return ShellListing.all(in: self) }
    guard case .field(let name) = path.steps[1], let listing = ShellListing(rawValue: name) else {
      let names = ShellListing.allCases.map(\.rawValue)
      let word = path.steps[1].nameOnly ?? ""
      throw PathError(
        message: "'shell' has no projection '\(word)'",
        hint: Suggestion.nearest(to: word, among: names).map { "did you mean 'shell.\($0)'?" })
    }
    return try listing.reading(in: self).read(path.steps.dropFirst(2), from: Path(Array(path.steps.prefix(2))))
  }

  /// The type of what stands at a path now.
  ///
  /// - Throws: ``PathError`` where the path leads nowhere.
  func type(at path: Path) throws -> Schema { try isNamed(path) ? read(path).schema : store.type(at: path) }

  /// Returns true if only the session knows the meaning of a path.
  func isNamed(_ path: Path) -> Bool {
    guard let first = path.steps.first?.nameOnly else { return false }
    return first == "shell" || names.projection(first) != nil || names.binding(first) != nil
  }
}

extension Session {
  /// The type that is declared for what stands at a path, whichever items and entries there are.
  ///
  /// - Throws: ``PathError`` where no state has anything there.
  func declaredType(at path: Path) throws -> Schema {
    let module = store.modules.first { path.steps.first == .field($0.name) }
    let count = module?.hasNamedParts ?? (path.steps.first == .field("shell")) ? 2 : 1
    let named = Path(Array(path.steps.prefix(count)))
    return try typeAhead(at: named).type(at: path.steps.dropFirst(count), from: named)
  }

  /// The type of what stands at a path now. Of a projection of the session that cannot be computed before the lines above have run
  /// nothing is known.
  private func typeAhead(at path: Path) throws -> Schema {
    do {
      return try type(at: path)
    } catch let error as SessionLuaError where running.foreseen != nil {
      guard error.unknownName.map({ isForeseen($0.name) }) ?? error.mayDependOnState else { throw error }
      return .dynamic(.any)
    }
  }

  /// Returns true if a module has no place for a path, whichever items and entries it has.
  func hasNoPlace(for path: Path) -> Bool {
    store.modules.contains { path.steps.first == .field($0.name) } && (try? declaredType(at: path)) == nil
  }

  /// Gives the changes of an action that concern a path. A path without a place in its module may have had one in an earlier
  /// type: the type of the values changed there or within.
  func concern(_ path: Path) -> (LoggedEntry) throws -> [Change] {
    let least = hasNoPlace(for: path) ? path.steps.count : 0
    return { [store] entry in try store.changes(of: path, by: entry).filter { $0.path.steps.count >= least } }
  }

  /// Returns true if something stands at the path that a word says: a module, a part of its state, a projection or a
  /// binding.
  func isReadable(_ word: String) -> Bool {
    guard let path = try? Path(parsing: word), !path.steps.isEmpty else { return false }
    return (try? type(at: scoped(path))) != nil
  }
}

extension Path.Step {
  fileprivate var nameOnly: String? {
    if case .field(let name) = self { return name }
    return nil
  }
}
