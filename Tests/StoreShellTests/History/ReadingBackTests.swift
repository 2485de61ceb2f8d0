import StoreHistory
import StoreHost
import Testing

@testable import StoreShell

/// Entries that memory no longer holds are read from the file once, however often a walk asks for them.
@Suite struct ReadingBackTests {
  /// Counts how often each entry is read.
  private final class Counted: OlderEntries {
    typealias State = HostState

    private let entries: any OlderEntries<HostState>
    private var counts: [Int: Int] = [:]
    private var visits = 0

    init(_ entries: any OlderEntries<HostState>) { self.entries = entries }

    /// The numbers of entries, by how often each was read since this was asked last.
    func take() -> [Int: Int] {
      defer { counts = [:] }
      return Dictionary(grouping: counts.values) { $0 }.mapValues(\.count)
    }

    /// The number of visits since this was asked last.
    func takeVisits() -> Int {
      defer { visits = 0 }
      return visits
    }

    var oldest: Int { entries.oldest }
    var oldestEntry: Int { entries.oldestEntry }

    func visit(_ numbers: ClosedRange<Int>, _ body: (LoggedEntry) throws -> Bool) throws {
      visits += 1
      try entries.visit(numbers) { entry in
        counts[entry.number, default: 0] += 1
        return try body(entry)
      }
    }

    func snapshot(atOrBefore number: Int) throws -> (number: Int, state: HostState)? {
      try entries.snapshot(atOrBefore: number)
    }
  }

  @Test func undoAndRedoReadEachEntryOnce() throws {
    let shell = try Shell()
    #expect(shell.openStore("\(shell.folder)/a.db") == .init())
    _ = try shell.type("set journal.limit 8", "lua for i = 1, 2000 do dispatch('counter.increment') end")
    let store = shell.session.store
    let older = Counted(try #require(store.live.history.older))
    store.live.history.older = older
    #expect(try store.undoStep(1, any: false).step.first == 2)
    let read = older.take()
    #expect(read.keys.allSatisfy { $0 == 1 } && read[1, default: 0] >= 1_980, "\(read)")
    _ = try shell.type("undo --quiet")
    _ = older.take()
    #expect(try store.redoStep(1).step.bringsBack.first?.count == 2_000)
    let again = older.take()
    #expect(again.keys.allSatisfy { $0 == 1 } && again[1, default: 0] >= 1_980, "\(again)")
  }

  /// What a redo brings back is read in runs, and not one by one, also behind the undo of actions before it.
  @Test(arguments: ["redo", "why counter.value"]) func manyActionsAreReadTogether(_ statement: String) throws {
    let shell = try Shell()
    #expect(shell.openStore("\(shell.folder)/a.db") == .init())
    _ = try shell.type(
      "set journal.limit 8", "dispatch tasks.add first --quiet", "dispatch tasks.add second --quiet",
      "dispatch tasks.complete 1 --quiet", "lua for i = 1, 2000 do dispatch('counter.increment') end",
      "dispatch tasks.add third --quiet", "undo #4 --quiet", "undo #3 --quiet", "undo 2 --quiet")
    if statement != "redo" { _ = try shell.type("redo --quiet") }
    let store = shell.session.store
    let older = Counted(try #require(store.live.history.older))
    store.live.history.older = older
    _ = try shell.type(statement)
    let (visits, read) = (older.takeVisits(), older.take())
    #expect(visits < 100, "\(visits)")
    #expect(read.keys.max() ?? 0 <= 8, "\(visits) visits, \(read)")
    #expect(shell.run("show counter.value").output == "2000\n")
  }

  /// A walk over an action of the shell by what it tells leads to the state that was written after it.
  @Test func whatTheShellTellsLeadsToWhatWasWritten() throws {
    let shell = try Shell()
    #expect(shell.openStore("\(shell.folder)/a.db") == .init())
    _ = try shell.plugin(
      "v",
      "return plugin { state = { field('n', int()) }, actions = { { name = 'add' } }, reducers = { add = function(s) s.n = s.n + 1 end } }"
    )
    _ = try shell.type(
      "set journal.limit 1", "dispatch tasks.add a --quiet", "dispatch tasks.add b --quiet", "middleware off logger",
      "dispatch tasks.complete 1 --quiet", "undo --quiet", "redo --quiet", "undo #2 --quiet", "plugin load ./v",
      "dispatch v.add --quiet", "undo --quiet", "redo --quiet", "set emit each", "dispatch tasks.add c --quiet",
      "undo 2 --quiet", "undo --to 4 --quiet", "redo --quiet", "plugin unload v", "undo --quiet",
      "middleware on logger",
      "dispatch counter.increment --quiet")
    let live = shell.session.store.live
    let (older, present) = (try #require(live.history.older as? JournalEntries), live.store.state)
    var (state, told, byRow, wholes) = (try #require(try older.snapshot(atOrBefore: 0)?.state), 0, 0, 0)
    try older.visit(1...live.history.oldestInMemory) { entry in
      guard entry.isWhole else {
        try live.history.advance(&state, by: entry, from: present)
        return true
      }
      wholes += 1
      let isTold = try older.tellsAll(entry)
      let written = try #require(try older.snapshot(atOrBefore: entry.number))
      #expect(isTold ? written.number < entry.number : written.number == entry.number)
      if isTold {
        byRow += 1
        #expect(try older.addUntold(of: entry, to: &state))
        try state.apply(entry.changes)
        return true
      }
      if try older.addUntold(of: entry, to: &state) {
        told += 1
        try state.apply(entry.changes)
        #expect(HostState.changes(from: state, to: written.state).isEmpty, "#\(entry.number)")
        #expect(state.shell == written.state.shell, "#\(entry.number)")
        #expect(state.plugins.map(\.name) == written.state.plugins.map(\.name), "#\(entry.number)")
      }
      state = written.state
      return true
    }
    #expect(told > 1 && byRow > 5 && wholes > told + byRow, "\(told) and \(byRow) of \(wholes)")
  }
}
