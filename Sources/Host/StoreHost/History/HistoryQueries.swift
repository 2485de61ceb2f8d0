import StoreCore
import StoreHistory
import StoreModules
import StoreSchema

/// Reading the history while others go on: the turn is held once, for the moment that is looked at.
extension StoreClient {
  /// The number of entries that are read at a time, a few milliseconds where they are read back from a file.
  static let part = 256

  /// The entry of a number, however old; nil where there is none.
  package func entry(_ number: Int) throws -> LoggedEntry? { try live.recent(number) ?? theMoment.entry(number) }

  /// The entries of some numbers, as far as they are kept.
  package func entries(_ numbers: ClosedRange<Int>) throws -> [LoggedEntry] { try theMoment.entries(numbers) }

  /// Hands out entries, the latest first, from a number back, as far as they are kept, until the body returns false.
  ///
  /// - Parameter wanted: the entries that are asked for; others may be among those handed out.
  package func visitBackwards(
    from number: Int, _ wanted: WantedEntries = .all, _ body: (LoggedEntry) throws -> Bool
  ) throws {
    try atOneMoment {
      // The latest may be all that is asked for, and an entry may be large.
      var (next, most) = (number, 16)
      while true {
        try interruption.check()
        guard let run = try theMoment.run(upTo: next, wanted, most: most) else { return }
        most = min(most * 2, Self.part)
        for entry in run.entries.reversed() { guard try body(entry) else { return } }
        next = run.before - 1
      }
    }
  }

  /// The line of the log for a long run of one quiet action, up to an entry; nil: the entry belongs to no run that the journal
  /// names, or to one that begins shortly before it.
  package func longFold(upTo entry: LoggedEntry) throws -> FoldedEntry? {
    guard let fold = theMoment.older?.fold(of: entry.number), fold.isQuiet, entry.number - fold.told > Self.part else {
      return nil
    }
    return FoldedEntry(try entries(fold.first...fold.told), upTo: entry, isCut: fold.changesMore)
  }

  /// The actions that one caused, directly or by others, in order, among those up to a number.
  package func caused(by number: Int, upTo last: Int) throws -> [LoggedEntry] {
    var causes: Set = [number]
    return try entries(number + 1...last).filter { entry in
      guard let cause = entry.source.cause, causes.contains(cause) else { return false }
      causes.insert(entry.number)
      return true
    }
  }

  /// The changes of an action that concern the value at a path; empty: it left the value as it was.
  package func changes(of path: Path, by entry: LoggedEntry) throws -> [Change] {
    let told = entry.changes.filter { $0.concerns(path) }
    guard told.isEmpty else { return told }
    let possible = entry.changes.filter { $0.path.mayLie(along: path) && !$0.path.lies(along: path) }
    guard !possible.isEmpty, entry.number > live.oldest else { return possible }
    // Only the states tell which element an index led to.
    let moment = theMoment
    func value(at number: Int) throws -> Value? {
      var value: Value?
      guard case .field(let module)? = path.steps.first else { return nil }
      _ = try moment.state(at: number).readSlice(module) { schema, slice in
        value = try? schema.read(path.steps.dropFirst(), in: slice, from: Path([path.steps[0]])).value
      }
      return value
    }
    // Whoever asks goes back from entry to entry.
    let after = try value(at: entry.number)
    return try value(at: entry.number - 1) == after ? [] : possible
  }

  /// Whether an action brought the whole state of a plugin or a substate, or took it away, which no change tells.
  package func bringsOrTakes(_ module: String, _ entry: LoggedEntry) throws -> Bool {
    let (moment, application) = (theMoment, live.application)
    guard entry.isWhole, entry.number > moment.oldest, !application.modules.contains(where: { $0.name == module })
    else { return false }
    func isThere(at number: Int) throws -> Bool {
      if application.substates.contains(where: { $0.name == module }) {
        return try moment.state(at: number).substates.contains { $0.name == module }
      }
      return moment.points.versions(at: number).contains { $0.code.name == module }
    }
    return try isThere(at: entry.number) != isThere(at: entry.number - 1)
  }

  /// What makes a value behind a restore that took some actions back alone.
  package enum Maker {
    /// An action that is in effect, with its changes of the value as they are without the others.
    case action(LoggedEntry, [Change])
    /// None of the actions behind this point.
    case point(Int)
  }

  /// What makes the value at a path behind a restore that took some actions back alone. Those that are in effect may do something
  /// else without the others than they did when they were recorded.
  ///
  /// - Parameter path: a place without positions in lists.
  /// - Returns: nil: the restore does not concern the value, or what it took back is no longer kept.
  package func maker(of path: Path, behind restore: LoggedEntry) throws -> Maker? {
    try atOneMoment {
      let (moment, line) = (theMoment, undoLine(upTo: restore.number))
      let touched = try moment.touched(by: [restore])
      guard let first = touched.min(), first > moment.oldest, case .field(let module)? = path.steps.first
      else { return nil }
      func changes(_ changes: [Change]) -> [Change] { changes.filter { $0.concerns(path) } }
      var concerns = !changes(restore.changes).isEmpty
      if !concerns {
        try moment.visit(touched) { entry in
          concerns = try !changes(entry.changes).isEmpty || bringsOrTakes(module, entry)
          return !concerns
        }
      }
      guard concerns else { return nil }
      let now = try line.standing(from: first) { _ in false }
      guard now.point >= moment.oldest else { return nil }
      var made: [Int: [Change]] = [:]
      let walk = try SkippingWalk(self, moment, from: now.point + 1) {
        !now.numbers.contains($0.number)
      } check: { entry, found, _ in
        made[entry.number] = changes(found ?? [])
      }
      try walk.go(to: restore.number)
      for number in now.numbers.descending {
        guard let entry = try moment.entry(number) else { continue }
        let found = made[number] ?? changes(entry.changes)
        if try !found.isEmpty || bringsOrTakes(module, entry) { return .action(entry, found) }
      }
      return .point(now.point)
    }
  }

  /// True if a condition holds for an action after one of that number.
  package func contains(after first: Int, where holds: (LoggedEntry) throws -> Bool) throws -> Bool {
    let moment = Moment(of: self)
    guard moment.head > first else { return false }
    var isFound = false
    try visit((first + 1)...moment.head, of: moment) { entry in
      isFound = try holds(entry)
      return !isFound
    }
    return isFound
  }

  /// The same of the history as it was at some moment.
  func visit(_ numbers: ClosedRange<Int>, of moment: Moment, _ body: (LoggedEntry) throws -> Bool) throws {
    try inParts(numbers) { try moment.visit($0, body) }
  }

  /// Hands out numbers, some at a time, until the body returns false or the command is to stop.
  func inParts(_ numbers: ClosedRange<Int>, _ body: (ClosedRange<Int>) throws -> Bool) throws {
    var rest = numbers
    while rest.count > Self.part {
      try interruption.check()
      let end = rest.lowerBound + Self.part
      guard try body(rest.lowerBound...(end - 1)) else { return }
      rest = end...rest.upperBound
    }
    try interruption.check()
    _ = try body(rest)
  }
}

/// Looking at earlier points, on snapshots that the turn is held to take. The store, its timers and everybody else go on (R27).
extension StoreClient {
  /// Has everything read the state after an action, without those that are skipped, while a closure runs.
  package func viewing<Result>(_ number: Int, _ body: () throws -> Result) throws -> Result {
    try viewing(try point(number, without: past?.skipped ?? []), body)
  }

  /// Has everything read another state while a closure runs; nil: the present one.
  package func viewing<Result>(_ view: PastView?, _ body: () throws -> Result) rethrows -> Result {
    let outer = past
    past = view
    defer { past = outer }
    return try body()
  }

  /// Has everything read the state after each of some actions, in order, while a closure runs.
  package func viewingEach(_ numbers: [Int], _ body: (Int) throws -> Void) throws {
    let moment = theMoment
    var last: (versions: [PluginVersion], plugins: [HostedPlugin])?
    for number in numbers {
      let (state, versions) = (try moment.state(at: number), moment.points.versions(at: number))
      let plugins =
        if let last, last.versions.elementsEqual(versions, by: ===) { last.plugins } else { try plugins(versions) }
      last = (versions, plugins)
      try viewing(PastView(number, state, plugins)) { try body(number) }
    }
  }

  /// Shows the state after an action from now on, read-only (R27), with some actions left out.
  package func look(at number: Int, without skipped: [Int]) throws {
    past = try point(number, without: skipped)
  }

  /// Shows the present again.
  package func lookAtPresent() { past = nil }

  /// What differs between the states after two actions, without those that are skipped; 0: the initial state.
  package func changes(from old: Int, to new: Int) throws -> [Change] {
    let skipped = past?.skipped ?? []
    let (before, after) = (try point(old, without: skipped), try point(new, without: skipped))
    return HostState.changes(from: before.state, to: after.state)
  }

  /// The point after an action, where that has moved a gate behind what keeps the gate's position.
  package func settled(_ number: Int) throws -> Int {
    var number = number
    while let next = try entry(number + 1), next.keepsGate, next.source.cause.map({ $0 <= number }) ?? false {
      number += 1
    }
    return number
  }

  /// An earlier point of the history, to become the present.
  package struct ReturnPoint {
    package let number: Int
    fileprivate let state: HostState
    /// The history that it is one of.
    fileprivate let joins: Int
  }

  /// The point after an action, read on a snapshot.
  package func returnPoint(_ number: Int) throws -> ReturnPoint {
    let (moment, joins) = turnAnywhere { (theMoment, self.joins) }
    return ReturnPoint(number: number, state: try moment.state(at: number), joins: joins)
  }

  /// Makes an earlier point the present, by a recorded action, and shows it.
  ///
  /// - Parameters:
  ///   - kept: a point up to which numbers that sequences gave out stay given out, beside those that others may have seen.
  ///   - known: the point, where it was read before the turn.
  /// - Throws: where what is shown is nothing that happened.
  package func restore(
    to number: Int, keepingIDs kept: ReturnPoint? = nil, known: ReturnPoint? = nil, source: ActionSource
  ) throws -> DispatchReport {
    try restore(to: number, keepingIDs: kept, known: known, source: source) { true }
      ?? DispatchReport(number: nil, failure: HostError.outdatedReturn, faults: [])
  }

  /// The same while a condition holds.
  ///
  /// - Parameter isMeant: asked in the turn, again where actions of other nodes have come before it.
  /// - Returns: nil: it no longer held.
  func restore(
    to number: Int, keepingIDs kept: ReturnPoint? = nil, known: ReturnPoint?, source: ActionSource,
    while isMeant: @escaping () -> Bool
  ) throws -> DispatchReport? {
    try turn {
      if let viewed, !viewed.skipped.isEmpty { throw viewed.refusal }
      var isOutdated = false
      let report = try live.dispatch(source) { [self] in
        isOutdated = !isMeant()
        if isOutdated { throw HostError.outdatedReturn }
        let recorded = known.flatMap { $0.number == number && $0.joins == joins ? $0.state : nil }
        var state = try live.stateToGoOnFrom(number, recorded)
        keepSequences(in: &state, goingBackBehind: number)
        if let kept { state.raiseSequences(to: kept.state) }
        past = nil
        return .restore(to: number, state: state)
      }
      return isOutdated ? nil : report
    }
  }
}

/// How far back the history goes, and why no further.
extension LiveStore {
  /// Why states go back no further than they do.
  package var reasonOfBeginning: String {
    if oldestEntry < oldest { return "the state had another type then" }
    return isBeginningUnreadable ? "the file is damaged there" : "they are no longer kept"
  }

  /// What to do about a point that states do not go back to.
  package var hintAtBeginning: String {
    turn {
      if oldestEntry < oldest { return "the state had another type then; log and why still tell of it" }
      if isBeginningUnreadable { return "what else of the file can be read is said where it is opened" }
      let limit = "set journal.limit says how much is kept"
      guard history.older == nil else { return limit }
      return "\(limit); \(hintedProgram == nil ? "a journal" : "--store FILE") keeps all of it"
    }
  }

  /// The error for a point before the oldest one that there is.
  package func beforeBeginning(_ number: Int, oldest: Int) -> HistoryError {
    isBeginningUnreadable ? .unreadable(number, oldest: oldest) : .notKept(number, oldest: oldest)
  }
}

extension StoreClient {
  /// What became of the value at a path when the state was brought to another type.
  package func migration(of path: Path) throws -> Migration {
    let moment = theMoment
    guard let entries = moment.older, entries.oldestEntry < moment.oldest, case .field(let module)? = path.steps.first
    else { return .none }
    var slice: PluginSlice?
    let state = try moment.state(at: moment.oldest)
    _ = state.readSlice(module) { slice = PluginSlice(name: module, schema: $0, value: $0.access.read($1)) }
    guard let slice else { return .none }
    guard let before = try entries.stateBeforeMigration() else { return .unknown }
    guard let old = before.slices.first(where: { $0.module == module }) else {
      return .changed([Change(Path([.field(module)]), .add(slice.value))])
    }
    let json = try JSON.value(of: old.state)
    let changes = TypeChange(from: PluginSlice(name: module, schema: .dynamic(.any), value: json), to: slice).changes
      .filter { $0.path.lies(along: path) }
    // Lists are told as a whole.
    guard changes.contains(where: { $0.path.steps.count < path.steps.count }) else {
      return changes.isEmpty ? .none : .changed(changes)
    }
    let steps = path.steps.dropFirst()
    switch (json.part(at: steps), try JSON.value(of: JSON.text(of: slice.value)).part(at: steps)) {
    case (nil, let new?): return .changed([Change(path, .add(new))])
    case (let old?, let new?) where old != new: return .changed([Change(path, .replace(from: old, to: new))])
    default: return .none
    }
  }
}

extension Value {
  /// What a path leads to in a value read from JSON; nil: nothing.
  fileprivate func part(at steps: ArraySlice<Path.Step>) -> Value? {
    withUnsafePointer(to: self) {
      try? Schema.dynamic(.any).read(steps, in: UnsafeRawPointer($0), from: Path()).value
    }
  }
}
