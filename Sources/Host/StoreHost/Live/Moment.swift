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
  /// The entries that were asked for of what memory no longer holds, by their numbers; nil: there is none of the number.
  private var older: [Int: LoggedEntry?] = [:]
  /// The numbers of those that were read last.
  private var piece = 0..<0
  /// The number of entries beyond which they are let go of: some megabytes.
  private static let most = 16_384

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
    if let entry = history.recent(number) { return entry }
    guard number > history.oldestEntry, number <= head else { return nil }
    if let known = older[number] { return known }
    // More and more are read at a time for whoever goes back from one to the next.
    let count = piece.lowerBound == number + 1 ? min(piece.count * 2, StoreClient.part) : 1
    let first = max(history.oldestEntry, number - count) + 1
    do {
      try readOlder(first...number)
    } catch is JournalError where first < number {
      // It may be another one that cannot be read.
      try readOlder(number...number)
    }
    return older[number] ?? nil
  }

  private func readOlder(_ numbers: ClosedRange<Int>) throws {
    let entries = try entries(numbers)
    if older.count > Self.most { older = [:] }
    for number in numbers { older[number] = .some(nil) }
    for entry in entries { older[entry.number] = entry }
    piece = Range(numbers)
  }

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
