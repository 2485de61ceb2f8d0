import StoreCore

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

    /// Makes one.
    public init(target: Int, takesBack: Taken? = nil, undos: [Int] = [], bringsBack: [Step.Statement] = []) {
      (self.target, self.takesBack, self.undos, self.bringsBack) = (target, takesBack, undos, bringsBack)
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
    for position in stride(from: head, to: oldest, by: -1) where !gone.contains(position) {
      guard let entry = try entry(position) else { continue }
      if entry.isAskedFor, isForeign(entry) {
        lastOther = max(lastOther, position)
        _ = steps.holds(entry)
      } else if let numbers = entry.takenBack {
        isBehindRestore = true
        if entry.source.function == Self.redo {
          gone.formUnion(numbers)
        } else {
          undos.append(Undo(number: position, left: position - 1, takenBack: numbers))
        }
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
    let entries = try isAlone ? inEffect(at: first.left, after: taken[0].target) : taken.flatMap(entries)
    return Redo(
      target: first.left, takesBack: since, undos: isAlone ? [] : taken.map(\.number),
      bringsBack: try statements(of: entries))
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
    let line = UndoLine(head: head, oldest: oldest, statement: statement, entry: entry)
    return try line.standing(from: max(point, oldest) + 1) { _ in false }.entries.filter { $0.number > point }
  }

  /// The statements that asked for some actions, whosever they are, the oldest first.
  private func statements(of entries: [LoggedEntry]) throws -> [Step.Statement] {
    var steps = UserSteps()
    var runs = Runs(statement: statement)
    for entry in entries.sorted(by: { $0.number > $1.number }) where steps.holds(entry) {
      if try !isPartOfLoad(entry) { _ = runs.take(entry) }
    }
    return runs.found.reversed()
  }
}
