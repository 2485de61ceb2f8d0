import StoreHistory
import StorePlugins
import StoreSchema

extension ShellAction {
  /// The types of the shell's own actions, by full name.
  static let types = Dictionary(Module.shell.actions.map { ($0.fullName, $0) }, uniquingKeysWith: { first, _ in first })

  /// A recorded change of a setting of the store; nil where there is no such setting.
  init?(setting name: String, to value: String, in state: HostState) {
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
    case "plugin.ceiling.instructions": self.init(ceiling: \.instructions, name, value, state)
    case "plugin.ceiling.memory": self.init(ceiling: \.memory, name, value, state)
    case "plugin.ceiling.tasks": self.init(ceiling: \.tasks, name, value, state)
    case "plugin.watch": self = .setPluginWatch(value == "on")
    default: return nil
    }
  }
}

extension ShellAction {
  private init?(
    ceiling path: WritableKeyPath<PluginManifest.Limits, Int>, _ name: String, _ value: String, _ state: HostState
  ) {
    guard let limit = Int(value) else { return nil }
    var ceiling = state.shell.ceiling
    ceiling[keyPath: path] = limit
    self = .setCeiling(name: String(name.dropFirst("plugin.ceiling.".count)), ceiling)
  }
}

extension LoggedEntry {
  /// The entry as it went when it was run again.
  func replayed(changes: [Change], failure: String?) -> LoggedEntry {
    LoggedEntry(
      number: number, time: time, source: source, action: action, arguments: arguments, isQuiet: isQuiet,
      changes: changes, failure: failure, digest: digest, original: original, droppedBy: droppedBy)
  }
}
