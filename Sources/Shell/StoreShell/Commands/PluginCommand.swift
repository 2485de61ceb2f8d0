import ShellLanguage
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let plugin = CommandDefinition(
    "plugin", usage: ["plugin [WHAT …]"] + PluginSubcommand.usages,
    summary: "lists, loads, reloads, checks, tests and makes Lua plugins, and says what they may do",
    flags: FlagDefinition.format + PluginSubcommand.allFlags,
    operands: [.words(PluginSubcommand.all.map(\.name)), .plugin],
    examples: pluginExamples
  ) { invocation in
    let session = invocation.session
    defer { session.publishInterrupts() }
    let word = try invocation.operand(0) ?? PluginSubcommand.list.name
    guard let subcommand = PluginSubcommand.all.first(where: { $0.name == word }) else {
      let names = PluginSubcommand.all.map(\.name)
      let suggestion = Suggestion.nearest(to: word, among: names)
      throw ShellError(
        code: .unknownCommand, message: "plugin has no '\(word)'", at: invocation.operands[0],
        hint: suggestion.map { "did you mean 'plugin \($0)'?" } ?? "plugin takes \(names.joined(separator: ", "))")
    }
    invocation.usage = subcommand.usage
    try invocation.refuseFlags(but: FlagDefinition.format + subcommand.flags, of: "plugin \(subcommand.name)")
    try invocation.refuseOperands(from: subcommand.operands.isEmpty ? 1 : 2)
    if session.isChecking { try invocation.check(subcommand) }
    return try subcommand.run(&invocation)
  }

  private static let pluginExamples = [
    CommandExample(
      "plugin load catalog",
      output: """
        #1 shell.loadPlugin name="catalog" version="0.1.0"
          1 action

        """),
    CommandExample(
      transcript: """
        stsh> plugin load catalog
        #1 shell.loadPlugin name="catalog" version="0.1.0"
          1 action
        stsh> plugin unload catalog
        #2 shell.unloadPlugin name="catalog"
          1 action

        """),
    CommandExample(
      transcript: """
        stsh> plugin load catalog
        #1 shell.loadPlugin name="catalog" version="0.1.0"
          1 action
        stsh> plugin reload catalog
        #2 shell.reloadPlugin name="catalog" version="0.1.0"
          state kept

        """),
    CommandExample(
      "plugin check pomodoro",
      output: """
        ok    manifest: pomodoro 0.1.0, API 1
        ok    permissions: read:tasks, dispatch:tasks.complete, timers
        ok    reducers: 3 of 3 own actions, 1 foreign
        ok    tests: tests/pomodoro_test.lua

        """),
    CommandExample(
      transcript: """
        stsh> plugin grant pomodoro
        granted to pomodoro: read:tasks, dispatch:tasks.complete, timers
        stsh> plugin load pomodoro
        #1 shell.loadPlugin name="pomodoro" version="0.1.0"
          3 actions, 2 middleware, 1 command
        stsh> plugin audit pomodoro
        plugin    permission               uses  required  needed
        pomodoro  read:tasks               0     true      read:tasks
        pomodoro  dispatch:tasks.complete  0     false     -
        pomodoro  timers                   0     true      timers
        pomodoro needed only "permissions": ["read:tasks", "timers"]

        """),
    CommandExample(
      transcript: """
        stsh> plugin load catalog
        #1 shell.loadPlugin name="catalog" version="0.1.0"
          1 action
        stsh> plugin disable catalog
        #2 shell.disablePlugin name="catalog"
        stsh> plugin enable catalog
        #3 shell.enablePlugin name="catalog"

        """),
    CommandExample(
      transcript: """
        stsh> plugin new FOLDER/beans
        wrote FOLDER/beans/plugin.json
        wrote FOLDER/beans/init.lua
        wrote FOLDER/beans/tests/beans_test.lua
        wrote FOLDER/beans/.luarc.json
        wrote FOLDER/beans/.luacheckrc
        stsh> plugin stubs FOLDER/beans
        wrote FOLDER/beans/types/stsh.lua
        wrote FOLDER/beans/types/store.lua
        stsh> plugin check FOLDER/beans
        ok    manifest: beans 0.1.0, API 1
        ok    permissions: none
        ok    reducers: 2 of 2 own actions
        ok    tests: tests/beans_test.lua

        """),
  ]
}

extension PluginSubcommand {
  static let list = PluginSubcommand("list", "", "shows the loaded plugins") { invocation in
    try invocation.show(ShellListing.plugins.reading(in: invocation.session), hiding: ["failedAt"])
  }

  static let load = PluginSubcommand("load", "NAME|FOLDER", "adds a plugin to the store") { invocation in
    try invocation.session.loadPlugin(try invocation.required(1, "the name or folder of a plugin"))
  }

  static let unload = PluginSubcommand("unload", "NAME", "takes it away, with all that it registered") { invocation in
    let session = invocation.session
    try session.store.requirePresent()
    let plugin = try invocation.loadedPlugin()
    let counts = plugin.counts
    let report = try session.store.unload(plugin.module.name, source: session.source(function: "plugin"))
    return try session.finish(report, details: counts)
  }

  static let enable = PluginSubcommand("enable", "NAME", "lets it run again") { try $0.switchPlugin(isOn: true) }

  static let disable = PluginSubcommand("disable", "NAME", "stops its reducers and middlewares") {
    try $0.switchPlugin(isOn: false)
  }
}

extension Invocation {
  /// Checks what a subcommand is given. What adds and removes names goes on to run, what finds mistakes too.
  fileprivate func check(_ subcommand: PluginSubcommand) throws {
    if let name = subcommand.operandName { _ = try required(1, name) }
    let running: [PluginSubcommand] = [.load, .unload, .check, .info]
    if !running.contains(where: { $0.name == subcommand.name }) { try session.finishCheck() }
  }

  fileprivate func switchPlugin(isOn: Bool) throws -> CommandResult {
    let name = try loadedPlugin().module.name
    let condition = session.store.loadedPlugins.first { $0.name == name }?.condition
    guard condition != (isOn ? .on : .off) else {
      session.console.writeError("note: \(name) is \(isOn ? "on" : "off") already\n")
      return .none
    }
    let source = session.source(function: "plugin")
    session.idlePlugins.remove(name)
    return try session.finish(session.store.setPlugin(name, isOn: isOn, source: source))
  }

  /// The loaded plugin that the operand after the subcommand names.
  func loadedPlugin() throws -> Plugin {
    let name = try required(1, "the name of a plugin")
    if let plugin = session.store.plugin(named: name) { return plugin }
    throw ShellError(
      .unknownPlugin(name, among: session.store.loadedPlugins.map(\.name)), place: .span(operands[1].span))
  }

  /// The folder of the plugin that the operand after the subcommand names: of a loaded one, or where `plugin load` would
  /// find it.
  func pluginSource() throws -> PluginSource {
    let word = try required(1, "the name or folder of a plugin")
    if let loaded = session.store.plugin(named: word)?.source {
      return try PluginSource(folder: loaded.folder, displayedAs: loaded.displayName)
    }
    return try PluginLocator(session.options).source(word)
  }
}
