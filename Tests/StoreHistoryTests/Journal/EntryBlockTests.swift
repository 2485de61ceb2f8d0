import CSQLite
import StoreCore
import StoreSchema
import Testing

@testable import StoreHistory

/// Rows of many actions.
@Suite struct EntryBlockTests {
  let folder: JournalFolder

  init() throws { folder = try JournalFolder() }

  /// An entry whose shape depends on its number: each column is missing somewhere.
  private func entry(_ number: Int) -> LoggedEntry {
    var source = ActionSource(file: "a'\"\\,]\(number % 3).stsh", function: "f", line: number % 7, kind: .batch)
    if number.isMultiple(of: 5) {
      source.cause = number - 1
    } else if number.isMultiple(of: 7) {
      source.statement = number - 2
    }
    let layout = RecordLayout(name: "set", fields: ["text"])
    let text = Value.string(String(repeating: "a,]}\"\\\u{E9}\n", count: number % 4))
    let path = Path([.field("counter"), .field("value")])
    return LoggedEntry(
      number: number * 3, time: .nanoseconds(Int64(number % 11) * 1_000_003 - 5_000_000), source: source,
      action: number.isMultiple(of: 13) ? "counter.reset" : "counter.set",
      arguments: number.isMultiple(of: 4) ? Record(RecordLayout(name: "set", fields: []), []) : Record(layout, [text]),
      isQuiet: false,
      changes: number.isMultiple(of: 6) ? [] : [Change(path, .replace(from: text, to: .int(-number)))],
      failure: number.isMultiple(of: 9) ? "E_\"x\"" : nil, droppedBy: number.isMultiple(of: 10) ? "gate, [x]" : nil,
      wallTime: number.isMultiple(of: 8) ? nil : 1_700_000_000_000 + number * (number.isMultiple(of: 2) ? 1 : -1))
  }

  private func written(_ count: Int) throws -> [LoggedEntry] {
    let entries = (1...count).map { entry($0) }
    let journal = try folder.open()
    journal.append(stateAfter: 0, Sample.slices(after: 0))
    for entry in entries { journal.append(entry) }
    try journal.end()
    return entries
  }

  private let reader = EntryReader(EntryTypes(action: { _ in nil }, slice: { _ in nil }), isLenient: true)

  @Test func whatIsWrittenIsRead() throws {
    let entries = try written(1000)
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage == nil)
    #expect(archive.contents.numbers == 3...3000)
    for range in [3...3000, 1...1, 100...101, 500...900, 2999...9000, 1501...1501] {
      var read: [LoggedEntry] = []
      try archive.reader.visit(range) { read.append(try $0.entry(reader)) }
      let expected = entries.filter { range ~= $0.number }
      #expect(read.map(\.number) == expected.map(\.number))
      for (read, entry) in zip(read, expected) {
        #expect(read.time == entry.time && read.wallTime == entry.wallTime && read.source == entry.source)
        #expect(read.action == entry.action && read.failure == entry.failure && read.droppedBy == entry.droppedBy)
        #expect(read.changes == entry.changes)
        #expect(read.arguments.values == entry.arguments.values)
      }
    }
    for number in [0, 1, 3, 4, 5, 1500, 1501, 3000, 4000] {
      let last = entries.last { $0.number <= number }
      #expect(archive.reader.time(of: number) == max(last?.time ?? .zero, .zero))
    }
  }

  /// SQL and the program read the same.
  @Test func theViewHasARowForEachAction() throws {
    let entries = try written(300)
    let rows = try DatabaseQueue(path: folder["a.db"]).use { db in
      try Row.fetchAll(
        db,
        sql:
          "SELECT number, at, wall, line, link, arguments, changes, failure, entry, rowid FROM actions ORDER BY number")
    }
    #expect(rows.count == 300)
    for (row, entry) in zip(rows, entries) {
      #expect(try row.checked(0) == entry.number)
      #expect(try row.checked(1) == entry.time.wholeNanoseconds)
      #expect(try row.checkedIfPresent(2) == entry.wallTime)
      #expect(try row.checked(3) == entry.source.line)
      #expect(try row.checked(4) == entry.source.link)
      let arguments: String? = try row.checkedIfPresent(5)
      #expect(arguments == (entry.arguments.values.isEmpty ? nil : JSON.text(of: .record(entry.arguments))))
      #expect(try row.checkedIfPresent(6) as String? == nil || !entry.changes.isEmpty)
      #expect(try row.checkedIfPresent(7) == entry.failure)
      #expect(try (row.checkedIfPresent(8) as String? != nil) == entry.hasRareMembers(at: entry.time.wholeNanoseconds))
    }
  }

  /// A file says the same of plain actions, of which no entry is made, as of their entries: their rows, their places, and long runs of
  /// one statement.
  @Test(arguments: 0..<4) func plainActionsAreWrittenAsTheirEntries(_ seed: UInt64) throws {
    typealias Yard = EntryChunkTests.Yard
    var random = SeededGenerator(seed: seed)
    var (finder, other) = (DifferenceFinder(), DifferenceFinder())
    let edit = PlainEdit(PlaceShape())
    let files = ["entries.db", "plain.db", "mixed.db"]
    let journals = try files.map { try Journal(folder[$0], header: Sample.header) }
    for journal in journals { journal.append(stateAfter: 0, Sample.slices(after: 0)) }
    let layouts = ["vary", "grow"].map { RecordLayout(name: $0, fields: $0 == "grow" ? [] : ["by", "note"]) }
    var (yard, plain) = (Yard(), 0)
    for number in 1...2000 {
      let before = yard
      if !number.isMultiple(of: 9) { for _ in 0...2 { yard.vary(&random) } }
      var source = ActionSource(file: "a\(number / 900).stsh", function: "f", line: number % 5, kind: .batch)
      if number > 1000, number < 1800 { source.statement = 1000 } else if number % 7 == 0 { source.cause = number - 1 }
      let layout = layouts[number > 1000 ? 0 : number % 2]
      let arguments = layout.fields.isEmpty ? [] : [Value.int(number), .string(EntryChunkTests.text(&random))]
      let wallTime = number.isMultiple(of: 8) ? nil : 1_700_000_000_000 + number
      withUnsafePointer(to: before) { before in
        withUnsafePointer(to: yard) { after in
          let (before, after) = (UnsafeRawPointer(before), UnsafeRawPointer(after))
          var changes: [Change] = []
          other.append(from: before, to: after, of: Yard.schema, to: &changes)
          let entry = LoggedEntry(
            number: number, time: .milliseconds(number), source: source, action: "yard.\(layout.name)",
            arguments: Record(layout, arguments), isQuiet: false, changes: changes, failure: nil, wallTime: wallTime)
          let isFilled = finder.fill(edit, from: before, to: after, of: Yard.schema)
          for (index, journal) in journals.enumerated() {
            guard index == 1 || index == 2 && number % 300 < 150, isFilled else {
              journal.append(entry)
              continue
            }
            plain += 1
            #expect(
              journal.append(
                plain: number, time: entry.time, wallTime: wallTime, source: source, layout, action: entry.action,
                layout, arguments, edit))
          }
        }
      }
    }
    #expect(plain > 1500)
    for journal in journals { try journal.end() }
    let contents = try files.map { file in
      try DatabaseQueue(path: folder[file]).use { db in
        try [
          "number, at, wall, kind, source, line, link, arguments, changes, failure, entry) FROM actions",
          "id, action, quiet) FROM kinds", "id, kind, file, function, info) FROM sources",
          "first, last, told, more, checksum) FROM folds",
        ].map { try String.fetchAll(db, sql: "SELECT json_array(\($0)") }
      }
    }
    #expect(contents[0].map(\.count).allSatisfy { $0 > 0 })
    #expect(contents[0] == contents[1] && contents[0] == contents[2])
    for file in files { #expect(try JournalArchive(folder[file]).damage == nil) }
    // Where a run ends is not the same; a place is noted with the actions that changed it.
    let runs = try files.map { try places(in: $0) }
    for other in runs {
      let last = try #require(other.last).numbers.upperBound
      #expect(last > 1500 && other[0].numbers.lowerBound == 1)
      for (run, next) in zip(other, other.dropFirst()) {
        #expect(run.numbers.upperBound + 1 == next.numbers.lowerBound)
      }
      for run in runs[0] where run.numbers.upperBound <= last {
        let found = other.filter { $0.numbers.overlaps(run.numbers) }.reduce(into: Set()) { $0.formUnion($1.hashes) }
        let missing = run.hashes.subtracting(found).count
        #expect(missing == 0)
      }
    }
  }

  /// The runs of actions with the hashes of what they changed.
  private func places(in file: String) throws -> [(numbers: ClosedRange<Int>, hashes: Set<ArraySlice<UInt8>>)] {
    try DatabaseQueue(path: folder[file]).use { db in
      let texts = try String.fetchAll(
        db, sql: "SELECT first || ' ' || last || ' ' || hex(hashes) FROM places ORDER BY first")
      return texts.map { text in
        let parts = text.split(separator: " ")
        let digits = Array(parts[2].utf8)
        let hashes = stride(from: 0, to: digits.count, by: 8).map { digits[$0..<$0 + 8] }
        return (Int(parts[0])!...Int(parts[1])!, Set(hashes))
      }
    }
  }

  /// A reader of a damaged row ends, and hands out no action that was not written.
  @Test func bytesThatWereNotWrittenAreNotRead() throws {
    _ = try written(40)
    let whole = try folder.bytes("a.db")
    let start = try #require(whole.firstRange(of: Array("[[0,0".utf8))).lowerBound
    var random = SeededGenerator(seed: 64)
    for _ in 0..<300 {
      var bytes = whole
      let place = start + Int.random(in: 0..<3000, using: &random)
      let count = Int.random(in: 1...4, using: &random)
      let letters = Array("[]{},\"\\0n-9".utf8)
      for index in place..<min(place + count, bytes.count) { bytes[index] = letters.randomElement(using: &random) ?? 0 }
      guard bytes != whole else { continue }
      try folder.write("b.db", bytes)
      guard let queue = try? DatabaseQueue(inspecting: folder["b.db"], withLog: false) else { continue }
      let reader = JournalReader(path: folder["b.db"], database: queue)
      let expected = (1...40).map { entry($0) }
      try? reader.visit(1...1000) { row in
        #expect(expected.contains { $0.number == row.number && $0.failure == row.failure && $0.source == row.source })
      }
      reader.close()
    }
  }

  /// A look through any bytes ends, and takes no more than 16 times their memory.
  @Test func anyBytesAreLookedThrough() {
    var random = SeededGenerator(seed: 49)
    let letters = Array("[]{},\"\\0n-91".utf8)
    let whole = Array(#"[[0,0,0,1,1,3,0,{"a":"b,]"},[{"op":"x"}]],[1,5,null,1,1,4,-1,null,[]]]"#.utf8)
    for round in 0..<20_000 {
      var bytes = whole
      if round.isMultiple(of: 2) {
        bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
          letters[Int.random(in: 0..<letters.count, using: &random)]
        }
      } else {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        bytes.removeLast(Int.random(in: 0...8, using: &random))
      }
      bytes.withUnsafeBytes { bytes in
        let rows = RowScanner(bytes).rows(1, 0, nil) ?? []
        #expect(rows.count * MemoryLayout<RowColumns>.stride <= 16 * bytes.count)
        for row in rows { #expect(row.size <= bytes.count) }
      }
    }
    #expect(whole.withUnsafeBytes { RowScanner($0).rows(1, 0, nil)?.map(\.number) } == [1, 2])
  }

  /// A lost row costs the actions in it, and no others that a state leads to.
  @Test func aLostRowCostsItsActions() throws {
    let journal = try folder.open()
    Sample.fill(journal, 500, snapshots: [400], together: true)
    try journal.end()
    let lost = try DatabaseQueue(path: folder["a.db"]).use { db in
      try Row.fetchOne(db, sql: "SELECT first, last FROM blocks WHERE first <= 100 ORDER BY first DESC LIMIT 1")
    }
    let (first, last): (Int, Int) = try (#require(lost).checked(0), #require(lost).checked(1))
    #expect(last - first < EntryBlock.longest)
    try folder.spoil("a.db", "UPDATE blocks SET entries = replace(entries, '100', '101') WHERE first = \(first)")
    let archive = try JournalArchive(folder["a.db"], upTo: 100)
    #expect(archive.damage != nil)
    #expect(archive.openPart == 1..<first)
    #expect(archive.otherParts == [401..<501])
  }
}
