import StorePlugins
import Testing

@testable import StoreShell

/// The setting `plugin.purity`, and what the shell says of impure plugins.
@Suite struct PuritySettingTests {
  private static let memo = """
    local seen = {}
    return plugin {
      state = { field("count", int()) }, actions = { { name = "visit" }, { name = "pass" } },
      reducers = {
        visit = function(s)
          seen[#seen + 1] = true
          s.count = #seen
        end,
        pass = function(s) s.count = s.count + #seen end,
      },
    }
    """

  @Test func hiddenStateChangesNothing() throws {
    let shell = try Shell()
    let folder = try shell.plugin("memo", Self.memo)
    _ = try shell.type("plugin load \(folder)")
    #expect(
      try shell.type("dispatch memo.visit")
        == .init(
          errors: """
            error[plugin-impure]: memo: reducer 'memo.visit' changed a captured local; reducers may only change their draft
              hint: keep the value in the plugin's state

            """, status: 1))
    #expect(try shell.type("show memo.count").output == "0\n")
    #expect(try shell.type("show shell.log[2].changed --as json").output == "[]\n")
  }

  /// A plugin's own tests do not switch off what proves it.
  @Test func aTestLooksAtEveryCallWhateverItSays() throws {
    let shell = try Shell()
    let folder = try shell.plugin("memo", Self.memo)
    try shell.write(
      "memo/tests/memo_test.lua", "test('sly', function(t) t:run('set plugin.purity off') t:dispatch('visit') end)")
    let outcome = shell.run("plugin test \(folder)")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("plugin.purity stays always in a test"))
    #expect(shell.run("set plugin.purity off").errors == "")
  }

  @Test func whatIsFoundWithoutRunningIsNotLoaded() throws {
    let shell = try Shell()
    let folder = try shell.plugin("hidden", Self.memo.replacing("seen[#seen + 1] = true", with: "seen = { true }"))
    let outcome = shell.run("plugin load \(folder)")
    #expect(outcome.status == 4)
    #expect(
      outcome.errors.hasPrefix(
        "-c:1:1: error[plugin-impure]: hidden: reducer 'hidden.visit' assigns to the captured local 'seen' (\(folder)/init.lua:6)\n"
      ))
    #expect(shell.session.store.loadedPlugins.isEmpty)
  }

  @Test func theSettingIsAnActionAndReachesLoadedPlugins() throws {
    let shell = try Shell()
    let folder = try shell.plugin("memo", Self.memo)
    _ = try shell.type("plugin load \(folder)")
    #expect(try shell.type("set plugin.purity off").output == "#2 shell.set name=\"plugin.purity\" value=\"off\"\n")
    #expect(try shell.type("set plugin.purity").output == "\"off\"\n")
    #expect(try shell.type("dispatch memo.visit").output == "#3 memo.visit\n  memo.count  0 -> 1\n")
    _ = try shell.type("set plugin.purity always")
    #expect(try shell.type("dispatch memo.visit").errors.hasPrefix("error[plugin-impure]: "))
    #expect(try shell.type("set plugin.purity sometimes").errors.contains("expected one of always, sampled, off"))
  }

  @Test func aPluginLoadedLaterFollowsIt() throws {
    let shell = try Shell()
    let folder = try shell.plugin("memo", Self.memo)
    _ = try shell.type("set plugin.purity off", "plugin load \(folder)")
    #expect(try shell.type("dispatch memo.visit").status == 0)
  }

  @Test func batchSamplesAndThePromptLooksAlways() throws {
    let shell = try Shell()
    #expect(shell.session.store.live.purity == .sampled)
    _ = try Prompt(shell.session, on: ScriptedEditor([])).run()
    #expect(shell.session.store.live.purity == .always)
    _ = try shell.type("set plugin.purity off")
    #expect(shell.session.store.live.purity == .off)
  }
}
