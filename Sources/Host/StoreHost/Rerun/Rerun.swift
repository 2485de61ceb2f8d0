import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

/// Applies recorded actions again, by the reducers alone (R27). No middleware, IO or effect runs. Nothing is dispatched or
/// recorded, and a failure is no strike against a plugin.
///
/// ``run(_:_:)`` visits one action. The outcome is its result. Until the next action, ``before`` and ``state`` are the states
/// around it, and ``changes()`` is their difference. A caller who wants to keep a state copies it. As in a store, the slices of plugins
/// are written in place, and the state before an action asks what was written to them.
///
/// The users differ in the state before each action, in the plugins that run, and in what they do about an outcome:
///
/// | user | state before | actions of the shell | plugins | unknown action | failure | comparison |
/// |---|---|---|---|---|---|---|
/// | `replay` | of the action before | ``RecordingAttachments`` | on | ends it | is recorded | with `--verify`: changes and hashes |
/// | `skip`, `goto` without actions | of the action before | `MomentAttachments` | on | left out | left out | none |
/// | `undo` among others | of the action before | `MomentAttachments` | on | refuses the undo | refuses the undo | changes by their places |
/// | `plugin reload --verify` | recorded | not run | all, or the reloaded one | not compared | is compared | the states of two reruns |
/// | `plugin test --pure` | recorded | not run | on, without the tested one | is an error | is compared | the slices of two fresh plugins |
/// | `import` of Redux actions | of the action before | not run | all | is an error | is an error | none |
package struct Rerun {
  /// The plugins whose reducers run.
  package enum Running: Equatable {
    /// Those that the state says are on.
    case on
    /// All of them.
    case all
    /// The one of a name.
    case only(String)
    /// Those that the state says are on, without the one of a name.
    case without(String)
  }

  /// What became of an action. Only one that was applied changed the state.
  package enum Outcome {
    /// The reducers ran, or the shell did what the action says.
    case applied
    /// A reducer failed.
    case failed(any Error)
    /// The recorded arguments are none that the action takes by now.
    case misfit(SchemaError)
    /// No module has such an action.
    case unknown
    /// No reducer ran when the action was recorded, and none did now.
    case idle
  }

  package struct Arrival {
    let hosted: HostedPlugin
    let loaded: ShellState.LoadedPlugin
    /// The slice as it starts; nil: the plugin has none.
    var slice: PluginSlice?
    /// True if a reload had the state start anew.
    var isReset = false
  }

  /// The state that the actions so far led to.
  package private(set) var state: HostState
  /// The state before the action that was run last.
  package private(set) var before: HostState
  /// Stands for the slices of plugins in it.
  private var former = PluginSlices([])
  package private(set) var plugins: [HostedPlugin]
  package private(set) var types = ActionTable()
  private let application: HostedApplication
  private let running: Running
  private let isRepeat: Bool
  private var reducers: KindTable<HostAction, KindReducer>
  private var sequences: [HostState.Sequence] = []
  private var finder = DifferenceFinder()
  /// Describes the action that is run.
  private var context = ActionContext(number: 0, source: .here(), time: .zero, root: 0)
  /// Where nobody listens.
  private let silence = TracePoint.silent

  /// Begins in a state.
  ///
  /// - Parameters:
  ///   - plugins: the plugins that belong to the state. Their Lua states are used.
  ///   - isRepeat: true if actions meet the states that they met when they were recorded. A call that ended then is not stopped
  ///     because it takes longer now (R31).
  package init(
    _ application: HostedApplication, _ state: HostState, _ plugins: [HostedPlugin], running: Running = .on,
    isRepeat: Bool = false
  ) {
    (self.application, self.state, before, self.plugins) = (application, state, state, plugins)
    (self.running, self.isRepeat) = (running, isRepeat)
    reducers = KindReducer.table(of: application.reducers)
    compose()
  }

  private final class KindReducer {
    let reducer: Reducer<HostAction, HostState>

    init(_ reducer: Reducer<HostAction, HostState>) { self.reducer = reducer }

    static func table(of reducer: Reducer<HostAction, HostState>) -> KindTable<HostAction, KindReducer> {
      KindTable({ $0.taken }) { KindReducer(reducer.narrowed(to: $0)) }
    }
  }

  /// What the action that was run last changed, in the order of the modules.
  package mutating func changes() -> [Change] { HostState.changes(from: before, to: state, by: &finder) }

  /// The same in plain words, until the next action is run; nil: it takes changes.
  ///
  /// - Parameter edit: what may be filled. What is given lives as long as that and the rerun.
  mutating func edit(filling edit: PlainEdit) -> Unmanaged<PlainEdit>? {
    HostState.edit(from: before, to: state, by: &finder, filling: edit)
  }

  /// Goes on from another state, to which the same plugins belong.
  package mutating func move(to other: HostState) {
    let isComposed = state.hasSwitches(of: other) || state.shell.plugins == other.shell.plugins
    state = other
    if !isComposed { compose() }
  }

  /// Has sequences stand as an action found them when it was recorded.
  package mutating func setSequences(asFoundBy entry: LoggedEntry, among paths: [Path]) {
    for change in entry.changes where paths.contains(change.path) {
      if case .replace(let old, _) = change.kind { state.setSequence(at: change.path, to: old) }
    }
  }

  /// Has plugins that are there run other code from now on.
  package mutating func exchange(_ edited: [HostedPlugin]) {
    for hosted in edited {
      let index = plugins.firstIndex { $0.plugin.module.name == hosted.plugin.module.name }
      if let index { plugins[index] = hosted }
      state.note(hosted.plugin.source, gates: hosted.gates)
    }
    compose()
  }

  /// Has the plugins answer the actions of these plugins: two reruns may share some, of which each has to be bound before it runs.
  package func bind() {
    for hosted in plugins { hosted.plugin.rebind { [types] in types[$0] } }
  }

  private mutating func compose() {
    let all = plugins.map(\.plugin)
    types = application.actionsByName(beside: all)
    let (run, shell): ([Plugin], ShellState?) =
      switch running {
      case .on: (all, state.shell)
      case .all: (all, nil)
      case .only(let name): (all.filter { $0.module.name == name }, nil)
      case .without(let name): (all.filter { $0.module.name != name }, state.shell)
      }
    reducers = KindReducer.table(of: HostedPlugin.reducers(of: run, as: shell, behind: application.reducers))
    sequences = HostState.sequences(application.sequences, of: plugins.map { $0.plugin })
    bind()
  }

  // MARK: Running

  /// Runs an action.
  ///
  /// - Parameter attachments: makes the parts of an action of the shell that are not recorded.
  /// - Throws: what the attachments throw, and errors of a recorded value that is none of its type.
  package mutating func run(_ entry: LoggedEntry, _ attachments: some RerunAttachments) throws -> Outcome {
    guard entry.isOfShell else { return reduce(entry) }
    begin()
    guard entry.isWhole else { return .idle }
    if let action = try ShellAction(entry, in: state, substateType: application.substateSchema) {
      do {
        try perform(action, from: entry.source)
      } catch {
        return .failed(error)
      }
    } else if ShellAction.bringsPlugin(entry) {
      guard let arrival = try attachments.arrival(by: entry, in: self) else { return .idle }
      try take(arrival, isReload: entry.action == ShellAction.Types.reloadPlugin.fullName)
    } else if let point = try attachments.point(after: entry, in: self) {
      (state, plugins) = point
      state.keepSequences(of: before, alsoWhereBothHave: false)
      compose()
    }
    return .applied
  }

  /// Makes the state that the actions so far led to the one before the next.
  ///
  /// - Parameters:
  ///   - changesApp: true if an action of the application comes.
  ///   - lends: true if reducers are about to write the slices of plugins in place.
  private mutating func begin(changesApp: Bool = false, lends: Bool = false) {
    state.copy(to: &before, lendingSlicesTo: &former, changesApp: changesApp, lends: lends)
  }

  /// Runs an action of a module.
  package mutating func reduce(_ entry: LoggedEntry) -> Outcome {
    let failure = entry.failure
    guard entry.droppedBy == nil, failure == nil || !entry.wasInterrupted && !state.shell.leavesIdle(entry) else {
      begin()
      return .idle
    }
    guard let type = types[entry.action] else {
      begin()
      return .unknown
    }
    do throws(SchemaError) {
      return try reduce(
        entry.call(type), entry.number, entry.source, time: entry.time, isRepeat: isRepeat && failure == nil)
    } catch {
      begin()
      return .misfit(error)
    }
  }

  /// Runs an action of a module by its call.
  ///
  /// - Parameter isChecked: true where the arguments were read by their types.
  package mutating func reduce(
    _ call: consuming ActionCall, _ number: Int, _ source: ActionSource, time: Duration, isRepeat: Bool,
    isChecked: Bool = false
  ) throws(SchemaError) -> Outcome {
    context.describe(number, source, time: time)
    return try reduce(call, isRepeat: isRepeat, isChecked: isChecked)
  }

  /// Runs an action of a module by its call, as another one or a store has met it.
  package mutating func reduce(_ call: ActionCall, _ context: ActionContext) throws(SchemaError) -> Outcome {
    self.context = context
    return try reduce(call, isRepeat: false, isChecked: false)
  }

  private mutating func reduce(
    _ call: consuming ActionCall, isRepeat: Bool, isChecked: Bool
  ) throws(SchemaError) -> Outcome {
    let action = try application.hostAction(call, isChecked: isChecked)
    // The table holds the part until the next action comes.
    let part = reducers.part(for: action)
    begin(
      changesApp: action.kind == .app, lends: part._withUnsafeGuaranteedRef { $0.reducer.writesInPlace })
    if isRepeat { Self.setRepeating(true, plugins) }
    defer { if isRepeat { Self.setRepeating(false, plugins) } }
    do {
      try part._withUnsafeGuaranteedRef {
        try $0.reducer.reduce(action, inPlace: &state, context: context, silence)
      }
      try HostState.check(sequences, from: before, to: state)
      return .applied
    } catch {
      state = before
      return .failed(error)
    }
  }

  // Of the type, as a rerun is large. By position, as a copy of one would count all that is in it.
  private static func setRepeating(_ isRepeat: Bool, _ plugins: [HostedPlugin]) {
    for index in plugins.indices { plugins[index].plugin.repeatsWhatEnded = isRepeat }
  }

  /// Does what an action of the shell says.
  package mutating func perform(_ action: ShellAction, from source: ActionSource) throws {
    try action.reduce(&state, from: source)
    if case .unloadPlugin(let name) = action { plugins.removeAll { $0.plugin.module.name == name } }
    compose()
  }

  /// Loads a plugin. Where one of its name is there, it takes that one's place, and the slice if it has its type.
  package mutating func take(_ arrival: Arrival, isReload: Bool = false) throws {
    let (loaded, gates) = (arrival.loaded, arrival.hosted.gates)
    if let index = plugins.firstIndex(where: { $0.plugin.module.name == loaded.name }) {
      let old = plugins[index].plugin
      plugins[index] = arrival.hosted
      var slice = arrival.slice
      let running = state.plugins.first { $0.name == loaded.name }
      if isReload, !arrival.isReset {
        let version = old.source.manifest.version
        let value = try arrival.hosted.plugin.migration.state(from: running?.value, version: version)
        if let value { slice?.value = value }
      } else if !isReload, let running, slice?.hasType(of: running) ?? false {
        slice?.value = running.value
      }
      try ShellAction.reloadPlugin(loaded, slice: slice, gates: gates).reduce(&state)
    } else if !isReload {
      plugins.append(arrival.hosted)
      try ShellAction.loadPlugin(loaded, slice: arrival.slice, gates: gates).reduce(&state)
    }
    compose()
  }
}

extension Rerun.Outcome {
  /// Why the action of an entry was not applied; nil: it was, or was not to be.
  package func reason(of entry: LoggedEntry) -> String? {
    switch self {
    case .applied, .idle: nil
    case .failed(let error): HostError(describing: error).message
    case .misfit(let error): HostError(describing: error).message
    case .unknown: "there is no action '\(entry.action)'"
    }
  }
}

/// The parts of a recorded action of the shell that are not among its arguments: the code of a plugin, a whole state.
package protocol RerunAttachments {
  /// The plugin that an action loads or reloads; nil: it brings none.
  func arrival(by entry: LoggedEntry, in rerun: Rerun) throws -> Rerun.Arrival?

  /// The state that an action returns to or takes over, and the plugins that belong to it; nil: it leaves all as it is.
  func point(after entry: LoggedEntry, in rerun: Rerun) throws -> (state: HostState, plugins: [HostedPlugin])?
}
