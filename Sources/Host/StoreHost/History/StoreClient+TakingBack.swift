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
    turnAnywhere {
      let moment = theMoment
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
    let (line, isOwn) = turnAnywhere { (undoLine(statement: statement.tell), self.isOwn) }
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
    let (line, isOwn) = turnAnywhere { (undoLine(), self.isOwn) }
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
    let isOwn = turnAnywhere { self.isOwn }
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

  /// Plans on a snapshot, without the turn. What comes meanwhile is added to the plan: without the turn while that gains on the others,
  /// then in turns of some milliseconds, the last of which takes back what is planned.
  ///
  /// - Parameter isMeant: true for an action that is to go; one that went back is then as if it had not.
  private func takeBack(
    from first: Int, source: ActionSource, _ refusal: Refusal, where isMeant: @escaping (LoggedEntry) -> Bool
  ) throws -> (DispatchReport, staying: Int) {
    for _ in 0..<Self.plans {
      let plan = try TakingBackPlan(self, from: first, refusal, where: isMeant)
      var lag = Int.max
      while case let since = try entries(since: plan.head), since.missed < lag, since.missed > Self.lastStep {
        try interruption.check()
        lag = since.missed
        guard try plan.add(since.entries) else { break }
      }
      while plan.isUpToDate {
        try interruption.check()
        let report = try turn { () -> DispatchReport? in
          let end = ContinuousClock.now + Self.longestStep
          while live.history.head > plan.head {
            let isGoingOn = try ContinuousClock.now < end && plan.add(entries(since: plan.head, most: 16).entries)
            guard isGoingOn else { return nil }
          }
          return live.dispatch(.takeBack(plan.taken.sorted(), state: plan.state), source, madeBehind: plan.head)
        }
        if let report { return (report, plan.staying) }
      }
    }
    throw refusal.error("others go back all the time")
  }

  /// The entries that have come since an action, and how many those are.
  ///
  /// - Parameter most: the most that are given.
  private func entries(since number: Int, most: Int = .max) throws -> (entries: [LoggedEntry], missed: Int) {
    try turnAnywhere {
      let missed = live.history.head - number
      guard missed > 0 else { return ([], 0) }
      guard number >= live.history.oldestInMemory else {
        let kept = live.history.head - live.history.oldestInMemory
        throw HostError(
          code: .undoConflict,
          message: "\(missed) actions came while the undo was planned, and memory keeps \(kept)",
          hint: "set journal.limit \(max(4 * missed, 100_000)) keeps enough")
      }
      return (Array(live.history.log.entries(from: number + 1).prefix(most)), missed)
    }
  }

  /// How many actions may be left for the turn.
  private static let lastStep = 64
  /// How long the turn is held for those.
  private static let longestStep = Duration.milliseconds(4)
  /// How often it is planned anew where others go back meanwhile.
  private static let plans = 8
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

/// The state without some actions that are in effect, if all others make the same changes in it.
private final class TakingBackPlan {
  private let choice: TakingBackChoice
  private let walk: SkippingWalk
  /// False once an action has come that went back or concerns everybody: another plan must be made.
  private(set) var isUpToDate = true

  init(
    _ client: StoreClient, from first: Int, _ refusal: Refusal, where isMeant: @escaping (LoggedEntry) -> Bool
  ) throws {
    (choice, walk) = try client.atOneMoment {
      let moment = client.theMoment
      guard first > moment.oldest else {
        var error = refusal.error("what happened from #\(first) on is not kept any more")
        error.hint = client.live.hintAtBeginning
        throw error
      }
      let line = client.undoLine()
      let standing = try line.standing(from: first, without: isMeant)
      guard let least = standing.taken.min() else { throw refusal.error("a later undo went back to a point before it") }
      let present = standing.hasGaps ? try Self.present(client, moment, line, from: standing.point + 1) : nil
      let choice = TakingBackChoice(standing, least: least, present, upTo: line.head, refusal)
      let walk = try SkippingWalk(
        client, moment, from: standing.point + 1, isSkipped: choice.isSkipped, check: choice.check)
      try walk.go(to: line.head)
      return (choice, walk)
    }
  }

  /// The last action that it is made for.
  var head: Int { walk.number }
  /// The actions that are taken back.
  var taken: Set<Int> { choice.taken }
  /// How many later actions stay that somebody asked for.
  var staying: Int { choice.stays.count }
  /// The state without those that are taken back.
  var state: HostState { walk.view(without: []).state }

  /// Adds the next actions.
  ///
  /// - Returns: false where one of them makes the plan void.
  func add(_ entries: [LoggedEntry]) throws -> Bool {
    for entry in entries {
      guard !entry.isWhole else {
        isUpToDate = false
        return false
      }
      choice.add(entry)
      try walk.step(entry)
    }
    return true
  }

  /// What each action does that is in effect now.
  private static func present(
    _ client: StoreClient, _ moment: Moment, _ line: UndoLine, from first: Int
  ) throws -> [Int: [Change]?] {
    var made: [Int: [Change]?] = [:]
    let now = try line.standing(from: first) { _ in false }
    // What is to go may have taken back what is older.
    let walk = try SkippingWalk(client, moment, from: now.point + 1) {
      !now.numbers.contains($0.number)
    } check: {
      made[$0.number] = .some($1)
    }
    try walk.go(to: line.head)
    return made
  }
}

/// Which actions are taken back and which stay, and whether those do the same without them.
private final class TakingBackChoice {
  /// The actions that are taken back.
  private(set) var taken: Set<Int>
  /// The actions that stay in effect.
  private var standing: Set<Int>
  /// The later ones of those that somebody asked for.
  private(set) var stays: Set<Int> = []
  /// The first that is taken back.
  private let least: Int
  /// What each action up to the last of them does that is in effect; nil: what it did.
  private let present: [Int: [Change]?]?
  private let last: Int
  private let refusal: Refusal

  init(_ standing: UndoLine.Standing, least: Int, _ present: [Int: [Change]?]?, upTo last: Int, _ refusal: Refusal) {
    (taken, self.standing, self.least) = (standing.taken, standing.numbers, least)
    (self.present, self.last, self.refusal) = (present, last, refusal)
  }

  /// Adds an action: what those caused that are taken back goes with them.
  func add(_ entry: LoggedEntry) {
    if let cause = entry.source.cause, taken.contains(cause) {
      taken.insert(entry.number)
    } else {
      standing.insert(entry.number)
    }
  }

  /// Whether an action is not in effect.
  func isSkipped(_ entry: LoggedEntry) throws -> Bool {
    if taken.contains(entry.number), entry.isWhole, entry.takenBack == nil, entry.restoreTarget == nil {
      throw refusal.error("#\(entry.number) \(entry.action) concerns everybody")
    }
    guard standing.contains(entry.number) else { return true }
    if entry.number > least, entry.source.cause == nil { stays.insert(entry.number) }
    return false
  }

  /// Throws where an action would do something else than it does.
  func check(_ entry: LoggedEntry, _ changes: [Change]?) throws {
    // As it is now, or was when nothing before it has been taken back.
    let now = if let present, entry.number <= last { present[entry.number] ?? nil } else { entry.ownChanges }
    guard entry.number > least, now.map(Self.places) != changes.map(Self.places) else { return }
    let action = "#\(entry.number) \(ActionText.brief(entry.action, arguments: entry.arguments))"
    throw refusal.error("\(action) would \(changes == nil ? "fail" : "make other changes") \(refusal.manner)")
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
