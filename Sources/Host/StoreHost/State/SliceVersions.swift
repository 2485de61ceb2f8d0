import StoreSchema

/// Numbers that tell whether a module's slice is still what it was: they grow with every change.
package struct SliceVersions {
  // Few, and looked for after every action: no hash is as quick as a look at the first bytes of each.
  private var modules: [Module] = []
  /// The position of the module that changed last: changes of one come in runs.
  private var last = 0
  /// The latest paths of fields of modules, with the positions of these: changes at one place share the steps of their path.
  private var recent: [(path: Path, module: Int)] = []
  private var oldest = 0
  /// Grows where any slice may be another one, and whatever else an action of the shell changes.
  private(set) var all = 0

  private struct Module {
    let name: String
    var count = 0
    /// The number of the shape of its slice in the edit that told of it last.
    var shape = 0
  }

  /// Takes note of what an action changed.
  package mutating func note(_ changes: [Change]) {
    // By position: a copy of a change would count references to all that is in it.
    for index in changes.indices {
      if let known = knownModule(of: changes[index].path) {
        modules[known].count += 1
        continue
      }
      guard case .field(let module) = changes[index].path.steps.first else { continue }
      if last >= modules.count || modules[last].name != module { last = position(of: module) }
      modules[last].count += 1
      if changes[index].path.steps.count <= 2 { remember(changes[index].path) }
    }
  }

  /// Takes note of what an action changed.
  package mutating func note(_ edit: PlainEdit) {
    for index in 0..<edit.count {
      edit.change(index).shape._withUnsafeGuaranteedRef { shape in
        if last >= modules.count || modules[last].shape != shape.sliceID { last = position(of: shape) }
        modules[last].count += 1
      }
    }
  }

  /// Takes note that an action changed a slice.
  package mutating func note(slice name: String) {
    if last >= modules.count || modules[last].name != name { last = position(of: name) }
    modules[last].count += 1
  }

  private func knownModule(of path: Path) -> Int? {
    let place = path.steps.withUnsafeBufferPointer { $0.baseAddress }
    for index in recent.indices where recent[index].path.steps.withUnsafeBufferPointer({ $0.baseAddress }) == place {
      return recent[index].module
    }
    return nil
  }

  private mutating func remember(_ path: Path) {
    if recent.count < 4 { recent.append((path, last)) } else { recent[oldest] = (path, last) }
    oldest = (oldest + 1) % 4
  }

  private mutating func position(of module: String) -> Int {
    if let known = modules.firstIndex(where: { $0.name == module }) { return known }
    modules.append(Module(name: module))
    return modules.count - 1
  }

  private mutating func position(of shape: PlaceShape) -> Int {
    if let known = modules.firstIndex(where: { $0.shape == shape.sliceID }) { return known }
    let position = position(of: shape.slice)
    modules[position].shape = shape.sliceID
    return position
  }

  /// Takes note that any slice may be another one.
  package mutating func noteAll() { all += 1 }

  package func version(of module: String) -> Int {
    // By position, as above.
    for index in modules.indices where modules[index].name == module { return all + modules[index].count }
    return all
  }
}
