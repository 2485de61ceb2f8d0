import Testing

@testable import StoreHistory

/// The files of plugins are kept by their digest, once.
@Suite struct JournaledCodeTests {
  private let folder: JournalFolder
  private let old = JournaledCode(
    digest: "old", files: [("plugin.json", Array("{}".utf8)), ("init.lua", []), ("lib/a.lua", [0, 0xFF, 10])])
  private let new = JournaledCode(digest: "new", files: [("plugin.json", [1]), ("init.lua", Array("-- new".utf8))])

  init() throws {
    folder = try JournalFolder()
    let journal = try folder.open()
    journal.append(stateAfter: 0, Sample.slices(after: 0))
    load(1, old, in: journal)
    load(2, new, in: journal)
    load(3, old, in: journal)
    expect(old, in: journal)
    try journal.end()
  }

  private func load(_ number: Int, _ code: JournaledCode, in journal: Journal) {
    journal.append(
      Sample.entry(number),
      plugin: JournaledPlugin(number: number, name: "v", version: "1", directory: "/v", digest: code.digest),
      code: [code], state: Sample.slices(after: number))
  }

  private func expect(_ code: JournaledCode, in file: any JournalReading) {
    let found = file.reader.code(code.digest)
    #expect(found?.files.map(\.path) == code.files.map(\.path))
    #expect(found?.files.map(\.bytes) == code.files.map(\.bytes))
  }

  @Test func eachVersionIsThereOnce() throws {
    let archive = try JournalArchive(folder["a.db"])
    #expect(archive.damage == nil)
    expect(old, in: archive)
    expect(new, in: archive)
    #expect(archive.reader.code("other") == nil)
    archive.close()
    let rows = try DatabaseQueue(path: folder["a.db"]).use { try Int.fetchOne($0, sql: "SELECT count(*) FROM code") }
    #expect(rows == old.files.count + new.files.count)
  }

  @Test func anotherHistoryAndAnotherTypeKeepIt() throws {
    let journal = try folder.open()
    let third = JournaledCode(digest: "third", files: [("plugin.json", [3])])
    try journal.rebase(Sample.header, keeping: folder["copy.db"], Sample.slices(after: 3), code: [third])
    for code in [old, new, third] { expect(code, in: journal) }
    let fourth = JournaledCode(digest: "fourth", files: [("plugin.json", [4])])
    journal.restart(after: 7, Sample.slices(after: 7), plugins: [], code: [fourth])
    for code in [old, fourth] { expect(code, in: journal) }
    try journal.end(number: 7)
    expect(new, in: try JournalArchive(folder["copy.db"]))
  }

  @Test func itIsReadFromADamagedFileToo() throws {
    var bytes = try folder.bytes("a.db")
    bytes.replaceSubrange(0..<100, with: repeatElement(0, count: 100))
    try folder.write("b.db", bytes)
    let archive = try JournalArchive(folder["b.db"], initial: Sample.slices(after: 0))
    #expect(archive.damage != nil)
    expect(old, in: archive)
    expect(new, in: archive)
  }
}
