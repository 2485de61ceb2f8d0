import Platform
import ShellLanguage
import StoreCore
import StoreHost
import StoreModules
import StorePlugins
import StoreSchema

extension Session {
  /// Loads a plugin by name or folder, asking for its permissions where they are not granted.
  func loadPlugin(_ word: String, silently isSilent: Bool = false) throws -> CommandResult {
    try store.requireChange(by: ShellAction.Types.loadPlugin)
    try requirePlugins()
    let source = try PluginLocator(options).source(word).bounded(by: store.settings.ceiling)
    if let loaded = alreadyLoaded(source) { return isSilent ? .none : answer("\(loaded) is loaded already\n") }
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
  ///
  /// - Parameter kept: the action up to which ids that were given out are not given out again; nil: the store knows.
  func restore(to number: Int, keepingIDs kept: Int?, source: ActionSource) throws -> DispatchReport {
    try grantReturning(to: number)
    return try store.restore(
      to: number, keepingIDs: kept.map(store.returnPoint), known: store.returnPoint(number), source: source)
  }

  /// Has plugins granted what they ask for that come back with an earlier point.
  func grantReturning(to number: Int) throws {
    for plugin in store.live.returningPlugins(to: number) {
      try requirePlugins()
      try grant(plugin)
    }
  }

  /// The name and version of a plugin that is asked for and loaded, such as by the store's file; nil: it is not, or its files have
  /// changed. The start of a session leaves that to others.
  private func alreadyLoaded(_ source: PluginSource) -> String? {
    guard let plugin = store.plugin(named: source.manifest.name) else { return nil }
    let isOfStart = running.origin.isStart && Files.absolute(plugin.source.folder) == Files.absolute(source.folder)
    guard isOfStart || plugin.source.digest == source.digest else { return nil }
    return "\(source.manifest.name) \(plugin.source.manifest.version)"
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

extension Session {
  /// Reloads a plugin from the folder that it was loaded from.
  ///
  /// - Parameters:
  ///   - plugin: the version that runs.
  ///   - asks: true if the person at the prompt may be asked for permissions that the plugin did not have before.
  ///   - actionSource: the source of the reload.
  /// - Throws: ``ShellError``; the version before is then still active.
  func reload(
    _ plugin: Plugin, _ options: PluginReloadOptions, asks: Bool = true, source actionSource: ActionSource
  ) throws -> PluginReloadReport {
    try store.requireChange(by: ShellAction.Types.reloadPlugin)
    return try store.live.reload(
      plugin,
      grant: {
        plugins.watch?.note($0)
        try grant($0, asks: asks)
      }
    ) { source in
      try store.reload(source, options, from: actionSource)
    }
  }
}

extension PluginReloadReport {
  /// The lines below the entry of the reload.
  var details: [String] {
    let state: [String] =
      switch self.state {
      case .new: plugin.counts
      case .kept: ["state kept"]
      case .migrated: ["state migrated"]
      }
    guard let verified else { return state }
    return state + ["\(verified) \(verified == 1 ? "action" : "actions") verified"]
  }
}

extension ShellError {
  /// The error of a reload: the version before still runs.
  var leavingPreviousVersion: ShellError {
    let note = "the previous version is still active"
    var error = self
    if hint == nil { error.hint = note } else { error.details.append(note) }
    return error
  }
}

extension Session {
  /// The descriptors that wake a wait for a line or for time to pass.
  var wakeDescriptors: [Int32] { [clock.wakeDescriptor] + (plugins.watch.map { [$0.descriptor] } ?? []) }

  /// The time until something is to be done without anybody asking.
  var untilNext: Duration? { [clock.untilNext, plugins.watch?.untilReady].compactMap { $0 }.min() }

  /// Watches the folders of the plugins that are loaded, where that is wanted and no thread does it for all sessions.
  func followPlugins() {
    guard store.live.watchesPlugins, !store.live.hasPluginKeeper else {
      plugins.watch = nil
      return
    }
    let watch = plugins.watch ?? PluginWatch()
    plugins.watch = watch
    watch.follow(store.live.sources)
  }

  /// Reloads the plugins that were saved. All sessions are told of a fault of one, its previous version goes on, and the next save
  /// is looked at as this one was. So it is where its files are gone.
  ///
  /// - Parameter pause: the time in which nothing must have been saved.
  func reloadSavedPlugins(after pause: Duration = .zero) {
    // Files that are saved while the past is shown, or in a run of `atomic`, wait for its end.
    guard let watch = plugins.watch, store.viewed == nil, !store.isInRun else { return }
    for finding in watch.take(after: pause) {
      switch finding {
      case .saved(let folder):
        for plugin in store.live.plugins(from: folder) {
          store.live.tell(
            of: SavedPlugin(plugin) {
              try reload(plugin, PluginReloadOptions(), asks: false, source: SavedPlugin.source(of: plugin))
            })
        }
      case .gone(let folder):
        for plugin in store.live.plugins(from: folder) { store.live.tell(of: SavedPlugin(absent: plugin)) }
      }
    }
    tellOfSavedPlugins()
  }

  /// Tells what became of the plugins that were saved.
  func tellOfSavedPlugins() {
    for saved in store.takeSavedPlugins() where options.rights.allow(.read) {
      write(saved)
      for error in saved.errors { writeError(error) }
    }
  }

  private func write(_ saved: SavedPlugin) {
    guard let entry = saved.entry else { return }
    guard !options.isJSON else {
      return console.writeEvent(
        JSONReport.reload(id: entry.number, plugin: saved.name, version: saved.version, details: saved.details))
    }
    var text = "[plugin.watch] #\(entry.number) \(ActionText.brief(entry.action, arguments: entry.arguments))\n"
    for detail in saved.details { text += "[plugin.watch]  \(detail)\n" }
    console.writeError(text)
  }
}

extension Plugin {
  /// The command that a statement gives whose verb is the plugin's name, and the statement without that.
  func command(in statement: Statement) throws -> (CommandDefinition, Statement) {
    let name = module.name
    let verbs = module.commands.map(\.name)
    guard !verbs.isEmpty else {
      throw ShellError(
        code: .unknownCommand, message: "\(name) adds no commands", at: statement.words[0],
        hint: "describe \(name) lists its actions, for dispatch")
    }
    let listing = "commands of \(name): \(verbs.joined(separator: ", "))"
    guard let rest = statement.droppingWords(1) else {
      throw ShellError(
        code: .missingArgument, message: "\(name) needs one of its commands", at: statement.words[0], hint: listing)
    }
    let word = rest.words[0]
    guard let definition = definition(ofCommand: word.text) else {
      let suggestion = Suggestion.nearest(to: word.text, among: verbs)
      throw ShellError(
        code: .unknownCommand, message: "\(name) has no command '\(word.text)'", at: word,
        hint: suggestion.map { "did you mean '\(name) \($0)'?" } ?? listing)
    }
    return (definition, rest)
  }

  /// A command that the plugin adds; nil: it adds none of that name.
  func definition(ofCommand command: String) -> CommandDefinition? {
    guard let command = module.commands.first(where: { $0.name == command }) else { return nil }
    let layout = RecordLayout(name: command.name, fields: command.fields.map(\.name))
    return .taking(
      command.fields, "\(module.name) \(command.name)", summary: command.summary
    ) { [self] values, form, session in
      let arguments = Record(layout, values)
      let store = session.store
      let result = try store.turn {
        try commands.run(command.name, arguments: arguments, view: store.view, host: session)
      }
      session.tellOthers()
      switch result {
      case .nothing: return .none
      case .value(let reading): return try session.answer(reading, as: form)
      case .text(let text): return try session.answer(value: text, as: form)
      }
    }
  }
}

extension Session: PluginCommandHost {
  /// Has an action that a plugin's command dispatches processed. Its source says where the command stands that somebody gave.
  public func dispatch(_ call: ActionCall, source: ActionSource) throws {
    var source = source
    let given = self.source(function: "")
    source.info = given.short
    source.author = given.author
    try finishOne(store.dispatch(try renewed(call), source: source))
  }

  /// Ends a dispatch that is one of several in a statement. A fault beside the action, in middlewares and tasks, fails
  /// the statement when it is done; it goes on, as the action stands.
  ///
  /// - Throws: why the action failed.
  func finishOne(_ report: DispatchReport) throws {
    tellOthers()
    store.leaveFaults(of: report)
    leaveNote(ofDropped: report)
    if let failure = report.failure { throw failure }
  }

  /// The call as one of the action that now goes by its name: the plugin may have been reloaded while its command waited.
  private func renewed(_ call: ActionCall) throws -> ActionCall {
    guard let type = store.action(named: call.type.fullName) else {
      throw ShellError(code: .unknownAction, message: "unknown action '\(call.type.fullName)'")
    }
    guard type !== call.type else { return call }
    let arguments = zip(call.type.fields, call.arguments).filter { $0.1 != .none }
    return try type.call(arguments.map { ($0.0.name, $0.1) })
  }

  /// The value at a path or of a projection of a module, and its type. The names of the prompt are not for plugins:
  /// they may show values that plugins may not read.
  public func read(_ path: String) throws -> Reading {
    let path = try Path(parsing: path)
    return path.steps.first == .field("shell") ? try read(path) : try store.read(path)
  }

  /// Lets tasks run for a command of a plugin until what it waits for is there.
  public func wait(_ wait: PluginWait) throws -> AwaitedAction? {
    var last = store.live.head
    var found: AwaitedAction?
    let end = try store.withoutTurn {
      try self.wait(atMost: wait.limit) {
        guard !wait.actions.isEmpty else { return false }
        let entries = store.live.recent(from: last + 1)
        for entry in entries.reversed() {
          guard entry.failure == nil, entry.droppedBy == nil, wait.actions.contains(entry.action) else { continue }
          found = AwaitedAction(name: entry.action, arguments: entry.arguments)
        }
        last = entries.last?.number ?? last
        return found != nil
      }
    }
    let actions = wait.actions.joined(separator: " or ")
    switch end {
    case .done, .timeOver: return found
    case .stuck:
      throw ShellError(
        code: .timedOut, message: "\(actions) did not come, and nothing waits for the clock", status: 5)
    case .endless:
      throw ShellError(
        code: .timedOut, message: "\(actions) did not come in \(Self.mostMoves) moves of the virtual clock",
        details: store.live.effects.map(\.id), status: 5)
    }
  }
}

extension Session {
  /// Offers to unload the plugins whose code ran when a statement was interrupted, where once was not enough.
  func followInterruption(_ statement: Statement, wasRepeated: Bool) {
    let names = store.takeInterrupted()
    guard wasRepeated, interrupts.stop?.isStopped != true, let ask else { return }
    for name in names where store.plugin(named: name) != nil {
      let answer = ask("\(name) went on after Ctrl-C. Unload it? [y]es, [N]o: ")
      guard answer?.lowercased().first == "y" else { continue }
      var reader = StatementReader(Array("plugin unload \(name)".utf8), grammar: grammar)
      if let unload = try? reader.next() { run(unload.numbered(statement.line)) }
    }
  }
}
