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

    init(_ entries: any OlderEntries<HostState>) { self.entries = entries }

    /// The numbers of entries, by how often each was read since this was asked last.
    func take() -> [Int: Int] {
      defer { counts = [:] }
      return Dictionary(grouping: counts.values) { $0 }.mapValues(\.count)
    }

    var oldest: Int { entries.oldest }
    var oldestEntry: Int { entries.oldestEntry }

    func visit(_ numbers: ClosedRange<Int>, _ body: (LoggedEntry) throws -> Bool) throws {
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
}
