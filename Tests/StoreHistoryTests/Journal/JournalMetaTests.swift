import Testing

@testable import StoreHistory

/// What a file says of itself and of the plugins that were loaded is what was written.
@Suite struct JournalMetaTests {
  let folder: JournalFolder

  init() throws {
    folder = try JournalFolder()
    let journal = try folder.open()
    Sample.fill(journal, 3)
    append(4, "v", to: journal)
    journal.append(Sample.entry(5))
    append(6, "w", to: journal)
    journal.append(Sample.entry(7))
    try journal.end(number: 7, Sample.slices(after: 7))
  }

  private func append(_ number: Int, _ name: String, to journal: Journal) {
    let plugin = JournaledPlugin(number: number, name: name, version: "1", directory: "/\(name)", digest: "d\(number)")
    journal.append(
      Sample.entry(number, action: "shell.loadPlugin"), plugin: plugin, state: Sample.slices(after: number))
  }

  @Test(arguments: [
    "name = 'x'", "version = '2'", "directory = '/x'", "digest = 'x'", "number = 5", "number = 99",
  ])
  func aPluginThatIsNotWhatWasWrittenIsNoticed(_ change: String) throws {
    for (name, last) in [("v", 3), ("w", 5)] {
      try folder.copy("a.db", to: "b.db")
      try folder.spoil("b.db", "UPDATE plugins SET \(change) WHERE name = '\(name)'")
      let archive = try JournalArchive(folder["b.db"], upTo: last)
      // The plugin of #6 is then said to be that of #5.
      let last = change == "number = 5" && name == "w" ? 4 : last
      #expect(archive.damage == "#\(last + 1) is damaged, or an action before it is missing")
      #expect(archive.lastGood == last)
      archive.close()
      let journal = try folder.open("b.db")
      // One that is said to be another action's is found at the latest when something is written.
      if !change.hasPrefix("number") { #expect(throws: JournalError.self) { try journal.plugins(upTo: 7) } }
      journal.append(Sample.entry(8))
      journal.settle()
      guard case .damaged(_, last, _) = journal.failure else {
        Issue.record("\(String(describing: journal.failure))")
        continue
      }
      try? journal.end()
    }
  }

  @Test func aPluginThatIsMissingIsNoticed() throws {
    try folder.spoil("a.db", "DELETE FROM plugins")
    #expect(try JournalArchive(folder["a.db"]).lastGood == 3)
  }

  @Test(arguments: [
    "UPDATE meta SET value = 'x' WHERE name = 'schemaHash'", "UPDATE meta SET value = 'y' WHERE name = 'schema'",
    "INSERT INTO meta VALUES ('base', 4)", "DELETE FROM meta WHERE name = 'id'", "DELETE FROM meta",
    "DELETE FROM meta WHERE name = 'checksum'",
  ])
  func whatTheFileSaysOfItselfIsChecked(_ sql: String) throws {
    try folder.spoil("a.db", sql)
    #expect(try folder.lastGood("a.db", "its header is damaged") == 7)
  }

  @Test func pluginsOfBeforeTheFirstActionAreChecked() throws {
    let journal = try folder.open()
    let plugin = JournaledPlugin(number: 3, name: "v", version: "1", directory: "/v", digest: "d")
    journal.restart(after: 3, Sample.slices(after: 3), plugins: [plugin])
    journal.append(Sample.entry(4))
    try journal.end(number: 4, Sample.slices(after: 4))
    let again = try folder.open()
    #expect(try again.plugins(upTo: 4) == [plugin])
    again.append(Sample.entry(5))
    try again.end(number: 5, Sample.slices(after: 5))
    #expect(try JournalArchive(folder["a.db"]).damage == nil)
    try folder.spoil("a.db", "UPDATE plugins SET digest = 'x'")
    #expect(try folder.lastGood("a.db", "its header is damaged") == 5)
  }

  @Test func aSnapshotWithoutItsChecksumIsNoticed() throws {
    try folder.spoil("a.db", "UPDATE snapshots SET slices = json_remove(slices, '$[#-1]') WHERE number = 6")
    #expect(try JournalArchive(folder["a.db"]).lastGood == 5)
  }
}
