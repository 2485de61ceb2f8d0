import StoreCore
import StoreHistory
import StoreSchema

/// Taking back a client's own actions while others act on the same store.
extension StoreClient {
  /// What undo and redo find in the log.
  ///
  /// - Parameters:
  ///   - number: the last action of the log that they look at; nil: the last there is.
  ///   - statement: gives the first action of the statement that asked for an action behind it.
  package func undoLine(
    upTo number: Int? = nil, statement: @escaping (LoggedEntry) -> Int? = { $0.source.statement }
  ) -> UndoLine {
    turn {
      let moment = Moment(of: self)
      var asked = 0
      return UndoLine(
        head: number ?? moment.head, oldest: max(moment.oldest, live.firstPoint), statement: statement
      ) { [interruption] number in
        if asked.isMultiple(of: Self.part) { try interruption.check() }
        asked += 1
        return try moment.entry(number)
      }
    }
  }

  /// The step that takes back the client's last so many actions, and all that they caused.
  ///
  /// - Parameter any: whether those of others count, too.
  package func undoStep(_ count: Int, any: Bool) throws -> UndoLine.Step {
    let (line, isOwn) = turn { (undoLine(statement: statement.tell), self.isOwn) }
    do {
      return try line.undo(count, isForeign: any ? nil : { !isOwn($0) })
    } catch let error as HistoryError {
      guard case .statementNotKept(_, let oldest) = error else { throw error }
      var described = HostError(describing: error)
      // Others would lose what they did since.
      let isShared = turn { live.clients.count > 1 }
      let part = isShared ? "" : "`undo --to \(oldest)` takes back what is kept of it; "
      described.hint = part + live.hintAtBeginning
      throw described
    }
  }

  /// The step that takes back the client's last so many undos.
  package func redoStep(_ count: Int) throws -> UndoLine.Redo {
    let (line, isOwn) = turn { (undoLine(), self.isOwn) }
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

  /// Takes back the client's own actions of a step, with what they caused; what others did since stays. The state is what it would be
  /// without them.
  ///
  /// - Returns: the report, and how many later actions stay that somebody asked for.
  /// - Throws: ``HostError`` where a later action would fail or make other changes than it makes.
  package func takeBack(_ step: UndoLine.Step, source: ActionSource) throws -> (DispatchReport, staying: Int) {
    let isOwn = turn { self.isOwn }
    let refusal = Refusal(
      text: "others have acted since, and", hint: "`undo --any` takes back the last action whoever dispatched it")
    return try takeBack(from: step.first, source: source, refusal) { entry in
      entry.number >= step.first && entry.source.cause == nil && entry.takenBack == nil && entry.restoreTarget == nil
        && isOwn(entry) && !step.others.contains(entry.number)
    }
  }

  /// Takes back an action, with what it caused; later ones stay.
  ///
  /// - Parameters:
  ///   - number: the number of the action.
  ///   - source: where that is asked for.
  /// - Returns: the report, and how many later actions stay that somebody asked for.
  /// - Throws: ``HostError`` where a later action would fail or make other changes than it makes.
  package func takeBack(_ number: Int, source: ActionSource) throws -> (DispatchReport, staying: Int) {
    let refusal = Refusal(
      text: "it cannot be undone alone:",
      hint: "`undo --to \(number - 1)` takes back all that happened since, whoever dispatched it")
    return try takeBack(from: number, source: source, refusal) { $0.number == number }
  }

  /// Brings back what undos took back; what happened since stays.
  ///
  /// - Parameters:
  ///   - undos: the numbers of the undos.
  ///   - source: where that is asked for.
  ///   - hint: what to try where it cannot be done.
  /// - Returns: the report, and how many later actions stay that somebody asked for.
  /// - Throws: ``HostError`` where a later action would fail or make other changes than it makes.
  package func bringBack(
    _ undos: Set<Int>, source: ActionSource, hint: String
  ) throws -> (DispatchReport, staying: Int) {
    let refusal = Refusal(text: "it cannot be redone:", hint: hint, manner: "with it")
    return try takeBack(from: undos.min() ?? 0, source: source, refusal) { undos.contains($0.number) }
  }

  /// - Parameter isMeant: true for an action that is to go; one that went back is then as if it had not.
  private func takeBack(
    from first: Int, source: ActionSource, _ refusal: Refusal, where isMeant: @escaping (LoggedEntry) -> Bool
  ) throws -> (DispatchReport, staying: Int) {
    // Without the turn; where others are quicker than it is, it has the last way alone.
    for round in 0...Self.rounds {
      let plan = try TakingBackPlan(self, from: first, refusal, where: isMeant)
      let done = try turn { () -> DispatchReport? in
        guard live.head == plan.head || round == Self.rounds else { return nil }
        let last = live.head == plan.head ? plan : try TakingBackPlan(self, from: first, refusal, where: isMeant)
        return live.dispatch(.takeBack(last.taken.sorted(), state: last.state), source, madeBehind: last.head)
      }
      if let done { return (done, plan.staying) }
    }
    throw refusal.error("the store is too busy")
  }

  /// How often it looks whether others have acted meanwhile.
  private static let rounds = 8
}

/// The words in which it is refused to take something back.
private struct Refusal {
  /// The beginning of the message.
  let text: String
  /// What to try.
  let hint: String
  /// How a later action would do something else.
  var manner = "without it"

  func error(_ reason: String) -> HostError {
    HostError(code: .undoConflict, message: "\(text) \(reason)", hint: hint)
  }
}

/// The state without some actions that are in effect, and whether all others make the same changes in it.
private struct TakingBackPlan {
  let head: Int
  let taken: Set<Int>
  /// How many later actions stay that somebody asked for.
  let staying: Int
  let state: HostState

  init(
    _ client: StoreClient, from first: Int, _ refusal: Refusal, where isMeant: @escaping (LoggedEntry) -> Bool
  ) throws {
    let line = client.undoLine()
    let head = line.head
    let standing = try line.standing(from: first, without: isMeant)
    guard let least = standing.taken.min() else { throw refusal.error("a later undo went back to a point before it") }
    self.head = head
    taken = standing.taken
    let present = standing.hasGaps ? try Self.present(client, line, from: standing.point + 1) : nil
    var stays: Set<Int> = []
    let walk = try SkippingWalk(client, from: standing.point + 1) { entry in
      if standing.taken.contains(entry.number), entry.isWhole, entry.takenBack == nil, entry.restoreTarget == nil {
        throw refusal.error("#\(entry.number) \(entry.action) concerns everybody")
      }
      guard standing.numbers.contains(entry.number) else { return true }
      if entry.number > least, entry.source.cause == nil { stays.insert(entry.number) }
      return false
    } check: { entry, changes in
      // As it is now, or was when nothing before it has been taken back.
      let now = if let present { present[entry.number] ?? nil } else { entry.ownChanges }
      guard entry.number > least, now.map(Self.places) != changes.map(Self.places) else { return }
      let action = "#\(entry.number) \(ActionText.brief(entry.action, arguments: entry.arguments))"
      throw refusal.error("\(action) would \(changes == nil ? "fail" : "make other changes") \(refusal.manner)")
    }
    try walk.go(to: head)
    staying = stays.count
    state = walk.view(without: []).state
  }

  /// What each action does that is in effect now.
  private static func present(
    _ client: StoreClient, _ line: UndoLine, from first: Int
  ) throws -> [Int: [Change]?] {
    var made: [Int: [Change]?] = [:]
    let now = try line.standing(from: first) { _ in false }
    // What is to go may have taken back what is older.
    let walk = try SkippingWalk(client, from: now.point + 1) {
      !now.numbers.contains($0.number)
    } check: {
      made[$0.number] = .some($1)
    }
    try walk.go(to: line.head)
    return made
  }

  /// Changes by their places, where an element with an id has one whatever its position.
  private static func places(_ changes: [Change]) -> [Change] {
    changes.map { change in
      if case .move = change.kind { return Change(change.path, .move(to: 0)) }
      return Change(change.path, change.kind, isInPlace: change.isInPlace)
    }
  }
}

extension LoggedEntry {
  /// What it changed; nil: it failed, or was dropped.
  fileprivate var ownChanges: [Change]? { failure == nil && droppedBy == nil ? changes : nil }
}
