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
  package func atOneMoment<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = moment
    moment = theMoment
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
    HostedState(state: try moment.state(at: number), plugins: try plugins(moment.points.versions(at: number)))
  }
}

/// A walk along the history without some of its actions: the reducers run the others again (R27), in Lua states of the client's own.
final class SkippingWalk {
  /// The number of the action that it has come to.
  private(set) var number: Int
  private let client: StoreClient
  private let moment: Moment
  private let first: Int
  private let isSkipped: (LoggedEntry) throws -> Bool
  private let check: ((LoggedEntry, [Change]?) throws -> Void)?
  private var rerun: Rerun

  /// - Parameters:
  ///   - first: the first action that may be skipped.
  ///   - isSkipped: asked about every action in order; true for one that returned to a point, which is never in effect.
  ///   - check: asked about every action that is not, whether it is well that it makes these changes now, or none, where it fails.
  init(
    _ client: StoreClient, _ moment: Moment, from first: Int, isSkipped: @escaping (LoggedEntry) throws -> Bool,
    check: ((LoggedEntry, [Change]?) throws -> Void)? = nil
  ) throws {
    (self.client, self.moment, self.first, self.isSkipped, self.check) = (client, moment, first, isSkipped, check)
    number = first - 1
    let start = try client.recorded(first - 1, at: moment)
    rerun = Rerun(client.live.application, start.state, start.plugins)
  }

  /// What it has come to.
  func view(without skipped: [Int]) -> PastView {
    PastView(number, without: skipped, rerun.state, rerun.plugins)
  }

  /// Goes on to an action of the moment.
  func go(to last: Int) throws {
    guard last > number else { return }
    try client.turn {
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

  /// Takes the next action, which may have come since the moment; such a one is none of the shell's own.
  func step(_ entry: LoggedEntry) throws {
    defer { number = entry.number }
    if try isSkipped(entry) {
      // Not there.
    } else if entry.isOfShell {
      _ = try rerun.run(entry, MomentAttachments(client: client, moment: moment))
    } else {
      let outcome = rerun.reduce(entry)
      if let check {
        if case .applied = outcome { try check(entry, rerun.changes()) } else { try check(entry, nil) }
      }
    }
    let edited = moment.points.edited(at: entry)
    guard !edited.isEmpty else { return }
    let plugins = try client.recorded(entry.number, at: moment).plugins
    rerun.exchange(plugins.filter { edited.contains($0.plugin.module.name) })
  }
}

/// A state and the plugins that it belongs to.
private struct HostedState {
  /// The state of the moment.
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
      let running = before.state.plugins.first { $0.name == name }?.value
      // Only the outcome tells whether the state was reset.
      arrival.isReset =
        try hosted.plugin.migration.state(from: running, version: old?.source.manifest.version ?? "") != slice?.value
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
