import DequeModule
import StoreCore
import StoreSchema

/// The past of a store: the latest actions in memory, and no states. Every point is reached from the present state, which
/// whoever asks has, back along the changes that were recorded, without running a reducer.
public struct History<State: Sendable> {
  /// Applies what an entry changed: to the state before it, or backwards to the state after it.
  public typealias Apply = @Sendable (LoggedEntry, Change.Direction, inout State) throws -> Void

  /// A state, and the number of the last action that led to it.
  public typealias Point = (number: Int, state: State)

  /// The limits of the part in memory, as they were set. Entries over the limits go with the next entry, in blocks.
  public var limits: HistoryLimits
  /// The limits that hold: nobody who has set none keeps much of what is in a file besides.
  public var limitsInForce: HistoryLimits { older != nil && limits == HistoryLimits() ? .besideFile : limits }
  /// The first action that stays in memory whatever the limits, with those behind it, where nothing else keeps it; nil: there is none.
  public var firstNeeded: Int?
  /// The first action that somebody is about to read: it stays in memory with those behind it, while those take no more than
  /// ``HistoryLimits/mostAwaited``; nil: there is none.
  public var firstAwaited: Int?
  /// The source of entries that memory no longer holds.
  public var older: (any OlderEntries<State>)?
  /// The entries in memory.
  public var log: ActionLog { blocks.log }
  private var blocks = EntryBlocks()
  /// The number of the last action before the entries in memory.
  private var start: Int
  /// The states from which walks back set out: the state before each entry that changed more than it tells, because no
  /// walk crosses such an entry. A few others stand between, so that no walk is long.
  private var points: Deque<Point> = []
  /// The number of the last of them; 0: there was none yet.
  private var lastPoint = 0
  private let apply: Apply
  /// Asked now and then while entries are handed out; throws to end that.
  public var checkCancellation: () throws -> Void

  /// The greatest number of entries that a walk back leads over. As many changes take 20 ms at most, also where other threads
  /// made them. A state that is kept costs each part of it that has changed since: with four times as many, row B6V takes 13 %
  /// more of the processor and 80 MB more memory (2026-11-30).
  private static var longestWalk: Int { 16_384 }

  /// A history without entries.
  ///
  /// - Parameters:
  ///   - number: the number of the last action before it; 0: there was none.
  ///   - checkCancellation: asked now and then while entries are handed out; throws to end that.
  ///   - apply: applies an entry's changes in either direction.
  public init(
    after number: Int = 0, limits: HistoryLimits = HistoryLimits(), older: (any OlderEntries<State>)? = nil,
    checkCancellation: @escaping () throws -> Void = {}, apply: @escaping Apply
  ) {
    start = number
    self.limits = limits
    self.older = older
    self.checkCancellation = checkCancellation
    self.apply = apply
  }

  /// The number of the last action; 0 where there is none.
  public var head: Int { blocks.log.lastNumber ?? start }

  /// The entry of an action in memory; nil: memory has none of that number.
  package func recent(_ number: Int) -> LoggedEntry? { blocks.log[number: number] }

  /// The name of such an action.
  // Mutating: the history of an object would be copied to be asked.
  package mutating func recentAction(_ number: Int) -> String? { blocks.log.action(of: number) }

  /// The oldest number whose state can be made.
  public var oldest: Int { min(older?.oldest ?? .max, start) }

  /// The number before the oldest entry in memory: the states from there on need nothing of what is older.
  public var oldestInMemory: Int { start }

  /// The number before the oldest entry that can be read; entries may go back further than states.
  public var oldestEntry: Int { min(older?.oldestEntry ?? .max, firstInMemory - 1) }

  /// Adds an entry behind the others.
  ///
  /// - Parameter before: the state before it, which is kept only now and then.
  /// - Returns: false where there is no room for it, so that it is gone already.
  @discardableResult
  public mutating func append(_ entry: LoggedEntry, before: @autoclosure () -> State) -> Bool {
    let (number, isWhole) = (entry.number, entry.isWhole)
    if isWhole || needsState(before: number) { keep((number - 1, before())) }
    return note(number, of: blocks.log.append(entry), isWhole)
  }

  /// The same with an entry whose changes tell all, and that may be packed already. ``keepState(_:before:)`` comes first where the
  /// state before it is at hand.
  package mutating func append(_ entry: LoggedEntry, packedAs packed: PackedEntry?) -> Bool {
    note(entry.number, of: blocks.log.append(entry, packedAs: packed), false)
  }

  /// The same with an entry that is packed already, and of which no object is made.
  package mutating func append(_ packed: PackedEntry, number: Int) -> Bool {
    note(number, of: blocks.log.append(packed), false)
  }

  /// Adds the entry of an action that was applied as it came, and that is none of the shell, behind the others. It becomes bytes, and
  /// no object is made of it. ``keepState(_:before:)`` comes first where ``needsState(before:)`` asks for that.
  ///
  /// - Parameter edit: what it changed, in plain words instead of changes.
  /// - Returns: false where there is no room for it, so that it is gone already.
  @discardableResult
  package mutating func append(
    applied number: Int, time: Duration, wallTime: Int?, source: ActionSource, action: String, _ layout: RecordLayout,
    _ arguments: [Value], isQuiet: Bool, changes: [Change], _ edit: Unmanaged<PlainEdit>? = nil
  ) -> Bool {
    let size = blocks.log.next.append(
      number, time, wallTime, source, action, layout, arguments, isQuiet: isQuiet, changes, edit)
    return note(number, of: size, false)
  }

  /// True if the state before the entry of a number is to be kept, whatever that changed: no walk is to be long.
  // Mutating: the history of an object would be copied to be asked.
  package mutating func needsState(before number: Int) -> Bool { number - max(start, lastPoint) > Self.longestWalk }

  /// Keeps the state before the entry that comes next.
  package mutating func keepState(_ state: State, before number: Int) { keep((number - 1, state)) }

  /// - Returns: false where there is no room for the entry that was added, so that it is gone already.
  @inline(__always)
  private mutating func note(_ number: Int, of size: Int, _ isWhole: Bool) -> Bool {
    let needed = older == nil ? firstNeeded : nil
    let gone = blocks.note(
      number, of: size, isWhole: isWhole, limitsInForce, keepingFrom: needed, awaiting: firstAwaited)
    guard let gone else { return true }
    letGo(upTo: gone)
    return gone < number
  }

  // Functions of their own, because nobody specialises this code, and where states are reached their type is looked up.
  @inline(never)
  private mutating func keep(_ point: Point) {
    points.append(point)
    lastPoint = point.number
  }

  @inline(never)
  private mutating func letGo(upTo number: Int) {
    start = number
    while let first = points.first, first.number < number { points.removeFirst() }
  }

  // MARK: Reading

  /// The state after an action; 0: the initial state.
  ///
  /// - Parameters:
  ///   - present: the state after the last action.
  ///   - near: states that are known, from which the way may be shorter.
  /// - Throws: ``HistoryError`` where there is no such point, or it is no longer kept.
  public func state(at number: Int, from present: State, near: [Point] = []) throws -> State {
    guard number <= head else { throw HistoryError.beyondHead(number, head: head) }
    guard number >= start else { return try olderState(at: number) }
    var (from, state) = pointBehind(number) ?? (head, present)
    // An entry that no walk crosses lies between two states behind which different ones are kept.
    let behind = from
    for near in near where near.number >= start && abs(near.number - number) < abs(from - number) {
      if (pointBehind(near.number)?.number ?? head) == behind { (from, state) = near }
    }
    var pace = Pace(checkCancellation)
    func step(_ entry: LoggedEntry, _ direction: Change.Direction) throws {
      try pace.step()
      try apply(entry, direction, &state)
    }
    if from < number {
      for entry in log.entries(in: (from + 1)...number) { try step(entry, .forward) }
    } else if number < from {
      for entry in log.entries(in: (number + 1)...from).reversed() { try step(entry, .backward) }
    }
    return state
  }

  /// The first state that is kept at a number or behind it; nil: none is, and the present state is the next.
  private func pointBehind(_ number: Int) -> Point? {
    var (low, high) = (0, points.count)
    while low < high {
      let middle = (low + high) / 2
      if points[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low < points.count ? points[low] : nil
  }

  /// The state after an action that memory no longer holds: from one before it.
  private func olderState(at number: Int) throws -> State {
    guard var (known, state) = try older?.snapshot(atOrBefore: number) else {
      throw HistoryError.notKept(number, oldest: oldest)
    }
    guard known < number else { return state }
    known += 1
    try visit(known...number) { entry in
      try advance(&state, byOlder: entry)
      return true
    }
    return state
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

  /// Hands out in order the entries in memory that changed more than they tell: the state before each of those is kept.
  ///
  /// - Returns: the number of all entries of those numbers in memory.
  package func visitWholes(inMemory numbers: ClosedRange<Int>, _ body: (LoggedEntry) throws -> Void) rethrows -> Int {
    for point in points where numbers.contains(point.number + 1) {
      if let entry = log[number: point.number + 1], entry.isWhole { try body(entry) }
    }
    return log.entries(in: numbers).count
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

  /// Those of some numbers that memory no longer has; nil: it has all of them.
  package func beforeMemory(_ numbers: ClosedRange<Int>) -> ClosedRange<Int>? {
    let first = firstInMemory
    return numbers.lowerBound < first ? numbers.lowerBound...min(numbers.upperBound, first - 1) : nil
  }

  private func inMemory(_ numbers: ClosedRange<Int>) -> some Sequence<LoggedEntry> {
    log.entries(from: numbers.lowerBound).lazy.prefix { $0.number <= numbers.upperBound }
  }

  /// Leads the state before an entry to the one after it, in place.
  ///
  /// - Parameter present: the state after the last action.
  public func advance(_ state: inout State, by entry: LoggedEntry, from present: State) throws {
    if entry.number <= start {
      try advance(&state, byOlder: entry)
    } else if entry.isWhole {
      state = try self.state(at: entry.number, from: present)
    } else {
      try apply(entry, .forward, &state)
    }
  }

  /// Brings what entries do not tell from before an entry to after it. The rest of the state may be that of an earlier point.
  ///
  /// - Parameter present: the state after the last action.
  public func addUntold(of entry: LoggedEntry, to state: inout State, from present: State) throws {
    if entry.number <= start, let older, try older.addUntold(of: entry, to: &state) { return }
    try advance(&state, by: entry, from: present)
  }

  private func advance(_ state: inout State, byOlder entry: LoggedEntry) throws {
    if try !entry.isWhole || older?.tellsAll(entry) == true { return try apply(entry, .forward, &state) }
    guard let after = try older?.snapshot(atOrBefore: entry.number), after.number == entry.number else {
      throw HistoryError.stateIsLost(entry.number)
    }
    state = after.state
  }

  /// The number of the first entry in memory, or of the one that would come first.
  private var firstInMemory: Int { log.firstNumber ?? start + 1 }
}
