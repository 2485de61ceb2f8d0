import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

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

extension LoggedEntry {
  /// Whether the action is one of the shell's own.
  package var isOfShell: Bool { action.utf8.first == UInt8(ascii: "s") && action.hasPrefix("shell.") }

  /// Whether the user interrupted its reducers: how far they would have come is not known, and nothing that they did stayed.
  package var wasInterrupted: Bool { failure == ErrorCode.interrupted.rawValue }

  /// The entry as a call of its action as that is declared now.
  ///
  /// - Throws: `SchemaError` where the action takes other arguments by now, and no defaults of them.
  package func call(_ type: ActionType) throws(SchemaError) -> ActionCall {
    if arguments.layout === type.layout { return ActionCall(type, arguments.values) }
    let named = zip(arguments.layout.fields, arguments.values).filter { $0.1 != .none }
    return try type.call(named.map { ($0.0, $0.1) })
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
