import Platform
import Testing

@testable import StoreShell

/// Records whose actions interceptors take or replace, and what `ingest` says of them: only what was processed as it was read
/// counts as ingested.
@Suite struct InterceptedIngestTests {
  private static let lua = """
    return plugin {
      state = { field("mode", text()) },
      actions = { { name = "mode", args = { field("to", text()) } }, { name = "bad" } },
      reducers = { mode = function(s, a) s.mode = a.to end, bad = function() error("boom") end },
      interceptors = { function(dispatch, get, next) return function(action)
        local mode = get().p.mode
        if action.name == "p.mode" or action.name == "p.bad" or mode == "" then return next(action) end
        if mode == "replace" then return next("counter.increment", {}) end
        if mode == "shout" then return next("tasks.add", { title = action.args.title .. "!" }) end
        if mode == "forever" then return dispatch("counter.increment", {}) end
        if mode == "fail" then return dispatch("p.bad", {}) end
      end end },
    }
    """

  /// A shell with the plugin in a mode, and a file of two records.
  private func shell(_ mode: String) throws -> (Shell, file: String) {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin("p", Self.lua, permissions: #"["intercept", "dispatch:counter.increment"]"#)
    #expect(shell.run("plugin load \(folder)", "dispatch p.mode \(mode)").status == 0)
    return (shell, try shell.write("list.jsonl", "{\"title\":\"a\"}\n{\"title\":\"b\"}\n"))
  }

  /// What an interceptor did in a record's place may have been stopped: the record was dropped all the same.
  @Test(arguments: [false, true]) func whatEndsInARunawayWasDropped(isJSON: Bool) throws {
    let (shell, file) = try shell("forever")
    shell.session.options.isJSON = isJSON
    let outcome = shell.run("ingest \(file) --as tasks.add --keep-going")
    #expect(outcome.status != 0)
    let all = outcome.output + outcome.errors
    #expect(all.contains(isJSON ? #""records":0"# : "ingested 0 records as tasks.add\n"), "\(outcome)")
    #expect(all.contains("2 records of \(file) dropped, with errors besides"), "\(outcome)")
    shell.session.options.isJSON = false
    #expect(shell.run("= #state.tasks.items").output == "0\n")
  }

  @Test func whatFailsBesideADroppedRecordIsSaidSo() throws {
    let (shell, file) = try shell("fail")
    let outcome = shell.run("ingest \(file) --as tasks.add --keep-going")
    #expect(outcome.output == "ingested 0 records as tasks.add\n")
    #expect(outcome.errors.contains("error[plugin-runtime]: 2 records of \(file) dropped, with errors besides\n"))
    #expect(shell.run("ingest \(file) --as tasks.add").errors.contains("0 records before it were ingested"))
  }

  @Test func whatBecameAnotherActionWasNotIngested() throws {
    let (shell, file) = try shell("replace")
    let outcome = shell.run("ingest \(file) --as tasks.add")
    #expect(outcome.output == "ingested 0 records as tasks.add\n")
    #expect(outcome.errors == "2 records of \(file) went on as counter.increment\n")
    shell.session.options.isJSON = true
    #expect(shell.run("ingest \(file) --as tasks.add").output.contains(#""replaced":2}"#))
    // Other arguments are no other action.
    let (louder, _) = try self.shell("shout")
    #expect(louder.run("ingest \(file) --as tasks.add").output.hasPrefix("ingested 2 records as tasks.add"))
    #expect(louder.run("show tasks.items[2].title").output == "\"b!\"\n")
  }

  @Test func rejectsHaveWhatWasDropped() throws {
    let (shell, file) = try shell("drop")
    let rejects = "\(shell.folder)/rejects"
    #expect(
      shell.run("ingest \(file) --as tasks.add --rejects \(rejects)").output == "ingested 0 records as tasks.add\n")
    #expect(
      String(decoding: try Files.read(rejects), as: UTF8.self) == """
        {"line":1,"reason":"dropped by p.interceptor1","text":"{\\"title\\":\\"a\\"}"}
        {"line":2,"reason":"dropped by p.interceptor1","text":"{\\"title\\":\\"b\\"}"}

        """)
  }

  /// The records that were left out are wanted all the more.
  @Test func whoInterruptsHasTheRejectsSoFar() throws {
    let shell = try Shell()
    let records = "{\"title\":1}\n" + String(repeating: "{\"title\":\"a\"}\n", count: 300)
    let file = try shell.write("list.jsonl", records)
    let rejects = try shell.write("rejects", "{\"line\":1}\n")
    shell.session.interrupts.take = { true }
    #expect(shell.run("ingest \(file) --as tasks.add --rejects \(rejects)").status == 130)
    let written = String(decoding: try Files.read(rejects), as: UTF8.self)
    #expect(written.hasPrefix(#"{"line":1,"reason":"#) && written.split(separator: "\n").count == 1, "\(written)")
  }
}
