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
}
