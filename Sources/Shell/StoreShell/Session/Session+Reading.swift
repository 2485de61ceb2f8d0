import StoreHistory
import StoreSchema

extension Session {
  /// The value at a path: in the store, or among the shell's own listings.
  func read(_ path: Path) throws -> Reading {
    guard path.steps.first == .field("shell") else { return try names.read(path, in: self) ?? store.read(path) }
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
    return try type(at: named).type(at: path.steps.dropFirst(count), from: named)
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
