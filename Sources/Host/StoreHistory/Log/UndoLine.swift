import StoreCore

/// The points of `undo` and `redo` in a log that is never shortened. A restore to a point makes the actions that led to
/// it count, and passes over the actions after it.
public struct UndoLine {
  /// The name under which a restore is recorded.
  public static let restoreAction = "shell.restore"
  /// The functions that stand in a restore's source.
  public static let (undo, redo) = ("undo", "redo")
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
    /// The number of later actions that go with it.
    public let later: Int
    /// The numbers of the later actions that others asked for.
    public let others: [Int]

    /// Makes a step.
    public init(target: Int, first: Int, later: Int, others: [Int] = []) {
      self.target = target
      self.first = first
      self.later = later
      self.others = others
    }
  }

  /// The actions that a redo would bring back, and those that it would take back.
  public struct Redo: Equatable, Sendable {
    /// The point to return to.
    public let target: Int
    /// The first action since the undo that has had an effect, and the number of later ones; nil: there is none.
    public let takesBack: Taken?

    /// Makes one.
    public init(target: Int, takesBack: Taken? = nil) { (self.target, self.takesBack) = (target, takesBack) }
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

  private let entry: (Int) throws -> LoggedEntry?
  private let head: Int
  private let oldest: Int
  private let statement: (Int) -> ClosedRange<Int>?

  /// Reads a log.
  ///
  /// - Parameters:
  ///   - head: the number of the last action.
  ///   - oldest: the oldest point that can be returned to.
  ///   - statement: gives the numbers of the first and the last action of the statement that dispatched one, and others
  ///     with it; nil: it dispatched no other, or nobody knows.
  ///   - entry: gives the entry of a number.
  public init(
    head: Int, oldest: Int, statement: @escaping (Int) -> ClosedRange<Int>? = { _ in nil },
    entry: @escaping (Int) throws -> LoggedEntry?
  ) {
    self.head = head
    self.oldest = oldest
    self.statement = statement
    self.entry = entry
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
  /// - Parameter isForeign: true for an action that another party asked for: it does not count.
  /// - Throws: ``HistoryError/nothingToUndo(available:oldest:)``.
  public func undo(_ count: Int, isForeign: (LoggedEntry) -> Bool = { _ in false }) throws -> Step {
    var position = try origin(of: head)
    var passed = 0
    var found = 0
    var run: Run?
    var steps = UserSteps()
    var last: (first: Int, later: Int)?
    var others: [Int] = []
    while position > oldest {
      let entry = try entry(position)
      if let target = entry?.restoreTarget {
        // A statement may take back a part of what it has done.
        if last != nil, run == nil || run != statement(position).map({ Run.statement($0) }) { break }
        position = target
        if last == nil { run = nil }
        continue
      }
      if let entry, entry.isAskedFor, isForeign(entry) {
        _ = steps.holds(entry)
        others.append(position)
      } else if let entry, steps.holds(entry), try !isPartOfLoad(entry) {
        let own = statement(position).map { Run.statement($0) } ?? entry.commandRun.map { Run.command($0) }
        let isSameRun = run != nil && run == own
        if last != nil, !isSameRun { break }
        if !isSameRun { found += 1 }
        run = own
        if found == count { last = (position, passed) }
        if last != nil, run == nil { break }
      }
      if entry != nil { passed += 1 }
      position -= 1
    }
    guard let last else { throw HistoryError.nothingToUndo(available: found, oldest: oldest) }
    return Step(
      target: try origin(of: last.first - 1), first: last.first, later: last.later,
      others: others.filter { $0 > last.first })
  }

  /// True if the action came from the statement that loaded the plugin just before: it belongs to the start of the
  /// plugin.
  private func isPartOfLoad(_ action: LoggedEntry) throws -> Bool {
    guard let before = try entry(action.number - 1), Self.loads.contains(before.action) else { return false }
    return before.source == action.source
  }

  /// The point that the last so many undos left, as far as no action of the user's own came since. What tasks have done since
  /// is taken back.
  ///
  /// - Throws: ``HistoryError/nothingToRedo(available:)``.
  public func redo(_ count: Int) throws -> Redo {
    var left: [Int] = []
    var restores: [LoggedEntry] = []
    var steps = UserSteps()
    var since: Taken?
    var position = head
    while position > oldest {
      if let entry = try entry(position) {
        if entry.restoreTarget != nil {
          restores.append(entry)
        } else if steps.holds(entry) {
          break
        } else if restores.isEmpty, entry.tookEffect {
          since = Taken(first: position, later: since.map { $0.later + 1 } ?? 0)
        }
      }
      position -= 1
    }
    for restore in restores.reversed() {
      guard let target = restore.restoreTarget else { continue }
      if restore.source.function == Self.redo {
        while let last = left.popLast(), last != target {}
      } else {
        left.append(try origin(of: restore.number - 1))
      }
    }
    guard count <= left.count else { throw HistoryError.nothingToRedo(available: left.count) }
    return Redo(target: left[left.count - count], takesBack: since)
  }
}

/// What dispatched several actions that are taken back together.
private enum Run: Equatable {
  /// A run of a plugin's command.
  case command(ActionSource)
  /// A statement, by its first and its last action.
  case statement(ClosedRange<Int>)
}

/// Tells the actions that undo takes back one by one from all others, in a log that is read from its end.
private struct UserSteps {
  /// The actions that caused something that took effect, of those not read yet.
  private var causes: Set<Int> = []

  /// True if somebody asked for the action, and it took effect or caused an effect. An action causes one if, for
  /// example, an interceptor drops it and dispatches another for it.
  mutating func holds(_ entry: LoggedEntry) -> Bool {
    let hasEffect = causes.remove(entry.number) != nil || entry.tookEffect
    if let cause = entry.source.cause, hasEffect { causes.insert(cause) }
    return hasEffect && entry.isAskedFor
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

  fileprivate var tookEffect: Bool { failure == nil && (droppedBy == nil || isThunk) }

  /// True if somebody asked for the action: no other action and no task caused it.
  fileprivate var isAskedFor: Bool {
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
