import Testing

@testable import StoreShell

/// Plugins that refer to what another one declares, which may go and come back.
@Suite struct DependentPluginTests {
  private let shell: Shell
  private let needed: String

  private static let counting = """
    return plugin { state = { field("n", int()) }, actions = { { name = "inc" } },
      reducers = { inc = function(s) s.n = s.n + 1 end } }
    """

  /// Plugins that need `xa`, by what they do with it.
  static let dependents = [
    #"state = { field("n", int()) }, reducers = { ["xa.inc"] = function(s) s.n = s.n + 1 end }"#,
    #"lifted = { { at = "xa", on = "xa.zap", args = {}, reduce = function(d) d.n = d.n + 100 end } }"#,
    #"lifted = { { at = "xa", on = "xa.inc", reduce = function(d) d.n = d.n + 100 end } }"#,
    #"actions = { { name = "go" } }, reducers = { go = function() end }, bridges = { { from = "go", to = "xa.inc" } }"#,
    #"transitions = { { at = "xa.n", to = 1, dispatch = "xa.inc" } }"#,
    #"middleware = { { name = "m", on = { "xa.inc", "xa.*" }, after = function() end } }"#,
  ]

  init() throws {
    shell = try Shell {
      $0.isQuiet = true
      $0.grants = ["xc", "xd"]
    }
    needed = try shell.plugin("xa", Self.counting)
  }

  private func dependent(_ lua: String, _ name: String = "xc") throws -> String {
    try shell.plugin(
      name, "return plugin { \(lua) }", permissions: #"["read:xa", "reduce:xa", "dispatch:xa.*"]"#)
  }

  private func reopened(_ store: String) throws -> Shell {
    let next = try Shell { $0.grants = ["xc", "xd"] }
    #expect(next.openStore(store) == .init())
    return next
  }

  @Test(arguments: dependents)
  func aFileOpensThoughWhatAPluginNeedsIsGone(lua: String) throws {
    let folder = try dependent(lua)
    let store = "\(shell.folder)/q.db"
    #expect(shell.openStore(store) == .init())
    #expect(
      shell.run("plugin load \(needed)", "plugin load \(folder)", "dispatch xa.inc", "plugin unload xa")
        == .init(errors: "note: xc uses xa, which is gone\n"))
    _ = shell.outcome { shell.session.endJournal() }
    let next = try reopened(store)
    #expect(next.run("plugin list --as raw").output.hasPrefix("xc\t"))
    #expect(next.run("undo", "show xa.n").output.hasSuffix("\n\(shell.run("undo", "show xa.n").output)"))
    _ = next.outcome { next.session.endJournal() }
  }

  @Test(arguments: dependents)
  func aFileOpensThoughWhatAPluginNeedsWasLoadedAfterIt(lua: String) throws {
    let folder = try dependent(lua)
    let store = "\(shell.folder)/q.db"
    #expect(shell.openStore(store) == .init())
    #expect(
      shell.run(
        "plugin load \(needed)", "plugin load \(folder)", "plugin unload xa", "plugin load \(needed)", "dispatch xa.inc"
      )
        == .init(errors: "note: xc uses xa, which is gone\n"))
    let state = shell.run("show --json").output
    _ = shell.outcome { shell.session.endJournal() }
    let next = try reopened(store)
    #expect(next.run("show --json").output == state)
    #expect(next.run("plugin list --json").output.contains(#""name":"xc""#))
    let file = "\(shell.folder)/x.jsonl"
    #expect(next.run("export journal \(file)").status == 0)
    let replayed = try Shell().run("replay \(file) --verify")
    #expect(replayed.output.hasSuffix("every state matches\n"), "\(replayed)")
    _ = next.outcome { next.session.endJournal() }
  }

  @Test func aReducerThatRestedAnswersAgain() throws {
    let folder = try dependent(Self.dependents[0])
    #expect(
      shell.run(
        "plugin load \(needed)", "plugin load \(folder)", "dispatch xa.inc", "plugin unload xa",
        "plugin load \(needed)",
        "dispatch xa.inc", "show xc.n", "undo --to 4", "redo", "undo --to 2", "dispatch xa.inc", "show xc.n"
      ).output
        == "2\n1\n")
  }

  @Test func whatAPluginAddsIsThereAsLongAsTheModuleIs() throws {
    let folder = try dependent(Self.dependents[1])
    #expect(
      shell.run("plugin load \(needed)", "plugin load \(folder)", "dispatch xa.zap", "plugin unload xa")
        == .init(errors: "note: xc uses xa, which is gone\n"))
    #expect(shell.run("dispatch xa.zap").errors.contains("error[unknown-action]: unknown action 'xa.zap'"))
    #expect(shell.run("plugin load \(needed)", "dispatch xa.zap", "show xa.n").output == "100\n")
    #expect(shell.run("plugin unload xc", "plugin load \(folder)", "dispatch xa.zap", "show xa.n").output == "200\n")
    _ = try shell.plugin(
      "xa", #"return plugin { actions = { { name = "zap" } }, reducers = { zap = function() end } }"#)
    _ = shell.run("plugin unload xa")
    #expect(
      shell.run("plugin load \(needed)").errors.contains("xa: another plugin has added the action 'xa.zap'"))
  }

  @Test func aBridgeToAnActionThatIsGoneIsAnErrorAndNoAction() throws {
    let folder = try dependent(Self.dependents[3], "xd")
    #expect(shell.run("plugin load \(needed)", "plugin load \(folder)", "plugin unload xa").status == 0)
    let outcome = shell.run("dispatch xd.go")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("xd: bridge from 'xd.go' to 'xa.inc': unknown action 'xa.inc'"), "\(outcome)")
    #expect(shell.run("log --as raw").output.contains("xa.inc") == false)
    let file = "\(shell.folder)/x.jsonl"
    #expect(shell.run("export journal \(file)").errors == "")
    #expect(try Shell().run("replay \(file) --verify").output.hasSuffix("every state matches\n"))
  }

  @Test func aReloadedPluginThatAddsAnActionIsReplayed() throws {
    let folder = try dependent(Self.dependents[1])
    let file = "\(shell.folder)/x.jsonl"
    #expect(
      shell.run(
        "plugin load \(needed)", "plugin load \(folder)", "plugin reload xc", "dispatch xa.zap",
        "export journal \(file)"
      ).errors == "")
    #expect(try Shell().run("replay \(file) --verify") == .init(output: "replayed 4 actions, every state matches\n"))
  }

  @Test(arguments: [
    (
      #"reducers = { ["counter.zap"] = function(s) s.n = s.n + 1 end }, actions = { { name = "go" } }"#,
      "dispatch counter.zap", "1\n"
    ),
    (
      #"""
      middleware = { { name = "m", on = { "counter.zap" }, after = function(_, ctx) ctx:dispatch("p.go") end } },
      actions = { { name = "go" } }, reducers = { go = function(s) s.n = s.n + 1 end }
      """#, "dispatch counter.zap", "1\n"
    ),
    (
      #"""
      bridges = { { from = "go", to = "counter.zap" }, { from = "counter.zap", to = "up" } },
      actions = { { name = "go" }, { name = "up" } },
      reducers = { go = function() end, up = function(s) s.n = s.n + 1 end }
      """#, "dispatch p.go", "1\n"
    ),
    (
      #"""
      transitions = { { at = "p.n", to = 1, dispatch = "counter.zap" } }, actions = { { name = "go" } },
      reducers = { go = function(s) s.n = 1 end, ["counter.zap"] = function(s) s.n = s.n + 1 end }
      """#, "dispatch p.go", "2\n"
    ),
    (
      #"""
      commands = { { name = "zap", run = function(_, cmd) cmd:dispatch("counter.zap") end } },
      actions = { { name = "go" } }, reducers = { go = function() end, ["counter.zap"] = function(s) s.n = s.n + 1 end }
      """#, "p zap", "1\n"
    ),
  ])
  func aPluginRefersToTheActionThatItAdds(lua: String, statement: String, count: String) throws {
    let shell = try Shell {
      $0.isQuiet = true
      $0.grants = ["p"]
    }
    let folder = try shell.plugin(
      "p",
      """
      return plugin { state = { field("n", int()) },
        lifted = { { at = "counter", on = "counter.zap", args = {}, reduce = function(d) d.value = 7 end } }, \(lua) }
      """, permissions: #"["reduce:counter"]"#)
    #expect(shell.run("plugin load \(folder)", statement, "show p.n") == .init(output: count))
    #expect(shell.run("plugin reload p", statement, "show counter.value") == .init(output: "7\n"))
  }

  @Test func aModuleThatIsNotLoadedIsNamed() throws {
    let folder = try dependent(Self.dependents[0])
    #expect(
      shell.run("plugin load \(folder)").errors.hasSuffix(
        """
        xc: reducer for unknown action 'xa.inc'
          plugin load \(folder)
          hint: there is no module 'xa'; where it is a plugin, load that first

        """))
  }
}
