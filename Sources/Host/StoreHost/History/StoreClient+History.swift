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
    try inParts(numbers) { try moment.entries($0).allSatisfy(body) }
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
