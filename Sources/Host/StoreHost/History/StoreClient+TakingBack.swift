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
    return try line.undo(count, isForeign: any ? nil : { !isOwn($0) })
  }

  /// The step that takes back the client's last so many undos.
  package func redoStep(_ count: Int) throws -> UndoLine.Redo {
    let (line, isOwn) = turn { (undoLine, self.isOwn) }
    return try line.redo(count) { !isOwn($0) }
  }

  /// Tells the client's own actions from others': what it dispatched and, until it has done something where others are, what users
  /// did before it came. What the owner's code dispatches is nobody's.
  private var isOwn: (LoggedEntry) -> Bool {
    let takesOver = !hasActed || live.clients.count == 1
    return { [joined, dispatched] entry in
      dispatched.contains(entry.number) || (takesOver && entry.number <= joined && entry.source.kind != .code)
    }
  }

  /// Takes back actions of the client's own from one on, with what they caused; what others did since stays. The state is what it
  /// would be without them.
  ///
  /// - Returns: the report, and how many actions of others stay.
  /// - Throws: ``HostError`` where a later action of others would fail or make other changes than it made.
  package func takeBackOwn(from first: Int, source: ActionSource) throws -> (DispatchReport, staying: Int) {
    let isOwn = turn { self.isOwn }
    // What ran before goes on.
    return try takeBack(from: first, source: source, refusing: Self.needsAll) { $0.source.cause == nil && isOwn($0) }
  }

  /// Takes back some actions, with what they caused; later ones stay.
  ///
  /// - Parameters:
  ///   - numbers: those of the actions, of which the first comes first.
  ///   - source: where that is asked for.
  /// - Returns: the report, and how many later actions stay that somebody asked for.
  /// - Throws: ``HostError`` where a later action would fail or make other changes than it made.
  package func takeBack(_ numbers: Set<Int>, source: ActionSource) throws -> (DispatchReport, staying: Int) {
    let first = numbers.min() ?? 0
    func refusal(_ reason: String) -> HostError {
      HostError(
        code: .undoConflict, message: "it cannot go alone: \(reason)",
        hint: "`undo --to \(first - 1)` takes back all that happened since")
    }
    return try takeBack(from: first, mayBeUndos: true, source: source, refusing: refusal) {
      numbers.contains($0.number)
    }
  }

  private func takeBack(
    from first: Int, mayBeUndos: Bool = false, source: ActionSource, refusing refusal: @escaping (String) -> HostError,
    where isMeant: @escaping (LoggedEntry) -> Bool
  ) throws -> (DispatchReport, staying: Int) {
    var (taken, staying): (Set<Int>, Set<Int>) = ([], [])
    let walk = try SkippingWalk(self, from: first) { [self] entry in
      guard isMeant(entry) || entry.source.cause.map(taken.contains) ?? false else {
        if entry.source.cause == nil { staying.insert(entry.number) }
        return false
      }
      taken.insert(entry.number)
      let isUndo = entry.takenBack != nil || entry.restoreTarget != nil
      if entry.isWhole, !(mayBeUndos && isUndo), !entry.onlyTakesBack(taken, from: first),
        try undoLine.restore(takingBack: entry.number) == nil
      {
        throw refusal("#\(entry.number) \(entry.action) concerns everybody")
      }
      return true
    } check: { entry, changes in
      let wouldFail = changes == nil && entry.failure == nil && entry.droppedBy == nil
      guard wouldFail || changes ?? [] != entry.changes else { return }
      let action = "#\(entry.number) \(ActionText.text(entry.action, arguments: entry.arguments))"
      throw refusal("\(action) would \(wouldFail ? "fail" : "make other changes") without it")
    }
    // Without the turn while it is far behind; where others are quicker than it is, it has the rest of its way alone.
    for _ in 0..<Self.rounds where live.head - walk.number > Self.part { try walk.go(to: live.head) }
    return try turn {
      live.store.catchUp()
      try walk.go(to: live.head)
      return (live.dispatch(.takeBack(taken.sorted(), state: walk.view(without: []).state), source), staying.count)
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

extension LoggedEntry {
  /// True if the entry went back, and what it took back is among some actions, so that without them it has done nothing.
  fileprivate func onlyTakesBack(_ actions: Set<Int>, from first: Int) -> Bool {
    if let takenBack { return takenBack.allSatisfy(actions.contains) }
    guard let target = restoreTarget, target >= first - 1 else { return false }
    return (target + 1..<number).allSatisfy(actions.contains)
  }
}
