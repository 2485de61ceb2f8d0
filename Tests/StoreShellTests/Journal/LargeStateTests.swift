import Platform
import StoreHost
import Testing

@testable import StoreHistory
@testable import StoreShell

/// Files whose states are large: of the form before states stood there in parts, and with parts that are not what was written.
@Suite struct LargeStateTests {
  private let writer: Shell
  private let file: String
  private let count = 300

  init() throws {
    writer = try Shell { $0.isQuiet = true }
    file = "\(writer.folder)/a.db"
    #expect(writer.openStore(file) == .init())
    for number in 1...count {
      let title = "\(number) " + String(repeating: "long ", count: 80)
      #expect(writer.run("dispatch tasks.add title='\(title)'").status == 0)
    }
    #expect(writer.outcome { writer.session.endJournal() } == .init())
  }

  private func titles(_ shell: Shell) -> String { shell.run("show tasks.items[*].title --as json").output }

  @Test func aStoreOfTheFormBeforeIsOpenedAndGoesOn() throws {
    let shown = titles(writer)
    try DatabaseQueue(path: file).write { try Self.makeFormer($0) }
    let before = try Files.read(file)
    // Whoever only looks changes nothing.
    let looking = try Shell()
    #expect(looking.openStore(file) == .init())
    #expect(titles(looking) == shown)
    #expect(looking.run("why tasks.items[id=7].title").output.hasPrefix("#7 tasks.add "))
    #expect(looking.run("show tasks.nextId --at 100").output == "101\n")
    #expect(looking.outcome { looking.session.endJournal() } == .init())
    #expect(try Files.read(file) == before)

    let shell = try Shell()
    #expect(shell.openStore(file) == .init())
    let note = "note: \(file) now has a format that earlier versions of stsh cannot read\n"
    #expect(shell.run("dispatch tasks.complete 7 --quiet").errors == note)
    #expect(shell.outcome { shell.session.endJournal() } == .init())
    let again = try Shell()
    #expect(again.openStore(file) == .init())
    #expect(titles(again) == shown)
    #expect(again.run("why tasks.items[id=7].done").output.hasPrefix("#\(count + 1) tasks.complete "))
    #expect(again.run("why tasks.items[id=7].title").output.hasPrefix("#7 tasks.add "))
    #expect(again.run("export journal \(again.folder)/all.jsonl").status == 0)
    let replay = try Shell().run("replay \(again.folder)/all.jsonl --verify")
    #expect(replay.output == "replayed \(count + 1) actions, every state matches\n")
    #expect(again.outcome { again.session.endJournal() } == .init())
    #expect(try JournalArchive(file).damage == nil)
  }

  /// Each of the states stands for the actions before it, and the actions for each of the states.
  @Test(arguments: [
    "DELETE FROM parts WHERE id = (SELECT max(id) FROM parts)",
    "DELETE FROM parts WHERE id = (SELECT min(id) FROM parts)",
    "UPDATE parts SET text = substr(text, 1, length(text) / 2) WHERE id = (SELECT max(id) FROM parts)",
    "UPDATE parts SET text = replace(text, 'long', 'lone') WHERE id = (SELECT max(id) FROM parts)",
    "UPDATE parts SET text = CAST(text AS BLOB) || X'FF' WHERE id = (SELECT min(id) FROM parts)",
    "UPDATE parts SET checksum = 1 WHERE id = (SELECT max(id) FROM parts)",
    "UPDATE parts SET text = '' WHERE id = (SELECT max(id) FROM parts)",
    "UPDATE slices SET state = substr(state, 1, length(state) - 1) WHERE state LIKE '@%'",
    "UPDATE slices SET state = '@1,x' WHERE state LIKE '@%'",
    "DELETE FROM parts",
    "DROP TABLE parts",
  ])
  func aPartThatIsDamagedIsToldOfAndNothingElseIsLost(_ damage: String) throws {
    let shown = titles(writer)
    try DatabaseQueue(path: file).write { try $0.execute(sql: damage) }
    let (names, before) = (Files.names(in: writer.folder), try Files.read(file))
    // It is opened and read where all that this takes is there, and written in no case.
    let shell = try Shell()
    let opened = shell.openStore(file)
    if opened.status == 0 {
      #expect(titles(shell) == shown, "other titles")
      _ = shell.run("dispatch counter.increment")
    }
    let ended = opened.status == 0 ? shell.outcome { shell.session.endJournal() } : opened
    #expect(ended.status == 1)
    #expect(ended.errors.contains("error[store-damaged]: \(file) is damaged after #"), "\(ended)")
    #expect(ended.errors.hasSuffix("export its undamaged part: stsh --store \(file) --read-only\n"), "\(ended)")
    #expect(Files.names(in: writer.folder) == names)
    #expect(try Files.read(file) == before)

    let good = try read()
    #expect(good.titles == shown, "other titles")
    #expect(good.replay == "replayed \(count) actions, every state matches\n")
  }

  /// What a file that is only read shows, and what its recording gives when it is replayed.
  private func read() throws -> (titles: String, replay: String) {
    let shell = try Shell()
    shell.session.options.journal = JournalPlan(path: file, opening: .readOnly())
    #expect(shell.outcome { shell.session.openJournal() }.status == 0)
    let titles = titles(shell)
    #expect(shell.run("export journal \(shell.folder)/good.jsonl").status == 0)
    #expect(shell.outcome { shell.session.endJournal() }.status == 0)
    return (titles, try Shell().run("replay \(shell.folder)/good.jsonl --verify").output)
  }

  /// Gives a file the tables that it had before there were parts and places, with each state in its row.
  private static func makeFormer(_ db: Database) throws {
    #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM slices WHERE state LIKE '@%'") ?? 0 > 1)
    for row in try Row.fetchAll(db, sql: "SELECT id, state FROM slices") {
      let text = try StateParts.joined(row.checked(1), db)
      var checksum = RowChecksum()
      checksum.add(text)
      try db.execute(
        sql: "UPDATE slices SET state = ?, checksum = ? WHERE id = ?",
        arguments: [text, checksum.value, try row.checked(0) as Int])
    }
    for row in try Row.fetchAll(db, sql: "SELECT number, slices FROM snapshots") {
      let (number, list) = (try row.checked(0) as Int, SliceList(try row.checked(1)))
      let slices: [SliceList.Slice] = try (list?.ids ?? []).map { id in
        let slice = try Row.fetchOne(db, sql: "SELECT module, checksum FROM slices WHERE id = ?", arguments: [id])
        let found = try #require(slice)
        return (id, try found.checked(0), try found.checked(1))
      }
      try db.execute(
        sql: "UPDATE snapshots SET slices = ? WHERE number = ?", arguments: [SliceList(number, slices).text, number])
    }
    try db.execute(
      sql: """
        DROP VIEW states; DROP TABLE parts; DROP TABLE places; PRAGMA user_version = 3;
        CREATE VIEW states AS SELECT snapshots.number, slices.module, slices.state
          FROM snapshots, json_each(snapshots.slices) AS slice JOIN slices ON slices.id = slice.value;
        """)
    try JournalMeta.set([JournalMeta.format: "3"], in: db)
  }
}
