import StoreCore
import StoreHistory
import StoreSchema
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
    History(from: Sums(), limits: limits, older: older, apply: HistoryTests.apply)
  }

  static let apply: History<Sums>.Apply = { entry, state in
    try withUnsafeMutablePointer(to: &state) {
      try Sums.schema.apply(entry.changes[...], to: UnsafeMutableRawPointer($0))
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func everyPointIsReached(seed: UInt64) throws {
    let recording = Recording(1_500, seed: seed)
    var history = Self.history()
    for entry in recording.entries { history.append(entry, state: recording.states[entry.number]) }
    #expect(history.head == 1_500)
    #expect(history.oldest == 0)
    for number in 0...1_500 { #expect(try history.state(at: number) == recording.states[number], "#\(number)") }
    var state = try history.state(at: 700)
    try history.visit(701...1_100) { entry in
      try history.advance(&state, by: entry)
      #expect(state == recording.states[entry.number])
      return true
    }
    #expect(throws: HistoryError.beyondHead(1_501, head: 1_500)) { try history.state(at: 1_501) }
  }

  @Test(arguments: [1, 20, 100, 256, 1_000])
  func memoryHoldsWhatItMust(limit: Int) throws {
    let recording = Recording(4_000, seed: 7, wholes: limit != 256)
    var history = Self.history(HistoryLimits(entries: limit))
    for entry in recording.entries {
      history.append(entry, state: recording.states[entry.number])
      let count = history.log.entries.count
      #expect(count >= min(limit, entry.number) && count <= limit + max(1, limit / 8), "#\(entry.number)")
    }
    let oldest = history.oldest
    #expect(oldest == (history.log.entries.first?.number ?? 0) - 1)
    for number in oldest...4_000 { #expect(try history.state(at: number) == recording.states[number]) }
    #expect(throws: HistoryError.notKept(oldest - 1, oldest: oldest)) { try history.state(at: oldest - 1) }
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
        state: Sums())
      #expect(history.log.entries.count <= 12)
    }
    #expect(history.log.entries.count >= 8)
  }

  @Test func bytesAreALimitToo() throws {
    let recording = Recording(4_000, seed: 8)
    var history = Self.history(HistoryLimits(bytes: 200_000))
    for entry in recording.entries { history.append(entry, state: recording.states[entry.number]) }
    // An entry takes some hundred bytes; one block may be over.
    #expect((300...1_000).contains(history.log.entries.count))
    #expect(try history.state(at: history.oldest) == recording.states[history.oldest])
    history.limits.bytes = 1
    history.append(
      Recording.entry(4_001, from: recording.states[4_000], to: Sums(), isWhole: true), state: Sums())
    #expect(history.log.entries.isEmpty)
    #expect(history.head == 4_001)
    #expect(try history.state(at: 4_001) == Sums())
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
      from: Sums(), limits: HistoryLimits(entries: 1_000), older: Shelf(recording, from: 0),
      checkCancellation: {
        asked += 1
        if asked == 3 { throw Ended() }
      }, apply: Self.apply)
    for entry in recording.entries { history.append(entry, state: recording.states[entry.number]) }
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
    for entry in recording.entries { history.append(entry, state: recording.states[entry.number]) }
    #expect(shelf.visited.isEmpty)
    let first = try #require(history.log.entries.first?.number)
    #expect(history.oldest == 500)
    for number in stride(from: 500, through: 3_000, by: 7) {
      #expect(try history.state(at: number) == recording.states[number], "#\(number)")
    }
    #expect(throws: HistoryError.notKept(499, oldest: 500)) { try history.state(at: 499) }
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
    var history = History(from: recording.states[400], at: 400, apply: Self.apply)
    #expect(history.head == 400)
    for entry in recording.entries.dropFirst(400) { history.append(entry, state: recording.states[entry.number]) }
    #expect(try history.state(at: 400) == recording.states[400])
    #expect(try history.state(at: 899) == recording.states[899])
    #expect(throws: HistoryError.notKept(399, oldest: 400)) { try history.state(at: 399) }
  }
}
