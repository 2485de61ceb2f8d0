import StoreSchema

/// Numbers that tell whether a module's slice is still what it was: they grow with every change.
struct SliceVersions {
  private var counts: [String: Int] = [:]
  private var all = 0

  /// Takes note of what an action changed.
  mutating func note(_ changes: [Change]) {
    for change in changes {
      guard case .field(let module) = change.path.steps.first else { continue }
      counts[module, default: 0] += 1
    }
  }

  /// Takes note that any slice may be another one.
  mutating func noteAll() { all += 1 }

  func version(of module: String) -> Int { all + counts[module, default: 0] }
}
