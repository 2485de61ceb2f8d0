import StoreCore
import StoreHistory
import StoreSchema

/// Taking back a client's own actions while others act on the same store.
extension StoreClient {
  /// What undo and redo find in the log, with the client's statements as steps.
  package var undoLine: UndoLine {
    let statements = turn { self.statements }
    return live.undoLine { statements.range(holding: $0) }
  }

  /// The step that takes back the client's last so many actions, and all that they caused.
  ///
  /// - Parameter any: whether those of others count, too.
  package func undoStep(_ count: Int, any: Bool) throws -> UndoLine.Step {
    let (line, isOwn) = turn { (undoLine, self.isOwn) }
    return try line.undo(count) { !any && !isOwn($0) }
  }

  /// Tells the client's own actions from others': what it dispatched and, until it has done something where others are, what users
  /// did before it came. What the owner's code dispatches is nobody's.
  private var isOwn: (LoggedEntry) -> Bool {
    let takesOver = !hasActed || live.clients.count == 1
    return { [joined, dispatched] entry in
      dispatched.contains(entry.number) || (takesOver && entry.number <= joined && entry.source.kind != .code)
    }
  }

  /// Takes back actions of the client's own from one on, with what they caused; what others did since stays. The state is what it would
  /// be without them.
  ///
  /// - Returns: the report, and how many actions of others stay.
  /// - Throws: ``HostError`` where a later action of others would fail or make other changes than it made.
  package func takeBack(
    from first: Int, leaving others: [Int], source: ActionSource
  ) throws -> (DispatchReport, staying: Int) {
    var others = Set(others)
    var (own, stays): (Set<Int>, Set<Int>) = ([], [])
    let walk = try SkippingWalk(self, from: first) { [isOwn = turn { self.isOwn }] entry in
      let cause = entry.source.cause
      if cause == nil, !isOwn(entry) { others.insert(entry.number) }
      // What ran before goes on.
      if others.contains(entry.number) || cause.map({ stays.contains($0) || $0 < first }) ?? false {
        stays.insert(entry.number)
        return false
      }
      own.insert(entry.number)
      if entry.isWhole { throw Self.needsAll("#\(entry.number) \(entry.action) concerns everybody") }
      return true
    } check: { entry, changes in
      let wouldFail = changes == nil && entry.failure == nil && entry.droppedBy == nil
      guard wouldFail || changes ?? [] != entry.changes else { return }
      let action = "#\(entry.number) \(ActionText.text(entry.action, arguments: entry.arguments))"
      throw Self.needsAll("\(action) would \(wouldFail ? "fail" : "make other changes") without it")
    }
    // Without the turn while it is far behind; where others are quicker than it is, it has the rest of its way alone.
    for _ in 0..<Self.rounds where live.head - walk.number > Self.part { try walk.go(to: live.head) }
    return try turn {
      live.store.catchUp()
      try walk.go(to: live.head)
      return (live.dispatch(.takeBack(own.sorted(), state: walk.view(without: []).state), source), others.count)
    }
  }

  /// How often it looks whether others have acted meanwhile.
  private static let rounds = 16

  private static func needsAll(_ reason: String) -> HostError {
    HostError(
      code: .undoConflict, message: "others have acted since: \(reason)",
      hint: "`undo --any` takes back the last action whoever dispatched it")
  }
}
