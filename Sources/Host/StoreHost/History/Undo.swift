import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
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
      var next: Int?
      return UndoLine(
        head: number ?? moment.head, oldest: max(moment.oldest, live.firstPoint), statement: statement,
        run: { entry in
          // Most statements ask for few actions, and most runs are named by no row.
          guard let from = next, entry.number <= from + Self.part else {
            next = entry.number - Self.part
            return nil
          }
          guard entry.number <= from else { return nil }
          next = entry.number - Self.part
          return moment.older?.fold(of: entry.number).flatMap { $0.isOfStatement ? $0.first : nil }
        }
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
  package func undoStep(_ count: Int, any: Bool) throws -> OwnStep {
    let (line, own) = turnAnywhere { (undoLine(statement: statement.tell), ownActions) }
    do {
      if any { return OwnStep(step: try line.undo(count), head: line.head, isOwn: { _ in true }, isEarlier: false) }
      return try own.reaching { isOwn, isEarlier in
        OwnStep(
          step: try line.undo(count, isForeign: { !isOwn($0) }), head: line.head, isOwn: isOwn, isEarlier: isEarlier)
      }
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

  /// The step that takes back the client's last so many undos, and the last action when it was found.
  package func redoStep(_ count: Int) throws -> (step: UndoLine.Redo, head: Int) {
    let (line, own) = turnAnywhere { (undoLine(), ownActions) }
    return (try own.reaching { isOwn, _ in try line.redo(count) { !isOwn($0) } }, line.head)
  }

  /// Returns to a point that was found without the turn, and found again where others act meanwhile: in the turn only in the end.
  ///
  /// - Parameters:
  ///   - find: finds the point, and the last action by then.
  ///   - renew: gives what was found where entries came since; nil: it must be found again.
  ///   - prepare: called for what was found, without the turn; false: it is no return to a point.
  ///   - target: gives the point.
  /// - Returns: what was found at last, and the report; nil: it is no return to a point.
  package func returning<Found>(
    find: () throws -> (found: Found, head: Int), renew: @escaping (Found, [LoggedEntry]) -> Found?,
    prepare: (Found) throws -> Bool, target: @escaping (Found) -> Int, source: ActionSource
  ) throws -> (Found, DispatchReport?) {
    var attempts = 0
    while true {
      let (found, head) = try find()
      guard try prepare(found) else { return (found, nil) }
      let point = try returnPoint(target(found))
      attempts += 1
      let done = try change { live -> (Found, DispatchReport)? in
        func since(_ head: Int, _ found: Found) -> Found? {
          let came = live.history.head - head
          if came == 0 { return found }
          guard came <= Self.lastStep, head >= live.history.oldestInMemory else { return nil }
          return renew(found, Array(live.history.log.entries(from: head + 1)))
        }
        var now = since(head, found)
        if now == nil, attempts >= Self.plans {
          let again = try find().found
          let isReady = target(again) == target(found) || live.returningPlugins(to: target(again)).isEmpty
          now = try isReady && prepare(again) ? again : nil
        }
        guard let step = now else { return nil }
        let head = live.history.head
        let report = try restore(to: target(step), known: point, source: source) {
          now = since(head, step)
          return now.map(target) == target(step)
        }
        return report.map { (now ?? step, $0) }
      }
      if let (found, report) = done { return (found, report) }
      if attempts >= 2 * Self.plans { throw HostError.outdatedReturn }
    }
  }

  /// The actions that count as the client's own.
  private struct OwnActions {
    /// Those of this conversation.
    let numbers: ActionNumbers
    /// Tells those of the same person's ended conversations, too.
    let earlier: (LoggedEntry) -> Bool

    /// Looks among those of this conversation and, if they are used up, among all.
    func reaching<Found>(
      _ look: (_ isOwn: @escaping (LoggedEntry) -> Bool, _ isEarlier: Bool) throws -> Found
    ) throws -> Found {
      // A look for none would read the whole log.
      guard !numbers.isEmpty else { return try look(earlier, true) }
      do {
        return try look({ numbers.contains($0.number) }, false)
      } catch let error as HistoryError {
        switch error {
        case .nothingToUndo, .nothingToRedo: return try look(earlier, true)
        default: throw error
        }
      }
    }
  }

  private var ownActions: OwnActions { OwnActions(numbers: dispatched, earlier: ownInTurn) }

  /// Tells the client's own actions and those of ended conversations of the same user and the same chosen name, or of the same user
  /// under any name if the client is alone at the store. What an open conversation or the owner's code dispatched is none of them.
  package var ownOfPerson: (LoggedEntry) -> Bool {
    turnAnywhere { ownInTurn }
  }

  private var ownInTurn: (LoggedEntry) -> Bool {
    let (own, author, isNameChosen) = (dispatched, speaker(), isNameChosen)
    let others = live.clients.filter { $0 !== self }
    let (open, isAlone) = (others.map(\.dispatched), live.isAlone(beside: others))
    return { entry in
      if own.contains(entry.number) { return true }
      guard !entry.source.isOfOwner, !open.contains(where: { $0.contains(entry.number) }) else { return false }
      // Entries of a recording may have no names.
      guard let by = entry.source.author else { return isAlone }
      if isNameChosen && by == author { return true }
      // Over TCP nobody has a user.
      return isAlone && by.user != nil && by.user == author?.user
    }
  }

  /// Takes back the client's own actions of a step, with what they caused; what others did since stays. The state is what it would be
  /// without them.
  ///
  /// - Throws: ``HostError`` where a later action of another name would fail or do something else than it does.
  package func takeBack(_ own: OwnStep, source: ActionSource) throws -> TakenBack {
    let (step, isOwn) = (own.step, own.isOwn)
    let refusal = Refusal("others have acted since, and", hint: self.hint(insteadOf: step.first))
    return try takeBack(from: step.first, source: source, refusal) { entry in
      entry.number >= step.first && entry.source.cause == nil && entry.takenBack == nil && entry.restoreTarget == nil
        && entry.number <= step.last && isOwn(entry) && !step.others.contains(entry.number)
    }
  }

  /// True if the state from before an undo's actions is the one to return to: once a second name has acted, the others are taken
  /// back alone, but for those that concern everybody, such as a plugin's load.
  package func returnsToPoint(_ own: OwnStep) throws -> Bool {
    guard own.step.isAlone else { return false }
    guard live.turnAnywhere({ live.names.areSeveral }) else { return true }
    let first = own.step.first
    let concernsAll = try entries(first...max(own.step.last, first)).contains { entry in
      entry.isWhole && entry.restoreTarget == nil && entry.takenBack == nil
    }
    // What a task did meanwhile is that of whoever had it wait.
    return try concernsAll && entries(first...max(own.head, first)).allSatisfy { $0.source.cause ?? first >= first }
  }

  /// Tells the persons at the store whose actions were taken back by another: `ann@pts/3 took back your #12 tasks.add`.
  ///
  /// - Parameters:
  ///   - numbers: the actions, in rising order.
  ///   - author: who took them back.
  package func tellOthers(ofTakingBack numbers: some Sequence<Int>, by author: ActionAuthor) {
    live.turnAnywhere {
      for other in live.clients where other !== self && other.isPersons {
        other.hear(ofTakingBack: numbers, by: author)
      }
    }
  }

  /// Hears of those of its actions that another took back, in the turn.
  fileprivate func hear(ofTakingBack numbers: some Sequence<Int>, by author: ActionAuthor) {
    let theirs = numbers.filter { dispatched.contains($0) }
    guard let first = theirs.first, let entry = live.history.recent(first) else { return }
    hear(note: Self.note(of: theirs, entry.action, takenBackBy: author))
  }

  private static func note(of numbers: [Int], _ action: String, takenBackBy author: ActionAuthor) -> String {
    let more = numbers.count > 1 ? " and \(numbers.count - 1) more" : ""
    return "\(author.text) took back your #\(numbers[0]) \(action)\(more)"
  }

  /// Tells the person who comes which of their actions others have taken back since they went, as far as that is known: where the
  /// store was opened again meanwhile, among the last thousand actions.
  package func hearOfAbsence() throws {
    guard live.turn({ live.names.areSeveral }), let person = speaker() else { return }
    let (head, seen) = live.turn { (live.history.head, live.attendance.seen[person]) }
    let oldest = seen ?? head - Self.lookedThrough
    var restores: [(by: ActionAuthor, numbers: [Int])] = []
    try visitBackwards(from: head) { entry in
      guard entry.number > oldest, seen != nil || entry.source.author != person else { return false }
      guard let author = entry.source.author, author != person else { return true }
      let numbers = entry.returned(most: Self.lookedThrough)
      if !numbers.isEmpty { restores.append((author, numbers)) }
      return true
    }
    for restore in restores.reversed() {
      let theirs = try restore.numbers.compactMap(entry).filter { $0.source.author == person }
      guard let first = theirs.first else { continue }
      turnAnywhere { hear(note: Self.note(of: theirs.map(\.number), first.action, takenBackBy: restore.by)) }
    }
  }

  /// How many actions are looked through for what was taken back meanwhile.
  fileprivate static let lookedThrough = 1000

  /// Takes back an action, with what it caused; later ones stay.
  ///
  /// - Parameters:
  ///   - number: the number of the action.
  ///   - source: where that is asked for.
  /// - Throws: ``HostError`` where a later action of another name would fail or do something else than it does.
  package func takeBack(_ number: Int, source: ActionSource) throws -> TakenBack {
    let refusal = Refusal("it cannot be undone alone:", hint: self.hintToReturn(before: number))
    return try takeBack(from: number, leavingOut: [number], source: source, refusal) { $0.number == number }
  }

  /// Brings back what undos took back; what happened since stays.
  ///
  /// - Parameters:
  ///   - undos: the numbers of the undos.
  ///   - source: where that is asked for.
  ///   - hint: what to try where it cannot be done.
  /// - Throws: ``HostError`` where a later action of another name would fail or do something else than it does.
  package func bringBack(_ undos: Set<Int>, source: ActionSource, hint: String) throws -> TakenBack {
    let refusal = Refusal("it cannot be redone:", hint: hint, manner: "with it")
    return try takeBack(from: undos.min() ?? 0, leavingOut: undos, source: source, refusal) { entry in
      undos.contains(entry.number)
    }
  }

  /// Takes back the actions of a run of statements and those that they caused. Later actions of others stay.
  ///
  /// - Parameter first: the first action of the run.
  /// - Returns: nil: nothing of it is in effect.
  /// - Throws: ``HostError`` where an action of another name stands on it.
  func takeBack(run first: Int, source: ActionSource) throws -> TakenBack? {
    if let done = try returnBefore(run: first, source) { return done }
    let refusal = Refusal("others have acted since, and", hint: self.hint(insteadOf: first))
    return try takeBackIfAny(from: first, source: source, refusal) {
      $0.isOfRun(first) && $0.takenBack == nil && $0.restoreTarget == nil
    }
  }

  private func hintToReturn(before first: Int) -> String {
    guard mayTakeAll else { return "an action that does the opposite sets it right" }
    return "`undo --to \(first - 1)` takes back all that happened since, whoever dispatched it"
  }

  /// True if the client has all rights: to take back what others did, it needs them.
  private var mayTakeAll: Bool { refusal?(ShellAction.Types.set.fullName) == nil }

  /// What to try where actions from a number on cannot be taken back alone. They may be the last of all.
  private func hint(insteadOf first: Int) -> String {
    guard mayTakeAll, let last = try? undoLine().undo(1), last.first > first else { return hintToReturn(before: first) }
    return "`undo --any` takes back the last action whoever dispatched it"
  }

  /// Returns to the point before a run, if only one name has ever acted and nothing but the run since.
  ///
  /// - Returns: nil: it is not so.
  private func returnBefore(run first: Int, _ source: ActionSource) throws -> TakenBack? {
    // Asked before the log is read, which may be long.
    func isOfOneName() -> Bool { past == nil && live.turnAnywhere { !live.names.areSeveral } }
    guard isOfOneName() else { return nil }
    let (found, report) = try returning(
      find: { () -> (UndoLine.Step?, Int) in
        let line = undoLine()
        do {
          return (try line.undo(1), line.head)
        } catch is HistoryError {
          return (nil, line.head)
        }
      }, renew: { step, entries in step?.behind(entries) },
      prepare: { step in
        guard let step, step.isAlone, isOfOneName() else { return false }
        return try entry(step.first)?.isOfRun(first) ?? false
      }, target: { ($0?.first ?? 1) - 1 }, source: source)
    return report.map { TakenBack(report: $0, count: (found?.later ?? 0) + 1) }
  }

  private func takeBack(
    from first: Int, leavingOut restores: Set<Int> = [], source: ActionSource, _ refusal: Refusal,
    where isMeant: @escaping (LoggedEntry) -> Bool
  ) throws -> TakenBack {
    let done = try takeBackIfAny(from: first, leavingOut: restores, source: source, refusal, where: isMeant)
    if let done { return done }
    throw refusal.error("it was taken back meanwhile")
  }

  /// Plans on a snapshot, without the turn. What comes meanwhile stays in memory and is added to the plan, in steps of some
  /// milliseconds: without the turn while that gains on the others, then in the turn, of which each of them has an action in between.
  /// The last step takes back what is planned.
  ///
  /// - Parameters:
  ///   - restores: those of the actions that are to go that may be restores before a return to a point.
  ///   - isMeant: true for an action that is to go; one that went back is then as if it had not.
  /// - Returns: nil: none that is meant is in effect.
  private func takeBackIfAny(
    from first: Int, leavingOut restores: Set<Int> = [], source: ActionSource, _ refusal: Refusal,
    where isMeant: @escaping (LoggedEntry) -> Bool
  ) throws -> TakenBack? {
    for _ in 0..<Self.plans {
      let (race, moment) = turnAnywhere { (PlanningRace(of: self), theMoment) }
      defer { race.end() }
      let found = try TakingBackPlan(self, moment, from: first, leavingOut: restores, race, refusal, where: isMeant)
      guard let plan = found else { return nil }
      var (missed, isSlower) = (Int.max, false)
      while plan.isUpToDate {
        let before = missed
        missed = try race.check(plan)
        isSlower = isSlower || missed >= before
        // To read what memory has let go of takes longer than others take to act.
        if race.isForgotten, isSlower { throw race.lost }
        if race.isForgotten || missed > Self.lastStep && !isSlower {
          try goOn(plan)
        } else if let done = try finish(plan, race, source, refusal) {
          return done
        }
      }
    }
    throw refusal.error("others go back all the time")
  }

  /// Adds to a plan what has come since it was made, without the turn, for some milliseconds.
  private func goOn(_ plan: TakingBackPlan) throws {
    let moment = Moment(of: self)
    guard moment.head > plan.head else { return }
    let end = ContinuousClock.now + Self.longestStep
    try visit(plan.head + 1...moment.head, of: moment) { entry in
      try plan.add(CollectionOfOne(entry))
      return plan.isUpToDate && ContinuousClock.now < end
    }
  }

  /// Adds to a plan what has come since it was made, in the turn, for some milliseconds, and takes back what is planned.
  ///
  /// - Returns: nil: there is more to be added.
  private func finish(
    _ plan: TakingBackPlan, _ race: PlanningRace, _ source: ActionSource, _ refusal: Refusal
  ) throws -> TakenBack? {
    let report = try turn { () -> DispatchReport? in
      let end = ContinuousClock.now + Self.longestStep
      guard try catchUp(plan, until: end) else { return nil }
      // What it does is still kept for the plan's sake: `redo` may ask for it.
      defer { race.end() }
      let report = try live.dispatch(source) { [self] in
        guard try catchUp(plan, until: nil) else { throw plan.isUpToDate ? race.lost : HostError.outdatedReturn }
        var state = plan.state
        if let change = state.shellChange(from: live.store.state) {
          throw refusal.error("that \(change), which concerns everybody")
        }
        // Others that went before had moved sequences behind the point from which it was walked.
        keepSequences(in: &state, goingBackBehind: plan.start)
        return .takeBack(plan.taken.sorted(), state: state)
      }
      return report.number == nil && !plan.isUpToDate ? nil : report
    }
    return report.map {
      TakenBack(
        report: $0, numbers: plan.taken.sorted(), count: plan.taken.count, staying: plan.staying,
        areOthers: plan.staysOfOthers, void: plan.void)
    }
  }

  /// Adds to a plan what has come since it was made, in the turn.
  ///
  /// - Returns: false: it is void, or there is more to be added.
  private func catchUp(_ plan: TakingBackPlan, until end: ContinuousClock.Instant?) throws -> Bool {
    while live.history.head > plan.head {
      guard plan.isUpToDate, plan.head >= live.history.oldestInMemory, end.map({ ContinuousClock.now < $0 }) ?? true
      else { return false }
      try plan.add(live.history.log.entries(from: plan.head + 1).prefix(16))
    }
    return plan.isUpToDate
  }

  /// How many actions are left for the turn at once.
  private static let lastStep = 64
  /// How long a step takes.
  private static let longestStep = Duration.milliseconds(4)
  /// How often it is planned anew where others go back meanwhile.
  private static let plans = 8
}

/// What others do while a plan is made.
private final class PlanningRace {
  private let client: StoreClient
  /// When the first action was looked at.
  private var begin = ContinuousClock.now
  /// The last action that the plan takes in: memory keeps what comes behind it.
  private var planned = 0
  /// How many actions were looked at.
  private var count = 0
  /// How many there were to be looked at when the plan began.
  var total = 0
  /// The number of the last action when that began, and how many came since.
  private var (start, came) = (0, 0)
  /// True if memory has let go of some that the plan lacks.
  private(set) var isForgotten = false
  private var (isTold, hasEnded) = (false, false)

  init(of client: StoreClient) {
    self.client = client
    client.turnAnywhere {
      (start, planned) = (client.live.history.head, client.live.history.head)
      client.awaitActions(behind: planned)
    }
  }

  /// Has memory let go of what it likes.
  func end() {
    if !hasEnded { client.awaitActions(behind: nil) }
    hasEnded = true
  }

  /// Counts an action that is looked at.
  ///
  /// - Throws: ``HostError`` where the plan can no longer be made.
  func step() throws {
    // What is read before the first says nothing of how long each takes.
    if count == 0 { begin = .now } else if count.isMultiple(of: StoreClient.part) { try check(nil) }
    count += 1
  }

  /// Has memory let go of what a plan takes in, and looks how much it lacks.
  ///
  /// - Throws: ``HostError`` where memory has let go of some of what it lacks, and no file keeps that.
  @discardableResult
  func check(_ plan: TakingBackPlan?) throws -> Int {
    try client.interruption.check()
    let (head, hasFile) = client.turnAnywhere { [live = client.live] in
      if let plan {
        planned = plan.head
        client.awaitActions(behind: planned)
      }
      (isForgotten, came) = (planned < live.history.oldestInMemory, live.history.head - start)
      return (live.history.head, live.history.older != nil)
    }
    if isForgotten, !hasFile { throw lost }
    tell(plan == nil ? total - count : head - planned)
    return head - planned
  }

  /// Tells a person once of a long wait.
  private func tell(_ left: Int) {
    let time = ContinuousClock.now - begin
    guard !isTold, client.isPersons, !client.isInTurn, time > .seconds(2), count > 0 else { return }
    let seconds = Int((time * left / count).components.seconds)
    guard seconds > 2 else { return }
    isTold = true
    client.hearing.wait?("the undo looks at \(left) more actions, for about \(seconds) s; Ctrl-C ends that")
  }

  /// The error for what memory has let go of.
  var lost: HostError {
    let limits = client.live.historyLimitsInForce
    let text = HistoryLimits(entries: limits.entries, bytes: limits.mostAwaited).text
    let maySet = client.refusal?(ShellAction.Types.set.fullName) == nil
    return HostError(
      code: .undoConflict,
      message: "memory has no room for the \(came) actions that came while the undo was planned",
      hint: maySet
        ? "`set journal.limit \"\(text)\"` gives it room"
        : "`StoreHost(…, memory:)` in the program of the store gives it room")
  }
}

package struct TakenBack {
  package let report: DispatchReport
  /// Their numbers, in rising order, if they were taken back alone; memory may have no room for the entry that names them.
  package var numbers: [Int] = []
  /// The number of the actions that are taken back.
  package let count: Int
  /// The number of later actions that stay and that persons or programs asked for.
  package var staying = 0
  /// True if all of these are of other names.
  package var areOthers = true
  /// The actions that stay or come back and have no effect now, though they had one.
  package var void: [LoggedEntry] = []
}

/// What an undo takes back, and the actions that count as its user's own.
package struct OwnStep {
  package internal(set) var step: UndoLine.Step
  /// The last action when it was found.
  package let head: Int
  /// True for an action that counts as the user's own.
  let isOwn: (LoggedEntry) -> Bool
  /// True if actions of ended conversations are among them.
  package let isEarlier: Bool

  /// The same where entries came since; nil: it must be found again.
  package func behind(_ entries: [LoggedEntry]) -> OwnStep? {
    step.behind(entries).map { step in
      var own = self
      own.step = step
      return own
    }
  }
}

extension HostError {
  /// Others act while it is to be found out again and again where to go back to.
  static var outdatedReturn: HostError {
    HostError(code: .undoConflict, message: "others act all the time; nothing was changed", hint: "repeat the command")
  }
}

/// The words in which it is refused to take something back.
private struct Refusal {
  /// The beginning of the message.
  let text: String
  /// What to try.
  let hint: () -> String
  /// How a later action would do something else.
  let manner: String

  init(_ text: String, hint: @escaping @autoclosure () -> String, manner: String = "without it") {
    (self.text, self.hint, self.manner) = (text, hint, manner)
  }

  func error(_ reason: String) -> HostError {
    HostError(code: .undoConflict, message: "\(text) \(reason)", hint: hint())
  }
}

/// The state without some actions that are in effect, if all others make the same changes in it.
private final class TakingBackPlan {
  private let choice: TakingBackChoice
  private let walk: SkippingWalk
  /// False once an action has come that went back or concerns everybody: another plan must be made.
  private(set) var isUpToDate = true
  /// True if nothing stands behind the actions that are taken back, which then were not read again one by one.
  private let hasPassedAll: Bool

  /// Makes a plan; nil: none of the actions that are meant is in effect.
  init?(
    _ client: StoreClient, _ moment: Moment, from first: Int, leavingOut restores: Set<Int>, _ race: PlanningRace,
    _ refusal: Refusal, where isMeant: @escaping (LoggedEntry) -> Bool
  ) throws {
    let parts = try client.at(moment) { () -> (TakingBackChoice, SkippingWalk, hasPassedAll: Bool)? in
      func requireKept(from first: Int, _ need: String = "") throws {
        guard first <= moment.oldest else { return }
        throw HostError(
          code: .undoConflict, message: "what happened from #\(first) on is \(need)not kept any more",
          hint: client.live.hintAtBeginning)
      }
      try requireKept(from: first)
      let (line, names) = client.turnAnywhere {
        (client.undoLine(), NamedActions(of: client, entry: moment.entry))
      }
      var standing = try line.standing(from: first, leavingOut: restores, without: isMeant)
      guard let least = standing.taken.min() else { return nil }
      let returning = try moment.touched(by: standing.takenRestores)
      // The undo of another name may have left its own actions otherwise than they were.
      let comesBackOtherwise = try standing.takenRestores.contains { try !names.isOwn($0) }
      let earliest = min(least, returning.min() ?? least)
      let isRunAgain = standing.hasGaps || comesBackOtherwise
      if isRunAgain, earliest < first, earliest > moment.oldest {
        // Others may have come back since, and do something else than they did at first: they run again, too.
        standing = try line.standing(from: earliest, leavingOut: restores, without: isMeant)
      }
      try requireKept(from: standing.point + 1, "needed for what was undone since, and is ")
      let present = isRunAgain ? try Self.present(client, moment, line, from: standing.point + 1) : nil
      var returningChanges: [Change] = []
      try moment.visit(returning) { entry in
        returningChanges += entry.changes
        return true
      }
      let choice = TakingBackChoice(
        standing, least: least, checkingFrom: earliest, present, upTo: line.head, refusal,
        changing: returningChanges,
        isOwn: names.isOwn
      ) { path, number in
        guard number <= line.head else { return nil }
        if !isRunAgain { return try? moment.state(at: number).value(at: path) }
        return try? Self.state(client, moment, line, after: number).value(at: path)
      }
      race.total = line.head - standing.point
      let walk = try SkippingWalk(
        client, moment, from: standing.point + 1,
        isSkipped: { entry in
          try race.step()
          return try choice.isSkipped(entry)
        }, check: choice.check)
      let behind = standing.point + 1...line.head
      let passesAll =
        standing.numbers.isEmpty && !isRunAgain && !standing.takesWhole
        && !moment.points.contains { behind.contains($0.number) }
      if passesAll { walk.pass(to: line.head) } else { try walk.go(to: line.head) }
      return (choice, walk, passesAll)
    }
    guard let parts else { return nil }
    (choice, walk, hasPassedAll) = parts
  }

  /// The last action that it is made for.
  var head: Int { walk.number }
  /// The point from which the state was walked to.
  var start: Int { walk.first - 1 }
  var taken: Set<Int> { choice.taken }
  /// How many later actions stay that somebody asked for.
  var staying: Int { choice.staying }
  /// True if none of them is of the user's own name.
  var staysOfOthers: Bool { choice.ownStaying == 0 }
  /// The actions that have no effect now.
  var void: [LoggedEntry] { choice.void }
  /// The state without those that are taken back.
  var state: HostState { walk.view(without: []).state }

  /// Adds the next actions, up to one that makes the plan void.
  func add(_ entries: some Sequence<LoggedEntry>) throws {
    for entry in entries {
      guard !entry.isWhole, !hasPassedAll else {
        isUpToDate = false
        return
      }
      choice.add(entry)
      try walk.step(entry)
    }
  }

  /// The state after an action with those alone that are in effect now.
  private static func state(
    _ client: StoreClient, _ moment: Moment, _ line: UndoLine, after number: Int
  ) throws -> HostState {
    let now = try line.standing(from: number + 1) { _ in false }
    let walk = try SkippingWalk(client, moment, from: now.point + 1) { !now.numbers.contains($0.number) }
    try walk.go(to: number)
    return walk.view(without: []).state
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
      _ = $2
      made[$0.number] = .some($1)
    }
    try walk.go(to: line.head)
    return made
  }
}

extension LiveStore {
  /// True if a client is the only one at the store but for some. Of a shared store nobody knows who works at the other nodes.
  fileprivate func isAlone(beside others: [StoreClient]) -> Bool { node == nil && others.allSatisfy(\.onlyServes) }

  /// Tells the clients whose actions another node has taken back.
  func tellClients(ofReturnBy entry: LoggedEntry) {
    let numbers = entry.returned(most: StoreClient.lookedThrough)
    guard let author = entry.source.author, !numbers.isEmpty else { return }
    for client in clients where client.isPersons { client.hear(ofTakingBack: numbers, by: author) }
  }
}

extension LoggedEntry {
  /// The actions that the entry's action took back, in rising order, as many as are looked through; none where it is no return.
  fileprivate func returned(most: Int) -> [Int] {
    if let takenBack { return Array(takenBack.prefix(most)) }
    guard let restoreTarget, restoreTarget + 1 < number else { return [] }
    return Array((restoreTarget + 1..<number).suffix(most))
  }
}

/// The actions of a client's own name among all others: only its own may do something else once an earlier action is taken back.
/// An action that another caused belongs to the name that asked for that one.
private final class NamedActions {
  private let own: ActionNumbers
  private let author: ActionAuthor?
  /// The actions of the other conversations that are open: they are others' under any name.
  private let open: [ActionNumbers]
  private let isAlone: Bool
  private let entry: (Int) throws -> LoggedEntry?
  /// The answers about actions that caused others.
  private var known: [Int: Bool] = [:]

  init(of client: StoreClient, entry: @escaping (Int) throws -> LoggedEntry?) {
    (own, author, open, isAlone) = client.turnAnywhere {
      let others = client.live.clients.filter { $0 !== client }
      return (client.dispatched, client.speaker(), others.map(\.dispatched), client.live.isAlone(beside: others))
    }
    self.entry = entry
  }

  /// True for an action of the client's own name.
  func isOwn(_ entry: LoggedEntry) throws -> Bool {
    if let answer = answer(about: entry) { return answer }
    var causes: [Int] = []
    var answer: Bool?
    var cause = entry.source.cause
    while answer == nil, let number = cause, causes.count < Self.longestChain {
      if let known = known[number] {
        answer = known
      } else {
        causes.append(number)
        guard let entry = try self.entry(number) else { break }
        (answer, cause) = (self.answer(about: entry), entry.source.cause)
      }
    }
    // Entries of a recording may have no names.
    let found = answer ?? isAlone
    for number in causes { known[number] = found }
    return found
  }

  /// The answer that an entry gives itself; nil: it has no name.
  private func answer(about entry: LoggedEntry) -> Bool? {
    if own.contains(entry.number) { return true }
    if entry.source.isOfOwner || open.contains(where: { $0.contains(entry.number) }) { return false }
    return entry.source.author.map { $0 == author }
  }

  /// A task may cause the next one for ever.
  private static let longestChain = 1000
}

/// Which actions are taken back and which stay, and whether those do the same without them.
private final class TakingBackChoice {
  private(set) var taken: Set<Int>
  /// The actions that stay in effect.
  private var standing: ActionNumbers
  /// The number of the later ones of those that somebody asked for.
  private(set) var staying = 0
  /// The number of those that are of the user's own name.
  private(set) var ownStaying = 0
  /// The actions in effect that do nothing now, though they did something.
  private(set) var void: [LoggedEntry] = []
  /// The first that is taken back.
  private let least: Int
  /// Only actions behind this one may do otherwise.
  private let earliest: Int
  /// What each action up to the last of them does that is in effect; nil: what it did.
  private let present: [Int: [Change]?]?
  private let last: Int
  private let refusal: Refusal
  /// True for an action of the user's own name, which may do otherwise.
  private let isOwn: (LoggedEntry) throws -> Bool
  /// Gives the value at a path after an action, as things are; nil: it is not known.
  private let valueNow: (Path, Int) -> Value?
  /// The places that the actions changed which go or come back.
  private var changedPaths: Set<Path> = []
  /// The lists without ids in which elements come or go, with the first index that then names another element.
  private var moved: [Path: Int] = [:]

  init(
    _ standing: UndoLine.Standing, least: Int, checkingFrom earliest: Int, _ present: [Int: [Change]?]?, upTo last: Int,
    _ refusal: Refusal,
    changing changes: [Change], isOwn: @escaping (LoggedEntry) throws -> Bool,
    valueNow: @escaping (Path, Int) -> Value?
  ) {
    (taken, self.standing, self.least, self.earliest) = (standing.taken, standing.numbers, least, earliest)
    (self.present, self.last, self.refusal) = (present, last, refusal)
    (self.isOwn, self.valueNow) = (isOwn, valueNow)
    note(changes)
  }

  private func note(_ changes: [Change]) {
    changedPaths.formUnion(changes.map(\.path))
    noteMoves(of: changes)
  }

  private func noteMoves(of changes: some Sequence<Change>) {
    for change in changes where change.movesElements {
      guard case .index(let index)? = change.path.steps.last else { continue }
      let list = Path(Array(change.path.steps.dropLast()))
      moved[list] = min(moved[list] ?? index, index)
    }
  }

  /// Elements that come or go before those places move them.
  private func follow(_ now: [Change], _ then: [Change]) {
    guard !moved.isEmpty else { return }
    let stay = Set(then.filter(\.movesElements))
    let moves = now.filter { $0.movesElements && stay.contains($0) }
    func follow(_ change: Change, by step: Int) {
      let list = Path(Array(change.path.steps.dropLast()))
      guard let first = moved[list], case .index(let index)? = change.path.steps.last, index < first else { return }
      moved[list] = first + step
    }
    // What goes has its old index, what comes its new one.
    for change in moves.reversed() where !change.kind.isAddition { follow(change, by: -1) }
    for change in moves where change.kind.isAddition { follow(change, by: 1) }
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
    if taken.contains(entry.number), entry.takenBack == nil {
      note(entry.changes)
      // It may do something else by now.
      if let made = present?[entry.number], let changes = made { note(changes) }
    }
    guard standing.contains(entry.number) else { return true }
    if isLater(entry) { staying += 1 }
    return false
  }

  /// True for a later action that somebody asked for.
  private func isLater(_ entry: LoggedEntry) -> Bool { entry.number > least && entry.source.cause == nil }

  /// Throws where an action of another would do something else than it does.
  func check(_ entry: LoggedEntry, _ changes: [Change]?, _ state: HostState) throws {
    var now = entry.ownChanges
    if present == nil, moved.isEmpty, now == changes {
      // Most do the same.
      if try entry.number > earliest && isLater(entry) && isOwn(entry) { ownStaying += 1 }
      return
    }
    defer { follow(now ?? [], changes ?? []) }
    guard entry.number > earliest else { return }
    // As it is now, or was when nothing before it has been taken back.
    if let present, entry.number <= last {
      // One that comes back does nothing now.
      guard let made = present[entry.number] else {
        note(entry, did: now, does: changes)
        return
      }
      now = made
    }
    guard try !isOwn(entry) else {
      if !note(entry, did: now, does: changes), isLater(entry) { ownStaying += 1 }
      // Its own may move elements otherwise.
      let (moves, others) = (now?.filter(\.movesElements) ?? [], changes?.filter(\.movesElements) ?? [])
      if moves != others { noteMoves(of: moves + others) }
      return
    }
    guard let reason = difference(from: now, to: changes, by: entry, state) else { return }
    let action = "#\(entry.number) \(ActionText.brief(entry.action, arguments: entry.arguments))"
    let author = entry.source.author.map { " by \($0.text)" } ?? ""
    throw refusal.error("\(action)\(author) would \(reason) \(refusal.manner)")
  }

  /// Takes note of an action that was asked for and has no effect any more.
  ///
  /// - Returns: true if it is one.
  @discardableResult
  private func note(_ entry: LoggedEntry, did now: [Change]?, does then: [Change]?) -> Bool {
    guard entry.source.cause == nil, now?.isEmpty == false, then?.isEmpty ?? true else { return false }
    if isLater(entry) { staying -= 1 }
    void.append(entry)
    return true
  }

  /// The first thing that an action would do otherwise, in words; nil: it would do the same.
  private func difference(
    from now: [Change]?, to then: [Change]?, by entry: LoggedEntry, _ state: HostState
  ) -> String? {
    guard let now else { return then == nil ? nil : "succeed, where it had failed," }
    guard let then else { return "fail" }
    // What it changed only because others went back it need not change.
    if then.isEmpty, !entry.changes.isEmpty, let change = now.first {
      return "change nothing, where it changed \(change.path),"
    }
    var rest = Dictionary(then.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    for change in now {
      if let reason = otherElement(change, rest[change.path]) { return reason }
      guard let other = rest.removeValue(forKey: change.path) ?? appended(change, among: &rest, state) else {
        if change.kind.isOfElement { return "not \(change.kind.verb) \(change.path)" }
        // What it wrote may be there already.
        guard let left = change.kind.left, case let found = state.value(at: change.path), found != left else {
          continue
        }
        return "leave \(change.path) at \(Self.text(found)), not \(Self.text(left)),"
      }
      if let reason = difference(from: change, to: other) { return reason }
    }
    // What it would write besides, and what was there before already.
    for change in then where rest[change.path] != nil {
      if let reason = otherElement(change, nil) { return reason }
      guard let left = change.kind.left else { return "\(change.kind.verb) \(change.path)" }
      let value = valueNow(change.path, entry.number)
      if value != left { return "leave \(change.path) at \(Self.text(left)), not \(Self.text(value))," }
    }
    return nil
  }

  /// Why a change would be that of another element: in a list without ids an index is no identity.
  private func otherElement(_ change: Change, _ other: Change?) -> String? {
    let steps = change.path.steps
    let isOther =
      !moved.isEmpty
      && steps.indices.contains { depth in
        guard case .index(let index) = steps[depth], depth + 1 < steps.count || !change.kind.isAddition else {
          return false
        }
        return moved[Path(Array(steps[..<depth]))].map { $0 <= index } ?? false
      }
    guard isOther else { return nil }
    guard let old = change.kind.former, let otherOld = other?.kind.former, old != otherOld else {
      return "\(change.kind.verb) another element at \(change.path)"
    }
    return "\(change.kind.verb) \(Self.text(otherOld)) at \(change.path), not \(Self.text(old)),"
  }

  private func difference(from change: Change, to other: Change) -> String? {
    switch (change.kind, other.kind) {
    case (.replace(let old, let new), .replace(let otherOld, let otherNew)):
      if new == otherNew { return nil }
      if changedPaths.contains(change.path), let step = new.difference(from: old),
        step == otherNew.difference(from: otherOld)
      {
        return nil
      }
      return "leave \(change.path) at \(Self.text(otherNew)), not \(Self.text(new)),"
    case (.add(let new), .add(let otherNew)):
      return new == otherNew ? nil : "add \(change.path) as \(Self.text(otherNew)), not \(Self.text(new)),"
    case (.remove, .remove), (.move, .move): return nil
    default: return "\(other.kind.verb) \(change.path), not \(change.kind.verb) it,"
    }
  }

  /// The change that appends the same value to the same list, at whatever index.
  private func appended(_ change: Change, among rest: inout [Path: Change], _ state: HostState) -> Change? {
    guard case .add(let value) = change.kind, case .index? = change.path.steps.last else { return nil }
    let list = Path(Array(change.path.steps.dropLast()))
    guard case .list(let elements)? = state.value(at: list) else { return nil }
    let path = list.appending(.index(elements.count))
    guard case .add(let other)? = rest[path]?.kind, other == value, rest.removeValue(forKey: path) != nil else {
      return nil
    }
    return change
  }

  private static func text(_ value: Value?) -> String { value.map { InlineText.text(of: $0) } ?? "nothing" }
}

extension Change.Kind {
  /// True if something came, went or moved.
  fileprivate var isOfElement: Bool { if case .replace = self { false } else { true } }

  fileprivate var isAddition: Bool { if case .add = self { true } else { false } }

  /// The value that was there before; nil: none, or the same.
  fileprivate var former: Value? {
    switch self {
    case .replace(let old, _), .remove(let old): old
    case .add, .move: nil
    }
  }

  fileprivate var verb: String {
    switch self {
    case .replace: "change"
    case .add: "add"
    case .remove: "remove"
    case .move: "move"
    }
  }

  /// The value that it leaves; nil: it leaves none.
  fileprivate var left: Value? { if case .replace(_, let new) = self { new } else { nil } }
}

extension Value {
  /// The difference of two numbers; nil: they are none, or too far apart.
  fileprivate func difference(from other: Value) -> Value? {
    switch (self, other) {
    case (.int(let new), .int(let old)):
      let (difference, overflows) = new.subtractingReportingOverflow(old)
      return overflows ? nil : .int(difference)
    case (.decimal(let new), .decimal(let old)) where new.scale == old.scale:
      let (difference, overflows) = new.units.subtractingReportingOverflow(old.units)
      return overflows ? nil : .decimal(DecimalNumber(units: difference, scale: Int(new.scale)))
    // Of sums that are rounded the digits that show them.
    case (.double(let new), .double(let old)): return .double(Double(Float(new - old)))
    default: return nil
    }
  }
}

extension LoggedEntry {
  /// What it changed; nil: it failed, or was dropped.
  fileprivate var ownChanges: [Change]? { failure == nil && droppedBy == nil ? changes : nil }
}

extension StoreClient {
  /// The point after an action, had some actions not been there.
  ///
  /// - Parameter skipped: their numbers; those of later actions make no difference.
  package func point(_ number: Int, without skipped: [Int]) throws -> PastView {
    let skipped = skipped.filter { $0 <= number }.sorted()
    guard let first = skipped.first else {
      let shown = try recorded(number, at: theMoment)
      return PastView(number, shown.state, shown.plugins)
    }
    // What they caused stays, but for what keeps the gates that they moved.
    let standing = try undoLine(upTo: number).standing(from: first, takingCaused: false) { entry in
      skipped.contains(entry.number) || entry.keepsGate && entry.source.cause.map(skipped.contains) ?? false
    }
    let walk = try SkippingWalk(self, theMoment, from: standing.point + 1) { !standing.numbers.contains($0.number) }
    try walk.go(to: number)
    return walk.view(without: skipped)
  }

  /// The plugins that were loaded after an action, as the client runs them.
  func plugins(at number: Int) throws -> [HostedPlugin] {
    try recorded(number, at: theMoment).plugins
  }

  /// Looks at the history as it is now, whatever others add to it and memory lets go of meanwhile.
  package func atOneMoment<Result>(_ body: () throws -> Result) rethrows -> Result { try at(theMoment, body) }

  fileprivate func at<Result>(_ other: Moment, _ body: () throws -> Result) rethrows -> Result {
    let outer = moment
    moment = other
    defer { moment = outer }
    return try body()
  }

  /// The moment whose history is looked at.
  var theMoment: Moment { moment ?? Moment(of: self) }

  /// The oldest action whose state is kept, and the action that is shown: of one moment, for others act meanwhile.
  package var kept: (oldest: Int, shown: Int) {
    let moment = theMoment
    return (moment.oldest, past?.number ?? moment.head)
  }
}

extension LoggedEntry {
  /// True if it keeps where another action has moved a gate: it belongs to that one.
  var keepsGate: Bool { action == ShellAction.Types.moveGate.fullName }
}

extension StoreClient {
  /// What was there after an action.
  fileprivate func recorded(_ number: Int, at moment: Moment) throws -> HostedState {
    guard number >= moment.oldest else {
      var error = HostError(describing: live.beforeBeginning(number, oldest: moment.oldest))
      error.hint = live.hintAtBeginning
      throw error
    }
    return HostedState(state: try moment.state(at: number), plugins: try plugins(moment.points.versions(at: number)))
  }
}

/// A walk along the history without some of its actions: the reducers run the others again (R27), in Lua states of the client's own.
final class SkippingWalk {
  /// The number of the action that it has come to.
  private(set) var number: Int
  private let client: StoreClient
  private let moment: Moment
  /// The first action that may be skipped.
  let first: Int
  private let isSkipped: (LoggedEntry) throws -> Bool
  private let check: ((LoggedEntry, [Change]?, HostState) throws -> Void)?
  private var rerun: Rerun
  private var sequences: [Path]

  /// - Parameters:
  ///   - first: the first action that may be skipped.
  ///   - isSkipped: asked about every action in order; true for one that returned to a point, which is never in effect.
  ///   - check: asked about every action that is not, whether it is well that it makes these changes now, or none, where it fails.
  init(
    _ client: StoreClient, _ moment: Moment, from first: Int, isSkipped: @escaping (LoggedEntry) throws -> Bool,
    check: ((LoggedEntry, [Change]?, HostState) throws -> Void)? = nil
  ) throws {
    (self.client, self.moment, self.first, self.isSkipped, self.check) = (client, moment, first, isSkipped, check)
    number = first - 1
    let start = try client.recorded(first - 1, at: moment)
    rerun = Rerun(client.live.application, start.state, start.plugins)
    sequences = rerun.state.sequences.map(\.path)
  }

  /// What it has come to.
  func view(without skipped: [Int]) -> PastView {
    PastView(number, without: skipped, rerun.state, rerun.plugins)
  }

  /// Goes on to an action of the moment.
  func go(to last: Int) throws {
    guard last > number else { return }
    try client.turnAnywhere {
      try client.live.requireCode(of: moment.points.versions(at: first - 1), after: first - 1)
      for point in moment.points where number + 1..<last ~= point.number {
        try client.live.requireCode(of: point.versions, after: point.number)
      }
    }
    try client.visit((number + 1)...last, of: moment) { entry in
      try step(entry)
      return true
    }
  }

  /// Passes over all actions up to one of the moment: none of them is in effect, or changes which plugins there are.
  func pass(to last: Int) { number = last }

  /// Takes the next action, which may have come since the moment; such a one is none of the shell's own.
  func step(_ entry: LoggedEntry) throws {
    defer { number = entry.number }
    if try isSkipped(entry) {
      // Not there.
    } else if entry.isOfShell {
      _ = try rerun.run(entry, MomentAttachments(client: client, moment: moment))
      sequences = rerun.state.sequences.map(\.path)
    } else {
      if !sequences.isEmpty { rerun.setSequences(asFoundBy: entry, among: sequences) }
      let outcome = rerun.reduce(entry)
      if let check {
        if case .applied = outcome {
          try check(entry, rerun.changes(), rerun.state)
        } else {
          try check(entry, nil, rerun.state)
        }
      }
    }
    let edited = moment.points.edited(at: entry)
    guard !edited.isEmpty else { return }
    let plugins = try client.recorded(entry.number, at: moment).plugins
    rerun.exchange(plugins.filter { edited.contains($0.plugin.module.name) })
    sequences = rerun.state.sequences.map(\.path)
  }
}

/// A state and the plugins that it belongs to.
private struct HostedState {
  let state: HostState
  let plugins: [HostedPlugin]
}

/// The parts of the history's actions that are no arguments, from the states that are recorded.
private struct MomentAttachments: RerunAttachments {
  let client: StoreClient
  let moment: Moment

  func arrival(by entry: LoggedEntry, in rerun: Rerun) throws -> Rerun.Arrival? {
    let recorded = try client.recorded(entry.number, at: moment)
    guard case .string(let name)? = entry.arguments.values.first,
      let hosted = recorded.plugins.first(where: { $0.plugin.module.name == name }),
      let loaded = recorded.state.shell.plugins.first(where: { $0.name == name })
    else { return nil }
    let slice = recorded.state.plugins.first { $0.name == name }
    var arrival = Rerun.Arrival(hosted: hosted, loaded: loaded, slice: slice)
    if entry.action == ShellAction.Types.reloadPlugin.fullName {
      let before = try client.recorded(entry.number - 1, at: moment)
      let old = before.plugins.first { $0.plugin.module.name == name }?.plugin
      let running = before.state.plugins.first { $0.name == name }
      // Only the outcome tells whether the state was reset.
      var kept = slice
      kept?.value =
        try hosted.plugin.migration.state(from: running?.value, version: old?.source.manifest.version ?? "") ?? .none
      arrival.isReset = kept?.raisingSequences(to: running).value != slice?.value
    }
    return arrival
  }

  func point(after entry: LoggedEntry, in rerun: Rerun) throws -> (state: HostState, plugins: [HostedPlugin])? {
    guard entry.action == ShellAction.Types.importState.fullName else { return nil }
    let named = ImportedModules.named(by: entry)
    var state = rerun.state
    try state.take(from: moment.state(at: entry.number)) { named?.contains($0) ?? true }
    return (state, rerun.plugins)
  }
}

extension HostState {
  /// How it differs from another state in what only the shell's own actions change, which no changes of an entry tell; nil: it does not.
  fileprivate func shellChange(from other: HostState) -> String? {
    if hasSwitches(of: other) { return nil }
    let (new, old) = (shell, other.shell)
    if new.plugins.map({ [$0.name, $0.digest] }) != old.plugins.map({ [$0.name, $0.digest] }) {
      return "loads or unloads a plugin"
    }
    if new.plugins != old.plugins { return "turns a plugin on or off" }
    if substates.map(\.name) != other.substates.map(\.name) { return "adds or removes a substate" }
    // A gate that nothing has moved yet may be in no list.
    let names = Set((new.gates + old.gates).map(\.name))
    func gate(_ name: String, of shell: ShellState) -> ShellState.Gate {
      shell.gates.first { $0.name == name } ?? ShellState.Gate(name: name, isOpen: true)
    }
    if names.contains(where: { gate($0, of: new) != gate($0, of: old) }) { return "moves a gate" }
    let isSame =
      new.emission == old.emission && new.runaway == old.runaway && new.ceiling == old.ceiling
      && new.purity == old.purity && new.watchesPlugins == old.watchesPlugins && new.limits == old.limits
    return isSame ? nil : "changes a setting"
  }

  /// Has some modules stand as in another state: those that an import named stand as its file had them whatever was there
  /// before. A plugin of another type stays as it is.
  fileprivate mutating func take(from other: HostState, where isTaken: (String) -> Bool) throws {
    for slice in other.slices where isTaken(slice.name) {
      var isOfSameType = false
      _ = readSlice(slice.name) { schema, _ in isOfSameType = schema === slice.schema }
      if isOfSameType { try setSlice(slice.name, slice.value) }
    }
    for substate in other.substates where isTaken(substate.name) {
      if let index = substates.firstIndex(where: { $0.name == substate.name }) {
        substates[index] = substate
      } else {
        substates.append(substate)
      }
    }
  }
}

extension StoreClient {
  /// Raises the sequences of a state that is to become the present: a number that was given out in company stays given out. Those
  /// of modules that come or go see to it themselves: ``ShellAction/reduce(_:)``.
  ///
  /// - Parameter number: the action behind which all goes back.
  func keepSequences(in state: inout HostState, goingBackBehind number: Int) {
    guard live.hadCompany(behind: number) else { return }
    // Numbers that were given out since the others went may be given out again.
    let known = live.hasCompany ? nil : try? theMoment.state(at: live.lastCompany)
    state.raiseSequences(to: known ?? live.store.state)
  }
}
