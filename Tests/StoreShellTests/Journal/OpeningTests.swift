import Platform
import StoreHistory
import StoreHost
import Testing

@testable import StoreShell

/// Files of stores that cannot be opened, or in which nothing happens.
@Suite struct OpeningTests {
  @Test func aFolderThatCannotBeMadeIsTheReason() throws {
    let folder = "/sys/no-such-folder/sessions"
    let shell = try Shell { $0.sessionFiles = SessionFiles(folder: folder) }
    shell.session.options.journal = JournalPlan(path: "\(folder)/a.db", opening: .withFirstAction)
    #expect(shell.outcome { shell.session.openJournal() } == .init())
    let outcome = shell.run("dispatch counter.increment --quiet")
    #expect(outcome.errors.hasPrefix("note: /sys/no-such-folder cannot be made: "), "\(outcome)")
    #expect(outcome.errors.hasSuffix("; what happens is kept in memory only\n"))
    #expect(!outcome.errors.contains("No such file"))
    #expect(outcome.status == 0)
  }

  @Test(arguments: [JournalPlan.Opening.atOnce, .readOnly()])
  func aFileThatIsGoneFromBesideItsLogIsNotMade(_ opening: JournalPlan.Opening) throws {
    let shell = try Shell()
    let file = "\(shell.folder)/a.db"
    let log = try shell.write("a.db-wal", "what was written last")
    shell.session.options.journal = JournalPlan(path: file, opening: opening)
    let opened = shell.outcome { shell.session.openJournal() }
    #expect(
      opened.errors.hasPrefix("error[store-damaged]: \(file) is damaged, nothing of it can be read: it is gone, but"))
    #expect(opened.errors.hasSuffix(" \(log) is there; bring the file back, or move that away to begin anew\n"))
    #expect(opened.status == 1)
    #expect(shell.contents("a.db") == nil && shell.contents("a.db-wal") == "what was written last")
  }

  /// What the log holds behind a frame that is not what was written is lost, and no more is said than is known.
  @Test(arguments: [40, 32 + 2 * 4120 + 100]) func aLogThatCannotBeReadIsToldOf(offset: Int) throws {
    let writer = try Shell { $0.isQuiet = true }
    #expect(writer.openStore("\(writer.folder)/a.db") == .init())
    var file = ""
    for _ in 1...4 {
      #expect(writer.run("dispatch counter.increment") == .init())
      file = try writer.killedCopy(of: "\(writer.folder)/a.db", as: "4.db")
    }
    var log = try Files.read("\(file)-wal")
    log[offset] ^= 1
    try writer.write("4.db-wal", log)
    let reader = try Shell()
    reader.session.options.journal = JournalPlan(path: file, opening: .readOnly())
    let read = reader.outcome { reader.session.openJournal() }
    let opened = try Shell().openStore(file)
    #expect(opened.status == 0)
    let start = /note: .*4.db ended unexpectedly( after #[0-3])?; [0-9]+ frames? of its write-ahead log cannot be read/
    #expect(try start.prefixMatch(in: opened.errors) != nil, "\(opened)")
    #expect(opened.errors.hasSuffix(" cannot be read, and what was in them is lost\n"), "\(opened)")
    #expect(read.errors.hasSuffix(opened.errors), "\(read)")
  }

  @Test func whatSQLiteCanStillFindIsNamedWhereNothingCanBeRead() throws {
    let shell = try Shell()
    let file = try shell.storeFile("a.db", sessions: 1, adding: 5)
    try shell.write("a.db", Array(try Files.read(file).prefix(4096)))
    let opened = shell.openStore(file)
    #expect(
      opened.errors.hasPrefix("error[store-damaged]: \(file) is damaged, nothing of it can be read: "), "\(opened)")
    #expect(
      opened.errors.hasSuffix(
        "\n  hint: what SQLite still finds in it, if its sqlite3 has .recover: sqlite3 \(file) .recover | sqlite3 NEW\n"
      ))
  }

  @Test func aFileThatCanOnlyBeReadIsThere() throws {
    let shell = try Shell()
    let file = "\(shell.folder)/a.db"
    #expect(shell.openStore(file) == .init())
    #expect(shell.run("dispatch counter.increment --quiet").status == 0)
    let error = HostError(JournalError.cannotOpen(path: file, reason: "Permission denied"), program: "gallery")
    #expect(error.code == .storeFailed && error.status == 1)
    #expect(error.hint?.hasSuffix("gallery --store \(file) --read-only") == true)
    let missing = HostError(
      JournalError.noSuchFile(path: "\(file).gone", reason: "No such file or directory"), program: nil)
    #expect(missing.code == .noSuchFile && missing.status == 2 && missing.hint == nil)
  }

  @Test func whatIsNoFileToOpenIsNotSaidToBeMissing() throws {
    let shell = try Shell()
    #expect(
      shell.openStore(shell.folder).errors
        == "error[store-unreadable]: cannot open \(shell.folder): Is a directory\n")
    let outcome = shell.openStore("/dev/full")
    #expect(outcome.errors == "error[store-unreadable]: cannot open /dev/full: it is not a regular file\n")
    #expect(outcome.status == 2)
  }

  @Test func theProgramThatExportsAFileOfAnotherFormatIsNamed() throws {
    let writer = try Shell()
    let file = "\(writer.folder)/a.db"
    #expect(writer.openStore(file) == .init())
    _ = writer.run("dispatch counter.increment")
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    try writer.alter(file, "PRAGMA user_version = 3")
    #expect(
      try Shell().openStore(file).errors == """
        error[store-unreadable]: \(file) has format 3 of stsh; this version reads format 7
          hint: stsh exports it: stsh --store \(file) --read-only -c 'export journal actions.stsh --as stsh'; then stsh --store NEW actions.stsh

        """)
  }

  @Test func aFileInWhichNothingHappensGoesAgain() throws {
    let writer = try Shell()
    let file = "\(writer.folder)/a.db"
    #expect(writer.openStore(file) == .init())
    #expect(writer.run("show counter.value").output == "0\n")
    #expect(writer.contents("a.db") != nil)
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    for suffix in ["", "-wal", "-shm"] { #expect(writer.contents("a.db\(suffix)") == nil) }
    // One that was there stays, and so does one in which something happened.
    try writer.write("a.db", "")
    for commands in [[], ["dispatch counter.increment"]] {
      let shell = try Shell()
      #expect(shell.openStore(file) == .init())
      _ = shell.outcome { shell.session.run(commands: commands) }
      #expect(shell.outcome { shell.session.endJournal() } == .init())
      #expect(writer.contents("a.db") != nil)
    }
    let other = try Shell()
    #expect(other.openStore("\(writer.folder)/b.db") == .init())
    _ = other.run("dispatch counter.increment")
    #expect(other.outcome { other.session.endJournal() } == .init())
    #expect(writer.contents("b.db") != nil)
  }
}
