extension Path {
  /// True if a change at this path changes the target of another path: the value there, a part of it, or a whole around
  /// it.
  package func lies(along wanted: Path) -> Bool {
    let shared = min(steps.count, wanted.steps.count)
    return steps.prefix(shared).elementsEqual(wanted.steps.prefix(shared)) { $0.meets($1) }
  }
}

extension Path.Step {
  /// True if a step of a change lies where a step of a filter points.
  fileprivate func meets(_ filter: Path.Step) -> Bool {
    if filter == .all || self == filter { return true }
    switch (filter, self) {
    case (.field(let name), .key(.string(let key))): return name == key
    case (.index(let index), .key(.int(let key))): return index == key
    default: return false
    }
  }
}
