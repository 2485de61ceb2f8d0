import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

/// The refusal of actions that nothing would process, because their plugin is off or gone, or no longer declares them: an action
/// that is reported as done was processed, wherever it comes from.
final class IdlePlugins: @unchecked Sendable {
  // Safe: used by the thread that holds the turn, where actions are reduced.
  private let owners: [(plugin: Plugin, strikes: PluginStrikes)]
  /// The owner of the last action: looking for names takes longer than a small reducer. Plain words, to count nothing: ``owners``
  /// holds the owner, and the type is held beside it, so that its address stays its own.
  @exclusivity(unchecked) private var recent:
    (type: UnsafeMutableRawPointer?, strikes: Unmanaged<PluginStrikes>?, isRefused: Bool) = (nil, nil, false)
  private var recentType: ActionType?

  private init(_ plugins: [HostedPlugin]) { owners = plugins.map { ($0.plugin, $0.strikes) } }

  /// The reducer that refuses them, before any other changes the state.
  static func refusing(_ plugins: [HostedPlugin]) -> Reducer<HostAction, HostState> {
    let idle = IdlePlugins(plugins)
    return Reducer<HostAction, HostState>.throwing("shell") { action, state, _ in
      throw idle.refusal(of: action.call.type, in: state.shell)
    }.lift(
      action: { (action: HostAction) in idle.refuses(action) ? action : nil },
      modify: { (state: inout HostState, body) in try body(&state) }
    ).taking(kinds: { $0.kind == .plugin })
  }

  private func refuses(_ action: HostAction) -> Bool {
    guard action.kind == .plugin else { return false }
    if recent.type != Unmanaged.passUnretained(action.call.type).toOpaque() { look(for: action.call.type) }
    return recent.strikes.map { $0._withUnsafeGuaranteedRef { $0.isStopped } } ?? recent.isRefused
  }

  private func look(for type: ActionType) {
    // What brings in a state is no action of anybody.
    let isAction = type !== ActionCall.unknown.type
    let strikes = isAction && !type.isSuperseded ? owner(of: type)?.strikes : nil
    recent = (
      Unmanaged.passUnretained(type).toOpaque(), strikes.map(Unmanaged.passUnretained), isRefused: isAction
    )
    recentType = type
  }

  /// The plugin that declares an action, or the thunk that it carries.
  private func owner(of type: ActionType) -> (plugin: Plugin, strikes: PluginStrikes)? {
    owners.first { $0.plugin.module.name == type.module }
      ?? owners.first { owner in
        owner.plugin.tasks.isThunk(type)
          || owner.plugin.addedActions.contains { $0.module == type.module && $0.name == type.name }
      }
  }

  private func refusal(of type: ActionType, in shell: ShellState) -> HostError {
    guard let name = owner(of: type)?.plugin.module.name else {
      return HostError(
        code: .pluginOff, message: "the plugin of \(type.fullName) is not loaded; it was not processed",
        hint: "plugin list shows the plugins that are")
    }
    guard !type.isSuperseded else {
      return HostError(
        code: .pluginOff, message: "\(name) declares \(type.fullName) otherwise, or not at all; it was not processed",
        hint: "describe \(name) shows its actions")
    }
    let why = shell.condition(of: name) == .faulted ? " after \(PluginStrikes.limit) failures in a row" : ""
    return HostError(
      code: .pluginOff, message: "\(name) is off\(why); \(type.fullName) was not processed",
      hint: "plugin enable \(name)")
  }
}

extension ShellState {
  /// True if an action was refused because nothing would process it, and nothing does in this state either.
  func leavesIdle(_ entry: LoggedEntry) -> Bool {
    entry.failure == ErrorCode.pluginOff.rawValue
      && !plugins.contains { $0.condition == .on && entry.action.hasPrefix("\($0.name).") }
  }
}
