import Platform
import StoreHistory
import StoreHost
import StoreSchema
import Testing

@testable import StoreShell

/// A store's file whose middle is not what was written, though it was closed in order.
@Suite struct DamagedStoreTests {
  private let writer: Shell
  private let file: String

  init() throws {
    writer = try Shell { $0.isQuiet = true }
    file = "\(writer.folder)/a.db"
    #expect(writer.openStore(file) == .init())
    for number in 1...400 {
      // The state after a setting is always written.
      _ = writer.run(number == 101 ? "set runaway 500" : "dispatch counter.increment by=\(1_000_000 + number)")
    }
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    var bytes = try Files.read(file)
    let range = try #require(bytes.firstRange(of: Array("{\"by\":1000020}".utf8)))
    bytes[range.upperBound - 2] = UInt8(ascii: "1")
    try writer.write("a.db", bytes)
  }

  @Test func isReadAndNotWritten() throws {
    let (names, before) = (Files.names(in: writer.folder), try Files.read(file))
    let shell = try Shell()
    #expect(shell.openStore(file) == .init())
    let damage = "\(file) is damaged after #19: #20 is damaged, or an action before it is missing"
    let outcome = shell.run("dispatch counter.increment", "show counter.value")
    #expect(outcome.errors == "note: \(damage); from now on everything is kept in memory only\n")
    #expect(outcome.output == "#401 counter.increment\n  counter.value  399080099 -> 399080100\n399080100\n")
    #expect(
      shell.outcome { shell.session.endJournal() }
        == .init(
          errors: """
            error[store-damaged]: \(damage)
              hint: to read and export its undamaged part: stsh --store \(file) --read-only

            """, status: 1))
    #expect(Files.names(in: writer.folder) == names)
    #expect(try Files.read(file) == before)
  }

  @Test func whoOnlyLooksIsToldAtTheEnd() throws {
    let shell = try Shell()
    #expect(shell.openStore(file) == .init())
    #expect(shell.run("show counter.value") == .init(output: "399080099\n"))
    #expect(
      shell.outcome { shell.session.endJournal() }
        == .init(
          errors: """
            note: \(file) is damaged after #19: #20 is damaged, or an action before it is missing; \
            to export its undamaged part: stsh --store \(file) --read-only

            """))
  }

  @Test(arguments: [nil, 19]) func eachGoodPartCanBeExported(last: Int?) throws {
    let shell = try Shell()
    shell.session.options.journal = JournalPlan(path: file, opening: .readOnly(upTo: last))
    let opened = shell.outcome { shell.session.openJournal() }
    #expect(opened.status == 0)
    if last == nil {
      #expect(opened.errors.contains("note: it is damaged after #19: #20 is damaged, or an action before it is"))
      #expect(opened.errors.contains(" to #400 can be read and are open\n"))
      #expect(
        opened.errors.hasSuffix("note: #1 to #19 can be read, too: stsh --store \(file) --read-only --to 19\n"),
        "\(opened)")
    }
    if last == nil {
      for command in ["goto 5", "why #5", "show counter.value --at 5"] {
        let oldest = shell.session.store.live.oldest
        #expect(
          shell.run(command).errors.contains(
            "error[store-damaged]: #5 cannot be read: the readable part of the damaged file goes back to #\(oldest)\n"))
      }
    }
    let export = shell.run("export journal \(shell.folder)/good.jsonl")
    #expect(export.errors.contains(" are left out: the file is damaged there\n") == (last == nil), "\(export)")
    #expect(export.output.hasPrefix(last == nil ? "wrote 2" : "wrote 19 actions"), "\(export)")
    let replay = try Shell().run("replay \(shell.folder)/good.jsonl --verify")
    #expect(replay.output.hasSuffix(" actions, every state matches\n"), "\(replay)")
  }

  @Test func anEarlierPointOfASoundFileIsShown() throws {
    let shell = try Shell()
    let store = "\(shell.folder)/b.db"
    #expect(shell.openStore(store) == .init())
    _ = shell.run("dispatch counter.increment", "dispatch counter.increment", "dispatch counter.increment")
    #expect(shell.outcome { shell.session.endJournal() } == .init())
    let reader = try Shell()
    reader.session.options.journal = JournalPlan(path: store, opening: .readOnly(upTo: 2))
    #expect(reader.outcome { reader.session.openJournal() }.status == 0)
    #expect(reader.run("show counter.value").output == "2\n")
    reader.session.options.journal = JournalPlan(path: store, opening: .readOnly(upTo: 4))
    #expect(
      reader.outcome { reader.session.openJournal() }
        == .init(errors: "error[out-of-range]: there is no #4: the last action is #3\n", status: 1))
  }

  @Test func anActionThatDoesNotFitItsTypeIsDamage() throws {
    let shell = try Shell()
    let store = "\(shell.folder)/b.db"
    #expect(shell.openStore(store) == .init())
    _ = shell.run("dispatch counter.increment", "dispatch counter.increment")
    #expect(shell.outcome { shell.session.endJournal() } == .init())
    let journal = try Journal(store, header: JournalHeader(program: "", began: .zero, schema: "", schemaHash: ""))
    journal.append(
      LoggedEntry(
        number: 3, time: .zero, source: .here(), action: "counter.increment",
        arguments: Record(RecordLayout(name: "increment", fields: []), []), isQuiet: false,
        changes: [Change(Path([.field("counter"), .field("value")]), .replace(from: .int(2), to: .string("milk")))],
        failure: nil))
    try journal.end()
    let outcome = try Shell().openStore(store)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("error[store-damaged]: \(store) is damaged after #2: #3 does not fit its type: "))
  }

  @Test(arguments: ["goto 1", "export journal -"]) func aStateThatCannotBeReadIsDamage(line: String) throws {
    let shell = try Shell()
    let store = "\(shell.folder)/b.db"
    #expect(shell.openStore(store) == .init())
    _ = shell.run("dispatch counter.increment", "dispatch counter.increment")
    #expect(shell.outcome { shell.session.endJournal() } == .init())
    var bytes = try Files.read(store)
    // The lists of the states' slices begin with the first slice; that of the first state is written first.
    let range = try #require(bytes.lastRange(of: Array("[1,2".utf8)))
    bytes[range.upperBound - 1] = UInt8(ascii: "9")
    try shell.write("b.db", bytes)
    let reader = try Shell()
    #expect(reader.openStore(store) == .init())
    let outcome = reader.run(line)
    #expect(
      outcome.errors.contains("error[store-damaged]: \(store) is damaged after #2: no state up to #"),
      "\(outcome)")
  }

  @Test func theLastGoodActionIsToldWhereOnlyTheLastStateIsLost() throws {
    let shell = try Shell { $0.isQuiet = true }
    let store = "\(shell.folder)/b.db"
    #expect(shell.openStore(store) == .init())
    for number in 1...200 { _ = shell.run("dispatch tasks.add title='this is the task with number \(1000 + number)'") }
    #expect(shell.outcome { shell.session.endJournal() } == .init())
    var bytes = try Files.read(store)
    // In the middle of the pages of the state that was written last.
    let place = try #require(bytes.lastRange(of: Array("with number 1100".utf8))).lowerBound
    let start = place - place % 4096
    bytes.replaceSubrange(start..<start + 4096, with: repeatElement(0, count: 4096))
    try shell.write("b.db", bytes)
    let outcome = try Shell().openStore(store)
    #expect(outcome.errors.hasPrefix("error[store-damaged]: \(store) is damaged after #200: "), "\(outcome)")
    #expect(outcome.errors.hasSuffix("export its undamaged part: stsh --store \(store) --read-only\n"), "\(outcome)")
    #expect(try Files.read(store) == bytes)
  }

  /// A file whose actions were kept by a session each, so that each has a row of its own.
  private func store(of sessions: [[String]]) throws -> (shell: Shell, path: String) {
    let folder = try Shell()
    let path = "\(folder.folder)/s.db"
    for statements in sessions {
      let shell = try Shell()
      #expect(shell.openStore(path) == .init())
      for statement in statements { #expect(shell.run(statement).errors == "", "\(statement)") }
      #expect(shell.outcome { shell.session.endJournal() } == .init())
    }
    return (folder, path)
  }

  /// What an undo took back is looked for among the actions that can be read, and another one that cannot does not matter.
  @Test(arguments: [
    "UPDATE blocks SET entries = substr(entries, 1, 20) WHERE first = 3", "DELETE FROM blocks WHERE first = 2",
  ])
  func whyDoesWithoutActionsThatCannotBeRead(sql: String) throws {
    let (folder, path) = try store(of: [
      ["dispatch counter.setStep 3"], ["dispatch tasks.add b"], ["dispatch tasks.add c"],
      ["undo #1", "dispatch tasks.add d"], ["dispatch tasks.add e"],
    ])
    try folder.alter(path, sql)
    let shell = try Shell()
    shell.session.options.journal = JournalPlan(path: path, opening: .readOnly())
    #expect(shell.outcome { shell.session.openJournal() }.status == 0)
    let outcome = shell.run("why counter.step")
    #expect(outcome.status == 0 && outcome.output.hasPrefix("#4 shell.restore without=[1]"), "\(outcome)")
    #expect(shell.run("why counter.value").status == 0)
  }

  /// The state after an action of the shell that cannot be read is named by the action.
  @Test func aDamagedSwitchOfTheShellIsThatOfItsAction() throws {
    let (folder, path) = try store(of: [
      ["dispatch tasks.add a", "set emit never"], ["dispatch tasks.add b", "middleware on logger"],
      ["middleware off logger", "dispatch tasks.add c"],
    ])
    try folder.alter(
      path,
      "UPDATE slices SET state = '{' WHERE id = (SELECT id FROM slices WHERE module = 'shell' ORDER BY id LIMIT 1 OFFSET 1)"
    )
    let shell = try Shell()
    #expect(shell.openStore(path) == .init())
    let outcome = shell.run("set journal.limit 1", "undo", "undo", "export journal -")
    #expect(outcome.errors.contains("error[store-damaged]: the state after #2 is damaged"), "\(outcome)")
  }
}

extension Array where Element == UInt8 {
  /// Where some bytes stand last.
  fileprivate func lastRange(of bytes: [UInt8]) -> Range<Int>? {
    indices.reversed().first { self[$0...].starts(with: bytes) }.map { $0..<$0 + bytes.count }
  }
}
