import StoreModules

/// Tells how names of actions begin, without a look at all of them: the names of each module are kept in order.
final class ActionNameIndex {
  private var known: [String: (actions: [ActionType], names: [String])] = [:]
  /// The number of names that were compared.
  private(set) var comparisons = 0

  /// True if the name of an action of a module begins like that.
  func begins(_ module: Module, _ typed: Substring) -> Bool {
    let names = names(of: module)
    var (low, high) = (0, names.count)
    while low < high {
      let middle = (low + high) / 2
      comparisons += 1
      if names[middle].utf8.lexicographicallyPrecedes(typed.utf8) { low = middle + 1 } else { high = middle }
    }
    return low < names.count && names[low].utf8.starts(with: typed.utf8)
  }

  private func names(of module: Module) -> [String] {
    if let known = known[module.name], Self.areSame(known.actions, module.actions) { return known.names }
    let names = module.actions.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    known[module.name] = (module.actions, names)
    return names
  }

  /// True for copies of one array: what is kept of one cannot stand for another.
  private static func areSame(_ one: [ActionType], _ other: [ActionType]) -> Bool {
    one.count == other.count
      && one.withUnsafeBufferPointer { one in other.withUnsafeBufferPointer { one.baseAddress == $0.baseAddress } }
  }
}
