import StoreHistory

/// The history, and which plugins were loaded when, as they were at some moment. The turn is taken once, for the snapshot: what is
/// in memory and what a file keeps are read without it.
final class Moment {
  /// The number of the last action.
  let head: Int
  /// The oldest number whose state can be made.
  let oldest: Int
  /// The number before the oldest entry that can be read; entries may go back further than states.
  let oldestEntry: Int
  let points: [PluginTimeline.Point]
  private var history: History<HostState>
  /// What memory no longer holds of it, as this moment alone reads it; nil: nothing is kept of that.
  let older: JournalEntries?
  /// The state after the last action.
  private let present: HostState
  /// Who looks at it: what it does can be stopped.
  private let client: StoreClient
  /// The state that was asked for last, and those of moments before it: the next is mostly near.
  private var near: [History<HostState>.Point]
  /// True once a state was asked for.
  private var hasLatest = false
  /// How often the client's history had been replaced.
  private let joins: Int
  /// The entries that were asked for of what memory no longer holds, by their numbers; nil: there is none of the number.
  private var fromFile: [Int: LoggedEntry?] = [:]
  /// The numbers of those that were read last.
  private var piece = 0..<0
  /// The number of entries beyond which they are let go of: some megabytes.
  private static let most = 16_384
  /// The entries of undos and redos, oldest first, and the number from which on they are known.
  private var knownUndos: (from: Int, entries: [LoggedEntry])

  init(of client: StoreClient) {
    self.client = client
    let taken = client.live.turnAnywhere { [live = client.live, unowned client] in
      let (history, points) = (live.history, live.timeline.points)
      var known: (versions: [PluginVersion], plugins: [HostedPlugin]) = ([], [])
      // Older entries are read by the types of those who were there then: mostly the same, from one to the next.
      let older = (history.older as? JournalEntries)?.apart { number in
        let versions = points.versions(at: number)
        if !versions.elementsEqual(known.versions, by: ===) {
          known = (versions, try client.plugins(toReadBy: versions))
        }
        return known.plugins
      }
      return (
        history: history, state: live.store.state, points: points, older: older, near: live.knownPoints,
        joins: client.joins
      )
    }
    (history, present, points, older, near, joins) = taken
    (head, oldest, oldestEntry) = (history.head, history.oldest, history.oldestEntry)
    knownUndos = (head + 1, [])
    if let older { history.older = older }
    // The store's own asks for whom the turn is held.
    history.checkCancellation = { [interruption = client.interruption] in try interruption.check() }
  }

  // Whoever changes the history in its place, as nobody else has it any more, comes behind those who have read it.
  deinit {
    client.live.turnAnywhere { [client, older, latest = hasLatest ? near.last : nil, joins] in
      let live = client.live
      if let latest, joins == client.joins { live.know(latest) }
      if let older { (live.history.older as? JournalEntries)?.take(from: older) }
    }
  }

  /// The entry of an action; nil where there is none of that number.
  func entry(_ number: Int) throws -> LoggedEntry? {
    // What is in memory may be read by anybody.
    if let entry = history.recent(number) { return entry }
    guard number > oldestEntry, number <= head else { return nil }
    if let known = fromFile[number] { return known }
    // More and more are read at a time for whoever goes from one to the next, back or forth.
    let (goesBack, goesOn) = (piece.lowerBound == number + 1, piece.upperBound == number)
    let count = goesBack || goesOn ? min(piece.count * 2, StoreClient.part) : 1
    let numbers =
      goesOn
      ? history.beforeMemory(number...min(number + count - 1, head)) ?? number...number
      : max(oldestEntry + 1, number - count + 1)...number
    do {
      try readOlder(numbers)
    } catch is JournalError where numbers.count > 1 {
      // It may be another one that cannot be read.
      try readOlder(number...number)
    }
    return fromFile[number] ?? nil
  }

  /// Hands out the entries of some numbers, as far as they are kept, in their order until the body returns false. Those that stand
  /// together are read together.
  func visit(_ numbers: Set<Int>, _ body: (LoggedEntry) throws -> Bool) throws {
    let numbers = numbers.sorted()
    var next = 0
    while next < numbers.count {
      let start = next
      repeat {
        next += 1
      } while next < numbers.count && next - start < StoreClient.part && numbers[next] == numbers[next - 1] + 1
      let found: [LoggedEntry]
      do {
        found = try entries(numbers[start]...numbers[next - 1])
      } catch is JournalError {
        // The others can be read.
        for number in numbers[start..<next] { if let entry = try entry(number), try !body(entry) { return } }
        continue
      }
      guard try found.allSatisfy(body) else { return }
    }
  }

  private func readOlder(_ numbers: ClosedRange<Int>) throws {
    let entries = try entries(numbers)
    if fromFile.count > Self.most { fromFile = [:] }
    for number in numbers { fromFile[number] = .some(nil) }
    for entry in entries { fromFile[entry.number] = entry }
    piece = Range(numbers)
  }

  /// The actions and restores that some restores took back or brought back, directly or by others.
  func touched(by restores: [LoggedEntry]) throws -> Set<Int> {
    var (found, open): (Set<Int>, [LoggedEntry]) = ([], restores)
    while let restore = open.popLast() {
      let new = Set(restore.takenBack ?? []).subtracting(found)
      found.formUnion(new)
      open += try undos(among: new)
    }
    return found
  }

  /// The undos and redos among the entries of some numbers.
  private func undos(among numbers: Set<Int>) throws -> [LoggedEntry] {
    guard let first = numbers.min() else { return [] }
    do {
      return try undos(from: max(first, oldestEntry + 1)).filter { numbers.contains($0.number) }
    } catch is JournalError {
      // It may be another one that cannot be read.
      return try numbers.sorted().compactMap(entry).filter { $0.takenBack != nil }
    }
  }

  /// The undos and redos from a number on. A file passes over all actions but those of the shell.
  private func undos(from first: Int) throws -> [LoggedEntry] {
    guard first < knownUndos.from else { return knownUndos.entries }
    let numbers = first...knownUndos.from - 1
    var found: [LoggedEntry] = []
    func add(_ entry: LoggedEntry) { if entry.takenBack != nil { found.append(entry) } }
    if let older = history.older, let numbers = history.beforeMemory(numbers) {
      try older.visit(numbers, .all.named { $0.hasPrefix("shell.") }) { entry in
        add(entry)
        return true
      }
    }
    _ = history.visitWholes(inMemory: numbers, add)
    knownUndos = (first, found + knownUndos.entries)
    return knownUndos.entries
  }

  /// The entries of some numbers, as far as they are kept.
  func entries(_ numbers: ClosedRange<Int>) throws -> [LoggedEntry] {
    var entries: [LoggedEntry] = []
    try history.visit(numbers) { entry in
      entries.append(entry)
      return true
    }
    return entries
  }

  /// Hands out entries in order until the body returns false. What a file keeps is read before the body gets it.
  ///
  /// - Returns: whether it returned true for all.
  func visit(_ numbers: ClosedRange<Int>, _ body: (LoggedEntry) throws -> Bool) throws -> Bool {
    guard history.beforeMemory(numbers) == nil else { return try entries(numbers).allSatisfy(body) }
    var goesOn = true
    try history.visit(numbers) { entry in
      goesOn = try body(entry)
      return goesOn
    }
    return goesOn
  }

  /// Hands out in order the entries that changed more than they tell.
  ///
  /// - Returns: the number of all entries of those numbers.
  func visitWholes(_ numbers: ClosedRange<Int>, _ body: (LoggedEntry) throws -> Void) throws -> Int {
    var count = 0
    if let older = history.beforeMemory(numbers) {
      try client.visit(older, of: self) { entry in
        count += 1
        if entry.isWhole { try body(entry) }
        return true
      }
    }
    return try count + history.visitWholes(inMemory: numbers, body)
  }

  /// Some entries that stand together, the latest up to a number, and the number before which to go on; nil: there are none.
  func run(upTo number: Int, _ wanted: WantedEntries, most: Int) throws -> (entries: [LoggedEntry], before: Int)? {
    try history.run(upTo: number, wanted, most: most)
  }

  /// Hands out in order what entries changed until the body returns false.
  func visitChanges(_ numbers: ClosedRange<Int>, _ body: (HistoryStep) throws -> Bool) throws {
    try history.visitChanges(numbers, body)
  }

  /// The state after an action.
  func state(at number: Int) throws -> HostState {
    let state = try history.state(at: number, from: present, near: near)
    if hasLatest { near.removeLast() }
    near.append((number, state))
    hasLatest = true
    return state
  }

  /// Brings what entries do not tell, which slices are there and the switches, from before an entry to after it. The rest of the state
  /// may be that of an earlier point.
  func addUntold(of entry: LoggedEntry, to state: inout HostState) throws {
    try history.addUntold(of: entry, to: &state, from: present)
  }

  /// Leads the state before an entry to the one after it, in place.
  func advance(_ state: inout HostState, by entry: LoggedEntry) throws {
    try history.advance(&state, by: entry, from: present)
  }
}
