extension Path {
  /// True if a change at this path changes the target of another path: the value there, a part of it, or a whole around
  /// it.
  package func lies(along wanted: Path) -> Bool {
    let shared = min(steps.count, wanted.steps.count)
    return steps.prefix(shared).elementsEqual(wanted.steps.prefix(shared)) { $0.meets($1) }
  }

  /// True if it may: as ``lies(along:)``, but an element that this path names by index may be one that the other names by its
  /// id, where ids that repeat name nothing.
  package func mayLie(along wanted: Path) -> Bool {
    let shared = min(steps.count, wanted.steps.count)
    return steps.prefix(shared).elementsEqual(wanted.steps.prefix(shared)) { step, wanted in
      if case (.index, .match) = (step, wanted) { return true }
      return step.meets(wanted)
    }
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
