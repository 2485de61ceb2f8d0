import StoreSchema

/// Numbers that tell whether a module's slice is still what it was: they grow with every change.
package struct SliceVersions {
  private var counts: [Int] = []
  private var positions: [String: Int] = [:]
  /// The module that changed last: changes of one come in runs.
  private var last: (module: String, position: Int)?
  private var all = 0

  /// Takes note of what an action changed.
  package mutating func note(_ changes: [Change]) {
    // By position: a copy of a change would count references to all that is in it.
    for index in changes.indices {
      guard case .field(let module) = changes[index].path.steps.first else { continue }
      if let last, last.module == module {
        counts[last.position] += 1
        continue
      }
      let position = positions[module] ?? counts.count
      if position == counts.count {
        counts.append(0)
        positions[module] = position
      }
      counts[position] += 1
      last = (module, position)
    }
  }

  /// Takes note that any slice may be another one.
  package mutating func noteAll() { all += 1 }

  package func version(of module: String) -> Int { all + (positions[module].map { counts[$0] } ?? 0) }
}
