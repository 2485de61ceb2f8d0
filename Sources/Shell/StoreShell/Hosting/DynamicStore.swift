import StoreCore
import StoreHistory
import StorePlugins
import StoreSchema

/// The only thing the shell knows of a store: the schema of its actions and its state, dispatch, values and watching.
/// Commands, completion, printing and history speak to this seam and to nothing else.
protocol DynamicStore: WalkableStore, RecordableStore, ReplayingStore, ImportingStore, JournaledStore {
  /// The modules in order: Swift ones as hosted, then plugins as loaded.
  var modules: [Module] { get }
  /// The clock that stamps actions.
  var clock: any StoreClock { get }
  /// The latest actions.
  var log: ActionLog { get }
  /// The middlewares in composition order.
  var units: [UnitListing] { get }
  /// The folders of the loaded plugins, by name.
  var loadedPlugins: [LoadedPluginListing] { get }
  /// When watchers are told.
  var emission: String { get }
  /// How many actions one outside dispatch may cause.
  var runaway: Int { get }
  /// Where a setting of the store was changed; nil: nowhere, it is what it is by default.
  func settingOrigin(_ name: String) -> String?
  /// The most that a plugin may ask for.
  var ceiling: PluginManifest.Limits { get }
  /// How often plugins are looked at for state of their own.
  var purity: Purity { get }
  /// The same where nobody set it.
  var defaultPurity: Purity { get set }

  /// The action of that full name.
  func action(named name: String) -> ActionType?
  /// Has an action processed, with all that it causes.
  func dispatch(_ call: ActionCall, source: ActionSource) -> DispatchReport
  /// Has a typed action processed, with all that it causes.
  func dispatch(_ action: HostAction, source: ActionSource) -> DispatchReport
  /// What stands at a path, or what a projection gives.
  func read(_ path: Path) throws -> Reading
  /// Hands the look at the state that plugins and Lua get.
  var view: any StateView { get }
  /// Tells a watcher of a value: now, and after every commit that changed it.
  ///
  /// - Parameter read: the value at the moment of the call.
  func watch(
    _ name: String, _ read: @escaping @Sendable () -> Value,
    _ onChange: @escaping @Sendable (Notification<Value>) -> Void
  ) -> Subscription
  /// Has every phase of every action reported; nil: no longer.
  func setTrace(_ sink: ((TraceEvent) -> Void)?)
  /// Has the phases of every action timed; nil: no longer.
  func setSpans(_ listener: SpanListener?)
  /// Reports something that happened before an action reached the store.
  func trace(_ event: TraceEvent)
  /// Gets what the logger middleware says.
  func setLogSink(_ sink: @escaping @Sendable (LoggedLine) -> Void)

  /// Gets what plugins say.
  var pluginLog: ((PluginLogLine) -> Void)? { get set }

  /// Moves a gate, by a recorded action.
  func setGate(_ name: String, isOpen: Bool, source: ActionSource) -> DispatchReport
  /// Changes when watchers are told, by a recorded action.
  func setEmission(_ policy: String, source: ActionSource) -> DispatchReport
  /// Changes how many actions one dispatch may cause, by a recorded action.
  func setRunaway(_ limit: Int, source: ActionSource) -> DispatchReport
  /// Changes how often plugins are looked at for state of their own, by a recorded action.
  func setPurity(_ purity: Purity, source: ActionSource) -> DispatchReport
  /// Changes the most that a plugin may ask for of one thing, by a recorded action.
  func setCeiling(
    _ limit: PluginManifest.NamedLimit, _ ceiling: PluginManifest.Limits, source: ActionSource
  ) -> DispatchReport
  /// The type that the substates of a name must have; nil: any.
  func substateSchema(_ name: String) -> Schema
  /// Whether a module is a substate.
  func isSubstate(_ name: String) -> Bool
  /// Adds or takes away substates, by a recorded action.
  func changeSubstates(_ change: SubstateChange, source: ActionSource) -> DispatchReport
  /// Lets a plugin run or stops it, by a recorded action.
  func setPlugin(_ name: String, isOn: Bool, source: ActionSource) -> DispatchReport
  /// What the store did by itself since it was last asked, in a sentence each.
  func takeNotes() -> [String]
  /// Runs a plugin's definition and adds it, by a recorded action; all or nothing (R28).
  func load(_ source: PluginSource, from actionSource: ActionSource) throws -> (Plugin, DispatchReport)
  /// What a plugin of that name finds in the store that it is loaded into: all but itself.
  func surroundings(of plugin: String) -> Plugin.Surroundings
  /// What all reducers but those of a plugin make of an action.
  func reduced(without plugin: String, _ call: ActionCall, _ context: ActionContext, _ state: HostState) throws
    -> HostState
  /// Takes a plugin away with all that it registered, by a recorded action.
  func unload(_ name: String, source: ActionSource) throws -> DispatchReport
  /// Puts a plugin's edited version in its place, by a recorded action (R28). Where anything is wrong with it, all stays as
  /// it was.
  func reload(
    _ source: PluginSource, _ options: PluginReloadOptions, from actionSource: ActionSource
  ) throws -> PluginReloadReport
  /// Takes note that reloading a plugin failed, before it came to the store or in it.
  func noteFailedReload(of plugin: String)
  /// What the loaded plugins were read from, in load order.
  var sources: [PluginSource] { get }
  /// Whether plugins are reloaded when their files are saved.
  var watchesPlugins: Bool { get }
  /// Changes that, by a recorded action.
  func setPluginWatch(_ isOn: Bool, source: ActionSource) -> DispatchReport
  /// The thunks of the application and of the plugins that run.
  var thunks: [ThunkType] { get }
  /// The effects that run or wait, in the order of their units.
  var effects: [EffectListing] { get }
  /// Cancels the effects of an id; nil: all.
  ///
  /// - Returns: whether there was any.
  @discardableResult
  func cancelEffects(_ id: String?) -> Bool
  /// Whether there is anything to be told of by `takeFaults`.
  var hasFaults: Bool { get }
  /// What went wrong since it was last asked, where no dispatch told of it: in tasks, and in what they caused.
  func takeFaults() -> [any Error]
  /// Has `takeFaults` tell of what went wrong in a dispatch that was one of several in a statement.
  func leaveFaults(of report: DispatchReport)
  /// The plugin of that name.
  func plugin(named name: String) -> Plugin?
  /// The state of the moment.
  var state: HostState { get }
  /// The state that is shown: that of the moment, or an earlier one.
  var shownState: HostState { get }
  /// Tells of every action that goes through the reducers, with the states around it.
  func observe(_ tell: @escaping (PurityProof.Recorded) -> Void)
  /// What stops the Lua of each plugin, from any thread.
  var interrupts: [@Sendable () -> Void] { get }
  /// The plugins whose Lua ran when it was to be stopped, since it was last asked.
  func takeInterrupted() -> [String]
  /// Has the store ask between two actions whether what one dispatch caused is to end there.
  func setInterruption(_ isInterrupted: @escaping () -> Bool)
}

/// What became of one dispatch.
struct DispatchReport {
  /// The action's number in the log; nil where it was never processed.
  let number: Int?
  /// Its entry; nil where it was never processed, or the history had no room for it and what it caused.
  var entry: LoggedEntry?
  /// Why it failed, or why what it caused was stopped.
  let failure: (any Error)?
  /// What went wrong beside it, in middlewares or in actions that it caused: the action itself was applied all the same.
  var faults: [any Error]
  /// The interceptor that took it: nothing was reduced.
  var droppedBy: String?
  /// How many effects a gate that was shut has cancelled.
  var cancelled = 0
}

/// One middleware, as listings show it.
struct UnitListing {
  let name: String
  let isOpen: Bool
  /// How its gate stands.
  let gate: ShellState.Condition
  let seen: Int
  let held: Int
  let dropped: Int
  /// How many of its effects run or wait.
  let tasks: Int
  let origin: Module.Origin
}

/// One effect, as listings show it.
struct EffectListing {
  /// `UNIT/TOKEN`, in a plugin `PLUGIN/UNIT/KEY`.
  let id: String
  /// The name of its unit.
  let unit: String
  /// In how long it goes on, where it waits for the clock.
  let wakesIn: Duration?

  /// When it goes on, such as `in 1.0s`.
  var wakes: String? { wakesIn.map { "in \(EffectListing.seconds($0))" } }

  /// A duration that somebody set: in milliseconds where it is less than a tenth of a second.
  static func limit(_ duration: Duration) -> String {
    duration < .milliseconds(100) ? "\(Int((duration.seconds * 1000).rounded()))ms" : seconds(duration)
  }

  /// A duration in seconds, to a tenth.
  static func seconds(_ duration: Duration) -> String {
    let tenths = Int((duration.seconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)s"
  }
}

/// One plugin, as listings show it.
struct LoadedPluginListing {
  let name: String
  let version: String
  let folder: String
  /// Whether it runs.
  let condition: ShellState.Condition
  let units: [String]
  /// Tells the code that runs from an edited one.
  let digest: String
  /// When reloading it failed, where the earlier version is still there because of that.
  let reloadFailed: Duration?
  /// Whether the state holds its slice, and its code could not be loaded.
  var isLost = false

  /// What listings say of it.
  var state: String {
    if isLost { return Self.notLoaded }
    return condition == .on && reloadFailed != nil ? "reload failed" : condition.rawValue
  }
  static let notLoaded = "not loaded"
  /// The same time in seconds, to the tenth that `log` shows.
  var failedAt: Value {
    guard let components = reloadFailed?.components else { return .none }
    return .double(Double(components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000) / 10)
  }
}

/// What the logger middleware says of one action.
struct LoggedLine: Sendable {
  let number: Int
  let call: ActionCall
  let source: ActionSource
  let changes: [Change]
}
