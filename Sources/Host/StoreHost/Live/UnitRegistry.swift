import StoreCore
import StoreModules
import StorePlugins
import StoreSchema

/// Exchanging a plugin for an edited version of it, and what loading and reloading share.
extension LiveStore {
  /// Takes note that reloading a plugin failed, before it came to the store or in it.
  package func noteFailedReload(of plugin: String) { turn { upkeep.failedReloads[plugin] = clock.now } }

  /// Whether a plugin's last reload failed, so that its earlier version is still there.
  package func hasFailedReload(of plugin: String) -> Bool { turn { upkeep.failedReloads[plugin] != nil } }

  /// What the loaded plugins were read from, in load order.
  package var sources: [PluginSource] { turn { plugins.map(\.plugin.source) } }

  /// Exchanges the two versions while the action that says so is committed, so that every action meets one of them with the
  /// state that is its own.
  ///
  /// - Parameter before: the state that the earlier version leaves.
  package func completeReload(from before: HostState) {
    guard let new = upkeep.replacement?.hosted,
      let index = plugins.firstIndex(where: { $0.plugin.module.name == new.plugin.module.name })
    else { return }
    upkeep.replacement = nil
    let old = plugins[index]
    do throws(PluginError) {
      try old.plugin.unload(view: StateSnapshot(state: before, moduleNames: modules.map(\.name)))
    } catch {
      attendance.faults.note(error)
    }
    for unit in old.units { store.cancelEffects(unit: unit.name) }
    plugins[index] = new
    new.plugin.goOnCounting(from: old.plugin)
    collectActions()
    let shell = store.withState { $0.shell }
    new.strikes.set(isStopped: shell.condition(of: new.plugin.module.name) != .on)
    for unit in new.units {
      unit.gate.set(isOpen: shell.isOpen(unit.name))
      unit.ruled.follow(shell.gates.first { $0.name == unit.name })
    }
    recomposeInCommit()
    rebindPlugins()
  }

  // MARK: What loading and reloading share

  /// The action that a plugin wants dispatched once it is there.
  package func onLoadCall(of plugin: Plugin) throws(PluginError) -> ActionCall? {
    guard let name = plugin.onLoad else { return nil }
    let own = (plugin.module.actions + plugin.addedActions).first { $0.fullName == name }
    do throws(SchemaError) {
      return try (own ?? action(named: name))?.call([])
    } catch {
      throw PluginError(.schema, of: plugin.module.name, "on_load '\(name)': \(error.message)")
    }
  }

  /// Does what is left to be done once a plugin is there.
  package func finishLoading(
    _ hosted: HostedPlugin, _ onLoad: ActionCall?, _ report: DispatchReport, _ source: ActionSource
  ) -> DispatchReport {
    guard let onLoad, report.failure == nil else { return report }
    var report = report
    let answer = dispatch(typed(onLoad), source)
    if let failure = answer.failure { report.faults.append(failure) }
    report.faults += answer.faults
    return report
  }

  /// Has the plugins answer the actions that are there now.
  package func rebindPlugins() {
    for hosted in plugins { hosted.plugin.rebind { [unowned self] in action(named: $0) } }
    store.findKindsAnew()
  }

  /// Refuses a plugin one of whose own actions another one has added to its module.
  package func refuseTakenActions(_ plugin: Plugin) throws(PluginError) {
    let name = plugin.module.name
    let taken = Set(plugins.map(\.plugin).filter { $0.module.name != name }.flatMap(\.addedActions).map(\.fullName))
    guard let type = plugin.module.actions.first(where: { taken.contains($0.fullName) }) else { return }
    throw PluginError(.schema, of: name, "another plugin has added the action '\(type.fullName)'")
  }

  package func unknownPlugin(_ name: String) -> HostError {
    .unknownPlugin(name, among: plugins.map(\.plugin.module.name))
  }
}

extension HostError {
  /// Says that a plugin is not loaded; one that is may have been meant by its folder.
  package static func unknownPlugin(_ word: String, among loaded: [String]) -> HostError {
    let name = word.lastComponent
    let meant = loaded.contains(name) ? name : Suggestion.nearest(to: word, among: loaded)
    return HostError(
      code: .unknownPlugin, message: "no plugin '\(word)' is loaded",
      hint: meant.map { "did you mean '\($0)'?" })
  }
}

/// Loading plugins and taking them away.
extension LiveStore {
  /// Runs a plugin's definition and adds it, by a recorded action; all or nothing (R28).
  package func load(_ source: PluginSource, from actionSource: ActionSource) throws -> (Plugin, DispatchReport) {
    try turn {
      let name = source.manifest.name
      try requireUnused(name)
      let plugin = try Plugin(loading: source, into: surroundings(of: name))
      // As a reload does, which else refused what was loaded.
      try plugin.checkLibraries()
      try prepare(plugin)
      try refuseTakenActions(plugin)
      let onLoad = try onLoadCall(of: plugin)
      try node?.publish(source)
      // Another node may have loaded one meanwhile.
      try requireUnused(name)
      let hosted = HostedPlugin(plugin, surroundings(for: name))
      plugin.purity = purity
      plugins.append(hosted)
      collectActions()
      do {
        // The tasks follow the state once its slice is there.
        try recompose(reconciling: false)
      } catch {
        plugins.removeAll { $0.plugin === plugin }
        collectActions()
        throw error
      }
      rebindPlugins()
      let slice = plugin.module.schema.map { PluginSlice(name: name, schema: $0, value: plugin.initialState) }
      let loaded = ShellState.LoadedPlugin(name: name, version: source.manifest.version, digest: plugin.source.digest)
      let report = dispatch(.loadPlugin(loaded, slice: slice, gates: hosted.gates), actionSource)
      guard report.failure == nil, report.droppedBy == nil else {
        // It was refused or dropped, the log of a shared store did not take it, or another node was quicker.
        if report.mayYetHappen { upkeep.unsettled[name] = hosted }
        plugins.removeAll { $0.plugin === plugin }
        collectActions()
        try recompose(reconciling: false)
        rebindPlugins()
        throw report.failure ?? PluginError(.load, of: name, "an interceptor dropped the load")
      }
      return (plugin, finishLoading(hosted, onLoad, report, actionSource))
    }
  }

  private func requireUnused(_ name: String) throws(PluginError) {
    guard !modules.contains(where: { $0.name == name }), name != "shell" else {
      throw PluginError(
        .load, of: name, "there is a module of that name already",
        hint: plugin(named: name) == nil ? nil : "plugin reload \(name) replaces the loaded one, and keeps its state")
    }
  }

  /// What a plugin of that name finds in the store that it is loaded into: all but itself.
  package func surroundings(of plugin: String) -> Plugin.Surroundings {
    turn {
      let added = Set((self.plugin(named: plugin)?.addedActions ?? []).map(\.fullName))
      var surroundings = Plugin.Surroundings(
        action: { [unowned self] name in
          guard let type = action(named: name), type.module != plugin, !added.contains(name) else { return nil }
          return type
        },
        actionNames: { [unowned self] in
          modules.filter { $0.name != plugin }.flatMap(\.actions).map(\.fullName)
        }, moduleNames: modules.map(\.name).filter { $0 != plugin },
        slice: { [unowned self] name in modules.first { $0.name == name && name != plugin }?.schema },
        twin: { [unowned self] source in timeline.ready(source) })
      surroundings.mostActions = { [unowned self] in store.withState { $0.shell.runaway } }
      return surroundings
    }
  }

  /// The typed action of a call, for actions that plugins dispatch to Swift modules.
  package func typed(_ call: ActionCall) -> Action {
    (try? application.hostAction(call)) ?? Action(call)
  }

  /// Takes a plugin away with all that it registered, by a recorded action.
  package func unload(_ name: String, source: ActionSource) throws -> DispatchReport {
    try turn {
      guard let hosted = plugins.first(where: { $0.plugin.module.name == name }) else {
        throw unknownPlugin(name)
      }
      let before = StateSnapshot(state: store.withState { $0 }, moduleNames: modules.map(\.name))
      var report = dispatch(.unloadPlugin(name: name), source)
      if report.mayYetHappen { upkeep.unsettled[name] = .some(nil) }
      // It was refused or dropped: the plugin stays.
      guard report.failure == nil, report.droppedBy == nil else { return report }
      var failure: PluginError?
      do throws(PluginError) {
        try hosted.plugin.unload(view: before)
      } catch {
        failure = error
      }
      upkeep.failedReloads[name] = nil
      remove(name)
      // They did when its slice went.
      try recompose(reconciling: false)
      if let failure { report.faults.insert(failure, at: 0) }
      return report
    }
  }

  private func remove(_ name: String) {
    plugins.removeAll { $0.plugin.module.name == name }
    collectActions()
  }

  /// Brings or takes away a plugin whose caller waited no longer, in the commit of its load or unload.
  ///
  /// - Parameter digest: the digest of the code that is loaded; nil: it is unloaded.
  func settle(_ name: String, _ digest: String?) {
    guard let unsettled = upkeep.unsettled.removeValue(forKey: name) else { return }
    let running = plugins.first { $0.plugin.module.name == name }
    if let hosted = unsettled, hosted.plugin.source.digest == digest, running == nil {
      plugins.append(hosted)
    } else if unsettled == nil, digest == nil, let running {
      do throws(PluginError) { try running.plugin.unload(view: view) } catch { attendance.faults.note(error) }
      plugins.removeAll { $0.plugin === running.plugin }
    } else {
      return
    }
    collectActions()
    recomposeInCommit()
    rebindPlugins()
  }
}

extension LiveStore {
  /// Does what a plugin needs before it stands in the store: it is heard, and its interceptors are made.
  ///
  /// - Parameter isHeard: false: it only shows what was, and what it says is no news.
  package func prepare(_ plugin: Plugin, isHeard: Bool = true) throws(PluginError) {
    plugin.askWhetherFollowing { [unowned self] in node?.isFollowing ?? false }
    plugin.describeTables { InlineText.text(of: $0, spelling: .lua) }
    let faults = attendance.faults
    plugin.attachLog(
      now: { [clock] in clock.now },
      onDrop: { [unowned self] in faults.atCommit { [unowned self] in noteDroppedLogLine() } }
    ) { [unowned self] line in
      guard isHeard else { return }
      faults.atCommit { [unowned self] in for client in clients { client.hearing.plugins?(line) } }
    }
    try plugin.interceptors.build(view: view)
  }

  /// Has the clients say soon, but not with each line, that lines of plugins were dropped.
  private func noteDroppedLogLine() {
    _ = attendance.hasDroppedLogLines.set(true)
    let now = ContinuousClock.now
    if let last = attendance.saidDroppedLogLines, now - last < .seconds(1) { return }
    attendance.saidDroppedLogLines = now
    for client in clients { client.hearing.words?() }
  }

  /// The thunks of the application and of the plugins that run.
  package var thunks: [ThunkType] {
    turn {
      let shell = store.withState { $0.shell }
      return application.thunks.map(\.type)
        + plugins.map(\.plugin).filter { shell.condition(of: $0.module.name) == .on }.flatMap(\.tasks.thunkTypes)
    }
  }

  /// Puts the interceptors of the application and of the plugins that run into the chain, the application's outermost, then
  /// those of the plugin that was loaded first (R5). One that stays keeps what it holds; those of a plugin that is off stand aside (R29).
  package func replaceInterceptors() throws(StoreError) {
    let shell = store.withState { $0.shell }
    let running = plugins.filter { shell.condition(of: $0.plugin.module.name) == .on }
    let wanted = application.interceptors + running.flatMap(\.interceptors)
    guard !wanted.elementsEqual(store.interceptors, by: { $0 === $1 }) else { return }
    try store.replaceInterceptors(wanted)
  }
}

/// The gates of units, which the shell, actions and the state move (R21).
extension LiveStore {
  /// Brings the gates where the shell's slice says they stand.
  package func moveGates(_ shell: ShellState) {
    for hosted in plugins { hosted.strikes.set(isStopped: shell.condition(of: hosted.plugin.module.name) != .on) }
    upkeep.hasControlGates = shell.rules.values.contains { if case .actions = $0 { true } else { false } }
    if !upkeep.hasControlGates { upkeep.movedGates = [:] }
    for unit in hostUnits {
      let isOpen = shell.isOpen(unit.name)
      var gate = shell.gates.first { $0.name == unit.name }
      if let moved = upkeep.movedGates[unit.name] { gate?.isOpenByAction = moved.isOpen }
      unit.ruled.follow(gate)
      guard unit.gate.set(isOpen: isOpen) else { continue }
      attendance.traceSink?(.gate(unit: unit.name, isOpen: isOpen))
      if !isOpen { store.cancelEffects(unit: unit.name) }
    }
  }

  /// Has the shell's slice follow where an action has moved gates by their rules, by an action of its own: it comes back with
  /// the state. One that failed has moved nothing.
  func followRules(
    _ action: Action, _ context: ActionContext, _ shell: ShellState, _ exception: ActionRecord<Action, State>.Exception?
  ) {
    if case .moveGate(let name, _)? = action.shell, let moved = upkeep.movedGates[name] {
      upkeep.movedGates[name] = moved.waiting > 1 ? (moved.isOpen, moved.waiting - 1) : nil
    }
    for gate in shell.gates {
      guard case .actions(let control)? = gate.rule, exception?.droppedBy == nil,
        let isOpen = control.position(after: action.call)
      else { continue }
      let moved = upkeep.movedGates[gate.name]
      guard isOpen != moved?.isOpen ?? gate.isOpenByAction else { continue }
      guard exception?.failure == nil else { return moveGates(shell) }
      let move = ShellAction.moveGate(name: gate.name, isOpen: isOpen)
      let source = context.source
      upkeep.movedGates[gate.name] = (isOpen, (moved?.waiting ?? 0) + 1)
      // The node where the action is from dispatches it.
      if node?.isFollowing ?? false { continue }
      store.dispatch(
        Action(move),
        source: ActionSource(
          file: source.file, function: source.function, line: source.line, kind: .bridge, cause: context.number))
    }
  }
}

extension LiveStore {
  /// Stops the plugins that failed too often in a row (R29).
  @inline(__always)
  package func stopFaulty() { if attendance.faults.hasPluginToStop.isSet { stopThem() } }

  @inline(never)
  private func stopThem() {
    guard attendance.faults.hasPluginToStop.set(false) else { return }
    for hosted in plugins where hosted.strikes.takeOut() {
      let (name, strikes) = (hosted.plugin.module.name, hosted.strikes)
      let note = "\(name) is off after \(PluginStrikes.limit) failures in a row; plugin enable \(name)"
      for client in clients { client.hear(note: note) }
      let action = ShellAction.switchPlugin(name: name, to: .faulted)
      store.dispatch(
        Action(action),
        source: ActionSource(
          file: hosted.plugin.source.displayName, function: "", line: 0, kind: .plugin, plugin: name,
          unit: strikes.failedUnit, cause: strikes.lastFailed))
    }
  }
}

/// What runs beside actions, and what goes wrong in it.
extension LiveStore {
  /// The effects that run or wait, in the order of their units.
  package var effects: [EffectListing] {
    turn {
      let lua = Set(plugins.flatMap { $0.units.map(\.name) + $0.interceptors.map(\.name) })
      return store.effects.map { effect in
        // A plugin's units are named PLUGIN.UNIT.
        let id = lua.contains(effect.unit) ? effect.name.replacing(".", with: "/", maxReplacements: 1) : effect.name
        return EffectListing(
          id: id, unit: effect.unit, wakesIn: effect.wakesIn,
          startedBy: effect.startedBy > 0 ? effect.startedBy : nil, age: effect.age)
      }
    }
  }

  /// True if the application has units that may dispatch what they hear of outside, without an effect that shows it.
  package var mayHearOfOthers: Bool { !application.units.isEmpty || !application.interceptors.isEmpty }

  /// Cancels all effects, at the end of the store: those that units state run again when it is opened.
  package func cancelEffects() { turn { _ = store.cancelEffects() } }

  /// Cancels the effects of an id for good; nil: all. The effect that waits for the times of a plugin's tasks is needed for later
  /// ones: it does not count as ended.
  func endEffects(_ id: String?) {
    turn {
      let schedule = "due"
      guard let id else {
        endScheduled(of: plugins.flatMap(\.tasks))
        for unit in plugins.flatMap(\.units) { store.cancelEffects(unit: unit.name, token: schedule) }
        return _ = store.endEffects()
      }
      for (effect, listing) in zip(store.effects, effects) where listing.id == id {
        if effect.tokenText == schedule {
          endScheduled(of: plugins.flatMap(\.tasks).filter { $0.name == effect.unit })
          store.cancelEffects(unit: effect.unit, token: schedule)
        } else {
          store.endEffects(unit: effect.unit, token: effect.tokenText)
        }
      }
    }
  }

  /// Has tasks that wait for their times count as ended, also in a store that is opened again.
  private func endScheduled(of tasks: [UnitTasks]) {
    let ended = Set(tasks.flatMap { $0.endScheduled() })
    for effect in ended { journal?.note(effect, .ended) }
    // Their units state them next, and find that they have ended.
    if !ended.isEmpty { store.leaveEnded(ended) }
  }

  private func describe(_ number: Int) -> String? {
    recent(number).map { "#\($0.number) \($0.action) (\($0.source.short))" }
  }

  /// The last actions that set entries of a map, or a field of theirs, as far as they are kept.
  private func lastChanges(of keys: [MapKey], in map: Path, field: String?) -> [MapKey: Int] {
    var (open, found, next) = (Set(keys), [MapKey: Int](), head)
    let depth = map.steps.count
    while !open.isEmpty, let run = try? history.run(upTo: next, .changing(map)) {
      for entry in run.entries.reversed() where entry.failure == nil {
        for steps in entry.changes.map(\.path.steps) where zip(steps, map.steps).allSatisfy(==) {
          let isWhole = steps.count <= depth + 1
          guard isWhole || steps[depth + 1] == field.map({ .field($0) }) else { continue }
          for key in steps.count > depth ? open.filter({ .key($0) == steps[depth] }) : open {
            found[key] = entry.number
            open.remove(key)
          }
        }
      }
      next = run.before - 1
    }
    return found
  }

  /// How many effects of a unit run or wait.
  package func effectCount(of unit: String) -> Int { store.effects.count { $0.unit == unit } }

  /// What the units of a plugin share.
  package func surroundings(for plugin: String) -> PluginSurroundings {
    turn {
      let loading = PluginPresence(plugin)
      return PluginSurroundings(
        view: view, typed: typed, faults: attendance.faults,
        strikes: PluginStrikes(attendance.faults), waiters: attendance.waiters, setters: attendance.setters,
        isLoaded: { [comparing, unowned self] in loading.isThere(comparing.versions) { store } },
        isLeftEnded: { [unowned self] in store.isLeftEnded($0) },
        now: { [clock] in clock.now }, reconcile: { [unowned self] in store.reconcileEffects() },
        stopFaulty: { [unowned self] in stopFaulty() }, action: { [unowned self] in store.currentAction },
        lastAction: { [unowned self] in head },
        lastChanges: { [unowned self] in lastChanges(of: $0, in: $1, field: $2) },
        describe: { [unowned self] in describe($0) }, rehearsal: rehearsal)
    }
  }
}

extension LiveStore {
  /// Puts a plugin that was saved in the place of the version that runs, on no client's behalf.
  package func reloadSaved(_ source: PluginSource, from actionSource: ActionSource) throws -> PluginReloadReport {
    try turn {
      guard isOpen else { throw StoreError.closed }
      guard let report = try reload(source, PluginReloadOptions(), verified: nil, from: actionSource) else {
        throw unknownPlugin(source.manifest.name)
      }
      return report
    }
  }

  /// Has all clients told what became of a plugin that was saved: whoever uses it meets the version of now.
  package func tell(of saved: SavedPlugin) { turn { for client in clients { client.hear(saved) } } }

  /// Has all clients told of something that concerns the whole store; without any, the owner.
  package func tell(note: String) {
    turn {
      if clients.isEmpty { attendance.onFault?(HostError(code: .failed, message: note)) }
      for client in clients { client.hear(note: note) }
    }
  }
}
