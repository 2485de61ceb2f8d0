import StoreCore

/// The points of `undo` and `redo` in a log that is never shortened. A restore to a point makes the actions that led to
/// it count, and passes over the actions after it.
public struct UndoLine {
  /// The name under which a restore is recorded.
  public static let restoreAction = "shell.restore"
  /// The functions that stand in a restore's source.
  public static let (undo, redo) = ("undo", "redo")
  /// The function in the source of a restore that takes back a run of `atomic`. No redo brings that back.
  public static let atomic = "atomic"
  private static let reloadAction = "shell.reloadPlugin"
  private static let loads = ["shell.loadPlugin", reloadAction]
  /// The actions that may bring a plugin of another version in place of one that is there.
  static let exchanges: Set<String> = [reloadAction, restoreAction]

  /// The actions that an undo would take back.
  public struct Step: Equatable, Sendable {
    /// The point to return to.
    public let target: Int
    /// The first action that is taken back.
    public let first: Int
    /// The number of later actions that took effect and go with it.
    public let later: Int
    /// True if nobody else has acted since, so that the state from before is the one to return to.
    public let isAlone: Bool
    /// The later actions that somebody asked for and that do not belong to the step.
    public let others: Set<Int>
    /// The last action that is taken back.
    public let last: Int
    /// The statements that asked for the actions, the oldest first.
    public let statements: [Statement]

    /// A statement of somebody, or a run of a plugin's command.
    public struct Statement: Equatable, Sendable {
      /// The first and the last action that it asked for.
      public internal(set) var first: Int, last: Int
      /// The number of those actions.
      public internal(set) var count = 1
    }

    /// Makes a step.
    public init(
      target: Int, first: Int, later: Int, isAlone: Bool = true, others: Set<Int> = [], last: Int? = nil,
      statements: [Statement]? = nil
    ) {
      self.target = target
      self.first = first
      self.later = later
      self.isAlone = isAlone
      self.others = others
      self.last = last ?? first + later
      self.statements = statements ?? [Statement(first: first, last: first)]
    }
  }

  /// The actions that are in effect behind a point, others being taken back.
  public struct Standing: Sendable {
    /// The point from which they lead to the state that they are in effect in.
    public let point: Int
    /// Their numbers.
    public let numbers: ActionNumbers
    /// Those that are left out besides, with what they caused.
    public let taken: Set<Int>
    /// Those of the taken that took back others themselves.
    public let takenRestores: [LoggedEntry]
    /// True if some of the taken changed more than they tell.
    public let takesWhole: Bool
    /// True if others were taken back among them.
    public let hasGaps: Bool
  }

  let entry: (Int) throws -> LoggedEntry?
  /// The last action of the log that it looks at.
  public let head: Int
  let oldest: Int
  let statement: (LoggedEntry) -> Int?
  let run: (LoggedEntry) -> Int?

  /// Reads a log.
  ///
  /// - Parameters:
  ///   - head: the number of the last action.
  ///   - oldest: the oldest point that can be returned to.
  ///   - statement: gives the first action of the statement that asked for an action behind it.
  ///   - run: gives the first of the actions up to an entry that one statement asked for and that differ in their arguments alone:
  ///     what lies between is not read; nil: no such run is known.
  ///   - entry: gives the entry of a number.
  public init(
    head: Int, oldest: Int, statement: @escaping (LoggedEntry) -> Int? = { $0.source.statement },
    run: @escaping (LoggedEntry) -> Int? = { _ in nil }, entry: @escaping (Int) throws -> LoggedEntry?
  ) {
    self.head = head
    self.oldest = oldest
    self.statement = statement
    self.run = run
    self.entry = entry
  }

  /// The actions right before an entry that are like it and of the same statement, by their numbers; nil: no such run is known, or
  /// an undo has taken some of them back alone.
  private func alike(before entry: LoggedEntry, _ walk: EffectWalk) -> Range<Int>? {
    guard !walk.isAmongPassed, let statement = statement(entry), let first = run(entry) else { return nil }
    let numbers = max(first, statement, oldest) + 1..<max(entry.number, first + 1)
    guard !numbers.isEmpty, walk.gone.isEmpty || !walk.gone.contains(where: numbers.contains) else { return nil }
    return numbers
  }

  /// The point that a number stands for: that of a restore is the one that it returned to, as long as that is still there.
  public func origin(of number: Int) throws -> Int {
    var number = number
    while number > oldest, let target = try entry(number)?.restoreTarget, target >= oldest { number = target }
    return number
  }

  /// The step that undoes the last so many actions of the user's own, with all that they caused. All dispatches of one
  /// statement, or of one run of a plugin's command, count as one action.
  ///
  /// - Parameter isForeign: true for an action that another party asked for: it does not count; nil: whoever asked, it does.
  /// - Throws: ``HistoryError/nothingToUndo(available:oldest:)``; ``HistoryError/statementNotKept(_:oldest:)`` where only a part of
  ///   a statement is kept.
  public func undo(_ count: Int, isForeign: ((LoggedEntry) -> Bool)? = nil) throws -> Step {
    var walk = EffectWalk(from: try origin(of: head), entry)
    var passed = 0
    var steps = UserSteps()
    var runs = Runs(statement: statement)
    var last: (first: Int, later: Int)?
    var newest: Int?
    var others: Set<Int> = []
    while case let position = walk.position, position > oldest {
      let entry = try entry(position)
      if let entry, walk.isGone(position) || entry.takenBack != nil {
        if !walk.isGone(position) {
          walk.leaveOut(entry.takenBack ?? [])
          if isForeign?(entry) == true { others.insert(position) }
        }
        walk.goOn()
        continue
      }
      if let entry, let target = entry.restoreTarget {
        // A statement may take back a part of what it has done.
        if last != nil, !runs.hold(entry) { break }
        try walk.goOn(to: target)
        if last == nil { runs.present = nil }
        continue
      }
      var (isTaken, isOther) = (false, false)
      if let entry, entry.isAskedFor, isForeign?(entry) == true {
        _ = steps.holds(entry)
        isOther = true
      } else if let entry, steps.holds(entry), try !isPartOfLoad(entry) {
        if last == nil || runs.hold(entry) {
          isTaken = true
          if runs.take(entry) == count { last = (position, passed) }
        } else if runs.isOpen(at: position) {
          // Others acted while a statement ran that belongs to the step.
          isOther = true
        } else {
          break
        }
        if last != nil, runs.present == nil, !runs.isOpen(at: position) { break }
      }
      if isOther { others.insert(position) }
      if let entry {
        if entry.tookEffect { passed += 1 }
        if newest == nil, !isOther { newest = position }
      }
      walk.goOn()
      if let entry, let alike = alike(before: entry, walk) {
        walk.skip(to: alike.lowerBound - 1)
        passed += alike.count
        if isOther { others.formUnion(alike) }
        if isTaken, runs.take(alike) == count { last = (alike.lowerBound, passed - 1) }
      }
    }
    let cut = runs.statement(begunUpTo: oldest)
    guard let last, cut == nil else {
      if let cut, last != nil || runs.count == 1 { throw HistoryError.statementNotKept(cut, oldest: oldest) }
      throw HistoryError.nothingToUndo(available: runs.count - (cut == nil ? 0 : 1), oldest: oldest)
    }
    others = others.filter { $0 > last.first }
    return Step(
      target: try origin(of: last.first - 1), first: last.first, later: last.later,
      // A gap from before was not there at that point, nor was what came back over it.
      isAlone: others.isEmpty && !walk.hasRevived && !walk.gone.contains { $0 < last.first }, others: others,
      last: newest,
      statements: runs.found.reversed())
  }

  /// True if the action came from the statement that loaded the plugin just before: it belongs to the start of the
  /// plugin.
  func isPartOfLoad(_ action: LoggedEntry) throws -> Bool {
    guard let before = try entry(action.number - 1), Self.loads.contains(before.action) else { return false }
    return before.source == action.source
  }

  /// What is in effect, but for some actions and what they caused.
  ///
  /// - Parameters:
  ///   - first: the first that may be left out.
  ///   - takingCaused: true if what they caused is left out, too.
  ///   - restores: the numbers of restores that are left out, wherever they are.
  ///   - isLeftOut: true for an action in effect that is; one that went back itself is then as if it had not.
  public func standing(
    from first: Int, takingCaused: Bool = true, leavingOut restores: Set<Int> = [],
    without isLeftOut: (LoggedEntry) -> Bool
  ) throws -> Standing {
    var walk = EffectWalk(from: head, entry)
    var taken: Set<Int> = []
    var takenRestores: [LoggedEntry] = []
    var takesWhole = false
    var kept: [(number: Int, cause: Int?, isWhole: Bool)] = []
    var hasGaps = false
    var low = first
    func take(_ entry: LoggedEntry) {
      taken.insert(entry.number)
      if entry.takenBack != nil { takenRestores.append(entry) }
      if entry.isWhole { takesWhole = true }
    }
    while case let position = walk.position, position >= low {
      guard !walk.isGone(position), let entry = try entry(position) else {
        walk.goOn()
        continue
      }
      if restores.contains(position) || isLeftOut(entry) {
        take(entry)
      } else if let numbers = entry.takenBack {
        hasGaps = true
        walk.leaveOut(numbers)
        low = min(low, numbers.min() ?? low)
      } else if let target = entry.restoreTarget {
        hasGaps = true
        let passed = target + 1..<max(position, target + 1)
        let leftOut = try restores.filter { number in
          try passed.contains(number) && !walk.isGone(number) && self.entry(number)?.isRestore ?? false
        }
        for number in leftOut { if let entry = try self.entry(number) { take(entry) } }
        if let touched = try walk.goOn(to: target, leavingOut: leftOut) { low = min(low, touched) }
        continue
      } else {
        kept.append((position, entry.source.cause, entry.isWhole))
      }
      walk.goOn()
    }
    var standing = ActionNumbers()
    for (number, cause, isWhole) in kept.reversed() {
      if takingCaused, let cause, taken.contains(cause) {
        taken.insert(number)
        if isWhole { takesWhole = true }
      } else {
        standing.insert(number)
      }
    }
    return Standing(
      point: min(low - 1, walk.position), numbers: standing, taken: taken, takenRestores: takenRestores,
      takesWhole: takesWhole, hasGaps: hasGaps)
  }

  /// The entry that took an action back, of those behind it; nil: it stands.
  public func restore(takingBack number: Int) throws -> Int? {
    var walk = EffectWalk(from: head, entry)
    while case let position = walk.position, position > max(number, oldest) {
      guard let entry = try entry(position), !walk.isGone(position) else {
        walk.goOn()
        continue
      }
      if let numbers = entry.takenBack {
        if numbers.contains(number), !walk.isBack(number) { return position }
        walk.leaveOut(numbers)
      }
      if let target = entry.restoreTarget, target < position {
        try walk.goOn(to: target)
        if target < number && !walk.isBack(number) || walk.isGone(number) { return position }
      } else {
        walk.goOn()
      }
    }
    return nil
  }
}

extension LoggedEntry {
  /// The point that the entry returned to, if it did.
  public var restoreTarget: Int? {
    guard action == UndoLine.restoreAction, failure == nil, droppedBy == nil,
      case .int(let target)? = arguments["to"]
    else { return nil }
    return target
  }

  /// The numbers of the actions that the entry took back alone, while later ones stayed; nil: it did something else.
  public var takenBack: [Int]? {
    guard action == UndoLine.restoreAction, failure == nil, droppedBy == nil,
      case .list(let numbers)? = arguments["without"]
    else { return nil }
    return numbers.compactMap { if case .int(let number) = $0 { number } else { nil } }
  }

  /// True if it went back or forth in what happened.
  package var isRestore: Bool { takenBack != nil || restoreTarget != nil }

  var tookEffect: Bool { failure == nil && (droppedBy == nil || isThunk) }

  /// True if somebody asked for the action: no other action and no task caused it.
  var isAskedFor: Bool {
    guard source.cause == nil else { return false }
    switch source.kind {
    case .repl, .batch, .remote, .code, .replay: return true
    case .plugin: return isOfCommand
    case .effect, .bridge: return false
    }
  }

  /// True if a plugin's command dispatched the action. Its source then says where the command stands that somebody
  /// gave.
  public var isOfCommand: Bool { source.kind == .plugin && source.cause == nil && source.info != nil }

  /// Tells the run of a plugin's command that dispatched the action from others; nil: no command did.
  var commandRun: ActionSource? {
    guard isOfCommand else { return nil }
    return ActionSource(
      file: "", function: "", line: 0, info: source.info, kind: .plugin, plugin: source.plugin, unit: source.unit)
  }
}

extension UndoLine.Step {
  /// The same step where actions came since it was found; nil: some are no mere consequences, and it must be found again.
  package func behind(_ entries: [LoggedEntry]) -> Self? {
    guard entries.allSatisfy(\.isConsequence) else { return nil }
    return Self(
      target: target, first: first, later: later + entries.count { $0.tookEffect }, isAlone: isAlone, others: others,
      last: entries.last?.number ?? last, statements: statements)
  }
}

extension UndoLine.Redo {
  /// The same where actions came since it was found; nil: some are no mere consequences, and it must be found again.
  package func behind(_ entries: [LoggedEntry]) -> Self? {
    guard entries.allSatisfy(\.isConsequence) else { return nil }
    let gone = entries.filter(\.tookEffect)
    guard let first = gone.first?.number else { return self }
    let taken = UndoLine.Taken(
      first: takesBack?.first ?? first, later: (takesBack.map { $0.later + 1 } ?? 0) + gone.count - 1)
    return Self(target: target, takesBack: taken, undos: undos, bringsBack: bringsBack, last: last)
  }
}

extension LoggedEntry {
  /// True if another action or a task caused it, and it went back nowhere.
  fileprivate var isConsequence: Bool { !isAskedFor && restoreTarget == nil && takenBack == nil }
}

/// What a redo finds in the log.
extension UndoLine {
  /// The actions that a redo would bring back, and those that it would take back.
  public struct Redo: Equatable, Sendable {
    /// The point to return to.
    public let target: Int
    /// The first action since the undo that has had an effect, and the number of later ones; nil: there is none.
    public let takesBack: Taken?
    /// The numbers of the undos that are taken back alone, the first last, because others have acted since; empty: nobody has.
    public let undos: [Int]
    /// The statements that asked for what is brought back, the oldest first.
    public let bringsBack: [Step.Statement]
    /// The last action that is brought back, which they may have caused.
    public let last: Int

    /// Makes one.
    public init(
      target: Int, takesBack: Taken? = nil, undos: [Int] = [], bringsBack: [Step.Statement] = [], last: Int? = nil
    ) {
      (self.target, self.takesBack, self.undos, self.bringsBack) = (target, takesBack, undos, bringsBack)
      self.last = last ?? bringsBack.map(\.last).max() ?? target
    }
  }

  /// Actions that are taken back together.
  public struct Taken: Equatable, Sendable {
    /// The number of the first.
    public let first: Int
    /// The number of later actions that go with it.
    public let later: Int

    /// Makes them.
    public init(first: Int, later: Int) { (self.first, self.later) = (first, later) }
  }

  /// The point that the last so many undos left, as far as no action of the user's own came since. What tasks have done since
  /// is taken back.
  ///
  /// - Parameter isForeign: true for an action that another party asked for: it stays.
  /// - Throws: ``HistoryError/nothingToRedo(available:)``.
  public func redo(_ count: Int, isForeign: (LoggedEntry) -> Bool = { _ in false }) throws -> Redo {
    var undos: [Undo] = []
    // The undos that a redo has taken back: some by their numbers, some by the point that they left.
    var gone: Set<Int> = []
    var points: [Int] = []
    var steps = UserSteps()
    var since: Taken?
    var isBehindRestore = false
    var lastOther = 0
    var position = head + 1
    while undos.count < count, position > oldest + 1 {
      position -= 1
      guard !gone.contains(position), let entry = try entry(position) else { continue }
      if entry.isAskedFor, isForeign(entry) {
        lastOther = max(lastOther, position)
        _ = steps.holds(entry)
      } else if let numbers = entry.takenBack {
        let isCancelled = entry.source.function == Self.atomic
        if !isCancelled { isBehindRestore = true }
        if isCancelled || entry.source.function == Self.redo {
          gone.formUnion(numbers)
        } else {
          undos.append(Undo(number: position, left: position - 1, takenBack: numbers))
        }
      } else if let target = entry.restoreTarget, entry.source.function == Self.atomic {
        // What lies between is as if it had never been.
        position = target + 1
      } else if let target = entry.restoreTarget {
        isBehindRestore = true
        let left = try origin(of: position - 1)
        if entry.source.function == Self.redo {
          points.append(target)
        } else if points.last == left {
          points.removeLast()
        } else if points.isEmpty {
          undos.append(Undo(number: position, left: left, target: target))
        }
      } else if steps.holds(entry) {
        break
      } else if !isBehindRestore, entry.tookEffect {
        since = Taken(first: position, later: since.map { $0.later + 1 } ?? 0)
      }
    }
    guard count <= undos.count else { throw HistoryError.nothingToRedo(available: undos.count) }
    let taken = undos.prefix(count)
    let first = taken[count - 1]
    let isAlone = lastOther < first.number && taken.allSatisfy { $0.takenBack == nil }
    let (statements, last) =
      try isAlone ? statements(inEffectAt: first.left, after: taken[0].target) : statements(of: taken.flatMap(entries))
    return Redo(
      target: first.left, takesBack: since, undos: isAlone ? [] : taken.map(\.number), bringsBack: statements,
      last: last)
  }

  /// An undo, and the point that it left.
  private struct Undo {
    let number: Int
    let left: Int
    /// The point that it returned to.
    var target = 0
    /// The actions that it took back alone, because others had acted; nil: nobody had.
    var takenBack: [Int]?
  }

  /// The actions that an undo took back.
  private func entries(of undo: Undo) throws -> [LoggedEntry] {
    try undo.takenBack?.compactMap(entry) ?? inEffect(at: undo.left, after: undo.target)
  }

  /// The actions behind a point that are in effect at a later one.
  private func inEffect(at head: Int, after point: Int) throws -> [LoggedEntry] {
    let line = UndoLine(head: head, oldest: oldest, statement: statement, run: run, entry: entry)
    let standing = try line.standing(from: max(point, oldest) + 1) { _ in false }.numbers
    return try standing.descending.prefix { $0 > point }.compactMap(entry)
  }

  /// The statements that asked for the actions behind a point that are in effect at a later one, whosever they are, the oldest first,
  /// and the last of these actions.
  private func statements(
    inEffectAt head: Int, after point: Int
  ) throws -> (statements: [Step.Statement], last: Int?) {
    var last: Int?
    var steps = UserSteps()
    var runs = Runs(statement: statement)
    var walk = EffectWalk(from: head, entry)
    while case let position = walk.position, position > max(point, oldest) {
      guard !walk.isGone(position), let entry = try entry(position) else {
        walk.goOn()
        continue
      }
      if let target = entry.restoreTarget {
        try walk.goOn(to: target)
        continue
      }
      walk.goOn()
      if let numbers = entry.takenBack {
        walk.leaveOut(numbers)
        continue
      }
      last = last ?? position
      if steps.holds(entry), try !isPartOfLoad(entry) {
        _ = runs.take(entry)
        guard let alike = alike(before: entry, walk) else { continue }
        _ = runs.take(alike)
        walk.skip(to: alike.lowerBound - 1)
      }
    }
    return (runs.found.reversed(), last)
  }

  /// The statements that asked for some actions, whosever they are, the oldest first, and the last of the actions.
  private func statements(of entries: [LoggedEntry]) throws -> (statements: [Step.Statement], last: Int?) {
    var steps = UserSteps()
    var runs = Runs(statement: statement)
    for entry in entries.sorted(by: { $0.number > $1.number }) where steps.holds(entry) {
      if try !isPartOfLoad(entry) { _ = runs.take(entry) }
    }
    return (runs.found.reversed(), entries.map(\.number).max())
  }
}
