import Testing

@testable import StoreShell

/// Plugins as they are loaded, listed, used by their commands, unloaded and forbidden.
@Suite struct LoadedPluginTests {
  @Test func pluginsAreListedLoadedAndUnloaded() throws {
    let shell = try TickingPlugin.shell()
    let folder = "\(shell.folder)/ticking"
    #expect(
      try shell.type("plugin list --json").output
        == "[{\"name\":\"ticking\",\"version\":\"1.2.3\",\"origin\":\"\(folder)\",\"state\":\"on\",\"units\":1,\"failedAt\":null}]\n"
    )
    let again = try shell.type("plugin load \(folder)")
    #expect(again == .init(output: "ticking 1.2.3 is loaded already\n"))
    let moved = try Shell()
    let copy = try moved.plugin("ticking", TickingPlugin.text, permissions: "[\"dispatch:ticking.tick\"]")
    #expect(try shell.type("plugin load \(copy)") == .init(output: "ticking 1.2.3 is loaded already\n"))
    #expect(try shell.type("ticking say hi times=2").output == "hi hi\n")
    #expect(try shell.type("ticking say hi --as json").output == "\"hi\"\n")
    #expect(try shell.type("ticking row --json").output == "{\"a\":1}\n")
    #expect(try shell.type("ticking sayy").errors.contains("hint: did you mean 'ticking say'?"))
    #expect(try shell.type("ticking").errors.contains("hint: commands of ticking: say, row"))
    #expect(
      try shell.type("ticking say").errors
        == "error[missing-argument]: ticking say needs 'what' (String)\n  ticking say\n          ^~~\n  hint: usage: ticking say what:String times:Int=1\n"
    )
    #expect(
      try shell.type("plugin unload ticking").output.hasSuffix(
        "shell.unloadPlugin name=\"ticking\"\n  2 actions, 1 middleware, 2 commands\n"))
    #expect(try shell.type("plugin list --json").output == "[]\n")
    #expect(try shell.type("dispatch ticking.go").errors.hasPrefix("error[unknown-action]"))
    #expect(try shell.type("show ticking").errors.hasPrefix("error[unknown-path]"))
    #expect(try shell.type("ticking say x").errors.hasPrefix("error[unknown-command]"))
    #expect(try shell.type("middleware").output.split(separator: "\n").count == 2)
  }

  @Test func pluginsCanBeForbidden() throws {
    let shell = try Shell { $0.allowsPlugins = false }
    #expect(
      shell.run("plugin load catalog").errors.hasPrefix(
        "-c:1:1: error[plugin-load]: plugins are switched off in this session (--no-plugins)\n"))
    let other = try Shell()
    let recording = "\(other.folder)/run.jsonl"
    _ = other.run("plugin load catalog", "export journal \(recording)")
    let replayed = shell.run("replay \(recording)")
    #expect(replayed.errors.contains("plugins are switched off in this session (--no-plugins)"))
    #expect(replayed.status == 4)
    #expect(shell.session.store.loadedPlugins.isEmpty && shell.session.store.live.head == 0)
  }

  @Test func pluginsOfTheStartLoadSilently() throws {
    let shell = try Shell()
    let folder = try shell.plugin("ticking", TickingPlugin.text, permissions: "[\"dispatch:ticking.tick\"]")
    let granted = try Shell {
      $0.pluginFolders = [folder]
      $0.grants = ["ticking"]
    }
    #expect(granted.outcome { granted.session.loadPlugins() } == .init())
    #expect(granted.session.store.live.recent().map(\.action) == ["shell.loadPlugin"])
    let refused = try Shell { $0.pluginFolders = [folder] }
    let outcome = refused.outcome { refused.session.loadPlugins() }
    #expect(outcome.status == 4)
    #expect(outcome.errors.hasPrefix("error[plugin-grant]: ticking asks for dispatch:ticking.tick; not granted\n"))
  }

  @Test func pluginsOfTheStartThatTheStoreBringsBackAreNotLoadedTwice() throws {
    let author = try Shell()
    let folder = try author.plugin("ticking", TickingPlugin.text, permissions: "[\"dispatch:ticking.tick\"]")
    let file = "\(author.folder)/a.db"
    try author.write("init.stsh", Array("plugin load \(folder)\ndispatch counter.increment\n".utf8))
    for start in 1...3 {
      let shell = try Shell {
        $0.pluginFolders = [folder]
        $0.grants = ["ticking"]
      }
      #expect(shell.openStore(file).errors.contains("error") == false)
      #expect(shell.outcome { shell.session.loadPlugins() } == .init())
      #expect(
        shell.outcome {
          shell.session.run(initFile: "\(author.folder)/init.stsh"); return 0
        }.errors == "")
      #expect(shell.session.store.live.head == start + 1)
      #expect(shell.run("plugin load \(folder)") == .init(output: "ticking 1.2.3 is loaded already\n"))
      #expect(shell.session.store.live.head == start + 1)
      #expect(shell.outcome { shell.session.endJournal() } == .init())
    }
  }

  /// Edited files are another plugin, which only a reload takes.
  @Test func anEditedPluginIsNotLoadedTwice() throws {
    let shell = try TickingPlugin.shell()
    try shell.write("ticking/init.lua", Array((TickingPlugin.text + "\n-- edited\n").utf8))
    let again = shell.run("plugin load \(shell.folder)/ticking")
    #expect(again.status == 4)
    #expect(again.errors.contains("error[plugin-load]: ticking: there is a module of that name already\n"))
    #expect(again.errors.contains("hint: plugin reload ticking replaces the loaded one"))
  }
}
