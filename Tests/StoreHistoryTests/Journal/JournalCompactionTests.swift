import Testing

@testable import StoreHistory

/// A closed file that is made smaller: what can be read in it stays.
@Suite struct JournalCompactionTests {
  let folder: JournalFolder

  init() throws { folder = try JournalFolder() }

  private func file(_ count: Int, snapshots: Set<Int>) throws -> String {
    let journal = try Journal(folder["a.db"], header: Sample.header)
    Sample.fill(journal, count, snapshots: snapshots)
    try journal.end(number: count, Sample.slices(after: count))
    return folder["a.db"]
  }

  private func numbers(_ table: String, in path: String) throws -> [Int] {
    let database = try DatabaseQueue(path: path)
    defer { database.close() }
    return try database.use {
      try Int.fetchAll($0, sql: "SELECT \(table == "snapshots" ? "number" : "id") FROM \(table)")
    }
  }

  @Test func statesBetweenGoAndActionsStay() throws {
    let path = try file(1000, snapshots: Set(stride(from: 10, to: 1000, by: 10)))
    let sizes = try Journal.compact(path)
    #expect(sizes.removedStates == 99)
    #expect(sizes.after < sizes.before)
    #expect(folder.names == ["a.db"])
    #expect(try numbers("snapshots", in: path) == [0, 1000])
    #expect(try numbers("slices", in: path).count == 3)
    let again = try Journal(path, header: Sample.header)
    #expect(again.found?.hasEnded == true && again.found?.loss == nil)
    #expect(try Sample.numbers(in: again, 1...1000) == Array(1...1000))
    again.append(Sample.entry(1001))
    try again.end()
    #expect(try Journal.last(in: path) == 1001)
    #expect(try Journal.compact(path).removedStates == 0)
  }

  /// Nothing leads to the state after an action of the shell but that state itself.
  @Test func statesThatNoOtherLeadsToStay() throws {
    let journal = try Journal(folder["a.db"], header: Sample.header)
    journal.append(stateAfter: 0, Sample.slices(after: 0))
    for number in 1...40 {
      let isOfShell = number == 20
      let entry = Sample.entry(number, action: isOfShell ? "shell.import" : "counter.increment")
      journal.append(entry, state: number.isMultiple(of: 10) ? Sample.slices(after: number) : nil)
    }
    try journal.end(number: 40, Sample.slices(after: 40))
    #expect(try Journal.compact(folder["a.db"]).removedStates == 2)
    #expect(try numbers("snapshots", in: folder["a.db"]) == [0, 20, 40])
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage == nil && archive.lastGood == 40)
    archive.close()
  }

  /// Of a large state the parts that no state names any more go with the states that named them.
  @Test func partsOfLargeStatesGo() throws {
    let journal = try Journal(folder["a.db"], header: Sample.header)
    func slices(_ number: Int) -> [StateSlice] {
      [StateSlice(module: "counter") { out in for n in 0..<20_000 { out.append(contentsOf: "\(n * number),".utf8) } }]
    }
    journal.append(stateAfter: 0, slices(1))
    for number in 1...4 { journal.append(Sample.entry(number), state: slices(number + 1)) }
    try journal.end(number: 4, slices(5))
    let sizes = try Journal.compact(folder["a.db"])
    #expect(sizes.removedStates == 3)
    #expect(sizes.after * 2 < sizes.before)
    let again = try Journal(folder["a.db"], header: Sample.header)
    var expected: [UInt8] = []
    slices(5)[0].write(&expected)
    #expect(try again.reader.snapshot(upTo: 4)?.slices.first?.state == String(decoding: expected, as: UTF8.self))
    try again.end()
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage == nil)
    archive.close()
  }

  @Test func whatMayNotBeTouchedStaysAsItIs() throws {
    let path = try file(30, snapshots: [10, 20])
    #expect(throws: JournalError.noSuchFile(path: folder["none.db"], reason: "No such file or directory")) {
      try Journal.compact(folder["none.db"])
    }
    #expect(folder.names == ["a.db"])
    try folder.write("text", Array("no store at all, but long enough to have a head of a hundred bytes".utf8))
    #expect(throws: JournalError.notAJournal(path: folder["text"])) { try Journal.compact(folder["text"]) }
    let open = try Journal(path, header: Sample.header)
    #expect { try Journal.compact(path) } throws: { if case JournalError.inUse = $0 { true } else { false } }
    open.append(Sample.entry(31))
    open.settle()
    try folder.copy("a.db", to: "killed.db")
    try open.end()
    let killed = try folder.bytes("killed.db")
    #expect { try Journal.compact(folder["killed.db"]) } throws: { "\($0)".contains("did not end in order") }
    #expect(try folder.bytes("killed.db") == killed)
    try folder.spoil(action: 15, column: 5, "7")
    let damaged = try folder.bytes("a.db")
    #expect { try Journal.compact(path) } throws: { if case JournalError.damaged = $0 { true } else { false } }
    #expect(try folder.bytes("a.db") == damaged)
  }
}
