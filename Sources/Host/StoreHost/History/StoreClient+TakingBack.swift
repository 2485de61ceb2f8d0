import StoreCore
import StoreHistory
import StoreSchema

/// Taking back a client's own actions while others act on the same store.
extension StoreClient {
  /// The step that takes back the client's last so many actions, and all that they caused.
  ///
  /// - Parameter any: whether those of others count, too.
  package func undoStep(_ count: Int, any: Bool) throws -> UndoLine.Step {
    let (line, joined, dispatched) = turn { (live.undoLine, self.joined, self.dispatched) }
    return try line.undo(count) { !any && $0.number > joined && !dispatched.contains($0.number) }
  }

  /// Takes back actions of the client's own from one on, with what they caused; what others did since stays. The state is what it would
  /// be without them.
  ///
  /// - Throws: ``HostError`` where a later action of others would fail or make other changes than it made.
  package func takeBack(from first: Int, leaving others: [Int], source: ActionSource) throws -> DispatchReport {
    try turn {
      let (others, head) = (Set(others), live.head)
      var (own, stays): (Set<Int>, Set<Int>) = ([], [])
      try live.history.visit(first...head) { entry in
        let cause = entry.source.cause
        if others.contains(entry.number) || cause.map(stays.contains) ?? false {
          stays.insert(entry.number)
        } else if cause.map({ $0 < first }) ?? false {
          // What ran before goes on.
          stays.insert(entry.number)
        } else {
          own.insert(entry.number)
          if entry.isWhole { throw Self.needsAll("#\(entry.number) \(entry.action) concerns everybody") }
        }
        return true
      }
      let view = try live.point(head, without: own.sorted()) { entry, changes in
        guard stays.contains(entry.number), changes ?? [] != entry.changes else { return }
        let action = "#\(entry.number) \(ActionText.text(entry.action, arguments: entry.arguments))"
        throw Self.needsAll(
          changes == nil && entry.failure == nil
            ? "\(action) would fail without it" : "\(action) would make other changes without it")
      }
      return live.dispatch(.takeBack(own.sorted(), state: view.state), source)
    }
  }

  private static func needsAll(_ reason: String) -> HostError {
    HostError(
      code: .undoConflict, message: "others have acted since: \(reason)",
      hint: "`undo --any` takes back the last action whoever dispatched it")
  }
}
