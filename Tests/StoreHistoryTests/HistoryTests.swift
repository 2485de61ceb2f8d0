import StoreCore
import StoreHistory
import StoreSchema
import Synchronization
import Testing

/// A history in memory: every point that is kept can be returned to, and what is kept is bounded.
@Suite struct HistoryTests {
  @Schema
  struct Sums: Equatable {
    var total = 0
    var parts: PersistentList<Int> = []
    var flag = false
  }

  /// Actions at random on a state, with every state that they led to.
  struct Recording {
    var states: [Sums] = [Sums()]
    var entries: [LoggedEntry] = []

    /// - Parameter wholes: whether some changes are told by snapshots alone.
    init(_ count: Int, seed: UInt64, wholes: Bool = true) {
      var random = SeededGenerator(seed: seed)
      for number in 1...count {
        var state = states[number - 1]
        let isWhole = wholes && Int.random(in: 0..<50, using: &random) == 0
        switch Int.random(in: 0..<4, using: &random) {
        case 0: state.total += Int.random(in: 0..<3, using: &random)
        case 1: state.parts.append(number)
        case 2 where !state.parts.isEmpty: state.parts.remove(at: Int.random(in: 0..<state.parts.count, using: &random))
        default: break
        }
        if isWhole { state.flag.toggle() }
        entries.append(Self.entry(number, from: states[number - 1], to: state, isWhole: isWhole))
        states.append(state)
      }
    }

    /// The state after an action by a history of the recording.
    func state(_ number: Int, of history: History<Sums>, near: History<Sums>.Point? = nil) throws -> Sums {
      try history.state(at: number, from: states[history.head], near: near.map { [$0] } ?? [])
    }

    static func entry(_ number: Int, from old: Sums, to new: Sums, isWhole: Bool) -> LoggedEntry {
      let changes = withUnsafePointer(to: old) { old in
        withUnsafePointer(to: new) { Sums.schema.changes(from: UnsafeRawPointer(old), to: UnsafeRawPointer($0)) }
      }
      return LoggedEntry(
        number: number, time: .zero, source: ActionSource(file: "f", function: "f", line: number),
        action: isWhole ? "shell.set" : "a.b",
        arguments: Record(RecordLayout(name: "", fields: []), []), isQuiet: false,
        changes: isWhole ? [] : changes, failure: nil)
    }
  }

  static func history(_ limits: HistoryLimits = HistoryLimits(), older: (any OlderEntries<Sums>)? = nil) -> History<
    Sums
  > {
    History(limits: limits, older: older, apply: HistoryTests.apply)
  }

  static let apply: History<Sums>.Apply = { entry, direction, state in
    try withUnsafeMutablePointer(to: &state) {
      try Sums.schema.apply(entry.changes[...], direction, to: UnsafeMutableRawPointer($0))
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func everyPointIsReached(seed: UInt64) throws {
    let recording = Recording(1_500, seed: seed)
    var history = Self.history()
    for entry in recording.entries { history.append(entry, before: recording.states[entry.number - 1]) }
    #expect(history.head == 1_500)
    #expect(history.oldest == 0)
    for number in 0...1_500 {
      #expect(try recording.state(number, of: history) == recording.states[number], "#\(number)")
    }
    var state = try recording.state(700, of: history)
    try history.visit(701...1_100) { entry in
      try history.advance(&state, by: entry, from: recording.states[1_500])
      #expect(state == recording.states[entry.number])
      return true
    }
    #expect(throws: HistoryError.beyondHead(1_501, head: 1_500)) { try recording.state(1_501, of: history) }
    var wholes: [Int] = []
    let count = history.visitWholes(inMemory: 301...1_200) { wholes.append($0.number) }
    #expect(count == 900)
    #expect(wholes == recording.entries[300..<1_200].filter(\.isWhole).map(\.number))
  }

  /// From whatever state is known, too.
  @Test func aWayFromNearbyLeadsThere() throws {
    let recording = Recording(900, seed: 12)
    var history = Self.history()
    for entry in recording.entries { history.append(entry, before: recording.states[entry.number - 1]) }
    var random = SeededGenerator(seed: 13)
    for _ in 0..<300 {
      let (near, number) = (Int.random(in: 0...900, using: &random), Int.random(in: 0...900, using: &random))
      let state = try recording.state(number, of: history, near: (near, recording.states[near]))
      #expect(state == recording.states[number], "#\(number) from #\(near)")
    }
  }

  /// Counts what a walk applies, and the states that are kept.
  private final class Meter: Sendable {
    let applied = Atomic<Int>(0)
    let kept = Atomic<Int>(0)

    final class State: Sendable {
      let meter: Meter

      init(_ meter: Meter) {
        self.meter = meter
        meter.kept.add(1, ordering: .relaxed)
      }

      deinit { meter.kept.subtract(1, ordering: .relaxed) }
    }

    func history(_ count: Int, wholes: Set<Int> = []) -> History<State> {
      var history = History<State>(
        limits: HistoryLimits(entries: 10 * count, bytes: .max),
        apply: { _, _, state in state.meter.applied.add(1, ordering: .relaxed) })
      for number in 1...count {
        let entry = Recording.entry(number, from: Sums(), to: Sums(), isWhole: wholes.contains(number))
        history.append(entry, before: State(self))
      }
      return history
    }

    /// The number of changes that lead to the state after an action.
    func steps(to number: Int, _ history: History<State>, near: Int? = nil) throws -> Int {
      applied.store(0, ordering: .relaxed)
      _ = try history.state(at: number, from: State(self), near: near.map { [($0, State(self))] } ?? [])
      return applied.load(ordering: .relaxed)
    }
  }

  /// What a state costs that is kept grows with what differs from it, so few are.
  @Test func fewStatesAreKept() throws {
    let meter = Meter()
    let small = meter.history(10_000)
    #expect(small.head == 10_000)
    #expect(meter.kept.load(ordering: .relaxed) == 0)
    let some = meter.history(10_000, wholes: [3, 5_000])
    #expect(meter.kept.load(ordering: .relaxed) == 2)
    #expect(try meter.steps(to: 9_990, some) == 10)
    #expect(try meter.steps(to: 4_998, some) == 1)
    #expect(try meter.steps(to: 5_000, some) == 5_000)
    #expect(try meter.steps(to: 3, some) == 4_996)
    let long = meter.history(50_000)
    #expect(meter.kept.load(ordering: .relaxed) == 2 + 3)
    for number in stride(from: 0, through: 50_000, by: 2_500) {
      #expect(try meter.steps(to: number, long) <= 16_384, "#\(number)")
    }
    #expect(try meter.steps(to: 9_990, small) == 10)
  }

  /// Whoever goes on from a point has only what lies between.
  @Test func aWayFromNearbyIsShort() throws {
    let meter = Meter()
    let history = meter.history(10_000, wholes: [2_000])
    #expect(try meter.steps(to: 5_000, history, near: 5_001) == 1)
    #expect(try meter.steps(to: 5_000, history, near: 4_990) == 10)
    #expect(try meter.steps(to: 9_999, history, near: 5_000) == 1)
    #expect(try meter.steps(to: 1_990, history, near: 2_010) == 9)
    #expect(try meter.steps(to: 2_010, history, near: 1_990) == 7_990)
  }

  @Test(arguments: [1, 20, 100, 256, 1_000])
  func memoryHoldsWhatItMust(limit: Int) throws {
    let recording = Recording(4_000, seed: 7, wholes: limit != 256)
    var history = Self.history(HistoryLimits(entries: limit))
    for entry in recording.entries {
      history.append(entry, before: recording.states[entry.number - 1])
      let count = history.log.entries.count
      #expect(count >= min(limit, entry.number) && count <= limit + max(1, limit / 8), "#\(entry.number)")
    }
    let oldest = history.oldest
    #expect(oldest == (history.log.entries.first?.number ?? 0) - 1)
    for number in oldest...4_000 { #expect(try recording.state(number, of: history) == recording.states[number]) }
    #expect(throws: HistoryError.notKept(oldest - 1, oldest: oldest)) { try recording.state(oldest - 1, of: history) }
    #expect(try history.entry(oldest) == nil)
    #expect(try history.entry(oldest + 1)?.number == oldest + 1)
  }

  /// Few entries can be many bytes: a block does not wait for more of them.
  @Test func largeEntriesAreBounded() {
    var history = Self.history(HistoryLimits(bytes: 1 << 20))
    for number in 1...200 {
      let source = ActionSource(
        file: "f", function: "f", line: number, info: String(repeating: "x", count: 100_000), kind: .bridge)
      history.append(
        LoggedEntry(
          number: number, time: .zero, source: source, action: "a.b",
          arguments: Record(RecordLayout(name: "", fields: []), []), isQuiet: false, changes: [], failure: nil),
        before: Sums())
      #expect(history.log.entries.count <= 12)
    }
    #expect(history.log.entries.count >= 8)
  }

  @Test func bytesAreALimitToo() throws {
    let recording = Recording(4_000, seed: 8)
    var history = Self.history(HistoryLimits(bytes: 40_000))
    for entry in recording.entries { history.append(entry, before: recording.states[entry.number - 1]) }
    // An entry takes about 70 bytes; one block may be over.
    #expect((300...1_000).contains(history.log.entries.count))
    #expect(try recording.state(history.oldest, of: history) == recording.states[history.oldest])
    history.limits.bytes = 1
    history.append(
      Recording.entry(4_001, from: recording.states[4_000], to: Sums(), isWhole: true),
      before: recording.states[4_000])
    #expect(history.log.entries.isEmpty)
    #expect(history.head == 4_001)
    #expect(try history.state(at: 4_001, from: Sums()) == Sums())
  }

  /// What a journal would hold.
  private final class Shelf: OlderEntries {
    let recording: Recording
    let kept: Int
    var visited: [ClosedRange<Int>] = []

    init(_ recording: Recording, from kept: Int) { (self.recording, self.kept) = (recording, kept) }

    var oldest: Int { kept }

    func visit(_ numbers: ClosedRange<Int>, _ body: (LoggedEntry) throws -> Bool) throws {
      visited.append(numbers)
      for entry in recording.entries where numbers.contains(entry.number) && entry.number > kept {
        guard try body(entry) else { return }
      }
    }

    func snapshot(atOrBefore number: Int) throws -> (number: Int, state: Sums)? {
      guard number >= kept else { return nil }
      let whole = recording.entries.last { $0.isWhole && $0.number <= number }?.number ?? 0
      let point = max(kept, whole, number - number % 100)
      return (point, recording.states[point])
    }
  }

  @Test func aLongWalkCanBeEnded() throws {
    struct Ended: Error {}
    let recording = Recording(3_000, seed: 3)
    var asked = 0
    var history = History(
      limits: HistoryLimits(entries: 1_000), older: Shelf(recording, from: 0),
      checkCancellation: {
        asked += 1
        if asked == 3 { throw Ended() }
      }, apply: Self.apply)
    for entry in recording.entries { history.append(entry, before: recording.states[entry.number - 1]) }
    var count = 0
    func take() -> Bool {
      count += 1
      return true
    }
    for first in [1, 2_200] {
      (asked, count) = (0, 0)
      #expect(throws: Ended.self) { try history.visit(first...3_000) { _ in take() } }
      #expect(count == 512)
      (asked, count) = (0, 0)
      #expect(throws: Ended.self) { try history.visitChanges(first...3_000) { _ in take() } }
      #expect(count == 512)
    }
  }

  @Test func whatMemoryNoLongerHoldsIsReadBack() throws {
    let recording = Recording(3_000, seed: 9)
    let shelf = Shelf(recording, from: 500)
    var history = Self.history(HistoryLimits(entries: 300), older: shelf)
    for entry in recording.entries { history.append(entry, before: recording.states[entry.number - 1]) }
    #expect(shelf.visited.isEmpty)
    let first = try #require(history.log.entries.first?.number)
    #expect(history.oldest == 500)
    for number in stride(from: 500, through: 3_000, by: 7) {
      #expect(try recording.state(number, of: history) == recording.states[number], "#\(number)")
    }
    #expect(throws: HistoryError.notKept(499, oldest: 500)) { try recording.state(499, of: history) }
    #expect(try history.entry(501)?.number == 501)
    #expect(try history.entry(500) == nil)
    shelf.visited = []
    var numbers: [Int] = []
    try history.visit((first - 3)...(first + 3)) { entry in
      numbers.append(entry.number)
      return entry.number < first + 1
    }
    #expect(numbers == Array((first - 3)...(first + 1)))
    #expect(shelf.visited == [(first - 3)...(first - 1)])
    // A visit that ends there does not go on in memory.
    numbers = []
    try history.visit((first - 3)...(first + 3)) { entry in
      numbers.append(entry.number)
      return false
    }
    #expect(numbers == [first - 3])
  }

  @Test func aHistoryIsTakenUpAgain() throws {
    let recording = Recording(900, seed: 10)
    var history = History(after: 400, apply: Self.apply)
    #expect(history.head == 400)
    for entry in recording.entries.dropFirst(400) { history.append(entry, before: recording.states[entry.number - 1]) }
    #expect(try recording.state(400, of: history) == recording.states[400])
    #expect(try recording.state(899, of: history) == recording.states[899])
    #expect(throws: HistoryError.notKept(399, oldest: 400)) { try recording.state(399, of: history) }
  }
}
