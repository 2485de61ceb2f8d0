import StoreModules
import StorePlugins
import StoreSchema

/// Reading what is shown to a client.
extension StoreClient {
  /// What is shown instead of the present; nil: the present.
  package var viewed: ViewedPoint? {
    past.map { ViewedPoint(number: $0.number, skipped: $0.skipped, head: live.head) }
  }

  /// Throws the error for what may not be done while the past is shown.
  package func requirePresent() throws {
    if let viewed { throw viewed.refusal }
  }

  /// What is shown: the present of the moment, or an earlier point.
  private var shown: ShownPoint { past.map { ShownPoint(past: $0) } ?? live.present }

  /// Hands out the state that is shown.
  package func withShownState<Result>(_ body: (borrowing HostState) throws -> Result) rethrows -> Result {
    if let past { return try body(past.state) }
    return try live.store.withState(body)
  }

  /// The state that is shown: that of the moment, or an earlier one.
  package var shownState: HostState { withShownState { copy $0 } }
  /// The settings of the store, as they are shown.
  package var settings: ShellState { withShownState { $0.shell } }
  /// Hands a look at the state that is shown, for Lua.
  package var view: any StateView { ClientView(client: self) }
  /// The modules in order: Swift ones as hosted, then plugins as loaded.
  package var modules: [Module] { live.modules(in: shown) }

  /// The middlewares in composition order.
  package var units: [UnitListing] { live.turn { live.units(in: shown) } }

  /// The loaded plugins, as listings show them.
  package var loadedPlugins: [LoadedPluginListing] {
    live.turn {
      live.listings(of: shown, missingAt: past?.number ?? live.history.head)
    }
  }

  /// The plugin of that name.
  package func plugin(named name: String) -> Plugin? {
    past == nil ? live.plugin(named: name) : shown.plugins.first { $0.plugin.module.name == name }?.plugin
  }

  /// Whether a module is a substate.
  package func isSubstate(_ name: String) -> Bool { withShownState { $0.substates.contains { $0.name == name } } }

  /// What stands at a path, or what a projection gives.
  package func read(_ path: Path) throws -> Reading {
    try withOwnPlugins { try live.read(path, in: shown, note: { readModules?.formUnion($0) }, by: $0) }
  }

  /// The type of what stands at a path, or of what a projection gives.
  package func type(at path: Path) throws -> Schema {
    try withOwnPlugins { try live.type(at: path, in: shown, by: $0) }
  }

  /// Runs a closure with what gives, for a plugin that is there, the one that computes for this client.
  private func withOwnPlugins<Result>(
    _ body: ((HostedPlugin) throws -> HostedPlugin) throws -> Result
  ) throws -> Result {
    var lent: (from: Plugin, to: Plugin)?
    defer { if let lent { live.turn { lent.from.countUses(of: lent.to) } } }
    return try body { hosted in
      // Within the turn, as where a watch asks, the plugin that runs keeps what it gives from action to action.
      guard past == nil, !live.store.isMine, let version = runningVersion(of: hosted),
        let own = try plugins([version]).first
      else { return hosted }
      lent = (hosted.plugin, own.plugin)
      return own
    }
  }

  /// The version of a plugin that runs; nil while it is being exchanged.
  private func runningVersion(of hosted: HostedPlugin) -> PluginVersion? {
    live.turn { live.timeline.points.last?.versions.first { $0.hosted?.plugin === hosted.plugin } }
  }
}
