import Testing

@testable import StoreShell

/// `set`: values, origins, and what is journaled.
@Suite struct SettingTests {
  @Test func everySettingSaysWhereItWasSet() throws {
    let shell = try Shell { $0.format = .json }
    let script = try shell.write("set.stsh", "\nset emit always\n")
    let outcome = try shell.type("source \(script)", "set runaway 7", "set --as csv")
    #expect(
      outcome.output
        == """
        #1 shell.set name="emit" value="always"
        #2 shell.set name="runaway" value="7"
        name,value,origin
        emit,always,\(script):2
        highlight,on,default
        hints,on,default
        journal.limit,"100000, 64MiB",default
        output,json,--as
        plugin.ceiling.actions,1000000,default
        plugin.ceiling.instructions,20000000,default
        plugin.ceiling.log_lines,1000,default
        plugin.ceiling.memory,268435456,default
        plugin.ceiling.tasks,1000000,default
        plugin.purity,sampled,default
        plugin.watch,off,default
        runaway,7,repl:2
        sessions.keep,50,default
        traceback,off,default

        """.replacing("\n", with: "\r\n").replacing("\"\r\n", with: "\"\n"))
  }

  @Test func helpSaysOfEachSettingWhatItIs() throws {
    let shell = try Shell()
    let lines = shell.run("help set").output.split(separator: "\n")
    for setting in Setting.all {
      let prefix = "  \(setting.name) "
      #expect(lines.contains { $0.hasPrefix(prefix) && $0.contains("  \(setting.summary) (") }, "\(setting.name)")
    }
    #expect(
      shell.run("help commands").output.contains(
        "\nset         changes a setting, or lists them with where each was set\n"))
  }

  /// The origin of a setting, as `set` lists it.
  private func origin(_ name: String, _ shell: Shell) throws -> Substring? {
    shell.run("set --as csv").output.split(separator: "\r\n").first { $0.hasPrefix(name + ",") }?
      .split(separator: ",").last
  }

  @Test func theOriginGoesBackWithTheValue() throws {
    let shell = try Shell()
    #expect(try shell.type("set runaway 7", "set runaway 8", "undo").status == 0)
    #expect(try origin("runaway", shell) == "repl:1")
    #expect(try shell.type("undo", "set traceback on").status == 0)
    #expect(try origin("runaway", shell) == "default")
    #expect(try origin("traceback", shell) == "repl:5")
    #expect(try shell.type("redo", "goto 1").status == 0)
    #expect(try origin("runaway", shell) == "repl:1")
  }

  /// Whoever copies a value from the listing gets the setting back.
  @Test func everySettingTakesWhatItPrints() throws {
    let shell = try Shell()
    #expect(shell.run("set journal.limit 70, 3MiB", "set runaway 9").errors == "")
    for setting in Setting.all {
      let printed = shell.run("set \(setting.name) --as raw").output.dropLast()
      let outcome = shell.run("set \(setting.name) \(printed)")
      #expect(outcome.errors == "", "\(setting.name)")
      #expect(shell.run("set \(setting.name) --as raw").output.dropLast() == printed)
    }
    #expect(shell.run("set journal.limit --as raw").output == "70, 3MiB\n")
  }

  @Test func theOriginIsKeptInAStore() throws {
    let shell = try Shell()
    let path = shell.folder + "/kept.db"
    #expect(shell.openStore(path) == .init())
    let script = try shell.write("set.stsh", "\nset emit always\nset plugin.ceiling.tasks 9\n")
    #expect(shell.run("source \(script)", "set runaway 7").status == 0)
    let recording = shell.folder + "/run.jsonl"
    #expect(shell.run("export journal \(recording)").status == 0)
    _ = shell.outcome { shell.session.endJournal() }
    for again in [try Shell(), try Shell()] {
      #expect(again.openStore(path) == .init())
      #expect(try origin("emit", again) == "\(script):2")
      #expect(try origin("plugin.ceiling.tasks", again) == "\(script):3")
      #expect(try origin("runaway", again) == "-c:2")
      #expect(try origin("journal.limit", again)?.hasSuffix("default") == true)
      _ = again.outcome { again.session.endJournal() }
    }
    let replaying = try Shell()
    #expect(replaying.run("replay \(recording)").status == 0)
    #expect(try origin("emit", replaying) == "\(script):2")
  }

  @Test(arguments: [
    ("set emit sometimes", "1:10: error[type-mismatch]: expected one of always, whenDifferent, never, got 'sometimes'"),
    ("set runaway 0", "1:13: error[out-of-range]: runaway is a number above 0, got '0'"),
    (
      "set plugin.ceiling.tasks 1000001",
      "1:26: error[out-of-range]: plugin.ceiling.tasks is a number in 1...1000000, got '1000001'"
    ),
    ("set sessions.keep 0", "1:19: error[out-of-range]: sessions.keep is a number above 0, got '0'"),
    ("set traceback maybe", "1:15: error[type-mismatch]: expected one of on, off, got 'maybe'"),
    ("set tracback on", "1:5: error[unknown-setting]: there is no setting 'tracback'"),
    ("set tracback", "1:5: error[unknown-setting]: there is no setting 'tracback'"),
  ])
  func mistakesChangeNothing(line: String, error: String) throws {
    let shell = try Shell()
    let before = shell.run("set").output
    #expect(shell.run(line).errors.hasPrefix("-c:\(error)\n"))
    #expect(shell.run("set").output == before)
    #expect(shell.session.store.live.recent().isEmpty)
  }

  @Test(arguments: ["instructions", "tasks", "actions", "log_lines"])
  func aPluginThatAsksForMoreThanTheCeilingIsNotLoaded(limit: String) throws {
    let shell = try Shell()
    _ = try shell.plugin("big", "return plugin {}")
    try shell.write(
      "big/plugin.json", #"{"name":"big","version":"1","api":1,"permissions":[],"limits":{"\#(limit)":300}}"#)
    let outcome = shell.run("set plugin.ceiling.\(limit) 250", "plugin load \(shell.folder)/big")
    #expect(outcome.output == "#1 shell.set name=\"plugin.ceiling.\(limit)\" value=\"250\"\n")
    #expect(
      outcome.errors.hasPrefix("-c:2:1: error[plugin-load]: big: limits.\(limit) is 300, the most is 250\n"),
      "\(outcome.errors)")
    #expect(outcome.status == 4)
    // As a recording tells it.
    let file = shell.folder + "/run.jsonl"
    #expect(shell.run("export journal \(file)").errors == "")
    #expect(try Shell().run("replay \(file) --verify").output == "replayed 1 action, every state matches\n")
  }

  @Test func aPluginThatSetsItselfNoLimitGetsTheCeiling() throws {
    let shell = try Shell()
    let folder = try shell.plugin("plain", "return plugin {}")
    let outcome = shell.run(
      "set plugin.ceiling.memory 1MiB", "set plugin.ceiling.tasks 2", "plugin load \(folder)",
      "plugin info plain --json", "set plugin.ceiling.memory 512KiB", "plugin reload plain", "plugin info plain --json")
    #expect(outcome.errors == "")
    #expect(outcome.output.hasPrefix("#1 shell.set name=\"plugin.ceiling.memory\" value=\"1048576\"\n"))
    #expect(outcome.output.contains(#""instructions":200000,"memory":1048576,"tasks":2,"#))
    #expect(outcome.output.contains(#""instructions":200000,"memory":524288,"tasks":2,"#))
    try shell.write("plain/plugin.json", #"{"name":"plain","version":"1","api":1,"limits":{"memory":"1MiB"}}"#)
    let refused = shell.run("plugin reload plain").errors
    #expect(refused.contains("error[plugin-load]: plain: limits.memory is 1048576, the most is 524288\n"), "\(refused)")
    #expect(refused.contains("the previous version is still active"))
    #expect(shell.run("set plugin.ceiling.memory 1GiB").errors.contains("error[out-of-range]"))
  }

  @Test func tracebacksAreOneLineUnlessAskedFor() throws {
    let shell = try Shell()
    _ = shell.run("lua function f() error('deep') end", "lua function g() f() end")
    let short = try shell.type("lua g()").errors
    let long = try shell.type("set traceback on", "lua g()").errors
    #expect(short.split(separator: "\n").count == 2)
    #expect(long.split(separator: "\n").count == 3)
    #expect(long.hasPrefix(short))
  }
}
