import StoreSchema
import Testing

@testable import StoreHistory

/// Large states stand in a file part by part, and a part that did not change stands there once.
@Suite struct StatePartsTests {
  let folder: JournalFolder

  init() throws { folder = try JournalFolder() }

  private func open() throws -> Journal { try Journal(folder["a.db"], header: Sample.header) }

  /// A list of so many records as JSON, one of them changed.
  private func text(_ count: Int, changed: Int? = nil) -> String {
    let records = (0..<count).map { "{\"id\":\($0),\"title\":\"\($0 == changed ? "changé" : "Tāsk \($0 * $0)")\"}" }
    return "{\"items\":[\(records.joined(separator: ","))]}"
  }

  private func slices(_ text: String) -> [StateSlice] {
    [
      StateSlice(module: "counter") { $0.append(contentsOf: "{\"value\":1}".utf8) },
      StateSlice(module: "large", isWhole: true) { $0.append(contentsOf: text.utf8) },
    ]
  }

  private func bytesOfParts() throws -> Int {
    try DatabaseQueue(path: folder["a.db"]).use {
      try Int.fetchOne($0, sql: "SELECT sum(length(text)) FROM parts") ?? 0
    }
  }

  @Test func partsAreTheTextAndBreakNoCharacter() {
    for text in [text(30_000), String(repeating: "\u{1F600}", count: 100_000), String(repeating: "a", count: 300_000)] {
      let bytes = Array(text.utf8)
      let ranges = StateParts.ranges(of: bytes)
      #expect(ranges.first?.lowerBound == 0 && ranges.last?.upperBound == bytes.count)
      #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
      #expect(ranges.allSatisfy { String(validating: bytes[$0], as: UTF8.self) != nil && $0.count <= 1 << 16 + 4 })
    }
  }

  @Test func whatDidNotChangeStandsInTheFileOnce() throws {
    let journal = try open()
    let texts = [text(20_000), text(20_000, changed: 7_000), text(20_100, changed: 7_000)]
    for (number, text) in texts.enumerated() {
      if number > 0 { journal.append(Sample.entry(number)) }
      journal.append(stateAfter: number, slices(text))
    }
    for (number, text) in texts.enumerated() {
      #expect(try journal.reader.snapshot(upTo: number)?.slices.last?.state == text)
    }
    try journal.end()
    #expect(try bytesOfParts() < texts[0].utf8.count + 300_000)

    // A session that takes the file up again knows the parts.
    let again = try open()
    again.append(Sample.entry(3))
    again.append(stateAfter: 3, slices(text(20_100, changed: 8)))
    #expect(try again.reader.snapshot(upTo: 3)?.slices.last?.state == text(20_100, changed: 8))
    try again.end()
    #expect(try bytesOfParts() < texts[0].utf8.count + 500_000)
    let shown = try DatabaseQueue(path: folder["a.db"]).use {
      try String.fetchOne($0, sql: "SELECT state FROM states WHERE number = 2 AND module = 'large'")
    }
    #expect(shown == texts[2])
  }

  @Test(arguments: [
    "UPDATE parts SET text = replace(text, 'changé', 'damage')",
    "DELETE FROM parts WHERE text LIKE '%changé%'",
  ])
  func aPartThatIsDamagedIsNoticed(_ damage: String) throws {
    let journal = try open()
    journal.append(stateAfter: 0, slices(text(20_000)))
    journal.append(Sample.entry(1))
    journal.append(stateAfter: 1, slices(text(20_000, changed: 7_000)))
    try journal.end()
    try DatabaseQueue(path: folder["a.db"]).write { try $0.execute(sql: damage) }
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage != nil)
    // An earlier state leads to the same.
    #expect(try archive.reader.snapshot(upTo: 1)?.number == 0)
    archive.close()
  }

  /// Of a state whose parts lie on many pages an earlier one and the actions lead to the same.
  @Test func whicheverPageOfPartsIsLostTheActionsAreRead() throws {
    let journal = try open()
    journal.append(stateAfter: 0, slices("{}"))
    for number in 1...60 {
      journal.append(Sample.entry(number))
      if number.isMultiple(of: 20) {
        journal.append(stateAfter: number, slices(text(3_000 + number, changed: number)))
      }
    }
    try journal.end()
    let whole = try folder.bytes("a.db")
    let initial = slices("{}")
    var read: Set<Int> = []
    for start in stride(from: 0, to: whole.count, by: 4096) {
      try folder.write(
        "b.db", Array(whole.prefix(start)) + [UInt8](repeating: 0, count: 4096) + whole.dropFirst(start + 4096))
      let archive = try JournalArchive(folder["b.db"], initial: initial)
      defer { archive.close() }
      #expect(archive.damage != nil, "page \(start / 4096 + 1)")
      let snapshot = try #require(try archive.reader.snapshot(upTo: archive.contents.last))
      let number = snapshot.number
      #expect(snapshot.slices.last?.state == (number == 0 ? "{}" : text(3_000 + number, changed: number)))
      read.insert(number)
      // All actions stand on a few pages.
      guard let numbers = archive.contents.numbers else { continue }
      #expect(try Sample.numbers(in: archive, numbers) == Array(numbers))
    }
    #expect(read.contains(60) && read.count > 1, "\(read)")
  }

  @Test(arguments: ["UPDATE places SET hashes = zeroblob(8)", "UPDATE places SET last = 19"])
  func placesThatAreDamagedAreNoticedAndNotBelieved(_ damage: String) throws {
    let journal = try open()
    Sample.fill(journal, 20)
    try journal.end(number: 20, Sample.slices(after: 20))
    try folder.spoil("a.db", damage)
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage?.contains("is damaged") == true)
    #expect(archive.contents.numbers == 1...20)
    let place = try Path(parsing: "counter.value")
    #expect(try archive.reader.numbers(upTo: 20, after: 0, .changing(place), most: 50) == 1...20)
    archive.close()
  }
}
