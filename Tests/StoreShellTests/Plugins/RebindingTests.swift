import Testing

@testable import StoreShell

/// Plugins that answer another one's actions, where actions run again and that one was reloaded.
@Suite struct RebindingTests {
  // Its folders last as long as it does.
  private let shell: Shell
  private let base: String

  init() throws {
    shell = try Shell { $0.grants = ["base", "tiny", "lift"] }
    base = try shell.plugin("base", Self.base)
    let tiny = try shell.plugin(
      "tiny",
      "return plugin { state = { field('sum', int()) }, reducers = { ['base.inc'] = function(s) s.sum = s.sum + 1 end } }",
      permissions: #"["read:base"]"#)
    let lift = try shell.plugin(
      "lift",
      "return plugin { lifted = { { at = 'base', on = 'base.inc', reduce = function(d) d.n = d.n + 10 end } } }",
      permissions: #"["reduce:base"]"#)
    for folder in [base, tiny, lift] { #expect(shell.run("plugin load \(folder)").status == 0) }
    #expect(shell.run("dispatch base.inc", "dispatch base.inc").status == 0)
  }

  private static let base = """
    return plugin { state = { field('n', int()) }, actions = { { name = 'inc' } },
      reducers = { inc = function(s) s.n = s.n + 1 end } }
    """

  @Test func whatIsSkippedLeavesTheOthersAsTheyAre() throws {
    #expect(shell.run("dispatch counter.increment by=0", "plugin reload base", "dispatch base.inc").status == 0)
    #expect(shell.run("skip 6", "show base.n", "show tiny.sum").output.hasSuffix("\n33\n3\n"))
    #expect(shell.run("skip 4", "show base.n", "show tiny.sum").output.hasSuffix("\n22\n2\n"))
    // The live plugins answer the live actions again.
    #expect(shell.run("goto head", "dispatch base.inc", "show base.n", "show tiny.sum").output.hasSuffix("\n44\n4\n"))
  }

  /// Another plugin that fails now hides nothing: the action was applied then.
  @Test func whatOnlyAnotherPluginFailsAtIsComparedWithoutIt() throws {
    #expect(shell.run("plugin disable tiny", "dispatch base.inc").status == 0)
    try shell.write(
      "tiny/init.lua",
      "return plugin { state = { field('sum', int()) }, reducers = { ['base.inc'] = function() error('always') end } }")
    #expect(shell.run("plugin reload tiny").status == 0)
    try shell.write("base/init.lua", Self.base.replacing("s.n + 1", with: "s.n + 100"))
    let reload = shell.run("plugin reload base --verify 3")
    #expect(reload.errors.contains("error[replay-diverged]"), "\(reload)")
    #expect(shell.run("dispatch base.inc", "show base.n").output.hasSuffix("\n44\n"))
  }

  /// What is lifted runs behind the module's own reducers, though their plugin was loaded anew behind the other.
  @Test func aLiftedReducerRunsLast() throws {
    let list = try shell.plugin(
      "list",
      """
      return plugin { state = { field('l', list(int())) }, actions = { { name = 'add', args = { field('n', int()) } } },
        reducers = { add = function(s, a) s.l[#s.l + 1] = a.n end } }
      """)
    shell.session.options.grants.insert("sort")
    let sort = try shell.plugin(
      "sort",
      "return plugin { lifted = { { at = 'list', on = 'list.add', reduce = function(d) table.sort(d.l) end } } }",
      permissions: #"["reduce:list"]"#)
    #expect(
      shell.run("plugin load \(list)", "plugin load \(sort)", "plugin unload list", "plugin load \(list)").status == 0)
    #expect(shell.run("dispatch list.add 5", "dispatch list.add 3", "show list.l").output.hasSuffix("\n3\n5\n"))
    let recording = "\(shell.folder)/j.jsonl"
    #expect(shell.run("export journal \(recording)").status == 0)
    #expect(shell.run("replay \(recording) --verify").output.hasSuffix("every state matches\n"))
  }

  @Test func anEditedPluginIsVerifiedWithThoseThatAnswerIt() throws {
    try shell.write("base/init.lua", Self.base + "\n--")
    let reload = shell.run("plugin reload base --verify 5")
    #expect(reload.errors == "")
    #expect(reload.output.contains("verified"))
    try shell.write("base/init.lua", Self.base.replacing("s.n + 1", with: "s.n + 2"))
    let refused = shell.run("plugin reload base --verify 5")
    #expect(refused.errors.contains("error[replay-diverged]"))
    #expect(refused.errors.contains("base.n"))
    #expect(!refused.errors.contains("tiny.sum"))
    #expect(shell.run("dispatch base.inc", "show base.n", "show tiny.sum").output.hasSuffix("\n33\n3\n"))
  }
}
