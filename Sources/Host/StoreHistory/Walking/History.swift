import DequeModule
import StoreSchema

/// The past of a store: the latest actions in memory, and now and then the state after one. Such a state shares with
/// the present state all parts that have not changed since. Every point is reached from the state before it by the
/// changes that were recorded, without running a reducer.
public struct History<State: Sendable> {
  /// Applies what an entry changed to the state before it.
  public typealias Apply = @Sendable (LoggedEntry, inout State) throws -> Void

  /// A state and the number of the action that led to it.
  private struct Snapshot: Sendable {
    let number: Int
    let state: State
  }

  /// The limits of the part in memory. Entries over the limits go with the next entry, in blocks that end at a
  /// snapshot.
  public var limits: HistoryLimits
  /// The source of entries that memory no longer holds.
  public var older: (any OlderEntries<State>)?
  /// The entries in memory.
  public var log: ActionLog { blocks.log }
  private var blocks = EntryBlocks()
  /// The state before each block, and before the next entry where a block ends with the last one.
  private var snapshots: Deque<Snapshot>
  private let apply: Apply
  /// Asked now and then while entries are handed out; throws to end that.
  public var checkCancellation: () throws -> Void

  /// A history that starts with a state.
  ///
  /// - Parameters:
  ///   - state: the initial state, or the one at which a history is taken up again.
  ///   - number: the number of the last action before it.
  ///   - checkCancellation: asked now and then while entries are handed out; throws to end that.
  ///   - apply: applies an entry's changes to the state before it.
  public init(
    from state: State, at number: Int = 0, limits: HistoryLimits = HistoryLimits(),
    older: (any OlderEntries<State>)? = nil, checkCancellation: @escaping () throws -> Void = {},
    apply: @escaping Apply
  ) {
    snapshots = [Snapshot(number: number, state: state)]
    self.limits = limits
    self.older = older
    self.checkCancellation = checkCancellation
    self.apply = apply
  }

  /// The number of the last action; 0 where there is none.
  public var head: Int { log.last?.number ?? snapshots[0].number }

  /// The oldest number whose state can be made.
  public var oldest: Int { min(older?.oldest ?? .max, snapshots[0].number) }

  /// The number before the oldest entry that can be read; entries may go back further than states.
  public var oldestEntry: Int { min(older?.oldestEntry ?? .max, firstInMemory - 1) }

  /// Adds an entry behind the others.
  ///
  /// - Parameter state: the state after it.
  public mutating func append(_ entry: LoggedEntry, state: State) {
    let (endsBlock, gone) = blocks.append(entry, limits)
    if endsBlock { keep(state, after: entry.number) }
    if gone > 0 { letGo(gone) }
  }

  // Functions of their own, because nobody specialises this code, and where snapshots are reached their type is looked up.
  @inline(never)
  private mutating func keep(_ state: State, after number: Int) {
    snapshots.append(Snapshot(number: number, state: state))
  }

  @inline(never)
  private mutating func letGo(_ count: Int) { snapshots.removeFirst(count) }

  // MARK: Reading

  /// The state after an action; 0: the initial state.
  ///
  /// - Throws: ``HistoryError`` where there is no such point, or it is no longer kept.
  public func state(at number: Int) throws -> State {
    guard number <= head else { throw HistoryError.beyondHead(number, head: head) }
    let known = try snapshot(atOrBefore: number)
    var state = known.state
    guard known.number < number else { return state }
    try visit((known.number + 1)...number) { entry in
      try advance(&state, by: entry)
      return true
    }
    return state
  }

  /// The nearest state that is kept, at a number or before it.
  private func snapshot(atOrBefore number: Int) throws -> (number: Int, state: State) {
    var (low, high) = (0, snapshots.count)
    while low < high {
      let middle = (low + high) / 2
      if snapshots[middle].number <= number { low = middle + 1 } else { high = middle }
    }
    if low > 0 { return (snapshots[low - 1].number, snapshots[low - 1].state) }
    if let found = try older?.snapshot(atOrBefore: number) { return found }
    throw HistoryError.notKept(number, oldest: oldest)
  }

  /// The entry of an action, from memory or from what is older; nil where there is none of that number.
  public func entry(_ number: Int) throws -> LoggedEntry? {
    if let entry = log[number: number] { return entry }
    guard let older, number < firstInMemory, number > 0 else { return nil }
    var found: LoggedEntry?
    try older.visit(number...number) { entry in
      found = entry
      return false
    }
    return found
  }

  /// Hands out entries in order, from memory and from what is older, as far as they are kept.
  ///
  /// - Parameter body: returns false to end the visit.
  public func visit(_ numbers: ClosedRange<Int>, _ body: (LoggedEntry) throws -> Bool) throws {
    var pace = Pace(checkCancellation)
    var goesOn = true
    if let older, let numbers = beforeMemory(numbers) {
      try older.visit(numbers) { entry in
        try pace.step()
        goesOn = try body(entry)
        return goesOn
      }
    }
    guard goesOn else { return }
    for entry in inMemory(numbers) {
      try pace.step()
      guard try body(entry) else { return }
    }
  }

  /// Hands out in order what entries changed, from memory and from what is older, as far as they are kept.
  ///
  /// - Parameter body: returns false to end the visit. A step is valid until it returns.
  public func visitChanges(_ numbers: ClosedRange<Int>, _ body: (HistoryStep) throws -> Bool) throws {
    var pace = Pace(checkCancellation)
    var goesOn = true
    if let older, let numbers = beforeMemory(numbers) {
      try older.visitChanges(numbers) { step in
        try pace.step()
        goesOn = try body(step)
        return goesOn
      }
    }
    guard goesOn else { return }
    for entry in inMemory(numbers) {
      try pace.step()
      guard try body(HistoryStep(entry)) else { return }
    }
  }

  /// Some entries that stand together, the latest up to a number among which there may be one that is asked for: of
  /// memory's, then of what is older.
  ///
  /// - Parameter most: the most numbers of what is older that are read at a time.
  /// - Returns: the entries in order, and the number before which to go on; nil: there are none any more.
  public func run(
    upTo number: Int, _ wanted: WantedEntries, most: Int = 256
  ) throws -> (entries: [LoggedEntry], before: Int)? {
    if let entries = blocks.block(upTo: number, wanted), let first = entries.first {
      return (entries, first.number)
    }
    let last = min(number, firstInMemory - 1)
    guard let older, last > older.oldestEntry, let numbers = try older.numbers(upTo: last, wanted, most: most) else {
      return nil
    }
    var entries: [LoggedEntry] = []
    try older.visit(numbers, wanted) { entry in
      entries.append(entry)
      return true
    }
    return (entries, numbers.lowerBound)
  }

  /// Asks now and then whether to go on.
  private struct Pace {
    private var count = 0
    private let check: () throws -> Void

    init(_ check: @escaping () throws -> Void) { self.check = check }

    mutating func step() throws {
      if count.isMultiple(of: 256) { try check() }
      count += 1
    }
  }

  private func beforeMemory(_ numbers: ClosedRange<Int>) -> ClosedRange<Int>? {
    let first = firstInMemory
    return numbers.lowerBound < first ? numbers.lowerBound...min(numbers.upperBound, first - 1) : nil
  }

  private func inMemory(_ numbers: ClosedRange<Int>) -> some Sequence<LoggedEntry> {
    log.entries(from: numbers.lowerBound).lazy.prefix { $0.number <= numbers.upperBound }
  }

  /// Leads the state before an entry to the one after it, in place.
  public func advance(_ state: inout State, by entry: LoggedEntry) throws {
    guard entry.isWhole else { return try apply(entry, &state) }
    let after = try snapshot(atOrBefore: entry.number)
    guard after.number == entry.number else { throw HistoryError.stateIsLost(entry.number) }
    state = after.state
  }

  /// The number of the first entry in memory, or of the one that would come first.
  private var firstInMemory: Int { log.entries.first?.number ?? snapshots[0].number + 1 }
}
