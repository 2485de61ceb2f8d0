import StoreHistory
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

  @Test func aFileThatCanOnlyBeReadIsThere() throws {
    let shell = try Shell()
    let file = try shell.write("a.db", "")
    let error = ShellError(JournalError.cannotOpen(path: file, reason: "Permission denied"))
    #expect(error.code == "store-failed" && error.status == 1)
    #expect(error.hint?.hasSuffix("stsh --store \(file) --read-only") == true)
    let missing = ShellError(JournalError.cannotOpen(path: "\(file).gone", reason: "No such file or directory"))
    #expect(missing.code == "no-such-file" && missing.status == 2 && missing.hint == nil)
  }
}
