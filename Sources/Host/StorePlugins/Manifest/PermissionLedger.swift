import StoreModules

/// Counts what a plugin uses of its permissions.
final class PermissionLedger {
  private var reads: [(module: String, count: Int)] = []
  private var dispatches: [(type: ActionType, count: Int)] = []
  private var intercepted = 0
  private var started = 0
  /// The number of calls of earlier versions' reducers lifted over a module's slice, by module.
  private var reduced: [String: Int] = [:]

  /// Goes on from what an earlier version of the plugin has used.
  ///
  /// - Parameter reduced: the number of calls of its reducers lifted over a module's slice.
  func goOn(from earlier: PermissionLedger, reduced: [(module: String, uses: Int)]) {
    reads = earlier.reads
    dispatches = earlier.dispatches
    intercepted = earlier.intercepted
    started = earlier.started
    self.reduced = earlier.reduced
    for (module, uses) in reduced { self.reduced[module, default: 0] += uses }
  }

  /// Takes note that a module's slice was read.
  func noteRead(_ module: String) { noteReads(module, 1) }

  /// Counts what another ledger has counted of reading, which that forgets.
  func takeReads(from other: PermissionLedger) {
    for (module, count) in other.reads { noteReads(module, count) }
    other.reads = []
  }

  private func noteReads(_ module: String, _ count: Int) {
    for index in reads.indices where reads[index].module == module {
      reads[index].count += count
      return
    }
    reads.append((module, count))
  }

  /// Takes note that an action was sent.
  func noteDispatch(_ type: ActionType) {
    for index in dispatches.indices where dispatches[index].type === type {
      dispatches[index].count += 1
      return
    }
    dispatches.append((type, 1))
  }

  /// Takes note that a task was started.
  func noteTask() { started += 1 }

  /// Takes note that an interceptor dropped or replaced an action.
  func noteIntercept() { intercepted += 1 }

  /// The use of one permission.
  ///
  /// - Parameter reduced: the number of calls of reducers lifted over a module's slice.
  func use(of permission: Permission, required: Set<Permission>, reduced: (String) -> Int) -> PermissionUse {
    var isRequired = required.contains(permission)
    var count = 0
    var needed: [Permission]?
    switch permission {
    case .read(let module): count = reads.first { $0.module == module }?.count ?? 0
    case .dispatch(let module, let action):
      let sent = dispatches.filter { $0.type.module == module && (action == nil || $0.type.name == action) }
      count = sent.reduce(0) { $0 + $1.count }
      let ruled = required.compactMap { permission -> String? in
        guard case .dispatch(module, let name?) = permission, action == nil || name == action else { return nil }
        return name
      }
      isRequired = isRequired || !ruled.isEmpty
      needed = Set(sent.map(\.type.name) + ruled).sorted().map { .dispatch(module: module, action: $0) }
    case .intercept: count = intercepted
    case .timers: count = started
    case .reduce(let module): count = self.reduced[module, default: 0] + reduced(module)
    }
    return PermissionUse(
      permission: permission, count: count, isRequired: isRequired,
      needed: needed ?? (count > 0 || isRequired ? [permission] : []))
  }
}
