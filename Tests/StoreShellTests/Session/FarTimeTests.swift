import Testing

@testable import StoreShell

/// Times at the end of what a clock can show.
@Suite struct FarTimeTests {
  @Test func theVirtualClockStopsAtItsEnd() throws {
    let shell = try Shell()
    #expect(shell.openStore("\(shell.folder)/far.db").status == 0)
    #expect(shell.run("wait 2562047h", "dispatch counter.increment --quiet") == .init())
    let past = shell.run("wait 1h")
    #expect(past.errors.contains("error[out-of-range]: the virtual clock goes no further than 292 years"), "\(past)")
    #expect(shell.run("log 1").output.contains("9223369200.0s"))
    #expect(try shell.type("dispatch counter.increment --quiet").errors == "")
  }

  @Test func aReducerOfAPluginIsGivenIt() throws {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin(
      "late",
      """
      return plugin { state = { field("at", number()) }, actions = { { name = "note" } },
        reducers = { note = function(s, a, meta) s.at = meta.at end } }
      """)
    let outcome = shell.run("plugin load \(folder)", "wait 2562047h", "dispatch late.note", "show late.at")
    #expect(outcome.output.hasSuffix("9223369200.0\n"), "\(outcome)")
  }
}
