import StoreCore

/// The runs of commands and the statements whose actions are taken back together, in a log that is read from its end.
struct Runs {
  /// Those found, single actions among them, the latest first.
  private(set) var found: [UndoLine.Step.Statement] = []
  /// The run of a plugin's command, or the statement, of the last action found; nil: that was alone.
  var present: Run?
  /// The places of the statements among those found, by the number of the first action that each asked for.
  private var statements: [Int: Int] = [:]
  private let statement: (LoggedEntry) -> Int?

  init(statement: @escaping (LoggedEntry) -> Int?) { self.statement = statement }

  /// The number of those found.
  var count: Int { found.count }

  enum Run: Equatable {
    case command(ActionSource)
    /// A statement, by the number of the first action that it asked for.
    case statement(Int)
  }

  /// True if an action belongs to what was found.
  func hold(_ entry: LoggedEntry) -> Bool {
    switch run(of: entry) {
    case .statement(let first): statements[first] != nil
    case let run: run != nil && run == present
    }
  }

  /// Takes an action in.
  ///
  /// - Returns: the number found by now.
  mutating func take(_ entry: LoggedEntry) -> Int {
    let isNew = !hold(entry)
    present = run(of: entry)
    if isNew { found.append(UndoLine.Step.Statement(first: entry.number, last: entry.number)) }
    var place = found.count - 1
    if case .statement(let first)? = present {
      place = statements[first] ?? place
      statements[first] = place
    }
    if !isNew {
      found[place].first = entry.number
      found[place].count += 1
    }
    return count
  }

  /// Takes in the actions right before the one that was taken last, all of the same statement.
  ///
  /// - Returns: the number found by now.
  mutating func take(_ numbers: Range<Int>) -> Int {
    guard case .statement(let first)? = present, let place = statements[first] else { return count }
    found[place].first = numbers.lowerBound
    found[place].count += numbers.count
    return count
  }

  /// True if a statement found has asked for actions before a position.
  func isOpen(at position: Int) -> Bool { statements.keys.contains { $0 < position } }

  /// The earliest statement found, if its first action stands at a position or before it; as the numbers of all of its
  /// actions.
  func statement(begunUpTo position: Int) -> ClosedRange<Int>? {
    guard let (first, place) = statements.min(by: { $0.key < $1.key }), first <= position else { return nil }
    return first...found[place].last
  }

  private func run(of entry: LoggedEntry) -> Run? {
    if let first = statement(entry) { return .statement(first) }
    if statements[entry.number] != nil { return .statement(entry.number) }
    return entry.commandRun.map { .command($0) }
  }
}

/// Tells the actions that undo takes back one by one from all others, in a log that is read from its end.
struct UserSteps {
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
