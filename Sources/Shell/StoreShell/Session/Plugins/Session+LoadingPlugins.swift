import Platform
import ShellLanguage
import StoreCore
import StoreHost
import StorePlugins

extension Session {
  /// Loads a plugin by name or folder, asking for its permissions where they are not granted.
  func loadPlugin(_ word: String, silently isSilent: Bool = false) throws -> CommandResult {
    try store.requirePresent()
    try requirePlugins()
    let source = try PluginLocator(options).source(word).bounded(by: store.settings.ceiling)
    guard !isRestored(source) else { return .none }
    try requireFreeName(source)
    try grant(source)
    let (plugin, report) = try refusing {
      try store.change { try $0.load(source, from: self.source(function: "plugin")) }
    }
    plugins.watch?.note(plugin.source)
    guard !isSilent else {
      if let failure = report.failure { throw ShellError(describing: failure) }
      return .none
    }
    return try finish(report, details: plugin.counts)
  }

  /// Throws where a plugin is called like a command of the shell, which its own would be taken for.
  func requireFreeName(_ source: PluginSource) throws(PluginError) {
    guard commands[source.manifest.name] == nil else {
      throw PluginError(
        .load, of: source.manifest.name, "that is the name of a command of the shell",
        hint: "give the plugin another name in plugin.json")
    }
  }

  /// Why no plugin can have a name: it means something else already. Nil: it does not.
  func clash(ofPlugin name: String) -> String? {
    if ["shell", "root"].contains(name) || commands[name] != nil { return "'\(name)' is a word of the shell itself" }
    if name.isLuaKeyword { return "'\(name)' is a keyword of Lua" }
    let isModule = store.modules.contains { $0.name == name } && store.plugin(named: name) == nil
    return isModule ? "'\(name)' is a module of the program itself" : nil
  }

  /// Throws where the session takes no plugins.
  func requirePlugins() throws(PluginError) {
    guard options.allowsPlugins else {
      throw PluginError(.load, "plugins are switched off in this session (--no-plugins)")
    }
  }

  /// Makes an earlier point the present, once the plugins that come back with it may have what they ask for.
  func restore(to number: Int, source: ActionSource) throws -> DispatchReport {
    try grantReturning(to: number)
    return try store.restore(to: number, known: store.returnPoint(number), source: source)
  }

  /// Has plugins granted what they ask for that come back with an earlier point.
  func grantReturning(to number: Int) throws {
    for plugin in store.live.returningPlugins(to: number) {
      try requirePlugins()
      try grant(plugin)
    }
  }

  /// Returns true if the start of a session asks for a plugin that its store has brought back already.
  private func isRestored(_ source: PluginSource) -> Bool {
    guard running.origin.isStart, let plugin = store.plugin(named: source.manifest.name) else { return false }
    return Files.absolute(plugin.source.folder) == Files.absolute(source.folder)
  }

  /// Whatever a plugin did wrong while it was loaded, it could not be loaded: status 4. A plugin that was only to be
  /// compared did nothing wrong.
  func refusing<Result>(_ load: () throws -> Result) throws -> Result {
    do {
      return try load()
    } catch {
      throw ShellError(refusing: error)
    }
  }
}

extension ShellError {
  /// The error of a plugin that could not be loaded.
  init(refusing error: any Error) {
    self.init(describing: error)
    if code != .replayDiverged { status = 4 }
  }
}

extension Plugin {
  /// The additions of the plugin, in one line, zero counts left out; none where it adds nothing.
  var counts: [String] {
    let counts = [
      (module.actions.count + addedActions.count, "action", "actions"),
      (reducers.liftedCount, "lifted reducer", "lifted reducers"), (units.count, "middleware", "middleware"),
      (rules.bridgeCount, "bridge", "bridges"), (rules.transitionCount, "transition", "transitions"),
      (interceptors.names.count, "interceptor", "interceptors"), (tasks.thunkTypes.count, "thunk", "thunks"),
      (module.commands.count, "command", "commands"),
    ]
    let texts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
    return texts.isEmpty ? [] : [texts.joined(separator: ", ")]
  }
}
