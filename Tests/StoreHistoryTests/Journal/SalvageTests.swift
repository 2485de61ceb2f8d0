import StoreCore
import StoreSchema
import Testing

@testable import StoreHistory

/// What of a damaged file can still be read.
@Suite struct SalvageTests {
  let folder: JournalFolder

  init() throws { folder = try JournalFolder() }

  @Test func whicheverPageIsLostTheOthersAreRead() throws {
    let journal = try folder.open()
    Sample.fill(journal, 400, snapshots: [100, 200, 300, 400])
    try journal.end()
    let whole = try folder.bytes("a.db")
    for start in stride(from: 0, to: whole.count, by: 4096) {
      try folder.write(
        "b.db", Array(whole.prefix(start)) + [UInt8](repeating: 0, count: 4096) + whole.dropFirst(start + 4096))
      let archive: JournalArchive
      do {
        archive = try JournalArchive(folder["b.db"], initial: Sample.slices(after: 0))
      } catch {
        Issue.record("page \(start / 4096 + 1): \(error)")
        continue
      }
      #expect(archive.damage != nil, "page \(start / 4096 + 1)")
      let last = archive.contents.last
      let snapshot = try archive.reader.snapshot(upTo: last)
      #expect(snapshot?.slices.first?.state == "{\"value\":\(Sample.sum(snapshot?.number ?? 0))}")
      guard let numbers = archive.contents.numbers else { continue }
      #expect(try Sample.numbers(in: archive, numbers) == Array(numbers))
      // Of 400 actions, no page holds more than a hundred.
      #expect(numbers.count >= 150)
    }
  }

  /// Of a state that is too long for its row's page all others are read.
  @Test func aPageThatTellsOfPluginsIsDamageToo() throws {
    let journal = try folder.open()
    Sample.fill(journal, 50)
    for number in 51...60 {
      journal.append(Sample.entry(number))
      let state = Sample.slices(after: number, other: String(repeating: "x", count: 3000) + "\(number)")
      journal.append(stateAfter: number, state.map { StateSlice(module: $0.module, isWhole: true, write: $0.write) })
    }
    try journal.end()
    var bytes = try folder.bytes("a.db")
    let mark = try #require(bytes.firstRange(of: Array("xx55\"}".utf8)))
    let start = mark.lowerBound / 4096 * 4096
    bytes.replaceSubrange(start..<start + 4096, with: repeatElement(0, count: 4096))
    try folder.write("b.db", bytes)
    let archive = try JournalArchive(folder["b.db"], initial: Sample.slices(after: 0))
    #expect(archive.damage != nil)
    #expect(archive.contents.numbers == 1...60)
    #expect(try archive.reader.states(of: "other").count == 10)
  }

  @Test func rowsAreReadWhereNothingLeadsToThem() throws {
    let journal = try folder.open()
    Sample.fill(journal, 20_000, together: true)
    try journal.end()
    let whole = try folder.bytes("a.db")
    try folder.write("b.db", Array(whole.prefix(whole.count / 4)))
    let archive = try JournalArchive(folder["b.db"], initial: Sample.slices(after: 0))
    let numbers = try #require(archive.contents.numbers)
    #expect(numbers.lowerBound == 1)
    #expect(numbers.count > 3000)
    #expect(try Sample.numbers(in: archive, numbers) == Array(numbers))
  }

  @Test func theFirstActionsAreReadWhereNoStateCanBe() throws {
    try folder.fill(50)
    try folder.spoil("a.db", "UPDATE slices SET state = replace(state, 'same', 'odd')")
    let archive = try JournalArchive(folder["a.db"], initial: Sample.slices(after: 0))
    #expect(archive.damage == JournalReader.noState)
    #expect(archive.contents.numbers == 1...50)
    #expect(try archive.reader.snapshot(upTo: 50)?.number == 0)
  }

  @Test func whatIsReadBeforeARowThatCannotBeIsGood() throws {
    let journal = try folder.open()
    Sample.fill(journal, 60)
    let undo = LoggedEntry(
      number: 61, time: .zero, source: .here(), action: UndoLine.restoreAction,
      arguments: Record(RecordLayout(name: "restore", fields: ["to"]), [.int(59)]), isQuiet: false, changes: [],
      failure: nil)
    journal.append(undo, state: Sample.slices(after: 59))
    try journal.end()
    let sound = try JournalArchive(folder["a.db"])
    #expect(sound.damage == nil)
    sound.close()
    try folder.spoil(action: 61, column: 7, "7")
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage == "#61 is damaged, or an action before it is missing")
    #expect(archive.contents.numbers == 1...60)
  }

  /// An inner page that leads to another page of rows than it did.
  @Test func rowsThatNothingLeadsToAreNotCalledDamaged() throws {
    try folder.fill(4000, together: true)
    var bytes = try folder.bytes("a.db")
    let image = try FileBytes(folder["a.db"])
    // The kind of an inner page of rows; its cells begin with the number of a page.
    let pages = bytes.count / image.pageSize
    let inner = try #require((1..<pages).map { $0 * image.pageSize }.first { bytes[$0] == 0x05 })
    let cells = (10...11).map { inner + (image.number(inner + 12 + $0 * 2, 2) ?? 0) }
    bytes.replaceSubrange(cells[0]..<cells[0] + 4, with: bytes[cells[1]..<cells[1] + 4])
    try folder.write("a.db", bytes)
    let archive = try JournalArchive(folder["a.db"])
    let reason = try #require(archive.damage)
    #expect(reason == "its pages do not fit together")
    #expect(archive.contents.numbers == 1...4000)
    let journal = try folder.open()
    journal.append(Sample.entry(4001))
    journal.settle()
    guard case .damaged(_, let last?, reason) = journal.failure else {
      throw JournalFault(.SQLITE_CORRUPT, "no damage")
    }
    #expect(last < 4000)
    #expect(throws: JournalError.self) { try journal.end(number: 4001) }
  }

  @Test func eachGoodPartOfAFileWithAHoleCanBeOpened() throws {
    let journal = try folder.open()
    Sample.fill(journal, 400, snapshots: [250])
    try journal.end()
    try folder.spoil(action: 180, column: 8, "null")
    func opened(_ number: Int?) throws -> JournalArchive {
      let archive = try JournalArchive(folder["a.db"], upTo: number)
      let numbers = try #require(archive.contents.numbers)
      #expect(try Sample.numbers(in: archive, numbers) == Array(numbers))
      #expect(archive.damage != nil)
      return archive
    }
    let longest = try opened(nil)
    #expect(longest.contents.numbers == 1...179)
    #expect(longest.otherParts == [251..<401])
    let later = try opened(400)
    #expect(later.contents.numbers == 251...400)
    #expect(later.contents.base == 250)
    #expect(later.openPart == 251..<401)
    #expect(later.otherParts == [1..<180])
    let earlier = try opened(300)
    #expect(earlier.contents.numbers == 251...300)
    for archive in [longest, later, earlier] { #expect(archive.lastGood == 179) }
    #expect(try opened(200).contents.numbers == 1...179)
    #expect(try opened(7).contents.numbers == 1...7)
  }

  @Test func readingLeavesNothingBehind() throws {
    try folder.fill(20)
    let before = folder.names
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage == nil)
    #expect(try Sample.numbers(in: archive, 1...20).count == 20)
    archive.close()
    #expect(folder.names == before)
  }

  @Test func aRowThatIsDamagedIsFoundWhenTheFileIsOnlyRead() throws {
    try folder.fill(400)
    try folder.spoil(action: 300, column: 7, "{}")
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage != nil)
    #expect(archive.contents.numbers == 1...299)
  }
}
