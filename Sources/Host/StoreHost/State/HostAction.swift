import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

/// An action of the root store: described for the shell and for plugins, and typed for whoever reduces it. One reference,
/// because it is handed to every unit and kept by the log.
package final class HostAction: Sendable {
  package let call: ActionCall
  /// The typed action, of the application and of substates.
  let typed: AppAction
  let kind: Kind
  // What few actions have; one reference, as each action is freed.
  private let rarities: Rarities?

  /// Those who have actions: the application, a substate, which is the module (R23), a plugin, and the shell itself.
  enum Kind: UInt {
    case app, substate, plugin, shell
  }

  private final class Rarities: Sendable {
    let action: ShellAction?
    /// The last action before that was made, if it was made from the state: it is refused behind another one.
    let basis: Int?
    let maker: ShellActionMaker?
    let fate: ActionFate?

    init(_ action: ShellAction?, _ basis: Int? = nil, _ maker: ShellActionMaker? = nil, _ fate: ActionFate? = nil) {
      (self.action, self.basis, self.maker, self.fate) = (action, basis, maker, fate)
    }
  }

  private init(_ call: ActionCall, _ kind: Kind, _ typed: AppAction, _ rarities: Rarities? = nil) {
    self.call = call
    self.kind = kind
    self.typed = typed
    self.rarities = rarities
  }

  package convenience init(_ call: ActionCall, _ typed: AppAction) { self.init(call, .app, typed) }

  convenience init(_ call: ActionCall, ofSubstate typed: AppAction) { self.init(call, .substate, typed) }

  package convenience init(_ call: ActionCall) { self.init(call, .plugin, .none) }

  /// An action of the shell.
  ///
  /// - Parameters:
  ///   - basis: the last action before it was made, if it was made from the state.
  ///   - maker: makes it anew; nil: nothing does.
  convenience init(_ action: ShellAction, basis: Int? = nil, by maker: ShellActionMaker? = nil) {
    self.init(action.call, .shell, .none, Rarities(action, basis, maker))
  }

  /// The same action, of whose fate somebody is told.
  convenience init(_ action: HostAction, _ fate: ActionFate) {
    self.init(action.call, action.kind, action.typed, Rarities(action.shell, action.basis, action.maker, fate))
  }

  package var shell: ShellAction? { rarities?.action }
  /// Told of its fate; nil: nobody asks.
  var fate: ActionFate? { rarities?.fate }
  /// The last action before it was made, if it was made from the state.
  var basis: Int? { rarities?.basis }
  /// Makes it anew from the present state; nil: nothing does.
  var maker: ShellActionMaker? { rarities?.maker }

  /// What the parts of the store look at that take all actions of a kind or none.
  var taken: ActionKind { ActionKind(call.type, variant: kind.rawValue) }
}

/// Makes an action of the shell from the present state.
struct ShellActionMaker: @unchecked Sendable {
  // Safe: called by the thread that holds the turn.
  let make: () throws -> ShellAction
}

/// An action of the shell on its way to the reducer.
struct BasedShellAction: Sendable {
  let action: ShellAction
  /// The last action before it was made, if it was made from the state.
  let basis: Int?

  init?(_ host: HostAction) {
    guard let action = host.shell else { return nil }
    (self.action, basis) = (action, host.basis)
  }

  /// Reduces the action, unless another one has come since it was made.
  ///
  /// - Parameter head: the number of the last action.
  func reduce(_ state: inout HostState, behind head: Int, from source: ActionSource) throws {
    if let basis, basis != head {
      throw HostError(
        code: action.isReturn ? .undoConflict : .failed,
        message:
          "\(action.call.type.fullName) was made after #\(basis), and #\(head) has come since; nothing was changed",
        hint: "repeat the command")
    }
    try action.reduce(&state, from: source)
  }
}

/// The number of the last action, for the reducer of the shell's actions.
final class RecordedHead: @unchecked Sendable {
  // Safe: used by the thread that holds the turn.
  @exclusivity(unchecked) var number = 0
  /// The time of day when it was recorded; nil: time is virtual.
  @exclusivity(unchecked) var wallTime: Int?
  /// Its entry, where memory had room for it; nil also where none was made because nobody asks.
  @exclusivity(unchecked) var entry: LoggedEntry?
  /// What the caller of a dispatch asks for of a plain action.
  @exclusivity(unchecked) var answer = DispatchAnswer.number
  /// What it changed, where that alone is asked for of a plain action; nil: it was none.
  @exclusivity(unchecked) var changes: [Change]?

  /// True if an action has an entry that somebody asks for, or that tells more than that of a plain action, or has caused others.
  @inline(__always)
  func hasMore(than number: Int) -> Bool {
    if entry != nil || self.number != number { return true }
    return switch answer {
    case .number: false
    case .changes: changes == nil
    case .entry: true
    }
  }

  /// Lets go of an entry; seldom there is one.
  @inline(__always)
  func forgetEntry() { if entry != nil { entry = nil } }

  /// Lets go of what an action changed.
  @inline(__always)
  func forgetChanges() { if changes != nil { changes = nil } }
}

/// What the caller of a dispatch asks for of a plain action, one that is applied as it comes and causes no other. Of any other action
/// he gets the entry.
package enum DispatchAnswer {
  /// Its number in the log alone.
  case number
  /// What it changed besides: ``StoreClient/changes``.
  case changes
  /// Its entry.
  case entry
}

/// What became of actions.
package final class ActionFate: @unchecked Sendable {
  // Safe: used by the thread that holds the turn.

  /// True once one of them failed, or was dropped by an interceptor.
  var isRejected = false
}

extension HostAction: Equatable {
  /// Whether two actions are of one type and have equal arguments.
  package static func == (left: HostAction, right: HostAction) -> Bool {
    left.call.type === right.call.type && left.call.arguments == right.call.arguments
  }
}

extension HostAction: CustomStringConvertible {
  /// The action as it is dispatched.
  package var description: String { ActionText.text(call.type.fullName, arguments: call.record) }
}

/// What the shell does to its own slice, as actions: recorded and numbered like all others.
package enum ShellAction: Sendable {
  case setGate(name: String, isOpen: Bool)
  /// Where an action has moved a gate by its rule.
  case moveGate(name: String, isOpen: Bool)
  /// The rule that moves the gate of a unit besides; nil: none.
  case setRule(name: String, GateRule?)
  case loadPlugin(ShellState.LoadedPlugin, slice: PluginSlice?, gates: [ShellState.Gate])
  case unloadPlugin(name: String)
  case reloadPlugin(ShellState.LoadedPlugin, slice: PluginSlice?, gates: [ShellState.Gate])
  case switchPlugin(name: String, to: ShellState.Condition)
  case setEmission(String)
  case setRunaway(Int)
  case setPurity(Purity)
  case substate(SubstateChange)
  /// The most of one limit that a plugin may ask for.
  case setCeiling(PluginManifest.NamedLimit, Int)
  case setPluginWatch(Bool)
  /// The id of the effects that are cancelled; nil: all.
  case cancelEffects(id: String?)
  case setHistoryLimits(HistoryLimits)
  /// The number of the point, and its state.
  case restore(to: Int, state: HostState)
  /// The numbers of the actions that are taken back while later ones stay, and the state without them.
  case takeBack([Int], state: HostState)
  /// The file that the state is from, the state, the modules that the file names, nil where those are all, and the substates in
  /// it that were not there before.
  case importState(file: String, HostState, modules: [String]?, added: [String])

  /// The module that they belong to, in journals and logs.
  package static let module = Module(name: "shell", origin: .swift, schema: nil, actions: Types.all)

  /// The actions as the journal names them.
  package enum Types {
    package static let all = [
      setGate, setRule, moveGate, loadPlugin, unloadPlugin, reloadPlugin, enablePlugin, disablePlugin, faultPlugin, set,
      restore,
      importState, cancelEffects,
      SubstateChange.addType, SubstateChange.resetType,
    ]
    package static let setGate = ActionType(
      module: "shell", name: "setGate", fields: [Field("name", String.schema), Field("open", Bool.schema)],
      documentation: "Opens or shuts the gate of a middleware.")
    package static let setRule = ActionType(
      module: "shell", name: "setRule", fields: [Field("name", String.schema), Field("rule", .dynamic(.any))],
      documentation: "Lets actions or the state open and shut the gate of a middleware.")
    package static let moveGate = ActionType(
      module: "shell", name: "moveGate", fields: [Field("name", String.schema), Field("open", Bool.schema)],
      documentation: "Records that an action moved the gate of a middleware by its rule.")
    package static let loadPlugin = ActionType(
      module: "shell", name: "loadPlugin", fields: [Field("name", String.schema), Field("version", String.schema)],
      documentation: "Adds a plugin.")
    package static let unloadPlugin = ActionType(
      module: "shell", name: "unloadPlugin", fields: [Field("name", String.schema)], documentation: "Removes a plugin.")
    package static let reloadPlugin = ActionType(
      module: "shell", name: "reloadPlugin", fields: [Field("name", String.schema), Field("version", String.schema)],
      documentation: "Replaces a plugin by its edited version.")
    package static let enablePlugin = ActionType(
      module: "shell", name: "enablePlugin", fields: [Field("name", String.schema)],
      documentation: "Lets a plugin run again.")
    package static let disablePlugin = ActionType(
      module: "shell", name: "disablePlugin", fields: [Field("name", String.schema)],
      documentation: "Stops a plugin's reducers and middlewares.")
    package static let faultPlugin = ActionType(
      module: "shell", name: "faultPlugin", fields: [Field("name", String.schema)],
      documentation: "Stops a plugin that failed too often in a row.")
    package static let set = ActionType(
      module: "shell", name: "set", fields: [Field("name", String.schema), Field("value", String.schema)],
      documentation: "Changes a setting of the store.")
    package static let cancelEffects = ActionType(
      module: "shell", name: "cancelEffects", fields: [Field("id", String?.schema)],
      documentation: "Cancels tasks: those of an id, or all.")
    package static let importState = ActionType(
      module: "shell", name: "import",
      fields: [Field("file", String.schema), ImportedModules.field, ImportedSubstates.field],
      documentation: "Imports a state from a file.")
    package static let restore = ActionType(
      module: "shell", name: "restore", fields: [Field("to", Int?.schema), Field("without", [Int]?.schema)],
      documentation: "Makes an earlier point of the history the present, or takes back some actions alone.")
  }

  /// The action as the journal names it, with its arguments.
  package var call: ActionCall {
    switch self {
    case .setGate(let name, let isOpen): ActionCall(Types.setGate, [.string(name), .bool(isOpen)])
    case .moveGate(let name, let isOpen): ActionCall(Types.moveGate, [.string(name), .bool(isOpen)])
    case .setRule(let name, let rule): ActionCall(Types.setRule, [.string(name), rule?.value ?? .none])
    case .loadPlugin(let plugin, _, _): ActionCall(Types.loadPlugin, [.string(plugin.name), .string(plugin.version)])
    case .unloadPlugin(let name): ActionCall(Types.unloadPlugin, [.string(name)])
    case .reloadPlugin(let plugin, _, _):
      ActionCall(Types.reloadPlugin, [.string(plugin.name), .string(plugin.version)])
    case .switchPlugin(let name, .on): ActionCall(Types.enablePlugin, [.string(name)])
    case .switchPlugin(let name, .off): ActionCall(Types.disablePlugin, [.string(name)])
    case .switchPlugin(let name, .faulted): ActionCall(Types.faultPlugin, [.string(name)])
    case .setEmission(let policy): ActionCall(Types.set, [.string("emit"), .string(policy)])
    case .setRunaway(let limit): ActionCall(Types.set, [.string("runaway"), .string("\(limit)")])
    case .substate(let change): change.call
    case .setPurity(let purity): ActionCall(Types.set, [.string("plugin.purity"), .string(purity.rawValue)])
    case .setCeiling(let limit, let most):
      ActionCall(Types.set, [.string("plugin.ceiling.\(limit.name)"), .string("\(most)")])
    case .setPluginWatch(let isOn): ActionCall(Types.set, [.string("plugin.watch"), .string(isOn ? "on" : "off")])
    case .cancelEffects(let id): ActionCall(Types.cancelEffects, [id.map { .string($0) } ?? .none])
    case .setHistoryLimits(let limits): ActionCall(Types.set, [.string("journal.limit"), .string(limits.text)])
    case .importState(let file, let state, let modules, let added):
      ActionCall(
        Types.importState,
        [.string(file), ImportedModules.argument(modules), ImportedSubstates.argument(added, in: state)])
    case .restore(let number, _): ActionCall(Types.restore, [.int(number), .none])
    case .takeBack(let numbers, _):
      ActionCall(Types.restore, [.none, .list(PersistentList(numbers.map { .int($0) }))])
    }
  }

  /// The digest of the code that the action brings into the store.
  package var digest: String? {
    switch self {
    case .loadPlugin(let plugin, _, _), .reloadPlugin(let plugin, _, _): plugin.digest
    default: nil
    }
  }

  /// Whether the action only goes back or forth in what happened.
  package var isReturn: Bool {
    switch self {
    case .restore, .takeBack: true
    default: false
    }
  }

  /// Whether the rules of a plugin are asked about the action: not where the plugin is another one, or gone, after it, nor
  /// where a state is taken over, which holds already what such changes have led to.
  package func concernsRules(of plugin: String) -> Bool {
    switch self {
    case .unloadPlugin(let name): name != plugin
    case .reloadPlugin(let loaded, _, _): loaded.name != plugin
    case .restore, .takeBack, .importState: false
    default: true
    }
  }

  /// The name of the setting that the action changes; nil: it changes none.
  package var setting: String? {
    let call = call
    guard call.type === Types.set, case .string(let name)? = call.arguments.first else { return nil }
    return name
  }

  /// Whether the action carries what was made from the state, so that no other may come in between.
  var isMadeFromState: Bool {
    switch self {
    case .restore, .takeBack, .importState, .reloadPlugin: true
    default: false
    }
  }

  /// Whether the action may be refused.
  package var canFail: Bool {
    switch self {
    case .substate(let change): return change.canFail
    case .loadPlugin: return true
    default: return isMadeFromState
    }
  }

  /// Reduces the action over the root state.
  ///
  /// - Parameter source: where the action is from.
  /// - Throws: `SubstateError` where a substate of that name is there.
  package func reduce(_ state: inout HostState, from source: ActionSource) throws {
    try reduce(&state)
    if let setting { state.shell.settingOrigins[setting] = "\(source.file):\(source.line)" }
  }

  /// Reduces an action that changes no setting. Whatever it does to modules, their sequences never fall with it; a return to a point
  /// and an import look after those that are there before and after.
  package func reduce(_ state: inout HostState) throws {
    switch self {
    case .loadPlugin, .unloadPlugin, .reloadPlugin, .substate: try keepSequences(of: &state, where: true)
    case .restore, .takeBack, .importState: try keepSequences(of: &state, where: false)
    default: try change(&state)
    }
  }

  private func keepSequences(of state: inout HostState, where staysHigh: Bool) throws {
    let before = state
    try change(&state)
    state.keepSequences(of: before, alsoWhereBothHave: staysHigh)
  }

  private func change(_ state: inout HostState) throws {
    switch self {
    case .setGate(let name, let isOpen): state.shell.changeGate(of: name) { $0.isOpen = isOpen }
    case .moveGate(let name, let isOpen):
      state.shell.changeGate(of: name) { if $0.rule != nil { $0.isOpenByAction = isOpen } }
    case .setRule(let name, let rule): state.shell.changeGate(of: name) { $0.setRule(rule) }
    case .loadPlugin(let plugin, let slice, let gates):
      guard !state.shell.plugins.contains(where: { $0.name == plugin.name }) else {
        // In a shared store another node may have been quicker.
        throw HostError(code: .nameTaken, message: "there is a plugin '\(plugin.name)' already")
      }
      state.shell.plugins.append(plugin)
      if let slice { state.plugins.append(slice) }
      state.shell.gates += gates
    case .unloadPlugin(let name):
      state.shell.plugins.removeAll { $0.name == name }
      state.plugins.removeAll { $0.name == name }
      state.shell.gates.removeAll { $0.name.hasPrefix("\(name).") }
    case .switchPlugin(let name, let condition):
      if let index = state.shell.plugins.firstIndex(where: { $0.name == name }) {
        state.shell.plugins[index].condition = condition
      }
    case .setEmission(let policy): state.shell.emission = policy
    case .setRunaway(let limit): state.shell.runaway = limit
    case .setCeiling(let limit, let most): state.shell.ceiling[keyPath: limit.path] = most
    case .substate(let change): try change.reduce(&state)
    case .setPurity(let purity): state.shell.purity = purity
    case .reloadPlugin(let plugin, let slice, let gates): state.replacePlugin(plugin, slice, gates)
    case .setPluginWatch(let isOn): state.shell.watchesPlugins = isOn
    case .cancelEffects: break
    case .setHistoryLimits(let limits): state.shell.limits = limits
    case .restore(_, let other), .takeBack(_, let other): state = other
    case .importState(_, let imported, _, _): state = imported
    }
  }
}

extension ShellAction {
  /// The types of the shell's own actions, by full name.
  package static let types = Dictionary(
    ShellAction.Types.all.map { ($0.fullName, $0) }, uniquingKeysWith: { first, _ in first })

  /// Whether a recorded action loads or reloads a plugin.
  package static func bringsPlugin(_ entry: LoggedEntry) -> Bool {
    entry.action == Types.loadPlugin.fullName || entry.action == Types.reloadPlugin.fullName
  }

  /// A recorded action whose arguments tell all of it; nil: it is another one.
  ///
  /// - Throws: `SchemaError` where the recorded value of a substate is no longer of its type.
  package init?(
    _ entry: LoggedEntry, in state: HostState, substateType: (String) -> Schema
  ) throws(SchemaError) {
    if let change = try SubstateChange(entry, type: substateType) {
      self = .substate(change)
      return
    }
    if entry.action == Types.cancelEffects.fullName, let id = entry.arguments.values.first {
      if case .string(let id) = id { self = .cancelEffects(id: id) } else { self = .cancelEffects(id: nil) }
      return
    }
    guard case .string(let name)? = entry.arguments.values.first, let last = entry.arguments.values.last else {
      return nil
    }
    switch (entry.action, last) {
    case (Types.setGate.fullName, .bool(let isOpen)): self = .setGate(name: name, isOpen: isOpen)
    case (Types.moveGate.fullName, .bool(let isOpen)): self = .moveGate(name: name, isOpen: isOpen)
    case (Types.setRule.fullName, let rule): self = .setRule(name: name, GateRule(rule))
    case (Types.unloadPlugin.fullName, _): self = .unloadPlugin(name: name)
    case (Types.enablePlugin.fullName, _): self = .switchPlugin(name: name, to: .on)
    case (Types.disablePlugin.fullName, _): self = .switchPlugin(name: name, to: .off)
    case (Types.faultPlugin.fullName, _): self = .switchPlugin(name: name, to: .faulted)
    case (Types.set.fullName, .string(let value)): self.init(setting: name, to: value, in: state)
    default: return nil
    }
  }

  /// A recorded change of a setting of the store; nil where there is no such setting.
  package init?(setting name: String, to value: String, in state: HostState) {
    switch name {
    case "emit": self = .setEmission(value)
    case "runaway":
      guard let limit = Int(value) else { return nil }
      self = .setRunaway(limit)
    case "plugin.purity":
      guard let purity = Purity(rawValue: value) else { return nil }
      self = .setPurity(purity)
    case "journal.limit":
      guard let limits = state.shell.limits.changed(by: value) else { return nil }
      self = .setHistoryLimits(limits)
    case "plugin.watch": self = .setPluginWatch(value == "on")
    default:
      let ceiling = PluginManifest.limits.first { name == "plugin.ceiling.\($0.name)" }
      guard let ceiling, let value = Int(value) else { return nil }
      self = .setCeiling(ceiling, value)
    }
  }
}

extension ActionType {
  /// The action with arguments that were given when it was declared otherwise, perhaps.
  ///
  /// - Throws: `SchemaError` where it takes other arguments now, and no defaults of them.
  func call(_ arguments: Record) throws(SchemaError) -> ActionCall {
    if arguments.layout === layout { return ActionCall(self, arguments.values) }
    let named = zip(arguments.layout.fields, arguments.values).filter { $0.1 != .none }
    return try call(named.map { ($0.0, $0.1) })
  }
}

extension LoggedEntry {
  /// Whether the user interrupted its reducers: how far they would have come is not known, and nothing that they did stayed.
  package var wasInterrupted: Bool { failure == ErrorCode.interrupted.rawValue }

  /// The entry as a call of its action as that is declared now.
  ///
  /// - Throws: `SchemaError` where the action takes other arguments by now, and no defaults of them.
  package func call(_ type: ActionType) throws(SchemaError) -> ActionCall {
    try type.call(arguments)
  }

  var first: LoggedEntry {
    var source = source
    source.statement = nil
    return LoggedEntry(
      number: number, time: time, source: source, action: action, arguments: arguments, isQuiet: isQuiet,
      changes: changes, failure: failure, reason: reason, digest: digest, original: original, droppedBy: droppedBy,
      wallTime: wallTime)
  }

  /// The entry without the names and times that differ from run to run.
  package var stable: LoggedEntry {
    var source = source
    source.author = nil
    return LoggedEntry(
      number: number, time: .zero, source: source, action: action, arguments: arguments, isQuiet: isQuiet,
      changes: changes, failure: failure, reason: reason, digest: digest, original: original, droppedBy: droppedBy)
  }

  /// The entry as it went when it was run again. Of the same failure it keeps the text.
  package func replayed(changes: [Change], failure: String?) -> LoggedEntry {
    LoggedEntry(
      number: number, time: time, source: source, action: action, arguments: arguments, isQuiet: isQuiet,
      changes: changes, failure: failure, reason: failure == self.failure ? reason : nil, digest: digest,
      original: original, droppedBy: droppedBy, wallTime: wallTime)
  }
}
