import StoreHistory

/// The history, and which plugins were loaded when, as they were at some moment. Nobody else has a copy of the history outside
/// the turn.
final class Moment {
  /// The number of the last action.
  let head: Int
  /// The oldest number whose state can be made.
  let oldest: Int
  let points: [PluginTimeline.Point]
  private let history: History<HostState>
  /// The state after the last action.
  private let present: HostState
  /// Who looks at it: what it does can be stopped.
  private let client: StoreClient
  /// The state that was asked for last: the next is mostly near.
  private var latest: History<HostState>.Point?
  /// Entries that memory no longer holds, of the numbers that were asked for last.
  private var older: (numbers: ClosedRange<Int>, entries: [LoggedEntry])?

  init(of client: StoreClient) {
    self.client = client
    (history, present, points) = client.live.turn { [live = client.live] in
      (live.history, live.store.state, live.timeline.points)
    }
    (head, oldest) = (history.head, history.oldest)
  }

  // Whoever changes the history in its place, as nobody else has it any more, comes behind those who have read it.
  deinit { client.live.turn {} }

  /// The entry of an action; nil where there is none of that number.
  func entry(_ number: Int) throws -> LoggedEntry? {
    // What is in memory may be read by anybody.
    if let entry = recent(number) { return entry }
    guard number > history.oldestEntry, number <= head else { return nil }
    if older?.numbers.contains(number) != true {
      // More and more are read at a time for whoever goes back from one to the next.
      let before = older.flatMap { $0.numbers.lowerBound == number + 1 ? $0.numbers.count * 2 : nil } ?? 1
      let numbers = max(history.oldestEntry + 1, number - min(before, StoreClient.part) + 1)...number
      older = (numbers, try entries(numbers))
    }
    return older?.entries.last { $0.number <= number }.flatMap { $0.number == number ? $0 : nil }
  }

  /// The entry of an action, where memory has it: that may be read by anybody.
  func recent(_ number: Int) -> LoggedEntry? { history.log[number: number] }

  /// The entries of some numbers, as far as they are kept.
  func entries(_ numbers: ClosedRange<Int>) throws -> [LoggedEntry] {
    var entries: [LoggedEntry] = []
    try client.turn {
      try history.visit(numbers) { entry in
        entries.append(entry)
        return true
      }
    }
    return entries
  }

  /// Some entries that stand together, the latest up to a number, and the number before which to go on; nil: there are none.
  func run(upTo number: Int, _ wanted: WantedEntries, most: Int) throws -> (entries: [LoggedEntry], before: Int)? {
    try client.turn { try history.run(upTo: number, wanted, most: most) }
  }

  /// Hands out in order what entries changed, in the turn, until the body returns false.
  func visitChanges(_ numbers: ClosedRange<Int>, _ body: (HistoryStep) throws -> Bool) throws {
    try client.turn { try history.visitChanges(numbers, body) }
  }

  /// The state after an action.
  func state(at number: Int) throws -> HostState {
    let state = try client.turn { try history.state(at: number, from: present, near: latest) }
    latest = (number, state)
    return state
  }

  /// Leads the state before an entry to the one after it, in place.
  func advance(_ state: inout HostState, by entry: LoggedEntry) throws {
    try client.turn { try history.advance(&state, by: entry, from: present) }
  }
}
