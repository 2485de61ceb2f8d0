import Platform
import StoreHistory
import StoreHost
import StorePlugins
import Testing

@testable import StoreShell

/// A recording that a session goes on from is in the session's journal too.
@Suite struct AdoptedRecordingTests {
  private let recorder: Shell
  private let file: String

  init() throws {
    recorder = try Shell { $0.grants = ["pomodoro"] }
    file = "\(recorder.folder)/run.jsonl"
    let outcome = recorder.run(
      "dispatch counter.increment by=4", "plugin load pomodoro", "dispatch tasks.add milk",
      "dispatch pomodoro.start minutes=1 task=1", "wait 20s", "middleware on logger", "undo 2", "redo",
      "dispatch counter.increment", "export journal \(file)")
    #expect(outcome.status == 0, "\(outcome)")
  }

  /// A session that keeps what happens in a file.
  private func shell(_ store: String, _ opening: JournalPlan.Opening = .atOnce) throws -> Shell {
    let shell = try Shell { $0.grants = ["pomodoro"] }
    shell.session.options.journal = JournalPlan(path: store, durability: .off, opening: opening)
    #expect(shell.outcome { shell.session.openJournal() } == .init())
    return shell
  }

  private func log(_ shell: Shell) -> String { shell.run("log 1000 --all").output }

  @Test(arguments: [JournalPlan.Opening.atOnce, .withFirstAction])
  func itIsWrittenWithAllThatFollows(opening: JournalPlan.Opening) throws {
    let store = "\(recorder.folder)/new.db"
    let writer = try shell(store, opening)
    // What was loaded before goes, as the recording brings its own.
    _ = writer.run("plugin load pomodoro").status
    #expect(writer.outcome { writer.session.start(from: file) }.errors == "", "a plugin may be there already")
    #expect(log(writer) == log(recorder))
    _ = writer.run("dispatch counter.increment by=10")
    let state = writer.run("show --as json").output
    let past = writer.run("goto 3", "show --as json", "goto head").output
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let reader = try shell(store)
    #expect(reader.run("show --as json").output == state)
    #expect(reader.run("goto 3", "show --as json", "goto head").output == past)
    #expect(log(reader) == log(writer))
    #expect(reader.run("why counter.value") == writer.run("why counter.value"))
    #expect(reader.run("why pomodoro.left") == writer.run("why pomodoro.left"))
    #expect(reader.run("why tasks.items[id=1]") == writer.run("why tasks.items[id=1]"))
  }

  @Test func whatDoesNotRunToItsEndIsNotWritten() throws {
    let text = try #require(recorder.contents("run.jsonl"))
    let cut = try recorder.write("cut.jsonl", text.split(separator: "\n").dropLast(3).joined(separator: "\n") + "\n")
    let store = "\(recorder.folder)/new.db"
    let writer = try shell(store)
    #expect(writer.outcome { writer.session.start(from: cut) }.errors.contains("the file ends after"))
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    #expect(try shell(store).run("log").output == "(no actions)\n")
  }

  /// Writes the recording into a session's file, but not to its end.
  private func writeSome(_ writer: Shell) {
    struct Stopped: Error {}
    var options = ReplayOptions()
    options.journal = writer.session.store.live.journal
    let locator = PluginLocator(writer.session.options)
    #expect(throws: Stopped.self) {
      try writer.session.store.live.replay(
        RecordingSource(file), options, endedBy: Interruption(), locate: { name, _, _ in try locator.source(name) }
      ) { count, _ in
        writer.session.store.live.journal?.settle()
        if count == 8 { throw Stopped() }
      }
    }
  }

  @Test(arguments: [false, true])
  func whatIsStoppedWhileItIsWrittenLeavesTheFileAsItWas(hasPlugin: Bool) throws {
    let store = "\(recorder.folder)/new.db"
    let writer = try shell(store)
    if hasPlugin { _ = writer.run("plugin load pomodoro") }
    let state = writer.run("show --as json").output
    writeSome(writer)
    #expect(writer.run("show --as json").output == state)
    _ = writer.run("dispatch counter.increment by=2", "undo")
    let log = log(writer)
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let reader = try shell(store)
    #expect(reader.run("show --as json").output == state)
    #expect(self.log(reader) == log)
  }

  @Test func aFileThatWasMadeForWhatIsStoppedGoes() throws {
    let store = "\(recorder.folder)/new.db"
    let writer = try shell(store, .withFirstAction)
    writeSome(writer)
    #expect(Files.exists(store))
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    #expect(!Files.exists(store))
  }

  @Test func aStoreThatHoldsActionsIsNotReplaced() throws {
    let store = "\(recorder.folder)/new.db"
    let writer = try shell(store)
    _ = writer.run("dispatch counter.increment")
    let refused = writer.outcome { writer.session.start(from: file) }
    #expect(
      refused.errors == """
        error[not-fresh]: --replay starts a new store; \(store) holds actions
          hint: give --store a file that is not there yet, or leave it out

        """)
    #expect(writer.run("show counter.value").output == "1\n")
  }

  /// One that begins late makes a file that does, too: nothing is missing in it.
  @Test func aRecordingThatBeginsLate() throws {
    let late = try Shell()
    _ = try late.type("set journal.limit 5")
    for _ in 1...20 { _ = try late.type("dispatch counter.increment --quiet") }
    let run = "\(late.folder)/late.jsonl"
    #expect(late.run("export journal \(run)").status == 0)
    let store = "\(recorder.folder)/late.db"
    let writer = try shell(store)
    #expect(writer.run("replay \(run)").status == 0)
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let reader = try shell(store)
    let again = "\(recorder.folder)/again.jsonl"
    #expect(reader.run("export journal \(again)").status == 0)
    #expect(reader.run("undo --quiet", "show counter.value").output == "19\n")
    #expect(try Shell().run("replay \(again) --verify").output.hasSuffix("every state matches\n"))
  }
}
