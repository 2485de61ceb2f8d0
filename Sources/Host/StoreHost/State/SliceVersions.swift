import StoreSchema

/// Numbers that tell whether a module's slice is still what it was: they grow with every change.
package struct SliceVersions {
  // Few, and looked for after every action: no hash is as quick as a look at the first bytes of each.
  private var modules: [(name: String, count: Int)] = []
  /// The position of the module that changed last: changes of one come in runs.
  private var last = 0
  /// Grows where any slice may be another one, and whatever else an action of the shell changes.
  private(set) var all = 0

  /// Takes note of what an action changed.
  package mutating func note(_ changes: [Change]) {
    // By position: a copy of a change would count references to all that is in it.
    for index in changes.indices {
      guard case .field(let module) = changes[index].path.steps.first else { continue }
      if last >= modules.count || modules[last].name != module { last = position(of: module) }
      modules[last].count += 1
    }
  }

  private mutating func position(of module: String) -> Int {
    if let known = modules.firstIndex(where: { $0.name == module }) { return known }
    modules.append((module, 0))
    return modules.count - 1
  }

  /// Takes note that any slice may be another one.
  package mutating func noteAll() { all += 1 }

  package func version(of module: String) -> Int {
    // By position, as above.
    for index in modules.indices where modules[index].name == module { return all + modules[index].count }
    return all
  }
}
