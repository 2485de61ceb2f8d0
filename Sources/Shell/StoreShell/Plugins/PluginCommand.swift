import ShellLanguage
import StoreHost
import StoreSchema

extension CommandDefinition {
  static let plugin = CommandDefinition(
    "plugin", needs: .parts(PluginSubcommand.needs), usage: ["plugin [WHAT …]"] + PluginSubcommand.usages,
    summary: "lists, loads, reloads, checks, tests and makes Lua plugins, and lists their permissions",
    flags: FlagDefinition.format + PluginSubcommand.allFlags,
    operands: [.words(PluginSubcommand.all.map(\.name)), .plugin],
    examples: pluginExamples,
    defines: .anything,
    read: PluginSubcommand.read,
    addNames: { request, session in
      defer { session.publishInterrupts() }
      if case .known(let request) = request { try request.addNames?(session) }
    },
    makesFile: { $0.known?.makesFile ?? true },
    perform: { request, session in
      defer { session.publishInterrupts() }
      return try request.value(in: session).perform(session)
    })

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
  /// Finds the subcommand that a line says, and reads the rest.
  fileprivate static func read(_ reader: CommandReader) throws -> Given<Request> {
    try (reader.operand(0) ?? .known(list.name)).map { word in
      guard let subcommand = all.first(where: { $0.name == word }) else {
        let names = all.map(\.name)
        let suggestion = Suggestion.nearest(to: word, among: names)
        throw ShellError(
          code: .unknownCommand, message: "plugin has no '\(word)'", at: reader.operands[0],
          hint: suggestion.map { "did you mean 'plugin \($0)'?" } ?? "plugin takes \(names.joined(separator: ", "))")
      }
      var reader = reader
      reader.usage = subcommand.usage
      try reader.refuseFlags(but: FlagDefinition.format + subcommand.flags, of: "plugin \(subcommand.name)")
      try reader.refuseOperands(from: subcommand.operands.isEmpty ? 1 : 2)
      return try subcommand.read(reader)
    }
  }

  static let list = PluginSubcommand(
    "list", "", "shows the loaded plugins",
    need: .read,
    flags: [FlagDefinition("available", "list: the plugins that plugin load finds by name, those that ship too")],
    read: { (form: try $0.form(), isOfAvailable: $0.has("available")) },
    perform: { request, session in
      let form = request.form
      if request.isOfAvailable {
        return try session.answer({ CommandListing($0.availablePlugins, of: "plugins") }, as: form)
      }
      var result = try session.answer(
        { CommandListing(ShellListing.plugins.reading(in: $0), hiding: ["failedAt"], of: "plugins") }, as: form)
      result.notes += session.notesOnReplayedPlugins
      return result
    })

  static let load = PluginSubcommand(
    "load", "NAME|FOLDER", "adds a plugin to the store", need: .plugins, addsNames: true,
    read: { try $0.plugin(orFolder: true) },
    perform: { plugin, session in try session.loadPlugin(plugin.word.value(in: session)) })

  static let unload = PluginSubcommand(
    "unload", "NAME", "removes it, with all that it registered", need: .plugins, addsNames: true,
    read: { try $0.plugin() },
    perform: { plugin, session in
      try session.store.requireChange(by: ShellAction.Types.unloadPlugin)
      let plugin = try plugin.loaded(in: session)
      let counts = plugin.counts
      let name = plugin.module.name
      let readers = session.store.live.sources.map(\.manifest).filter { manifest in
        manifest.name != name && manifest.permissions.contains { $0.module == name }
      }.map(\.name)
      let report = try session.store.change {
        try $0.unload(name, source: session.source(function: "plugin"))
      }
      var result = try session.finish(report, details: counts)
      if !readers.isEmpty {
        result.notes.append(
          "\(readers.joined(separator: ", ")) \(readers.count == 1 ? "uses" : "use") \(name), which is gone")
      }
      return result
    })

  static let enable = PluginSubcommand(
    "enable", "NAME", "lets it run again", need: .plugins, read: { try $0.plugin() },
    perform: { try $1.switchPlugin($0, isOn: true) })

  static let disable = PluginSubcommand(
    "disable", "NAME", "stops its reducers and middlewares", need: .plugins, read: { try $0.plugin() },
    perform: { try $1.switchPlugin($0, isOn: false) })
}

extension Session {
  fileprivate var availablePlugins: Reading {
    let loaded = Set(store.loadedPlugins.map(\.name))
    return Reading(
      rows: PluginLocator(options).available.map { source in
        let manifest = source.manifest
        return [
          .string(manifest.name), .string(manifest.version), .bool(loaded.contains(manifest.name)),
          .string(manifest.summary),
        ]
      }, "AvailablePlugin", ["name", "version", "loaded", "summary"])
  }

  /// What a replay has left out of plugins, a sentence each.
  var notesOnReplayedPlugins: [String] {
    let isShared = store.isShared
    return store.loadedPlugins.filter { $0.lacksUnits && $0.condition == .on }.map { plugin in
      isShared
        ? "only the reducers of \(plugin.name) run here; plugin grant \(plugin.name) brings the rest of it"
        : "a replay runs the reducers of \(plugin.name) alone; plugin reload \(plugin.name) brings the rest of it"
    }
  }

  fileprivate func switchPlugin(_ plugin: GivenPlugin, isOn: Bool) throws -> CommandResult {
    let name = try plugin.loaded(in: self).module.name
    let condition = store.loadedPlugins.first { $0.name == name }?.condition
    guard condition != (isOn ? .on : .off) else {
      console.write(note: "\(name) is \(isOn ? "on" : "off") already")
      return .none
    }
    return try perform(.switchPlugin(name: name, to: isOn ? .on : .off), by: "plugin")
  }
}
